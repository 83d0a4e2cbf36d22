"""Settling a turn: everything it did in one answer, each part by the rules of its own command, or nothing at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.commands import (
    SetGoalStatus,
)
from loopx.kernel.outcome import Create, Record
from loopx.model.goal import GoalStatus, Participant, VisionNeed
from loopx.model.kind import Kind
from loopx.model.records import CriterionStatus, EvidenceKind
from loopx.model.todo import TodoStatus
from loopx.model.turn import CheckpointResult, PathDelta, PathOutcome, Scale, Turn, TurnStatus
from tests.support.kernel import ANN, BOT, PYTEST, REX, T1, T2, Desk, config, criterion, goal
from tests.support.kernel import todo as a_todo
from tests.unit.kernel.turning import (
    PRIMARY,
    SURFACE,
    desk_of,
    opens,
    passed,
    refused,
    settled,
    settlement,
    settles,
    turn,
)

ACCEPTED = goal(acceptance=(criterion(),))

# one commit, or nothing -----------------------------------------------------------------------


def test_one_settling_writes_everything_the_turn_did() -> None:
    desk = desk_of(a_todo(validation=PYTEST, acceptance=("a1",)), of=ACCEPTED)
    opened = opens(desk)
    done = settled(
        desk,
        turn=opened,
        todo=T1,
        scale=Scale.IMPLEMENTATION,
        outcome=PRIMARY,
        became={"done": True, "successors": ("Translate it",)},
        vision={"summary": "Guide first, then the words"},
        path_delta=PathDelta(outcome=PathOutcome.CONTINUE, retained=("the outline",)),
        evidence=("ten people read it",),
        meets=("a1",),
        next_action="Translate the guide",
        note="one page",
        validation=passed(desk),
    )
    found = turn(desk, opened)
    made = [each for each in desk.records(Kind.TODO) if each.id != T1]
    assert desk.todo().status is TodoStatus.DONE and desk.todo().successors == (made[0].id,)
    assert (made[0].title, made[0].acceptance) == ("Translate it", ("a1",))
    assert (found.status, found.settled_at, found.settled_by) == (
        TurnStatus.SETTLED,
        desk.now,
        done.receipt.operation,
    )
    assert (found.scale, found.outcome, found.claimed) == (Scale.IMPLEMENTATION, PRIMARY, None)
    assert found.meets == ("a1",) and found.next_action == "Translate the guide" and found.note == "one page"
    assert found.spend is not None and (found.spend.slots, found.spend.validated) == (1, True)
    assert found.checkpoint is not None and found.checkpoint.result is CheckpointResult.PATCHED
    assert found.checkpoint.path_delta is not None and found.checkpoint.path_delta.retained == ("the outline",)
    assert "e-vvvv1111" in found.evidence and len(found.evidence) == 2
    assert set(found.delta) == {
        f"todo:done:{T1}",
        f"todo:added:{made[0].id}",
        "criterion:met:a1",
        "vision:patched:bot",
        *(f"evidence:new:{each}" for each in found.evidence),
    }
    vision = desk.state.vision("beta", "bot")
    assert vision is not None and vision.summary == "Guide first, then the words"
    log = desk.state.criterion("beta", "a1")
    assert log is not None and log.entries[-1].status is CriterionStatus.MET
    assert {each.operation for each in desk.records(Kind.COMPLETION)[0].entries} == {done.receipt.operation}
    baselines = desk.state.baselines("beta", "bot")
    assert baselines is not None and baselines.entries[-1].turn == opened


def test_each_document_is_changed_once() -> None:
    desk = desk_of(a_todo(acceptance=("a1",)), of=ACCEPTED)
    opens(desk)
    done = settled(desk, became={"done": True, "successors": ("Next",)}, evidence=("seen",))
    named = [each.entity.id if isinstance(each, Create | Record) else each.id for each in done.changes]  # type: ignore[union-attr]
    kinds = [type(each).__name__ for each in done.changes]
    assert len(set(zip(kinds, named, strict=True))) == len(named)
    assert done.headline == 'turn: settle turn-a0000001 "Write the guide"'


def test_one_part_that_is_refused_refuses_the_whole() -> None:
    """The Vision fits, the evidence too; the criterion is not met by a word, so nothing of it happens."""
    desk = desk_of(of=ACCEPTED)
    opens(desk)
    before = list(desk.entities)
    refusal = refused(
        desk, became={"done": True}, vision={"summary": "x"}, evidence=("trust me",), meets=("a1",), outcome=PRIMARY
    )
    assert refusal.code == "criterion-evidence-insufficient"
    assert desk.entities == before and desk.state.vision("beta", "bot") is None


@pytest.mark.parametrize(
    ("became", "status", "told"),
    [
        ({"done": True}, TodoStatus.DONE, {f"todo:done:{T1}"}),
        ({"blocked": "no key"}, TodoStatus.BLOCKED, {f"todo:blocked:{T1}"}),
        ({"deferred_until": "at:2026-04-01T00:00Z"}, TodoStatus.DEFERRED, {f"todo:deferred:{T1}", f"wait:{T1}"}),
        ({"cancelled": "not needed"}, TodoStatus.CANCELLED, {f"todo:cancelled:{T1}"}),
        ({"superseded_by": (T2,)}, TodoStatus.SUPERSEDED, {f"todo:superseded:{T1}"}),
        ({}, TodoStatus.OPEN, set()),
    ],
)
def test_a_todo_becomes_what_the_settlement_says(became: dict[str, Any], status: TodoStatus, told: set[str]) -> None:
    desk = desk_of(a_todo(T2, "Print it"))
    opens(desk)
    found = settles(desk, became=became)
    assert desk.todo().status is status and set(found.delta) == told


def test_nothing_follows_is_recorded_with_its_reason() -> None:
    desk = desk_of()
    opens(desk)
    found = settles(desk, became={"done": True, "no_follow_up": "it was the last"})
    assert found.no_follow_up == "it was the last" and f"end:no_followup:{T1}" in found.delta
    log = desk.state.completions(T1)
    assert log is not None and log.entries[-1].continuation == "no_followup"


def test_work_that_goes_on_may_be_carried_on_by_more() -> None:
    desk = desk_of(a_todo(acceptance=("a1",)), of=ACCEPTED)
    opens(desk)
    found = settles(desk, became={"blocked": "no key", "successors": ("Get a key", "Write the guide")})
    added = [each for each in desk.records(Kind.TODO) if each.id != T1]
    assert [(each.title, each.acceptance) for each in added] == [("Get a key", ("a1",))]
    assert found.delta.count(f"todo:added:{added[0].id}") == 1 and len(found.delta) == 2


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"became": {"done": True, "blocked": "x"}}, "settlement-contradiction"),
        ({"became": {"no_follow_up": "x"}}, "settlement-contradiction"),
        ({"became": {"done": True, "no_follow_up": "x", "successors": ("y",)}}, "settlement-contradiction"),
        ({"became": {"done": True, "no_follow_up": " "}}, "reason-missing"),
        ({"became": {"blocked": ""}}, "reason-missing"),
        ({"became": {"deferred_until": "someday"}}, "condition-invalid"),
        ({"became": {"superseded_by": (T1,)}}, "supersede-cycle"),
        ({"vision": {"summary": "x", "unchanged_reason": "y"}}, "settlement-contradiction"),
        ({"vision": {"summary": "x" * 421}}, "vision-over-budget"),
        ({"vision": {"retired_reason": "y"}}, "vision-unknown"),
        ({"vision": {"unchanged_reason": " "}}, "reason-missing"),
        ({"evidence": ("e-zzzz9999",)}, "evidence-unknown"),
        ({"evidence": ("two\nlines",)}, "field-value"),
        ({"evidence": tuple(f"look {number}" for number in range(51))}, "field-value"),
        ({"evidence": ("password: hunter2hunter2",)}, "text-credential"),
        ({"note": "password: hunter2hunter2"}, "text-credential"),
        ({"note": "x" * 2001}, "field-value"),
        ({"next_action": "one\ntwo"}, "field-value"),
        ({"path_delta": PathDelta(outcome=PathOutcome.REPLAN, evidence=("e-zzzz9999",))}, "evidence-unknown"),
        ({"path_delta": PathDelta(outcome=PathOutcome.REPLAN, changed=("a\nb",))}, "field-value"),
        ({"meets": ("a9",)}, "criterion-unknown"),
        ({"spend": -1}, "field-value"),
        ({"spend": 1001, "evidence": ("x",)}, "field-value"),
        ({"turn": "turn-zzzz9"}, "turn-unknown"),
        ({"todo": T2}, "turn-mismatch"),
        ({"obligation": "o-1"}, "turn-mismatch"),
        ({"goal": "gamma", "turn": "turn-a0000001"}, "turn-mismatch"),
        ({"goal": "gone"}, "goal-unknown"),
        ({"agent": "rex"}, "actor-not-permitted"),
    ],
)
def test_a_settlement_that_cannot_be_is_refused_as_a_whole(asked: dict[str, Any], code: str) -> None:
    desk = desk_of(a_todo(T2, "Print it"), goal("gamma"), of=ACCEPTED)
    opens(desk)
    before = list(desk.entities)
    assert refused(desk, **asked).code == code
    assert desk.entities == before


# whose turn, and is it the one --------------------------------------------------------------------


def test_without_an_open_turn_one_is_opened_and_settled_at_once() -> None:
    desk = desk_of()
    found = settles(desk, todo=T1, became={"done": True}, evidence=("seen",), basis="abc1234")
    assert (found.todo, found.status, found.opened_by, found.basis) == (
        T1,
        TurnStatus.SETTLED,
        found.settled_by,
        "abc1234",
    )
    assert refused(desk, todo=T1).code == "todo-not-runnable"
    assert refused(desk).code == "turn-subject-missing"


def test_the_open_turn_is_the_one_settled() -> None:
    desk = desk_of(a_todo(T2, "Print it"))
    opened = opens(desk)
    assert settles(desk, todo=T1).id == opened
    assert len(desk.records(Kind.TURN)) == 1


def test_Q05_delivering_another_todo_than_the_turn_s_is_refused() -> None:
    desk = desk_of(a_todo(T2, "Print it"))
    opened = opens(desk)
    refusal = refused(desk, todo=T2, became={"done": True}, evidence=("printed",))
    assert (refusal.code, refusal.facts["opened_for"], refusal.facts["named"]) == ("turn-mismatch", T1, T2)
    assert turn(desk, opened).status is TurnStatus.OPEN and desk.todo(T2).status is TodoStatus.OPEN


def test_an_agent_settles_no_turn_of_another_and_a_person_any() -> None:
    desk = desk_of()
    opened = opens(desk)
    assert refused(desk, REX, turn=opened).code == "actor-not-permitted"
    found = settles(desk, ANN, turn=opened, evidence=("I looked",))
    assert (found.agent, found.status) == ("bot", TurnStatus.SETTLED)
    assert found.spend is not None and found.spend.validated


def test_a_person_works_in_turns_as_well() -> None:
    desk = Desk.of(config(), goal(), a_todo())
    found = settles(desk, ANN, todo=T1, became={"done": True}, evidence=("printed and bound",))
    assert (found.agent, found.outcome) == ("human-ann", SURFACE)


def test_a_goal_that_is_paused_takes_what_was_done_and_a_closed_one_nothing() -> None:
    desk = desk_of()
    opened = opens(desk)
    desk.do(SetGoalStatus(goal="beta", verb="pause", to=GoalStatus.PAUSED))
    settles(desk, turn=opened, evidence=("seen",))
    ended = Desk.of(*(each for each in desk.entities if each.KIND is not Kind.GOAL), goal(status=GoalStatus.CLOSED))
    later = Turn(id="turn-bbbb1", agent="bot", todo=T1, opened_at=desk.now, opened_by="op-0", goal="beta")
    ended.entities.append(later)
    refusal = refused(ended, turn=later.id)
    assert refusal.code == "goal-closed" and "turn void" in refusal.hint


# obligations --------------------------------------------------------------------------------------


NEEDS_A_VISION = goal(agents=(Participant(id="bot", vision=VisionNeed.REQUIRED), Participant(id="rex")))


def owed(desk: Desk, owner: str = "bot") -> list[Any]:
    from loopx.kernel.obligations.deriving import obligations

    return list(obligations(desk.state, desk.goal(), desk.now, owner))


def test_a_turn_for_an_obligation_settles_by_what_discharges_it_only() -> None:
    desk = desk_of(of=NEEDS_A_VISION)
    [debt] = owed(desk)
    opened = opens(desk, obligation=debt.id)
    refusal = refused(desk, turn=opened, evidence=("the plan again",))
    assert (refusal.code, refusal.facts["obligation"]) == ("replan-no-delta", debt.id)
    found = settles(desk, turn=opened, vision={"summary": "Guide first"})
    assert [each.split()[0] for each in found.discharges] == [debt.id] and owed(desk) == []


def test_a_turn_for_a_todo_lists_what_it_discharges_on_the_way() -> None:
    desk = desk_of(of=NEEDS_A_VISION)
    [debt] = owed(desk)
    found = settles(desk, todo=T1, vision={"summary": "Guide first"})
    assert [each.split()[0] for each in found.discharges] == [debt.id]


def test_a_turn_for_an_obligation_may_add_work_and_say_why_nothing_follows() -> None:
    desk = desk_of(of=NEEDS_A_VISION)
    [debt] = owed(desk)
    opened = opens(desk, obligation=debt.id)
    assert refused(desk, turn=opened, became={"done": True}).code == "turn-mismatch"
    found = settles(desk, turn=opened, became={"no_follow_up": "Rex does it"}, vision={"summary": "Help Rex"})
    assert f"end:no_followup:{debt.id}" in found.delta and found.no_follow_up == "Rex does it"
    assert found.checkpoint is not None


def test_a_person_may_discharge_what_the_operators_owe() -> None:
    desk = Desk.of(config(), goal(acceptance=(criterion(),)))
    [debt] = owed(desk, "operators")
    opened = opens(desk, ANN, obligation=debt.id)
    found = settles(desk, ANN, turn=opened, became={"successors": ("Write it",)})
    assert [each.split()[0] for each in found.discharges] == [debt.id]
    assert all(each.id != debt.id for each in owed(desk, "operators"))


def test_words_are_evidence_of_whoever_said_them() -> None:
    desk = desk_of()
    settles(desk, todo=T1, evidence=("it works here", "it works here"))
    found = desk.records(Kind.EVIDENCE)
    assert [(each.kind, each.source, each.subject) for each in found] == [
        (EvidenceKind.OBSERVATION, "agent:bot", T1)
    ] * len(found)
    assert all(each.bound for each in found)


def aged(turn: Turn, name: str, minutes: int) -> Turn:
    """A copy of a settled turn that ended some minutes before it."""
    assert turn.settled_at is not None and turn.spend is not None
    at = turn.settled_at - timedelta(minutes=minutes)
    return replace(turn, id=name, settled_at=at, spend=replace(turn.spend, at=at))


def test_settling_looks_at_no_more_turns_the_more_there_were() -> None:
    from loopx.kernel.decide import decide
    from loopx.kernel.state import State
    from tests.unit.kernel.turning import CountingSource

    def given(history: int) -> int:
        desk = desk_of()
        old = settles(desk, todo=T1, evidence=("seen",))
        copies = [aged(old, f"turn-b{number:07}", number) for number in range(history)]
        desk.wait(days=3)
        source = CountingSource([*desk.entities, *copies], desk.receipts)
        decide(State(source), settlement(todo=T1, evidence=("more",)), desk.context(BOT))
        return source.turns_given

    assert given(2000) <= given(200)
