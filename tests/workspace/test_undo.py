"""Undoing single operations: their documents go back to what they were before, or nothing does."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, CompleteTodo, EditGoal, EditTodo, MeetCriterion, NewGoal, SetVision
from tests.support.lab import ANN, Lab
from tests.workspace.going_back import SCOPE, approve, criterion, files, gate, head, reasons


def undone(lab: Lab, op: str | None = None) -> None:
    lab.ws.undo(op, actor=ANN)
    lab.assert_sound()


def test_H05_undoing_an_addition_removes_it_and_undoing_that_brings_it_back(lab: Lab) -> None:
    lab.goal()
    before = files(lab)
    lab.todo("Added")
    after = files(lab)
    undone(lab)
    assert files(lab) == before
    undone(lab)
    assert files(lab) == after
    undone(lab)
    assert files(lab) == before


def test_H05_undoing_an_edit_gives_every_byte_back(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Kept")
    lab.change(lab.path_of(todo), "priority: p2", "priority:   p1   # mine")
    lab.look()
    before = files(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    undone(lab)
    assert files(lab) == before


def test_H05_undoing_a_completion_leaves_no_empty_record(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Done")
    before = files(lab)
    lab.submit(CompleteTodo(todo=todo, successors=("Next",)), op="op-done")
    after = files(lab)
    undone(lab, "op-done")
    assert files(lab) == before
    assert lab.ws.check().problems == ()
    assert [entry.stands for entry in lab.look().state.completions(todo).entries] == [False]
    undone(lab)
    assert files(lab) == after


def test_undoing_a_hand_edit_gives_the_accepted_version_back(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Typed into")
    before = files(lab)
    lab.change(lab.path_of(todo), "title: Typed into", "title: Mistyped")
    lab.look()
    undone(lab)
    assert files(lab) == before


def test_undoing_a_hand_made_file_removes_it_and_keeps_what_was_typed_in_history(lab: Lab) -> None:
    lab.goal()
    lab.save("goals/beta/todos/idea.md", "# An idea\n")
    lab.look()
    undone(lab)
    assert lab.todos() == {}
    assert "# An idea" in lab.git("show", "HEAD~1:goals/beta/todos/idea.md")


def test_undoing_the_workspaces_own_document(lab: Lab) -> None:
    before = lab.read("workspace.yaml")
    lab.change("workspace.yaml", "title: Lab", "title: Another")
    lab.look()
    undone(lab)
    assert lab.read("workspace.yaml") == before


def test_undoing_a_new_goal(lab: Lab) -> None:
    lab.submit(NewGoal(goal="beta", title="Beta"), op="op-goal")
    undone(lab, "op-goal")
    assert list(lab.look().state.goals()) == []
    assert files(lab) == {}


def test_a_goal_with_work_in_it_is_undone_with_that_work_or_not_at_all(lab: Lab) -> None:
    lab.submit(NewGoal(goal="beta", title="Beta"), op="op-goal")
    lab.submit(AddTodo(goal="beta", title="Inside"), op="op-todo")
    _assert_built_upon(lab, "op-goal", ["op-todo"])
    lab.ws.undo("op-goal", actor=ANN, and_operations=("op-todo",))
    assert files(lab) == {}
    lab.assert_sound()


def test_undoing_an_approval_asks_again(lab: Lab) -> None:
    lab.goal()
    todo, asked = lab.todo("Deploy", requires=(SCOPE,)), gate(lab)
    approve(lab, asked, "op-approve")
    undone(lab, "op-approve")
    assert reasons(lab, todo) == ["gate-pending"]
    undone(lab)  # bringing the document back brings no approval back: a person has to give it
    assert "gate-pending" in reasons(lab, todo)


def test_what_later_operations_built_upon_is_undone_with_them_or_not_at_all(lab: Lab) -> None:
    lab.goal()
    todo = str(lab.submit(AddTodo(goal="beta", title="Base"), op="op-add").receipt.result["id"])
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}), op="op-edit")
    lab.submit(CompleteTodo(todo=todo, successors=("Next",)), op="op-done")
    _assert_built_upon(lab, "op-add", ["op-done", "op-edit"])
    with pytest.raises(LoopxError) as refused:
        lab.ws.undo("op-add", actor=ANN, and_operations=("op-done",))
    assert refused.value.problem.facts["operations"] == ["op-edit"]
    lab.ws.undo("op-add", actor=ANN, and_operations=("op-done", "op-edit"))
    assert lab.todos() == {}
    assert lab.ws.operation("op-edit").superseded_by
    lab.assert_sound()


def test_a_todo_others_depend_on_is_undone_with_them_or_not_at_all(lab: Lab) -> None:
    lab.goal()
    first = str(lab.submit(AddTodo(goal="beta", title="First"), op="op-first").receipt.result["id"])
    lab.submit(AddTodo(goal="beta", title="Second", depends_on=(first,)), op="op-second")
    _assert_built_upon(lab, "op-first", ["op-second"])
    lab.ws.undo("op-first", actor=ANN, and_operations=("op-second",))
    assert lab.todos() == {}


def _assert_built_upon(lab: Lab, op: str, operations: list[str]) -> None:
    here = head(lab)
    for attempt in (lambda: lab.ws.plan_undo(op), lambda: lab.ws.undo(op, actor=ANN)):
        with pytest.raises(LoopxError) as refused:
            attempt()
        assert refused.value.code == "undo-built-upon"
        assert refused.value.problem.facts["operations"] == operations
    assert head(lab) == here


def test_two_operations_are_undone_one_after_the_other(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Twice")
    before = files(lab)
    lab.submit(EditTodo(todo=todo, fields={"priority": "p1"}), op="op-one")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}), op="op-two")
    undone(lab, "op-two")
    undone(lab, "op-one")
    assert files(lab) == before


def test_an_operation_is_undone_in_its_own_goal_only(lab: Lab) -> None:
    """One agent has a Vision in each of two Goals."""
    for goal in ("beta", "site"):
        lab.goal(goal)
        lab.submit(SetVision(goal=goal, agent="bot", summary=f"For {goal}"), op=f"op-{goal}")
    undone(lab, "op-beta")
    assert [(each.goal, each.summary) for each in lab.look().state.visions()] == [("site", "For site")]


def test_what_never_happened_cannot_be_undone(lab: Lab) -> None:
    for op, code in (("op-none", "operation-unknown"), (None, "undo-nothing")):
        with pytest.raises(LoopxError) as refused:
            lab.ws.undo(op, actor=ANN)
        assert refused.value.code == code


def test_undoing_a_criterion_met_unmeets_it_and_no_other(lab: Lab) -> None:
    lab.goal("beta", "Ten people use it", "It is fast")
    for name in ("a1", "a2"):
        lab.submit(MeetCriterion(goal="beta", criterion=name, evidence=("I looked.",)), op=f"op-{name}")
    lab.submit(EditGoal(goal="beta", fields={"title": "Renamed"}), op="op-title")
    lab.ws.undo("op-a1", actor=ANN)
    assert [criterion(lab, number) for number in (0, 1)] == ["open", "met"]
    lab.ws.undo("op-title", actor=ANN)
    assert [criterion(lab, number) for number in (0, 1)] == ["open", "met"]
    lab.assert_sound()


def test_an_undo_asked_again_is_answered_although_the_newest_is_now_itself(lab: Lab) -> None:
    lab.goal()
    lab.todo("Too early")
    first = lab.ws.undo(actor=ANN, new_op="op-undo")
    again = lab.ws.undo(actor=ANN, new_op="op-undo")
    assert again.committed.replayed
    assert again.digest == first.digest
    assert lab.operations().count("op-undo") == 1
    assert lab.todos() == {}


def test_undoing_a_judgement_changes_no_document_and_says_what_is_to_be_judged_anew(lab: Lab) -> None:
    lab.goal("beta", "The docs are out")
    met = lab.submit(MeetCriterion(goal="beta", criterion="a1", evidence=("I read them",)))
    done = lab.ws.undo(met.receipt.operation, actor=ANN)
    assert (done.packet.items, done.packet.judgements) == ((), ("beta a1",))
    assert done.packet.operations == (met.receipt.operation,)
    assert lab.ws.operation(met.receipt.operation).superseded_by == done.committed.receipt.operation
    lab.assert_sound()
