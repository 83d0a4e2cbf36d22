"""Stored statuses against the records that own the facts: what agrees, and each way in which it may not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loopx.kernel.commands import (
    AcquireLease,
    CancelTodo,
    ClaimTodo,
    CompleteTodo,
    DecideGate,
    ReopenTodo,
    WithdrawGate,
)
from loopx.kernel.contradictions import Contradiction, contradictions
from loopx.model.actor import Channel
from loopx.model.closure import Closure, ClosureLog
from loopx.model.gate import GateStatus
from loopx.model.goal import GoalOutcome, GoalStatus
from loopx.model.kind import Kind
from loopx.model.todo import TodoStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, G1, T1, T2, Desk, config, edited, gate, goal, todo

CLOSED = Closure(outcome=GoalOutcome.ACHIEVED, at=START, by=str(ANN), operation="op-1")


def found(desk: Desk, only: str | None = None) -> list[Contradiction]:
    return list(contradictions(desk.state, desk.now, only))


def told(desk: Desk) -> list[tuple[Kind, str, Kind]]:
    return [(each.kind, each.id, each.owner) for each in found(desk)]


def swap(desk: Desk, before: object, after: object) -> None:
    """Put a document in the place of another behind the kernel's back, as a faulty program would."""
    desk.entities = [after if each == before else each for each in desk.entities]  # type: ignore[misc]


def decide(verb: str) -> DecideGate:
    return DecideGate(gate=G1, verb=verb, reason="So be it", channel=Channel.TERMINAL, confirmed=True)


def test_what_commands_leave_behind_never_contradicts_itself() -> None:
    desk = Desk.of(config(AgentEntry(id="bot")), goal(), todo(), todo(T2, "Record the demo"), gate())
    steps = [
        (ClaimTodo(todo=T1), BOT),
        (AcquireLease(todo=T1, key="k-1"), BOT),
        (CompleteTodo(todo=T1), BOT),
        (ReopenTodo(todo=T1, reason="Not yet"), ANN),
        (CancelTodo(todo=T2, reason="No need"), ANN),
        (ReopenTodo(todo=T2, reason="Needed after all"), ANN),
        (CompleteTodo(todo=T2), ANN),
        (decide("defer"), ANN),
        (decide("approve"), ANN),
        (decide("reject"), ANN),
    ]
    for command, actor in steps:
        desk.do(command, actor)
        assert found(desk) == [], command


def test_a_withdrawn_gate_is_withdrawn_on_record_too() -> None:
    desk = Desk.of(config(), goal(), gate())
    desk.do(WithdrawGate(gate=G1, reason="Asked twice"), BOT)
    assert found(desk) == []


def test_a_todo_reads_done_and_nothing_on_record_says_so() -> None:
    desk = Desk.of(config(), goal(), todo(status=TodoStatus.DONE))
    assert told(desk) == [(Kind.TODO, T1, Kind.COMPLETION)]
    assert found(desk)[0].next_step.startswith(f"A person runs `loopx todo reopen {T1}`")


def test_a_todo_whose_completion_was_undone_reads_done() -> None:
    desk = Desk.of(config(), goal(), todo())
    desk.do(CompleteTodo(todo=T1))
    done = desk.todo()
    desk.do(ReopenTodo(todo=T1, reason="Not yet"))
    swap(desk, desk.todo(), done)
    assert told(desk) == [(Kind.TODO, T1, Kind.COMPLETION)]


@pytest.mark.parametrize("status", [each for each in TodoStatus if each is not TodoStatus.DONE])
def test_a_todo_reads_otherwise_although_its_completion_stands(status: TodoStatus) -> None:
    desk = Desk.of(config(), goal(), todo())
    desk.do(CompleteTodo(todo=T1))
    swap(desk, desk.todo(), edited(desk.todo(), status=status))
    [each] = found(desk)
    assert (each.kind, each.owner) == (Kind.TODO, Kind.COMPLETION)
    assert each.why == f'{T1} "Write the guide" reads {status}, and was completed by human:Ann.'


@pytest.mark.parametrize("recorded", ["approve", "reject", "defer"])
@pytest.mark.parametrize("status", [each for each in GateStatus if each is not GateStatus.EXPIRED])
def test_a_gate_must_read_as_it_was_decided(status: GateStatus, recorded: str) -> None:
    desk = Desk.of(config(), goal(), gate())
    desk.do(decide(recorded))
    is_so = desk.gate().status is status
    swap(desk, desk.gate(), edited(desk.gate(), status=status))
    assert told(desk) == ([] if is_so else [(Kind.GATE, G1, Kind.DECISION)])


def test_a_gate_nobody_decided_reads_approved() -> None:
    desk = Desk.of(config(), goal(), gate(status=GateStatus.APPROVED))
    assert found(desk)[0].why == f'Gate {G1} "May it go live?" reads approved, and on record nobody has decided it.'


@pytest.mark.parametrize(
    ("fields", "entries", "why"),
    [
        ({"status": GoalStatus.CLOSED, "outcome": GoalOutcome.ACHIEVED}, (CLOSED,), None),
        ({"status": GoalStatus.CLOSED, "outcome": GoalOutcome.ACHIEVED}, (), "reads closed, and no end of it stands"),
        (
            {"status": GoalStatus.CLOSED, "outcome": GoalOutcome.ACHIEVED},
            (edited(CLOSED, reopened_at=START),),
            "reads closed, and no end of it stands",
        ),
        ({"status": GoalStatus.ACTIVE}, (CLOSED,), "reads active, and its end of 2026-03-02 (achieved) stands"),
        ({"status": GoalStatus.ACTIVE}, (edited(CLOSED, rolled_back_at=START),), None),
        (
            {"status": GoalStatus.CLOSED, "outcome": GoalOutcome.ABANDONED},
            (CLOSED,),
            "reads abandoned, and was closed as achieved",
        ),
    ],
)
def test_Q02_a_goals_end_is_what_its_record_says(fields: dict, entries: tuple, why: str | None) -> None:  # type: ignore[type-arg]
    desk = Desk.of(config(), goal(**fields), *([ClosureLog(goal="beta", entries=entries)] if entries else []))
    if why is None:
        assert found(desk) == []
    else:
        assert [(each.kind, each.owner) for each in found(desk)] == [(Kind.GOAL, Kind.CLOSURE)]
        assert why in found(desk)[0].why


@pytest.fixture
def leased() -> Desk:
    """A Todo whose lease an agent holds."""
    desk = Desk.of(config(AgentEntry(id="bot")), goal(), todo())
    desk.do(AcquireLease(todo=T1, key="k-1"), BOT)
    return desk


def test_a_live_lease_on_closed_work_is_told(leased: Desk) -> None:
    swap(leased, leased.todo(), edited(leased.todo(), status=TodoStatus.CANCELLED, reason="No need"))
    assert told(leased) == [(Kind.TODO, T1, Kind.LEASE)]
    leased.now += timedelta(days=1)
    assert told(leased) == []  # it ended by the clock


def test_a_claim_of_another_than_the_holder_of_the_lease_is_told(leased: Desk) -> None:
    swap(leased, leased.todo(), edited(leased.todo(), claimed_by="rex"))
    [each] = found(leased)
    assert (each.owner, each.why) == (Kind.LEASE, f'{T1} "Write the guide" is claimed by rex, and bot holds its lease.')


def test_one_goal_can_be_asked_about_alone() -> None:
    desk = Desk.of(config(), goal(), goal("other"), todo(status=TodoStatus.DONE), gate(status=GateStatus.APPROVED))
    assert [each.id for each in found(desk, "beta")] == [T1, G1]
    assert found(desk, "other") == []
