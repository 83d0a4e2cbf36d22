"""The terminal audit, line by line: what makes each line fail, and what settles it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.closure.audit import LINES, OTHERS, audit
from loopx.kernel.closure.record import Audit, AuditLine
from loopx.kernel.commands import AddTodo, CancelTodo, CompleteTodo, DecideGate, MeetCriterion, WaiveCriterion
from loopx.kernel.state import MemorySource, State
from loopx.model.actor import Channel
from loopx.model.effect import EffectStatus, Postcondition
from loopx.model.entities import Entity
from loopx.model.gate import GateStatus
from loopx.model.goal import Readback
from loopx.model.handoff import HandoffStatus
from loopx.model.lease import LeaseStatus
from loopx.model.monitor import Poll, PollResult
from loopx.model.records import EvidenceKind, EvidenceResult
from loopx.model.todo import TodoClass, TodoStatus
from loopx.model.turn import TurnStatus
from tests.support.clock import START
from tests.support.kernel import G1, T1, T2, Desk, criterion, evidence, gate, goal, todo
from tests.unit.kernel.endings import READ, audited, effect, handoff, lease, monitor, polled, turn

PRINTED = (
    "open todos = 0",
    "due monitors = 0",
    "unresolved blocking gates = 0",
    "pending successors = 0",
    "replan obligations = 0",
    "acceptance gaps = 0",
    "retryable postconditions = 0",
    "required external readbacks are fresh",
)
"""The lines as the specification prints them."""


def line(found: Audit, key: str) -> AuditLine:
    return next(each for each in (*found.lines, *found.others) if each.key == key)


def failing(desk: Desk) -> dict[str, list[str]]:
    """Keys of the lines in the way, with the ids of their items."""
    found = audited(desk)
    return {each.key: [item.id for item in each.items] for each in (*found.lines, *found.others) if not each.holds}


def test_the_eight_lines_bear_the_specifications_names_and_their_keys_are_those_names() -> None:
    assert tuple(name for _, name, _ in LINES) == PRINTED
    for key, name, _ in (*LINES, *OTHERS)[:8]:
        assert key == name.removesuffix(" = 0").replace(" ", "_")
    keys = [key for key, _, _ in (*LINES, *OTHERS)]
    assert len(set(keys)) == len(keys)


def test_a_goal_with_nothing_in_it_is_clean() -> None:
    found = audited(Desk.of(goal()))
    assert found.is_clean and len(found.lines) == 8
    assert all(each.holds for each in found.lines)


# each line: what makes it fail, and what settles it ---------------------------------------------


@dataclass(frozen=True)
class Case:
    """``there`` makes the line ``key`` fail on ``items``; ``settle`` brings it to hold."""

    key: str
    items: list[str]
    there: tuple[Entity, ...]
    settle: Callable[[Desk], object]


def replaced(before: Entity, **fields: Any) -> Callable[[Desk], None]:
    def act(desk: Desk) -> None:
        desk.entities = [replace(each, **fields) if each == before else each for each in desk.entities]  # type: ignore[type-var]

    return act


def added(*entities: Entity) -> Callable[[Desk], None]:
    return lambda desk: desk.entities.extend(entities)


def approved(desk: Desk) -> None:
    desk.do(DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.TERMINAL))


OPEN, BLOCKED, DEFERRED = (todo(status=each) for each in (TodoStatus.OPEN, TodoStatus.BLOCKED, TodoStatus.DEFERRED))
FACT = criterion(readback=READ)


def reading(**fields: Any) -> Any:
    seen = {"kind": EvidenceKind.READBACK, "source": "human:Ann", "result": EvidenceResult.NOTED}
    return evidence(**{"subject": "beta/a1", **seen, "references": (READ.source,), **fields})


CASES = [
    Case("open_todos", [T1], (goal(), OPEN), lambda desk: desk.do(CompleteTodo(todo=T1))),
    Case("open_todos", [T1], (goal(), BLOCKED), lambda desk: desk.do(CancelTodo(todo=T1, reason="no need"))),
    Case("open_todos", [T1], (goal(), DEFERRED), lambda desk: desk.do(CancelTodo(todo=T1, reason="no need"))),
    Case(
        "open_todos",
        [T1],
        (goal(), todo(todo_class=TodoClass.USER_ACTION)),
        lambda desk: desk.do(CompleteTodo(todo=T1)),
    ),
    Case("due_monitors", [T1], (goal(), monitor(watch_only=True)), added(polled())),
    Case("unresolved_blocking_gates", [G1], (goal(), gate()), approved),
    Case("unresolved_blocking_gates", [G1], (goal(), gate(status=GateStatus.DEFERRED)), approved),
    Case(
        "unresolved_blocking_gates",
        [G1],
        (goal(), gate(status=GateStatus.APPROVED)),  # nobody's approval of it stands
        lambda desk: desk.do(DecideGate(gate=G1, verb="reject", reason="no", channel=Channel.TERMINAL)),
    ),
    Case(
        "pending_successors",
        [T2],
        (goal(), goal("gamma"), todo(status=TodoStatus.DONE, successors=(T2,)), todo(T2, goal="gamma")),
        lambda desk: desk.do(CompleteTodo(todo=T2)),
    ),
    Case(
        "pending_successors",
        [T2],
        (goal(), goal("gamma"), todo(status=TodoStatus.SUPERSEDED, superseded_by=(T2,)), todo(T2, goal="gamma")),
        lambda desk: desk.do(CompleteTodo(todo=T2)),
    ),
    Case(
        "pending_successors",
        [T2],
        (
            goal(),
            goal("gamma"),
            monitor(status=TodoStatus.CANCELLED),
            polled(
                recent=(
                    Poll(
                        number=1,
                        at=START,
                        by="agent:bot",
                        operation="op-1",
                        result=PollResult.MATERIAL,
                        successors=(T2,),
                    ),
                )
            ),
            todo(T2, goal="gamma"),
        ),
        lambda desk: desk.do(CancelTodo(todo=T2, reason="no need")),
    ),
    Case(
        "acceptance_gaps",
        ["a1"],
        (goal(acceptance=(criterion(),)),),
        lambda desk: desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=("I counted them",))),
    ),
    Case(
        "acceptance_gaps",
        ["a1"],
        (goal(acceptance=(criterion(),)),),
        lambda desk: desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="no need")),
    ),
    Case(
        "retryable_postconditions",
        ["x-aaaa1111#1"],
        (goal(), effect(EffectStatus.CONFIRMED, "It is listed")),
        replaced(
            effect(EffectStatus.CONFIRMED, "It is listed"),
            postconditions=(Postcondition(text="It is listed", confirmed_at=START),),
        ),
    ),
    Case(
        "required_external_readbacks_are_fresh",
        ["a1"],
        (goal(acceptance=(FACT,)),),
        added(reading()),
    ),
    Case(
        "required_external_readbacks_are_fresh",
        ["a1"],
        (goal(acceptance=(FACT,)),),
        lambda desk: desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="no need")),
    ),
    Case(
        "unknown_outcomes",
        ["x-aaaa1111"],
        (goal(), effect(EffectStatus.UNKNOWN)),
        replaced(effect(EffectStatus.UNKNOWN), status=EffectStatus.ABSENT),
    ),
    Case("open_turns", ["turn-aaaa1111"], (goal(), turn()), replaced(turn(), status=TurnStatus.VOIDED)),
    Case(
        "live_leases",
        [T1],
        (goal(), todo(status=TodoStatus.DONE), lease()),
        replaced(lease(), status=LeaseStatus.RELEASED),
    ),
    Case(
        "unanswered_handoffs", ["h-aaaa1111"], (goal(), handoff()), replaced(handoff(), status=HandoffStatus.DECLINED)
    ),
    Case(
        "standing_monitors",
        [T1],
        (goal(), monitor(), polled()),
        lambda desk: desk.do(CancelTodo(todo=T1, reason="no need")),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda each: each.key)
def test_a_line_fails_on_its_items_until_they_are_settled(case: Case) -> None:
    desk = Desk.of(*case.there)
    found = line(audited(desk), case.key)
    assert [each.id for each in found.items] == case.items
    assert all(each.why.endswith(".") and each.next_step for each in found.items)
    assert not audited(desk).is_clean
    case.settle(desk)
    assert line(audited(desk), case.key).holds


def test_every_line_has_a_case_here_or_a_test_of_its_own() -> None:
    apart = {"replan_obligations", "other_obligations", "unreadable_files"}  # below
    assert {each.key for each in CASES} | apart == {key for key, _, _ in (*LINES, *OTHERS)}


def test_an_armed_replan_is_in_the_way_until_it_is_discharged() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(status=TodoStatus.DONE))
    [item] = line(audited(desk), "replan_obligations").items
    assert item.id.startswith("o-") and "operators owes it" in item.why and item.next_step
    desk.do(AddTodo(goal="beta", title="Find eight more users", acceptance=("a1",)))
    assert line(audited(desk), "replan_obligations").holds


def test_any_other_obligation_is_in_the_way_too() -> None:
    desk = Desk.of(goal(), effect(EffectStatus.UNKNOWN))
    [item] = line(audited(desk), "other_obligations").items
    assert item.id.startswith("o-") and "effect-unknown" in item.why
    replaced(effect(EffectStatus.UNKNOWN), status=EffectStatus.CONFIRMED)(desk)
    assert line(audited(desk), "other_obligations").holds


# what does not fail a line ------------------------------------------------------------------------


def test_a_monitor_is_no_open_todo_and_a_resting_one_that_only_watches_is_in_nobodys_way() -> None:
    assert failing(Desk.of(goal(), monitor(watch_only=True), polled())) == {}
    assert failing(Desk.of(goal(), monitor(watch_only=True, status=TodoStatus.BLOCKED))) == {}


def test_work_and_questions_of_another_goal_do_not_count() -> None:
    there = (goal("gamma"), todo(goal="gamma"), gate(goal="gamma"))
    assert failing(Desk.of(goal(), *there)) == {}


@pytest.mark.parametrize("status", [GateStatus.REJECTED, GateStatus.WITHDRAWN])
def test_a_question_answered_with_no_or_withdrawn_is_resolved(status: GateStatus) -> None:
    assert failing(Desk.of(goal(), gate(status=status))) == {}


def test_an_approval_that_lapsed_blocks_where_work_that_counts_rests_on_it() -> None:
    desk = Desk.of(goal(), gate(), todo(status=TodoStatus.DONE, requires=("production:goal:deploy",)))
    approved(desk)
    assert failing(desk) == {}
    desk.typed(desk.gate(), replace(desk.gate(), question="May it go live, now with payments?"))
    assert failing(desk) == {"unresolved_blocking_gates": [G1]}
    approved(desk)
    assert failing(desk) == {}


def test_an_approval_that_lapsed_and_that_nothing_rests_on_blocks_nothing() -> None:
    desk = Desk.of(goal(), gate(), todo(status=TodoStatus.CANCELLED, requires=("production:goal:deploy",)))
    approved(desk)
    desk.typed(desk.gate(), replace(desk.gate(), question="May it go live, now with payments?"))
    assert failing(desk) == {}


def test_a_successor_nobody_can_find_is_pending() -> None:
    assert failing(Desk.of(goal(), todo(status=TodoStatus.DONE, successors=(T2,)))) == {"pending_successors": [T2]}


def test_a_lease_that_ran_out_is_not_live() -> None:
    desk = Desk.of(goal(), todo(status=TodoStatus.DONE), lease())
    assert failing(desk) == {"live_leases": [T1]}
    desk.wait(minutes=46)
    assert failing(desk) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"references": ("https://example.org/other",)},
        {"kind": EvidenceKind.OBSERVATION},
        {"subject": "beta/a2"},
        {"result": EvidenceResult.FAILED},
        {"observed_at": START - timedelta(hours=7)},
        {"observed_at": START + timedelta(days=30)},
    ],
)
def test_a_readback_counts_for_its_fact_at_its_source_while_it_is_fresh(wrong: dict[str, Any]) -> None:
    def stale() -> list[str]:
        return [each.id for each in line(audited(desk), "required_external_readbacks_are_fresh").items]

    desk = Desk.of(goal(acceptance=(FACT,)), reading(**wrong))
    assert stale() == ["a1"]
    desk.entities.append(reading(id="e-bbbb2222"))
    assert stale() == []
    desk.wait(hours=6, seconds=1)
    assert stale() == ["a1"]
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=("I read it again",)))
    assert failing(desk) == {}
    desk.wait(hours=6, seconds=1)
    assert set(failing(desk)) >= {"acceptance_gaps", "required_external_readbacks_are_fresh"}


def test_a_length_nobody_can_read_is_not_fresh() -> None:
    odd = criterion(readback=Readback(source="there", fresh_for="a while"))
    [item] = line(audited(Desk.of(goal(acceptance=(odd,)))), "required_external_readbacks_are_fresh").items
    assert "cannot be told" in item.why


def test_Q13_a_file_that_cannot_be_read_is_not_zero() -> None:
    source = MemorySource([goal(), goal("gamma")], unreadable=("goals/beta/todos/t-cccc3333.md", "goals/gamma/goal.md"))
    found = audit(State(source), goal(), START)
    assert [each.id for each in line(found, "unreadable_files").items] == ["goals/beta/todos/t-cccc3333.md"]
    assert not found.is_clean


def test_Q12_counts_are_over_the_whole_state() -> None:
    many = [todo(f"t-{number:08}", f"Work {number}") for number in range(300)]
    assert len(line(audited(Desk.of(goal(), *many)), "open_todos").items) == 300
