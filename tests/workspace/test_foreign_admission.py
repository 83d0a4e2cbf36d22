"""Commits made with plain Git are judged like edits, file by file, by the authority of whoever made them."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import CompleteTodo, DecideGate, EditTodo, OpenGate
from loopx.model.gate import GateStatus
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.gitting import AGENT, commit, git, pending, without_cache

WEAKER = ("class: advancement", "class: user_action")
"""A change of a Todo that only a person may make."""


@pytest.fixture
def two(lab: Lab) -> tuple[Lab, str, str]:
    """A lab with two Todos."""
    lab.goal()
    return lab, lab.todo("One"), lab.todo("Two")


def test_the_good_files_of_a_commit_are_admitted_and_the_bad_put_back(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    good, bad = lab.path_of(one), lab.path_of(other)
    before = lab.at_head(bad)
    lab.change(good, "priority: p2", "priority: p0")
    lab.change(bad, "title: Two", "title: [Two")
    typed = lab.read(bad)
    made = commit(lab)
    assert lab.todos()[one].priority == "p0"
    assert lab.todos()[other].title == "Two", "the accepted version goes on serving"
    assert lab.at_head(bad) == before, "what cannot be read is not in history's newest state"
    assert lab.read(bad) == typed, "on disk it stays as typed"
    assert pending(lab) == {bad: ["document-syntax"]}
    assert lab.git("rev-parse", "HEAD^").strip() == made, "nothing is rewritten"
    assert "document-syntax" in lab.git("log", "-1", "--format=%B")
    lab.assert_sound(unaccepted=(bad,))
    lab.change(bad, "title: [Two", "title: Two again")
    assert lab.todos()[other].title == "Two again"
    lab.assert_sound()


def test_a_command_goes_on_while_a_refused_commit_waits(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    bad = lab.path_of(other)
    lab.change(bad, "title: Two", "title: [Two")
    commit(lab)
    lab.submit(CompleteTodo(todo=one))
    assert lab.todos()[one].status == "done"
    with pytest.raises(LoopxError) as gone:
        lab.ws.accept_edit(bad, actor=ANN)
    assert gone.value.code == "document-syntax"
    lab.ws.discard_edit(bad, actor=ANN)
    lab.look()
    lab.assert_sound()


def test_a_lifecycle_change_in_a_commit_obeys_the_rules_of_the_command(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    lab.submit(EditTodo(todo=one, add={"depends_on": (other,)}))
    path = lab.path_of(one)
    lab.change(path, "status: open", "status: done")
    commit(lab)
    assert lab.todos()[one].status == "open"
    assert pending(lab) == {path: ["dependency-unmet"]}
    lab.submit(CompleteTodo(todo=other))
    assert lab.todos()[one].status == "done", "what has become admissible is taken"
    lab.assert_sound()


def test_records_and_fields_of_the_machine_are_not_forged_by_a_commit(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    lab.submit(CompleteTodo(todo=one))
    record = f"goals/beta/completions/{one}.yaml"
    path = lab.path_of(other)
    lab.save(record, lab.read(record).replace(b"human:Ann", b"human:Eve"))
    lab.change(path, f'id: "{other}"', 'id: "t-zzzzzzzz"')
    before = lab.at_head(record), lab.at_head(path)
    commit(lab, 'Loopx-looking\n\nLoopx-Operation: "op-forged"\nLoopx-Command: "todo done"')
    codes = pending(lab)
    assert codes[record][0] == "record-machine-owned"
    assert codes[path][0] in ("field-machine-owned", "id-reused")
    assert (lab.at_head(record), lab.at_head(path)) == before
    assert lab.ws.operation("op-forged").state == "unknown", "a message claims it, which proves nothing"
    without_cache(lab)
    assert lab.ws.operation("op-forged").state == "unknown"
    assert pending(lab) == codes


def test_a_gate_is_not_answered_by_a_commit(lab: Lab) -> None:
    lab.goal()
    gate = lab.submit(OpenGate(goal="beta", question="Ship it?", scope="production:goal:deploy")).receipt.result["id"]
    [file] = (lab.root / "goals/beta/gates").glob("*.md")
    path = file.relative_to(lab.root).as_posix()
    lab.change(path, "status: open", "status: approved")
    commit(lab)
    assert lab.look().state.gate(gate).status is GateStatus.OPEN
    assert pending(lab) == {path: ["gate-not-by-hand"]}


def test_what_an_agent_commits_is_judged_by_the_agents_authority(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    mine, guarded = lab.path_of(one), lab.path_of(other)
    lab.change(mine, "title: One", "title: One, by the agent")
    lab.change(guarded, *WEAKER)
    commit(lab, author=AGENT)
    assert lab.todos()[one].title == "One, by the agent"
    assert pending(lab) == {guarded: ["actor-not-permitted"]}
    assert lab.git("log", "-1", "--format=%an %s").startswith("bot admit:")
    assert [each.actor for each in lab.ws.log(limit=2)] == ["agent:bot", "agent:bot"]
    without_cache(lab)
    assert [each.actor for each in lab.ws.log(limit=2)] == ["agent:bot", "agent:bot"]
    assert pending(lab) == {guarded: ["actor-not-permitted"]}


def test_what_an_agent_committed_is_not_taken_for_the_persons_when_a_person_commits_on_top(
    two: tuple[Lab, str, str],
) -> None:
    lab, one, other = two
    guarded, theirs = lab.path_of(one), lab.path_of(other)
    lab.change(guarded, *WEAKER)
    commit(lab, "by the agent", author=AGENT)
    lab.change(theirs, *WEAKER)
    commit(lab, "by the person")
    todos = lab.todos()
    assert todos[one].todo_class == "advancement"
    assert todos[other].todo_class == "user_action"
    assert pending(lab) == {guarded: ["actor-not-permitted"]}
    assert lab.git("log", "-2", "--format=%an|%s").splitlines() == [
        "Test Person|admit: by the person",
        "bot|admit: by the agent",
    ]
    lab.assert_sound(unaccepted=(guarded,))


def test_a_file_an_agent_and_a_person_both_committed_is_judged_as_the_agents(two: tuple[Lab, str, str]) -> None:
    lab, one, _ = two
    path = lab.path_of(one)
    lab.change(path, *WEAKER)
    commit(lab, "by the agent", author=AGENT)
    lab.change(path, "title: One", "title: One more")
    commit(lab, "by the person")
    assert lab.todos()[one].title == "One"
    assert pending(lab) == {path: ["actor-not-permitted"]}
    lab.ws.accept_edit(path, actor=ANN)
    assert (lab.todos()[one].title, lab.todos()[one].todo_class) == ("One more", "user_action")
    lab.assert_sound()


def test_files_that_are_no_documents_pass_and_stay(two: tuple[Lab, str, str]) -> None:
    lab, one, _ = two
    lab.save("notes.txt", "mine")
    lab.change(lab.path_of(one), "title: One", "title: Uno")
    commit(lab)
    assert lab.todos()[one].title == "Uno"
    assert lab.at_head("notes.txt") == b"mine"
    lab.assert_sound()


def test_a_hand_made_file_that_comes_by_a_commit_is_adopted(two: tuple[Lab, str, str]) -> None:
    lab, *known = two
    lab.save("goals/beta/todos/third.md", "# Made by hand\n\nAnd committed.\n")
    commit(lab)
    [found] = [each for each in lab.todos().values() if each.id not in known]
    assert found.title == "Made by hand"
    assert b"And committed." in lab.read("goals/beta/todos/third.md")
    lab.assert_sound()


def test_a_file_moved_by_a_commit_keeps_its_identity(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    lab.git("mv", lab.path_of(one), "goals/beta/todos/renamed.md")
    commit(lab)
    assert set(lab.todos()) == {one, other}
    assert lab.path_of(one) == "goals/beta/todos/renamed.md"
    lab.assert_sound()


def test_a_deletion_in_a_commit_is_judged_like_any(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    lab.submit(CompleteTodo(todo=one))
    closed, free = lab.path_of(one), lab.path_of(other)
    lab.git("rm", "--quiet", closed, free)
    commit(lab)
    assert set(lab.todos()) == {one}
    assert pending(lab) == {closed: ["document-closed"]}
    lab.clock.wait(5)
    assert pending(lab) == {closed: ["document-closed"]}
    lab.ws.discard_edit(closed, actor=ANN)
    assert lab.read(closed) == lab.at_head(closed)
    lab.look()
    lab.assert_sound()


def test_a_deletion_an_agent_committed_never_becomes_the_persons(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    path = lab.path_of(one)
    lab.git("rm", "--quiet", path)
    commit(lab, author=AGENT)
    for _ in range(3):
        assert pending(lab) == {path: ["actor-not-permitted"]}
        assert set(lab.todos()) == {one, other}
        lab.clock.wait(5)
    lab.ws.accept_edit(path, actor=ANN)
    assert set(lab.todos()) == {other}
    lab.assert_sound()


def test_an_edit_on_top_of_a_commit_stays_the_persons_and_both_are_taken(two: tuple[Lab, str, str]) -> None:
    lab, one, _ = two
    path = lab.path_of(one)
    lab.change(path, "title: One", "title: Uno")
    commit(lab, author=AGENT)
    lab.change(path, "priority: p2", "priority: p0")
    todo = lab.todos()[one]
    assert (todo.title, todo.priority) == ("Uno", "p0")
    assert lab.git("log", "-3", "--format=%an").split("\n")[:3] == ["Test Person", "bot", "bot"]
    lab.assert_sound()


def test_a_merge_of_a_branch_is_admitted_with_all_it_brings(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    path = lab.path_of(one)
    lab.git("checkout", "--quiet", "-b", "side")
    lab.change(path, "title: One", "title: Uno")
    commit(lab, "on the side")
    lab.git("checkout", "--quiet", "main")
    lab.submit(EditTodo(todo=other, fields={"priority": "p0"}))
    assert git(lab.root, "merge", "--no-edit", "side").code == 0
    todos = lab.todos()
    assert (todos[one].title, todos[other].priority) == ("Uno", "p0")
    lab.assert_sound()
    without_cache(lab)
    assert lab.todos() == todos
    lab.assert_sound()


def test_a_conflict_committed_with_its_markers_is_refused_with_its_place(two: tuple[Lab, str, str]) -> None:
    lab, one, _ = two
    path = lab.path_of(one)
    lab.git("checkout", "--quiet", "-b", "side")
    lab.change(path, "title: One", "title: Uno")
    commit(lab, "on the side")
    lab.git("checkout", "--quiet", "main")
    lab.submit(EditTodo(todo=one, fields={"title": "Ein"}))
    assert git(lab.root, "merge", "--no-edit", "side").code != 0
    with pytest.raises(LoopxError) as busy:
        lab.todo("While merging")
    assert busy.value.code == "repository-busy"
    commit(lab, "merged, with the markers in it")
    assert lab.todos()[one].title == "Ein"
    assert pending(lab) == {path: ["document-merge-markers"]}
    lab.assert_sound(unaccepted=(path,))


def test_the_log_tells_the_same_after_the_cache_was_lost(two: tuple[Lab, str, str]) -> None:
    lab, one, other = two
    lab.change(lab.path_of(one), "title: One", "title: Uno")
    lab.change(lab.path_of(other), "title: Two", "title: [Two")
    commit(lab)
    lab.look()
    told = lab.ws.log(every=True)
    waiting = pending(lab)
    without_cache(lab)
    for before, now in zip(told, lab.ws.log(every=True), strict=True):
        assert before == now
    assert pending(lab) == waiting


def test_the_same_commit_is_judged_once(two: tuple[Lab, str, str]) -> None:
    lab, one, _ = two
    lab.change(lab.path_of(one), "title: One", "title: [One")
    commit(lab)
    lab.look()
    count = len(lab.subjects())
    for _ in range(3):
        lab.clock.wait(5)
        lab.look()
    assert len(lab.subjects()) == count


def test_an_agents_refused_commit_can_be_taken_by_a_person_only(two: tuple[Lab, str, str]) -> None:
    lab, one, _ = two
    path = lab.path_of(one)
    lab.change(path, *WEAKER)
    commit(lab, author=AGENT)
    lab.look()
    with pytest.raises(LoopxError) as refused:
        lab.ws.accept_edit(path, actor=BOT)
    assert refused.value.code == "actor-not-permitted"
    lab.ws.accept_edit(path, actor=ANN)
    assert lab.todos()[one].todo_class == "user_action"
    lab.assert_sound()


def test_a_decided_gate_cannot_be_deleted_by_a_commit(lab: Lab) -> None:
    lab.goal()
    gate = lab.submit(OpenGate(goal="beta", question="Ship it?", scope="production:goal:deploy")).receipt.result["id"]
    lab.submit(DecideGate(gate=gate, verb="approve", reason="yes", confirmed=True))
    [file] = (lab.root / "goals/beta/gates").glob("*.md")
    lab.git("rm", "--quiet", file.relative_to(lab.root).as_posix())
    lab.git("rm", "--quiet", "-r", "goals/beta/decisions")
    commit(lab)
    assert lab.look().state.gate(gate).status is GateStatus.APPROVED
    assert {codes[0] for codes in pending(lab).values()} == {"document-closed", "record-machine-owned"}
    assert len(pending(lab)) == 2
