"""After ``commit --amend``, ``reset`` or ``rebase`` nothing is taken back in silence: the same files go on, others wait
for a person's choice."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import CompleteTodo, DecideGate, EditTodo, OpenGate
from loopx.model.gate import GateStatus
from tests.support.lab import ANN, BOT, Crash, Lab, crash_at
from tests.workspace.gitting import commit, git, pending, without_cache


@pytest.fixture
def done(lab: Lab) -> tuple[Lab, str]:
    """A lab whose newest commit completed a Todo."""
    lab.goal()
    todo = lab.todo("Write the guide")
    lab.submit(CompleteTodo(todo=todo), op="op-done")
    return lab, todo


def reset(lab: Lab, count: int = 1) -> str:
    """Take commits off the branch; the tip that was left."""
    old = lab.git("rev-parse", "HEAD").strip()
    lab.git("reset", "--quiet", "--hard", f"HEAD~{count}")
    return old


def choose(lab: Lab, keep: str) -> None:
    lab.ws.choose_history(keep, actor=ANN, reason="as discussed")
    lab.clock.wait(5)


@pytest.mark.parametrize("how", ["amend", "rebase", "squash"])
def test_history_that_says_the_same_in_other_words_is_joined(done: tuple[Lab, str], how: str) -> None:
    lab, todo = done
    old = lab.git("rev-parse", "HEAD").strip()
    if how == "amend":
        lab.git("commit", "--quiet", "--amend", "--message=In other words")
    elif how == "rebase":
        lab.git("-c", "sequence.editor=true", "rebase", "--quiet", "--no-ff", "--reset-author-date", "HEAD~2")
    else:
        lab.git("reset", "--quiet", "--soft", "HEAD~2")
        lab.git("commit", "--quiet", "--message=Squashed")
    assert lab.todos()[todo].status == "done"
    assert lab.git("merge-base", "--is-ancestor", old, "HEAD") == ""
    assert lab.ws.operation("op-done").state == "committed"
    assert lab.submit(CompleteTodo(todo=todo), op="op-done").replayed
    lab.assert_sound()
    without_cache(lab)
    assert lab.ws.operation("op-done").state == "committed"
    assert lab.todos()[todo].status == "done"
    lab.assert_sound()


def test_after_a_reset_reads_say_so_and_writes_are_refused(done: tuple[Lab, str]) -> None:
    lab, todo = done
    old = reset(lab)
    view = lab.look()
    assert [each.code for each in view.warnings] == ["history-rewritten"]
    assert view.state.todo(todo).status == "done", "the last accepted state goes on serving"
    with pytest.raises(LoopxError) as refused:
        lab.todo("Another")
    assert refused.value.code == "history-rewritten"
    assert refused.value.problem.facts["old"] == old
    with pytest.raises(LoopxError) as agent:
        lab.ws.choose_history("old", actor=BOT, reason="mine")
    assert agent.value.code == "actor-not-permitted"


def test_keeping_the_old_tip_brings_everything_back(done: tuple[Lab, str]) -> None:
    lab, todo = done
    old = reset(lab)
    choose(lab, "old")
    assert lab.todos()[todo].status == "done"
    assert lab.ws.edits() == []
    assert lab.git("merge-base", "--is-ancestor", old, "HEAD") == ""
    lab.assert_sound()
    without_cache(lab)
    assert lab.todos()[todo].status == "done"
    assert lab.ws.operation("op-done").superseded_by is None


def test_keeping_the_new_tip_keeps_receipts_and_says_what_no_longer_holds(done: tuple[Lab, str]) -> None:
    lab, todo = done
    old = reset(lab)
    choose(lab, "new")
    assert lab.todos()[todo].status == "open"
    assert lab.ws.edits() == []
    assert lab.git("merge-base", "--is-ancestor", old, "HEAD") == ""
    [entry] = lab.look().state.completions(todo).entries
    assert entry.rolled_back_at is not None, "the record stays and no longer covers the Todo"
    report = lab.ws.operation("op-done")
    assert report.state == "committed"
    assert report.superseded_by
    assert lab.submit(CompleteTodo(todo=todo), op="op-done").superseded_by
    lab.assert_sound()
    without_cache(lab)
    assert lab.todos()[todo].status == "open"
    assert lab.ws.operation("op-done").superseded_by == report.superseded_by
    lab.submit(CompleteTodo(todo=todo))
    assert lab.todos()[todo].status == "done"
    lab.assert_sound()


def test_a_gate_answered_in_the_history_that_was_dropped_has_to_be_asked_again(lab: Lab) -> None:
    lab.goal()
    scope = "production:goal:deploy"
    gate = lab.submit(OpenGate(goal="beta", question="Ship it?", scope=scope)).receipt.result["id"]
    todo = lab.todo("Deploy", requires=(scope,))
    lab.submit(DecideGate(gate=gate, verb="approve", reason="yes", confirmed=True))
    reset(lab)
    choose(lab, "new")
    assert lab.look().state.gate(gate).status is GateStatus.OPEN
    with pytest.raises(LoopxError) as pends:
        lab.submit(CompleteTodo(todo=todo))
    assert pends.value.code == "gate-pending"
    lab.assert_sound()


def test_a_new_tip_with_a_document_nobody_can_read_keeps_the_old_version_of_it(done: tuple[Lab, str]) -> None:
    lab, todo = done
    other = lab.todo("Another")
    path, good = lab.path_of(other), lab.path_of(todo)
    lab.change(path, "title: Another", "title: [Another")
    lab.change(good, "title: Write the guide", "title: Write two guides")
    lab.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    typed = lab.read(path)
    choose(lab, "new")
    todos = lab.todos()
    assert (todos[other].title, todos[todo].title) == ("Another", "Write two guides")
    assert lab.read(path) == typed
    assert pending(lab) == {path: ["document-syntax"]}
    lab.assert_sound(unaccepted=(path,))


@pytest.mark.parametrize("keep", ["old", "new"])
def test_an_edit_typed_meanwhile_survives_the_choice(done: tuple[Lab, str], keep: str) -> None:
    lab, _ = done
    other = lab.todo("Another")
    reset(lab)  # takes the other one away again
    lab.save("goals/beta/todos/typed.md", "# Typed meanwhile\n")
    choose(lab, keep)
    titles = {each.title: each.id for each in lab.todos().values()}
    assert "Typed meanwhile" in titles
    assert (other in titles.values()) is (keep == "old")
    lab.assert_sound()


@pytest.mark.parametrize("keep", ["old", "new"])
@pytest.mark.parametrize("point", ["published", "materialised", "index-placed", "admitted", "forgotten"])
def test_a_choice_that_was_stopped_is_finished(done: tuple[Lab, str], keep: str, point: str) -> None:
    lab, todo = done
    reset(lab)
    try:
        with crash_at(point):
            choose(lab, keep)
    except Crash:
        lab.restart()
    assert lab.todos()[todo].status == ("done" if keep == "old" else "open")
    lab.clock.wait(5)
    assert lab.ws.edits() == []
    lab.assert_sound()


def test_there_is_nothing_to_choose_in_a_history_that_was_not_rewritten(done: tuple[Lab, str]) -> None:
    lab, _ = done
    with pytest.raises(LoopxError) as refused:
        lab.ws.choose_history("new", actor=ANN, reason="x")
    assert refused.value.code == "usage"


def test_a_rebase_that_leaves_an_edit_out_waits_for_a_person(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("One")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    lab.todo("Two")
    lab.git("rebase", "--quiet", "--onto", "HEAD~2", "HEAD~1")
    assert [each.code for each in lab.look().warnings] == ["history-rewritten"]
    choose(lab, "old")
    assert lab.todos()[todo].priority == "p0"
    lab.assert_sound()


def test_a_commit_on_top_of_a_reset_waits_as_well(done: tuple[Lab, str]) -> None:
    lab, todo = done
    reset(lab)
    lab.save("goals/beta/todos/typed.md", "# Typed on top\n")
    commit(lab)
    with pytest.raises(LoopxError) as refused:
        lab.todo("Another")
    assert refused.value.code == "history-rewritten"
    choose(lab, "old")
    assert lab.todos()[todo].status == "done"
    assert git(lab.root, "for-each-ref", "refs/loopx/kept").words.strip(), "the dropped tip stays reachable"
