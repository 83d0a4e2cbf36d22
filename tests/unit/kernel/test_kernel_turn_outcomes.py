"""What a settled turn is worth: validations and checks, the outcome it claims, and what it may spend."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import (
    AddEvidence,
    AddTodo,
    BlockTodo,
    CancelTodo,
    OpenGate,
)
from loopx.model.kind import Kind
from loopx.model.records import EvidenceKind, EvidenceResult
from loopx.model.todo import TodoStatus
from loopx.model.turn import Turn
from tests.support.kernel import ANN, BEN, BOT, E1, PYTEST, REX, T1, T2, criterion, evidence, facts, goal
from tests.support.kernel import todo as a_todo
from tests.unit.kernel.turning import (
    GAP,
    PRIMARY,
    PROGRESS,
    SURFACE,
    desk_of,
    opens,
    passed,
    refused,
    settled,
    settles,
    turn,
)

ACCEPTED = goal(acceptance=(criterion(),))

# validation, checks and criteria ----------------------------------------------------------------


def test_a_declared_validation_is_asked_for_after_everything_else() -> None:
    desk = desk_of(a_todo(validation=PYTEST))
    opens(desk)
    assert refused(desk, became={"done": True}, vision={"summary": "x" * 421}).code == "vision-over-budget"
    assert refused(desk, became={"done": True}, evidence=("works",)).code == "validation-required"
    failed = passed(desk, result=EvidenceResult.FAILED)
    assert refused(desk, became={"done": True}, validation=failed).code == "validation-failed"
    assert settles(desk, became={"done": True}, validation=passed(desk)).evidence == ("e-vvvv1111",)


def test_a_criterion_is_met_by_the_validated_todo_and_not_by_a_word() -> None:
    desk = desk_of(a_todo(validation=PYTEST, acceptance=("a1",)), of=ACCEPTED)
    opens(desk)
    assert refused(desk, evidence=("works",), meets=("a1",)).code == "criterion-evidence-insufficient"
    assert settles(desk, became={"done": True}, validation=passed(desk), meets=("A1", "a1")).meets == ("a1",)


def test_a_criterion_that_is_met_already_is_no_delta() -> None:
    desk = desk_of(of=ACCEPTED)
    opens(desk, ANN)
    settles(desk, ANN, meets=("a1",), evidence=("I saw it",))
    found = settles(desk, todo=T1, meets=("a1",))
    assert found.meets == () and found.delta == ()


def test_a_criterion_s_check_is_asked_for_and_its_run_meets_it() -> None:
    from loopx.kernel.bindings import bindings_of

    desk = desk_of(of=goal(acceptance=(criterion(check=("make", "check")),)))
    opens(desk)
    refusal = refused(desk, meets=("a1",), evidence=("works",))
    assert (refusal.code, refusal.facts["criterion"]) == ("check-required", "a1")
    bound = bindings_of(desk.state, "beta", "beta/a1")
    run = evidence("e-cccc1111", "beta/a1", source="loopx:check", bound=bound, inputs=None)
    found = settles(desk, meets=("a1",), evidence=("works",), checks=(run,), outcome=PRIMARY)
    assert (found.outcome, found.meets) == (PRIMARY, ("a1",)) and "e-cccc1111" in found.evidence
    assert found.spend is not None and found.spend.validated


# outcome --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claimed", [SURFACE, GAP])
def test_a_claim_of_little_is_taken_at_its_word(claimed: Any) -> None:
    desk = desk_of()
    found = settles(desk, todo=T1, outcome=claimed)
    assert (found.outcome, found.claimed) == (claimed, None)


def test_progress_takes_new_evidence() -> None:
    desk = desk_of(a_todo(T2, "Print it"), evidence(E1))
    first = settles(desk, todo=T1, outcome=PROGRESS, became={"done": True}, evidence=(E1,))
    assert first.outcome is PROGRESS
    done = settled(desk, todo=T2, outcome=PROGRESS, became={"done": True}, evidence=(E1,))
    second = turn(desk, facts(done)["id"])
    assert (second.outcome, second.claimed) == (GAP, PROGRESS)
    assert facts(done)["claimed"] == "outcome_progress" and "no evidence" in facts(done)["why"]


def test_progress_takes_a_material_delta() -> None:
    desk = desk_of()
    done = settled(desk, todo=T1, outcome=PROGRESS, evidence=("I tidied up",), vision={"summary": "Tidy first"})
    found = turn(desk, facts(done)["id"])
    assert (found.outcome, found.claimed) == (GAP, PROGRESS) and "changes no criterion" in facts(done)["why"]


@pytest.mark.parametrize(
    "became",
    [{"done": True}, {"blocked": "no key"}, {"deferred_until": "at:2026-04-01T00:00Z"}, {"successors": ("Ask Ann",)}],
)
def test_a_changed_todo_a_blocker_and_a_wait_are_material(became: dict[str, Any]) -> None:
    assert settles(desk_of(), todo=T1, outcome=PROGRESS, became=became, evidence=("seen",)).outcome is PROGRESS


def test_a_negative_result_counts_as_evidence_and_as_delta() -> None:
    desk = desk_of()
    found = settles(desk, todo=T1, outcome=PROGRESS, negative=("caching makes it no faster",))
    [piece] = desk.records(Kind.EVIDENCE)
    assert (piece.kind, piece.source, piece.subject) == (EvidenceKind.NEGATIVE_RESULT, "agent:bot", T1)
    assert found.outcome is PROGRESS and f"evidence:negative:{piece.id}" in found.delta
    assert found.spend is not None and not found.spend.validated


def test_a_negative_result_recorded_before_counts_once() -> None:
    desk = desk_of()
    told = AddEvidence(goal="beta", about=T1, summary="no faster", kind="negative_result")
    piece = desk.do(told, BOT).receipt.result["id"]
    assert settles(desk, todo=T1, outcome=PROGRESS, evidence=(piece,)).outcome is PROGRESS
    assert settles(desk, todo=T1, outcome=PROGRESS, evidence=(piece,)).outcome is GAP


def test_the_primary_outcome_takes_a_criterion_that_was_met() -> None:
    desk = desk_of(of=ACCEPTED)
    done = settled(desk, todo=T1, outcome=PRIMARY, became={"done": True}, evidence=("done",))
    assert facts(done)["outcome"] == "outcome_progress" and facts(done)["claimed"] == "primary_goal_outcome"
    assert facts(done)["why"] == "No criterion was met."


def test_what_the_agent_did_by_other_commands_since_the_turn_opened_counts() -> None:
    desk = desk_of(goal("gamma"), a_todo(T2, "Print it"))
    desk.do(AddTodo(goal="beta", title="Before the turn"), BOT)
    opened = opens(desk)
    added = desk.do(AddTodo(goal="beta", title="Measure it"), BOT).receipt.result["id"]
    again = desk.do(AddTodo(goal="beta", title="Measure it"), BOT)
    gate = desk.do(OpenGate(goal="beta", scope="other:goal:x", question="Which?"), BOT).receipt.result["id"]
    desk.do(BlockTodo(todo=T2, reason="no paper"), BOT)
    desk.do(AddTodo(goal="beta", title="Somebody else's"), REX)
    desk.do(AddTodo(goal="gamma", title="Elsewhere"), BOT)
    desk.do(AddEvidence(goal="beta", about=T1, summary="no faster", kind="negative_result"), BOT)
    found = settles(desk, turn=opened, outcome=PROGRESS, evidence=("seen",))
    [negative] = [each.id for each in desk.records(Kind.EVIDENCE) if each.kind is EvidenceKind.NEGATIVE_RESULT]
    assert not again.receipt.result["added"] and found.outcome is PROGRESS
    assert [each for each in found.delta if not each.startswith("evidence:new:")] == [
        f"todo:added:{added}",
        f"gate:opened:{gate}",
        f"todo:blocked:{T2}",
        f"evidence:negative:{negative}",
    ]


def test_what_was_taken_back_since_does_not_count() -> None:
    desk = desk_of(a_todo(T2, "Print it"))
    opened = opens(desk)
    desk.do(BlockTodo(todo=T2, reason="no paper"), BOT)
    desk.do(CancelTodo(todo=T2, reason="no need"), ANN)
    assert settles(desk, turn=opened).delta == ()


def test_a_person_s_change_of_acceptance_is_a_delta_of_their_turn() -> None:
    from loopx.kernel.commands import EditGoal

    desk = desk_of()
    opened = opens(desk, ANN)
    desk.do(EditGoal(goal="beta", add_acceptance=("It is fast",)), ANN)
    desk.do(EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["src/**"]}}), BEN)
    assert settles(desk, ANN, turn=opened).delta == ("acceptance:changed:beta",)


# spend ----------------------------------------------------------------------------------------------


def spend(found: Turn) -> tuple[int, bool] | None:
    return (found.spend.slots, found.spend.validated) if found.spend else None


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"became": {"done": True}, "evidence": ("seen",)}, (1, False)),
        ({"evidence": ("half of it",)}, (1, False)),
        ({"became": {"blocked": "no key"}}, (1, False)),
        ({"became": {"done": True}, "spend": 3}, (3, False)),
        ({"became": {"done": True}, "spend": 0}, None),
        ({}, None),
        ({"vision": {"summary": "Think"}}, None),
        ({"spend": 0}, None),
    ],
)
def test_a_delivery_costs_a_slot_and_nothing_costs_nothing(asked: dict[str, Any], expected: Any) -> None:
    assert spend(settles(desk_of(), todo=T1, **asked)) == expected


@pytest.mark.parametrize("asked", [{"spend": 1}, {"spend": 1, "vision": {"summary": "Think"}}])
def test_what_delivers_nothing_cannot_spend(asked: dict[str, Any]) -> None:
    assert refused(desk_of(), todo=T1, **asked).code == "spend-not-validated"


def test_what_was_validated_and_did_not_pass_is_no_delivery() -> None:
    """The validation failed, so nothing was settled; the turn is settled by a further call, as what it was."""
    desk = desk_of(a_todo(validation=PYTEST))
    opened = opens(desk)
    failed = passed(desk, result=EvidenceResult.FAILED)
    assert refused(desk, turn=opened, became={"done": True}, validation=failed).code == "validation-failed"
    desk.entities.append(failed)
    assert refused(desk, turn=opened, outcome=GAP, evidence=(failed.id,), spend=1).code == "spend-not-validated"
    found = settles(desk, turn=opened, outcome=GAP, evidence=(failed.id,))
    assert spend(found) is None and desk.todo().status is TodoStatus.OPEN


def test_a_failed_run_before_the_turn_is_not_held_against_it() -> None:
    desk = desk_of(a_todo(validation=PYTEST))
    desk.entities.append(passed(desk, result=EvidenceResult.FAILED))
    desk.wait(minutes=1)
    opened = opens(desk)
    assert spend(settles(desk, turn=opened, evidence=("half of it",))) == (1, False)


def test_a_failed_run_before_a_turn_that_is_opened_and_settled_at_once_belongs_to_it() -> None:
    desk = desk_of(a_todo(validation=PYTEST))
    desk.entities.append(passed(desk, result=EvidenceResult.FAILED))
    desk.wait(minutes=1)
    assert spend(settles(desk, todo=T1, evidence=("half of it",))) is None


def test_Q05_eight_full_cycles_count_eight() -> None:
    from loopx.kernel.quota import window

    names = [f"t-aaaa222{number}" for number in range(8)]
    desk = desk_of(*(a_todo(name, f"Part {number}") for number, name in enumerate(names)))
    for name in names:
        opened = opens(desk, todo=name)
        settles(desk, turn=opened, todo=name, became={"done": True}, evidence=(f"{name} works",))
    assert window(desk.state, desk.goal(), desk.now).spent == 8
