"""Settling a turn: everything it did in one answer, each part by the rules of its own command, or nothing at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.commands import (
    AcquireLease,
    AddEvidence,
    AddTodo,
    BlockTodo,
    CancelTodo,
    ClaimTodo,
    OpenGate,
    ReleaseLease,
    SetGoalStatus,
    SettleTurn,
    VoidTurn,
)
from loopx.kernel.outcome import Create, Record
from loopx.model.goal import GoalStatus, Participant, VisionNeed
from loopx.model.kind import Kind
from loopx.model.policy import Ownership
from loopx.model.records import CriterionStatus, EvidenceKind, EvidenceResult
from loopx.model.todo import Todo, TodoStatus
from loopx.model.turn import CheckpointResult, PathDelta, PathOutcome, Scale, Turn, TurnStatus
from tests.support.kernel import ANN, BEN, BOT, E1, PYTEST, REX, T1, T2, Desk, config, criterion, evidence, facts, goal
from tests.support.kernel import todo as a_todo
from tests.unit.kernel.turning import (
    AGENTS,
    GAP,
    PRIMARY,
    PROGRESS,
    SURFACE,
    desk_of,
    done,
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


# the same turn again --------------------------------------------------------------------------


def test_Q06_the_same_turn_again_says_settled_and_spends_once() -> None:
    """The answer was lost; the caller repeats the turn under an operation id of its own."""
    desk = desk_of()
    opened = opens(desk)
    first = settled(desk, turn=opened, became={"done": True}, evidence=("seen",), spend=2)
    again = settled(desk, op="another", turn=opened, became={"done": True}, evidence=("seen",), spend=2)
    assert again.receipt == first.receipt and again.changes == ()
    spends = [each.spend.slots for each in desk.records(Kind.TURN) if each.spend]
    assert spends == [2] and len(desk.records(Kind.COMPLETION)[0].entries) == 1


def test_a_turn_that_was_settled_without_being_named_is_found_by_its_name() -> None:
    desk = desk_of()
    first = settled(desk, todo=T1, evidence=("seen",))
    again = settled(desk, op="another", turn=facts(first)["id"], todo=T1, evidence=("seen",))
    assert again.receipt == first.receipt


def test_what_was_settled_is_not_settled_otherwise() -> None:
    desk = desk_of()
    opened = opens(desk)
    first = settled(desk, turn=opened, evidence=("seen",))
    refusal = refused(desk, turn=opened, evidence=("something else",))
    assert (refusal.code, refusal.facts["operation"]) == ("turn-settled", first.receipt.operation)


def test_a_turn_that_was_voided_stays_void() -> None:
    desk = desk_of()
    opened = opens(desk)
    desk.do(VoidTurn(turn=opened, reason="lost its way"), BOT)
    assert refused(desk, turn=opened).code == "turn-voided"


def test_L06_the_same_key_with_other_content_is_no_replay() -> None:
    desk = desk_of()
    opened = opens(desk)
    first = settled(desk, op="mine", turn=opened, path_delta=PathDelta(outcome=PathOutcome.WAIT), evidence=("a",))
    assert refused(desk, op="mine", turn=opened, evidence=("b",)).code == "operation-reused"
    same = SettleTurn(
        evidence=("a",), path_delta=PathDelta(outcome=PathOutcome.WAIT), turn=opened, outcome=SURFACE,
        scale=Scale.SINGLE_SURFACE, goal="beta", basis="elsewhere",
    )  # fmt: skip
    assert desk.do(same, BOT, op="mine").receipt == first.receipt


# fencing --------------------------------------------------------------------------------------------


def leased(desk: Desk) -> str:
    desk.do(AcquireLease(todo=T1, key="k-one", ttl_seconds=600), BOT)
    return opens(desk, lease_key="k-one")


def test_a_late_finisher_is_fenced_once_the_lease_has_passed_on() -> None:
    desk = desk_of()
    opened = leased(desk)
    desk.wait(hours=2)
    desk.do(AcquireLease(todo=T1, key="k-two"), REX)
    refusal = refused(desk, turn=opened, became={"done": True}, lease_key="k-one")
    assert (refusal.code, refusal.facts["epochs"]) == ("turn-fenced", {"opened_at": 1, "found": 2})
    desk.do(ReleaseLease(todo=T1, key="k-two"), REX)
    assert refused(desk, turn=opened).code == "turn-fenced"
    desk.do(VoidTurn(turn=opened, reason="too late"), BOT)
    opens(desk)


def test_an_expired_lease_nobody_took_over_fences_nobody_where_none_is_asked_for() -> None:
    desk = desk_of()
    opened = leased(desk)
    desk.wait(hours=2)
    settles(desk, turn=opened, became={"done": True})


def test_where_the_policy_is_lease_settling_needs_the_live_lease_and_its_key() -> None:
    desk = desk_of(config(*AGENTS, ownership=Ownership.LEASE))
    opened = leased(desk)
    assert refused(desk, turn=opened).code == "lease-key-missing"
    assert refused(desk, turn=opened, lease_key="k-two").code == "lease-key-wrong"
    desk.wait(hours=2)
    assert refused(desk, turn=opened, lease_key="k-one").code == "lease-expired"
    desk.do(AcquireLease(todo=T1, key="k-two"), BOT)
    assert refused(desk, turn=opened, lease_key="k-two").code == "turn-fenced"


def test_completion_gives_the_lease_back_in_the_same_commit() -> None:
    desk = desk_of(config(*AGENTS, ownership=Ownership.LEASE))
    opened = leased(desk)
    settles(desk, turn=opened, became={"done": True}, lease_key="k-one")
    lease = desk.state.lease(T1)
    assert lease is not None and lease.status == "released"


def test_another_s_claim_or_lease_fences_a_turn_that_goes_on() -> None:
    desk = desk_of()
    opened = opens(desk)
    desk.do(ClaimTodo(todo=T1), REX)
    assert refused(desk, turn=opened, evidence=("seen",)).code == "todo-claimed"
    leased_away = desk_of()
    opened = opens(leased_away)
    leased_away.do(AcquireLease(todo=T1, key="k-one"), REX)
    assert refused(leased_away, turn=opened).code == "lease-held"


def test_a_todo_that_closed_meanwhile_takes_evidence_and_no_second_end() -> None:
    desk = desk_of()
    opened = opens(desk)
    desk.do(CancelTodo(todo=T1, reason="we have one"), ANN)
    assert refused(desk, turn=opened, became={"blocked": "x"}).code == "todo-closed"
    settles(desk, turn=opened, evidence=("it was nearly there",))


def test_work_that_another_finished_is_not_finished_again() -> None:
    desk = desk_of()
    opened = opens(desk)
    done(desk, actor=ANN)
    refusal = refused(desk, turn=opened, became={"done": True})
    assert (refusal.code, refusal.facts["by"]) == ("todo-already-done", "human:Ann")
    assert settles(desk, turn=opened, evidence=("Ann was faster",)).delta[0].startswith("evidence:new:")


def test_work_the_agent_finished_itself_while_the_turn_was_open_is_finished_once() -> None:
    desk = desk_of()
    opened = opens(desk)
    done(desk, note="by itself")
    found = settles(desk, turn=opened, outcome=PROGRESS, became={"done": True}, evidence=("it works",))
    assert found.outcome is PROGRESS and found.delta.count(f"todo:done:{T1}") == 1
    assert len(desk.records(Kind.COMPLETION)[0].entries) == 1


def test_a_todo_that_is_gone_leaves_only_the_way_out() -> None:
    desk = desk_of()
    opened = opens(desk)
    desk.entities = [each for each in desk.entities if not isinstance(each, Todo)]
    refusal = refused(desk, turn=opened)
    assert refusal.code == "turn-mismatch" and "turn void" in refusal.hint
    desk.do(VoidTurn(turn=opened, reason="the file was deleted"), BOT)


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
