"""Acceptance criteria: what counts as evidence, and what a judgement is worth when something changes."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import (
    CompleteTodo,
    EditGoal,
    EditTodo,
    MeetCriterion,
    RecordEvidence,
    ReopenTodo,
    UnmeetCriterion,
    WaiveCriterion,
)
from loopx.kernel.criteria import criterion_standing, criterion_status
from loopx.kernel.digest import validation_inputs
from loopx.kernel.rollback import mark_rolled_back
from loopx.model.actor import Origin
from loopx.model.goal import Goal, GoalStatus
from loopx.model.kind import Kind
from loopx.model.records import CriterionStatus, Evidence, EvidenceKind, EvidenceResult
from tests.support.kernel import (
    ANN,
    BEN,
    BOT,
    E1,
    E2,
    PYTEST,
    REX,
    T1,
    Desk,
    criterion,
    edited,
    evidence,
    facts,
    goal,
    todo,
)

BETA = goal(acceptance=(criterion(),))
MEET = MeetCriterion(goal="beta", criterion="a1", evidence=("I watched ten people use it",))


def desk_with(*entities: Any) -> Desk:
    return Desk.of(BETA, *entities)


def status(desk: Desk) -> CriterionStatus:
    return criterion_status(desk.state, desk.goal(), desk.goal().acceptance[0])


def bound(desk: Desk, name: str = E1, **fields: Any) -> Evidence:
    """A passed validation of T1 as it stands on the desk."""
    return evidence(name, inputs=validation_inputs(desk.todo(), desk.goal()), **fields)


def finished() -> Desk:
    """T1 done with a validation that passed."""
    desk = desk_with(todo(validation=PYTEST, acceptance=("a1",)))
    desk.do(CompleteTodo(todo=T1, evidence=bound(desk)), BOT)
    return desk


def test_a_persons_word_is_kept_as_evidence_and_meets_a_criterion() -> None:
    desk = desk_with()
    done = desk.do(MEET)
    assert status(desk) is CriterionStatus.MET
    (made,) = desk.records(Kind.EVIDENCE)
    assert made.kind is EvidenceKind.OBSERVATION and made.source == "human:Ann" and made.subject == "beta/a1"
    assert made.summary == "I watched ten people use it"
    assert facts(done) == {
        "goal": "beta",
        "criterion": "a1",
        "status": "met",
        "already": False,
        "evidence": [made.id],
    }
    assert done.headline == 'goal: meet beta a1 "Ten people use it"'


def test_an_agents_own_word_meets_nothing() -> None:
    desk = desk_with()
    assert desk.no(MEET, BOT).code == "criterion-evidence-insufficient"
    said = evidence(kind=EvidenceKind.OBSERVATION, source="agent:bot", subject="beta/a1")
    desk.do(RecordEvidence(evidence=said), BOT)
    assert desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=(E1,)), BOT).code == (
        "criterion-evidence-insufficient"
    )


def test_nothing_cited_meets_nothing() -> None:
    assert desk_with().no(MeetCriterion(goal="beta", criterion="a1")).code == "criterion-evidence-insufficient"


def test_an_agent_may_cite_a_todo_done_with_validation() -> None:
    desk = finished()
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=(T1,)), BOT)
    assert status(desk) is CriterionStatus.MET
    assert desk.state.criterion("beta", "a1").entries[-1].evidence == (E1,)  # type: ignore[union-attr]


def test_an_agent_may_cite_a_validation_by_a_shortened_id() -> None:
    desk = finished()
    desk.do(MeetCriterion(goal="beta", criterion="A1", evidence=("E-AAAA",)), BOT)
    assert status(desk) is CriterionStatus.MET


def test_a_todo_done_without_validation_supports_nothing() -> None:
    desk = desk_with(todo())
    desk.do(CompleteTodo(todo=T1))
    refused = desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=(T1,)), BOT)
    assert refused.code == "criterion-evidence-insufficient" and "done without validation" in refused.message


@pytest.mark.parametrize("result", [EvidenceResult.FAILED, EvidenceResult.UNAVAILABLE, EvidenceResult.TIMED_OUT])
def test_a_validation_that_did_not_pass_supports_nothing(result: EvidenceResult) -> None:
    desk = desk_with(todo(validation=PYTEST))
    desk.do(RecordEvidence(evidence=bound(desk, result=result)), BOT, origin=Origin.SYSTEM)
    assert desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=(E1,)), BOT).code == (
        "criterion-evidence-insufficient"
    )


def test_a_validation_of_what_reads_differently_now_supports_nothing() -> None:
    desk = desk_with(todo(validation=PYTEST))
    desk.do(RecordEvidence(evidence=bound(desk)), origin=Origin.SYSTEM)
    desk.do(EditTodo(todo=T1, fields={"validation": {"argv": ["true"]}}))
    assert desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=(E1,)), BOT).code == (
        "criterion-evidence-insufficient"
    )


def test_a_readback_supports_a_criterion() -> None:
    desk = desk_with()
    read = evidence(kind=EvidenceKind.READBACK, source="provider:ci", subject="beta/a1")
    desk.do(RecordEvidence(evidence=read), origin=Origin.SYSTEM)
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=(E1,)), BOT)
    assert status(desk) is CriterionStatus.MET


def test_a_persons_word_on_one_criterion_does_not_serve_an_agent_for_another() -> None:
    desk = Desk.of(goal(acceptance=(criterion("a1"), criterion("a2", "It is safe"))))
    said = facts(desk.do(MEET))["evidence"]
    command = MeetCriterion(goal="beta", criterion="a2", evidence=tuple(said))
    assert desk.no(command, BOT).code == "criterion-evidence-insufficient"
    desk.do(command, BEN)


def test_meeting_twice_changes_nothing() -> None:
    desk = desk_with()
    desk.do(MEET)
    again = desk.do(MEET, BOT)
    assert again.changes == () and facts(again)["already"] is True


def test_unknown_evidence_and_unknown_criteria_are_named() -> None:
    desk = desk_with()
    assert desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=(E2,))).code == "evidence-unknown"
    refused = desk.no(MeetCriterion(goal="beta", criterion="b1", evidence=("x",)))
    assert refused.code == "criterion-unknown" and "a1" in refused.hint
    assert Desk.of(goal()).no(MEET).code == "criterion-unknown"


def test_a_closed_goals_criteria_are_judged() -> None:
    assert Desk.of(edited(BETA, status=GoalStatus.CLOSED)).no(MEET).code == "goal-closed"


def test_a_changed_text_opens_the_criterion_again() -> None:
    desk = desk_with()
    desk.do(MEET)
    desk.do(EditGoal(goal="beta", fields={"acceptance": [{"id": "a1", "text": "A hundred people use it"}]}))
    standing = criterion_standing(desk.state, desk.goal(), desk.goal().acceptance[0])
    assert standing.status is CriterionStatus.OPEN and standing.needs_reassessment
    assert "needs reassessment" in standing.why


def test_a_changed_check_opens_a_waived_criterion_again() -> None:
    desk = desk_with()
    desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="too costly"))
    changed = [{"id": "a1", "text": "Ten people use it", "check": ["true"]}]
    desk.do(EditGoal(goal="beta", fields={"acceptance": changed}))
    assert status(desk) is CriterionStatus.OPEN


def test_a_criterion_whose_only_support_was_undone_is_open_again() -> None:
    desk = finished()
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=(T1,)), BOT)
    desk.do(ReopenTodo(todo=T1, reason="it broke"))
    standing = criterion_standing(desk.state, desk.goal(), desk.goal().acceptance[0])
    assert standing.status is CriterionStatus.OPEN and standing.needs_reassessment


def test_support_that_never_counted_does_not_hold_a_criterion_up() -> None:
    desk = finished()
    said = evidence(E2, kind=EvidenceKind.OBSERVATION, source="agent:bot", subject="beta/a1")
    desk.do(RecordEvidence(evidence=said), BOT)
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=(T1, E2)), BOT)
    desk.do(ReopenTodo(todo=T1, reason="it broke"))
    assert status(desk) is CriterionStatus.OPEN


def test_a_judgement_undone_by_a_rollback_does_not_count() -> None:
    desk = desk_with()
    desk.do(MEET)
    log = desk.state.criterion("beta", "a1")
    assert log is not None
    desk.entities[desk.entities.index(log)] = mark_rolled_back(
        log, since=desk.now, at=desk.now, operation="op-rollback"
    )
    assert status(desk) is CriterionStatus.OPEN
    desk.do(MEET)
    assert status(desk) is CriterionStatus.MET


def test_unmeeting_opens_and_says_why() -> None:
    desk = desk_with()
    assert desk.do(UnmeetCriterion(goal="beta", criterion="a1")).changes == ()
    desk.do(MEET)
    done = desk.do(UnmeetCriterion(goal="beta", criterion="a1", reason="nine only"), BOT)
    assert status(desk) is CriterionStatus.OPEN and done.body == "nine only"


def test_waiving_is_for_people_needs_a_reason_and_is_undone_by_people() -> None:
    desk = desk_with()
    assert desk.no(WaiveCriterion(goal="beta", criterion="a1", reason="x"), BOT).code == "actor-not-permitted"
    assert desk.no(WaiveCriterion(goal="beta", criterion="a1", reason=" ")).code == "reason-missing"
    desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="too costly"))
    assert status(desk) is CriterionStatus.WAIVED
    assert desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="again")).changes == ()
    assert desk.no(UnmeetCriterion(goal="beta", criterion="a1"), REX).code == "actor-not-permitted"
    desk.do(UnmeetCriterion(goal="beta", criterion="a1"), ANN)
    assert status(desk) is CriterionStatus.OPEN


def test_every_judgement_stays_on_record() -> None:
    desk = desk_with()
    desk.do(MEET)
    desk.do(UnmeetCriterion(goal="beta", criterion="a1"))
    desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="too costly"))
    log = desk.state.criterion("beta", "a1")
    assert log is not None
    assert [each.status.value for each in log.entries] == ["met", "open", "waived"]


@pytest.mark.parametrize(
    ("fields", "actor", "origin", "code"),
    [
        ({}, BOT, Origin.COMMAND, "actor-not-permitted"),
        ({"kind": EvidenceKind.OBSERVATION, "source": "human:Ann"}, BOT, Origin.COMMAND, "actor-not-permitted"),
        ({"goal": "gone"}, BOT, Origin.SYSTEM, "goal-unknown"),
        ({"kind": EvidenceKind.OBSERVATION, "source": "agent:bot"}, BOT, Origin.HAND, "record-machine-owned"),
    ],
)
def test_evidence_is_recorded_in_ones_own_name(fields: dict[str, Any], actor: Any, origin: Origin, code: str) -> None:
    assert desk_with().no(RecordEvidence(evidence=evidence(**fields)), actor, origin=origin).code == code


def test_evidence_is_written_once() -> None:
    desk = desk_with()
    seen = evidence(result=EvidenceResult.FAILED)
    desk.do(RecordEvidence(evidence=seen), BOT, origin=Origin.SYSTEM)
    assert desk.do(RecordEvidence(evidence=seen), BOT, origin=Origin.SYSTEM).changes == ()
    other = edited(seen, result=EvidenceResult.PASSED)
    assert desk.no(RecordEvidence(evidence=other), BOT, origin=Origin.SYSTEM).code == "id-duplicate"


def test_a_goal_without_the_criterion_any_more_has_nothing_to_judge() -> None:
    bare = Goal(id="beta", title="Ship")
    assert Desk.of(bare).no(WaiveCriterion(goal="beta", criterion="a1", reason="x")).code == "criterion-unknown"
