"""Going back in depth: documents byte for byte, records that stay and are marked, and a history that only grows."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import (
    ArchiveTodo,
    CompleteTodo,
    EditTodo,
    MeetCriterion,
)
from loopx.kernel.digest import validation_inputs
from loopx.model.todo import Validation
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.going_back import (
    SCOPE,
    approve,
    criterion,
    files,
    gate,
    head,
    held,
    reasons,
    revision_beside,
)


def busy(lab: Lab) -> tuple[str, str, str]:
    """Two Goals, three Todos, and then changes of every sort; the revision before them."""
    lab.goal("beta", "Ten people use it")
    lab.goal("site")
    kept, done, away = lab.todo("Kept"), lab.todo("Done later"), lab.todo("Elsewhere", "site")
    before = head(lab)
    lab.submit(EditTodo(todo=kept, fields={"priority": "p0"}), BOT)
    lab.change(lab.path_of(kept), "title: Kept", "title: Kept by hand  # a remark")
    lab.look()
    lab.submit(CompleteTodo(todo=done, successors=("Next",)))
    lab.submit(EditTodo(todo=away, fields={"title": "Elsewhere, renamed"}))
    lab.todo("Added since")
    return before, kept, away


# a whole workspace, one Goal, one Todo ---------------------------------------------------------


def test_H03_a_whole_workspace_goes_back_byte_for_byte_as_a_new_commit(lab: Lab) -> None:
    before, _, _ = busy(lab)
    past = head(lab)
    names = [name for name in lab.git("ls-tree", "-r", "--name-only", before).split() if name.endswith(".md")]
    there = {name: held(lab, before, name) for name in names}
    done = lab.ws.roll_back(before, reason="Too much", actor=ANN)
    here = files(lab)
    assert here == there
    assert lab.git("rev-parse", "HEAD~1").strip() == past
    paths = sorted({each.path for each in done.packet.items})
    assert done.digest == lab.ws.store.tree_digest(before, paths) == lab.ws.store.tree_digest(head(lab), paths)
    assert done.compensation == ()
    lab.assert_sound()


def test_only_one_goal_goes_back(lab: Lab) -> None:
    before, kept, away = busy(lab)
    lab.ws.roll_back(before, reason="Beta only", actor=ANN, goal="beta")
    todos = lab.todos()
    assert (todos[kept].title, todos[away].title) == ("Kept", "Elsewhere, renamed")
    assert "Added since" not in {each.title for each in todos.values()}
    lab.assert_sound()


def test_only_one_todo_goes_back(lab: Lab) -> None:
    before, kept, away = busy(lab)
    done = lab.ws.roll_back(before, reason="This one", actor=ANN, todo=kept)
    assert [each.id for each in done.packet.items] == [kept]
    assert lab.read(lab.path_of(kept)) == held(lab, before, lab.path_of(kept))
    todos = lab.todos()
    assert todos[away].title == "Elsewhere, renamed"
    assert {"Added since", "Next"} <= {each.title for each in todos.values()}
    lab.assert_sound()


def test_a_rollback_to_before_a_document_existed_removes_its_file(lab: Lab) -> None:
    lab.goal()
    before = head(lab)
    path = lab.path_of(lab.todo("Too early"))
    done = lab.ws.roll_back(before, reason="No", actor=ANN)
    assert not (lab.root / path).exists()
    assert [each.change for each in done.packet.items] == ["removed"]
    assert done.packet.destructive
    lab.ws.roll_back("HEAD~1", reason="Yes after all", actor=ANN)
    assert [each.title for each in lab.todos().values()] == ["Too early"]
    lab.assert_sound()


def test_a_rollback_reaches_a_document_that_was_archived_since(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Put away")
    before, path = head(lab), lab.path_of(todo)
    typed = lab.read(path)
    lab.submit(CompleteTodo(todo=todo))
    lab.submit(ArchiveTodo(todo=todo))
    assert lab.path_of(todo) != path
    lab.ws.roll_back(before, reason="It was not done", actor=ANN)
    assert lab.path_of(todo) == path
    assert lab.read(path) == typed
    assert not [entry for entry in lab.look().state.completions(todo).entries if entry.stands]
    lab.submit(CompleteTodo(todo=todo))
    lab.submit(ArchiveTodo(todo=todo))
    lab.assert_sound()


def test_a_completion_made_before_the_revision_stands_even_when_archived_since(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Really done")
    lab.submit(CompleteTodo(todo=todo))
    before = head(lab)
    lab.submit(ArchiveTodo(todo=todo))
    done = lab.ws.roll_back(before, reason="Show it again", actor=ANN)
    assert [entry.stands for entry in lab.look().state.completions(todo).entries] == [True]
    assert done.packet.effects == ()
    lab.assert_sound()


def test_nothing_to_put_back_makes_no_commit_unless_a_receipt_was_asked_for(lab: Lab) -> None:
    lab.goal()
    here = head(lab)
    quiet = lab.ws.roll_back("HEAD", reason="Nothing", actor=ANN)
    assert (quiet.committed.revision, head(lab)) == (None, here)
    assert [each.code for each in quiet.committed.warnings] == ["rollback-nothing"]
    named = lab.ws.roll_back("HEAD", reason="Nothing", actor=ANN, op="op-nothing")
    assert named.committed.revision == head(lab) != here
    lab.assert_sound()


# what only moves forward -----------------------------------------------------------------------


def test_records_stay_and_say_which_rollback_undid_them(lab: Lab) -> None:
    lab.goal("beta", "Ten people use it")
    todo = lab.todo("Done too soon")
    before = head(lab)
    lab.submit(CompleteTodo(todo=todo))
    record = lab.root / "goals/beta/completions" / f"{todo}.yaml"
    lab.ws.roll_back(before, reason="Not done", actor=ANN, op="op-back")
    assert b'rolled_back_by: "op-back"' in record.read_bytes()
    assert lab.todos()[todo].status == "open"
    lab.submit(CompleteTodo(todo=todo))
    assert [entry.stands for entry in lab.look().state.completions(todo).entries] == [False, True]
    lab.assert_sound()


def test_a_gate_approved_since_covers_nothing_after_the_rollback(lab: Lab) -> None:
    lab.goal()
    todo, asked = lab.todo("Deploy", requires=(SCOPE,)), gate(lab)
    before = head(lab)
    approve(lab, asked)
    assert reasons(lab, todo) == []
    lab.ws.roll_back(before, reason="Ask again", actor=ANN)
    assert reasons(lab, todo) == ["gate-pending"]
    approve(lab, asked)
    assert reasons(lab, todo) == []
    lab.assert_sound()


def test_a_gate_approved_before_the_revision_goes_on_covering(lab: Lab) -> None:
    lab.goal()
    todo, asked = lab.todo("Deploy", requires=(SCOPE,)), gate(lab)
    approve(lab, asked)
    before = head(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    lab.ws.roll_back(before, reason="Calm down", actor=ANN)
    assert reasons(lab, todo) == []


def test_an_approval_is_undone_even_if_the_clock_was_set_back_meanwhile(lab: Lab) -> None:
    lab.goal()
    todo, asked = lab.todo("Deploy", requires=(SCOPE,)), gate(lab)
    before = head(lab)
    lab.clock.wait(-86_400)
    approve(lab, asked)
    lab.clock.wait(2 * 86_400)
    lab.ws.roll_back(before, reason="Ask again", actor=ANN)
    assert reasons(lab, todo) == ["gate-pending"]


def test_a_criterion_met_since_is_not_met_after_the_rollback(lab: Lab) -> None:
    lab.goal("beta", "Ten people use it")
    before = head(lab)
    lab.submit(MeetCriterion(goal="beta", criterion="a1", evidence=("I counted them.",)))
    assert criterion(lab) == "met"
    lab.ws.roll_back(before, reason="Miscounted", actor=ANN)
    assert criterion(lab) == "open"
    lab.assert_sound()


# operations asked again ------------------------------------------------------------------------


def test_an_operation_undone_since_is_answered_with_what_undid_it(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Kept")
    before, edit = head(lab), EditTodo(todo=todo, fields={"priority": "p0"})
    lab.submit(edit, op="op-edit")
    lab.ws.roll_back(before, reason="No", actor=ANN, op="op-back")
    for _ in range(2):
        again = lab.submit(edit, op="op-edit")
        assert (again.replayed, again.superseded_by) == (True, "op-back")
        (lab.root / "local" / "cache.sqlite").unlink()
        lab.restart()
    assert lab.todos()[todo].priority == "p2"


def test_a_rollback_asked_again_gives_its_first_answer_and_the_same_proof(lab: Lab) -> None:
    before, _, _ = busy(lab)
    first = lab.ws.roll_back(before, reason="Too much", actor=ANN, op="op-back")
    lab.todo("Later work")
    here = head(lab)
    again = lab.ws.roll_back(before, reason="Too much", actor=ANN, op="op-back")
    assert again.committed.replayed
    assert (again.committed.revision, again.digest) == (first.committed.revision, first.digest)
    assert {each.id for each in again.packet.items} == {each.id for each in first.packet.items}
    assert sorted(again.packet.operations) == sorted(first.packet.operations)
    assert head(lab) == here
    with pytest.raises(LoopxError) as refused:
        lab.ws.roll_back(before, reason="Another reason", actor=ANN, op="op-back")
    assert refused.value.code == "operation-reused"


# the packet ------------------------------------------------------------------------------------


def test_the_packet_names_who_did_what_and_what_leans_on_it(lab: Lab) -> None:
    lab.goal()
    first = lab.todo("First")
    before = head(lab)
    leaning = lab.todo("Second", depends_on=(first,))
    lab.submit(EditTodo(todo=first, fields={"priority": "p0"}), BOT, op="op-bot")
    lab.submit(EditTodo(todo=first, fields={"title": "First of all"}), op="op-ann")
    here, plan = head(lab), lab.ws.plan_rollback(before, todo=first)
    assert (plan.target, plan.head) == (before, here)
    assert plan.operations == ("op-ann", "op-bot")
    assert set(plan.actors) == {"human:Ann", "agent:bot"}
    assert plan.dependants == (leaning,)
    assert [each["choice"] for each in plan.choices] == ["revert", "fix forward"]
    assert head(lab) == here


def test_validated_work_that_is_taken_back_leaves_a_todo_to_look_after_it(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Deliver", validation=Validation(argv=("true",)))
    before = head(lab)
    _complete_with_evidence(lab, todo)
    plan = lab.ws.plan_rollback(before)
    assert [each["todo"] for each in plan.effects] == [todo]
    assert [each["choice"] for each in plan.choices][2:] == ["external cleanup", "support request"]
    done = lab.ws.roll_back(before, reason="It broke", actor=ANN)
    [made] = done.compensation
    assert todo in lab.todos()[made].title
    assert lab.todos()[todo].status == "open"
    lab.assert_sound()


def _complete_with_evidence(lab: Lab, todo: str) -> None:
    from loopx.model.records import Evidence, EvidenceKind, EvidenceResult

    state = lab.look().state
    seen = Evidence(
        id=lab.ws.ids.fresh("e"),
        kind=EvidenceKind.VALIDATION,
        subject=todo,
        source="loopx:validation",
        result=EvidenceResult.PASSED,
        observed_at=lab.clock.now().replace(microsecond=0),
        goal="beta",
        inputs=validation_inputs(state.todo(todo), state.goal("beta")),
    )
    lab.submit(CompleteTodo(todo=todo, evidence=seen))


def test_an_agent_may_not_put_documents_back(lab: Lab) -> None:
    lab.goal()
    before = head(lab)
    lab.todo("Made by a person")
    here = head(lab)
    with pytest.raises(LoopxError) as refused:
        lab.ws.roll_back(before, reason="No", actor=BOT)
    assert refused.value.code == "actor-not-permitted"
    with pytest.raises(LoopxError) as refused:
        lab.ws.undo(actor=BOT)
    assert refused.value.code == "actor-not-permitted"
    assert head(lab) == here


# hand edits that are not accepted ----------------------------------------------------------------


def test_H02_a_rollback_keeps_what_is_typed_and_names_the_file(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Typed into")
    before, path = head(lab), lab.path_of(todo)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    lab.change(path, "status: open", "status: finished")
    typed = lab.read(path)
    lab.save("goals/beta/todos/idea.md", "---\ntitle: [\n---\n")
    lab.save("notes.txt", "mine\n")
    done = lab.ws.roll_back(before, reason="Calm down", actor=ANN)
    assert done.saved == (path,)
    assert lab.read(path) == typed
    assert lab.read("goals/beta/todos/idea.md") == b"---\ntitle: [\n---\n"
    assert lab.read("notes.txt") == b"mine\n"
    lab.change(path, "status: finished", "status: open")
    assert lab.todos()[todo].priority == "p2"


def test_H02_a_document_that_is_rolled_away_leaves_the_edit_in_its_file(lab: Lab) -> None:
    lab.goal()
    before = head(lab)
    path = lab.path_of(lab.todo("Typed into"))
    lab.change(path, "status: open", "status: finished")
    typed = lab.read(path)
    done = lab.ws.roll_back(before, reason="Never mind", actor=ANN)
    assert done.saved == (path,)
    assert lab.read(path) == typed
    assert [each.path for each in lab.ws.edits()] == [path]


def test_H02_an_edit_that_is_acceptable_is_in_history_before_the_rollback(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Typed into")
    before, path = head(lab), lab.path_of(todo)
    lab.change(path, "title: Typed into", "title: Typed just now")
    lab.ws.roll_back(before, reason="Back", actor=ANN)
    assert lab.todos()[todo].title == "Typed into"
    assert "title: Typed just now" in lab.git("show", f"HEAD~1:{path}")
    assert lab.subjects()[1].startswith("todo: edit")


# revisions this LoopX cannot bring back ----------------------------------------------------------


@pytest.mark.parametrize("version", ["0", "2", "99"])
def test_H04_a_revision_of_another_schema_is_refused_before_anything_is_written(lab: Lab, version: str) -> None:
    lab.goal()
    text = lab.read("workspace.yaml")
    made = revision_beside(lab, "workspace.yaml", text.replace(b"version: 1", f"version: {version}".encode()))
    lab.todo("Since")
    _assert_refused_untouched(lab, made, {"document-version", "workspace-version"})


def test_H04_a_revision_with_a_document_nobody_can_read_is_refused_before_anything_is_written(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Broken then")
    path = lab.path_of(todo)
    made = revision_beside(lab, path, lab.read(path).replace(b"status: open", b"status: [open"))
    lab.todo("Since")
    _assert_refused_untouched(lab, made, {"document-syntax"})
    lab.ws.roll_back("HEAD~1", reason="There is a way back", actor=ANN)
    assert [each.title for each in lab.todos().values()] == ["Broken then"]


def _assert_refused_untouched(lab: Lab, target: str, codes: set[str]) -> None:
    here, before = head(lab), files(lab)
    with pytest.raises(LoopxError) as refused:
        lab.ws.roll_back(target, reason="Back", actor=ANN)
    assert refused.value.code in codes
    assert (head(lab), files(lab)) == (here, before)
    lab.assert_sound()
