"""A replayed operation says what took it back since: a later decision, or a rollback."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopx.kernel import commands as c
from loopx.kernel.decide import RULES
from loopx.model.actor import Channel
from loopx.model.goal import GoalStatus
from loopx.workspace.reports import OperationReport
from loopx.workspace.undone import TAKEN_BACK_BY
from tests.support.lab import ANN, BOT, Lab

OP = "op-the-one"


def read_back(lab: Lab, operation: str = OP) -> OperationReport:
    """What another process is told of an operation."""
    return lab.restart().operation(operation)


def gate(lab: Lab) -> str:
    command = c.OpenGate(goal="beta", scope="other:goal:x", question="May it?")
    return str(lab.submit(command, BOT).receipt.result["id"])


def answered(of: str, verb: str) -> c.DecideGate:
    return c.DecideGate(gate=of, verb=verb, reason="Seen", channel=Channel.PAGE)


def gate_answered_twice(lab: Lab) -> list[c.Command]:
    subject = gate(lab)
    return [answered(subject, "approve"), answered(subject, "reject")]


def gate_withdrawn(lab: Lab) -> list[c.Command]:
    subject = gate(lab)
    return [answered(subject, "defer"), c.WithdrawGate(gate=subject)]


def criterion_unmet(lab: Lab) -> list[c.Command]:
    return [
        c.MeetCriterion(goal="beta", criterion="a1", evidence=("I saw it",)),
        c.UnmeetCriterion(goal="beta", criterion="a1", reason="Looked again"),
    ]


def todo_reopened(lab: Lab) -> list[c.Command]:
    subject = lab.todo("Again")
    return [c.CompleteTodo(todo=subject), c.ReopenTodo(todo=subject, reason="Not right")]


def claim_given_up(lab: Lab) -> list[c.Command]:
    subject = lab.todo("Again")
    return [c.ClaimTodo(todo=subject), c.UnclaimTodo(todo=subject)]


def goal_resumed(lab: Lab) -> list[c.Command]:
    to = c.SetGoalStatus(goal="beta", verb="pause", to=GoalStatus.PAUSED, reason="Holidays")
    return [to, c.SetGoalStatus(goal="beta", verb="resume", to=GoalStatus.ACTIVE)]


@pytest.mark.parametrize(
    "scene", [gate_answered_twice, gate_withdrawn, criterion_unmet, todo_reopened, claim_given_up, goal_resumed]
)
def test_a_replay_says_which_later_decision_took_it_back(lab: Lab, scene: Callable[[Lab], list[c.Command]]) -> None:
    lab.goal("beta", "It works", "It is safe")
    first, later = scene(lab)
    before = lab.submit(first, op=OP)
    assert read_back(lab).superseded_by is None
    lab.submit(later, op="op-later")
    told, again = read_back(lab), lab.submit(first, op=OP)
    assert told.superseded_by == again.superseded_by == "op-later"
    assert (again.replayed, again.receipt) == (True, before.receipt)


def test_a_decision_on_another_criterion_or_one_taken_back_itself_takes_nothing_back(lab: Lab) -> None:
    lab.goal("beta", "It works", "It is safe")
    meet, unmeet = criterion_unmet(lab)
    lab.submit(meet, op=OP)
    lab.submit(c.WaiveCriterion(goal="beta", criterion="a2", reason="Too costly"), op="op-other")
    assert read_back(lab).superseded_by is None
    lab.submit(unmeet, op="op-later")
    lab.ws.undo("op-later", actor=ANN, new_op="op-undo")
    assert read_back(lab).superseded_by is None
    assert read_back(lab, "op-later").superseded_by == "op-undo"


def test_a_replay_says_which_rollback_took_it_back(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("One")
    lab.submit(c.EditTodo(todo=todo, fields={"title": "Two"}), op=OP)
    lab.ws.roll_back("HEAD~1", reason="No", actor=ANN, op="op-back")
    again = lab.submit(c.EditTodo(todo=todo, fields={"title": "Two"}), op=OP)
    assert (again.replayed, again.superseded_by, read_back(lab).superseded_by) == (True, "op-back", "op-back")
    assert lab.todos()[todo].title == "One"


def test_only_commands_there_are_take_anything_back() -> None:
    named = {*TAKEN_BACK_BY, *(each for later in TAKEN_BACK_BY.values() for each in later)}
    assert named <= set(RULES)
