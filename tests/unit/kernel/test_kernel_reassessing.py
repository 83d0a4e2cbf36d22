"""Judging what evidence is still worth after a change: what that takes, and who may not settle it alone."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.bindings import EvidenceVerdict, evidence_standing
from loopx.kernel.commands import AddEvidence, ClaimTodo, CompleteTodo, MeetCriterion, ReassessEvidence, RecordEvidence
from loopx.kernel.criteria import criterion_standing
from loopx.kernel.digest import validation_inputs
from loopx.kernel.reassessing import executors
from loopx.model.actor import Actor, Origin
from loopx.model.lease import Lease
from loopx.model.records import CriterionStatus, Evidence, EvidenceKind, EvidenceResult
from loopx.model.turn import Turn
from tests.support.clock import START
from tests.support.kernel import (
    ANN,
    BOT,
    E1,
    E2,
    PYTEST,
    REX,
    T1,
    Desk,
    criterion,
    evidence,
    facts,
    goal,
    todo,
)
from tests.support.surroundings import Surroundings

WORDS = {"difference": "A comment in app.py", "requirement": "Ten people use it", "method": "Read the diff"}


def reassess(assessment: str = "applies", name: str = E1, **more: Any) -> ReassessEvidence:
    said = (
        {**WORDS, "reason": "A comment only", **more} if assessment == "applies" else {"reason": "It was wrong", **more}
    )
    return ReassessEvidence(evidence=name, assessment=assessment, **said)


def finished() -> tuple[Desk, Surroundings]:
    """T1 done by bot on a validation of the project, a1 met on it, and then the project changed."""
    around = Surroundings()
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(validation=PYTEST, acceptance=("a1",)))
    desk.environment = around
    made = evidence(
        inputs=validation_inputs(desk.todo(), desk.goal()),
        artifact=around.artifact(()),
        artifact_revision="c1",
    )
    desk.do(CompleteTodo(todo=T1, evidence=made), BOT)
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=(T1,)), BOT)
    around.files["src/app.py"], around.commit = "2", "c2"
    desk.wait(minutes=1)
    return desk, around


def kept(desk: Desk, name: str = E1) -> Evidence:
    found = desk.state.evidence(name)
    assert found is not None
    return found


def verdict(desk: Desk) -> EvidenceVerdict:
    return evidence_standing(desk.state, kept(desk), desk.now).verdict


def is_met(desk: Desk) -> bool:
    goal_ = desk.goal()
    return criterion_standing(desk.state, goal_, goal_.acceptance[0], desk.now).status is CriterionStatus.MET


def test_a_person_judges_that_a_change_does_not_matter_until_the_next_one() -> None:
    desk, around = finished()
    assert verdict(desk) is EvidenceVerdict.NEEDS_REASSESSMENT and not is_met(desk)
    done = desk.do(reassess())
    assert verdict(desk) is EvidenceVerdict.APPLIES and is_met(desk)
    made = kept(desk, facts(done)["judgement"])
    assert (made.kind, made.source, made.subject, made.summary) == (
        EvidenceKind.DECISION,
        "human:Ann",
        T1,
        "A comment only",
    )
    assert made.reassessment is not None and made.artifact_revision == "c2"
    assert (made.reassessment.difference, made.reassessment.requirement, made.reassessment.method) == tuple(
        WORDS.values()
    )
    around.files["src/app.py"] = "3"
    assert verdict(desk) is EvidenceVerdict.NEEDS_REASSESSMENT and not is_met(desk)
    desk.wait(minutes=1)
    desk.do(reassess())
    assert is_met(desk)


def test_another_agent_may_judge_and_the_executor_alone_may_not() -> None:
    desk, _ = finished()
    refused = desk.no(reassess(), BOT)
    assert refused.code == "reassessment-own-work"
    desk.do(reassess(), REX)
    assert is_met(desk)


@pytest.mark.parametrize("missing", list(WORDS))
def test_that_a_change_does_not_matter_takes_what_changed_what_was_required_and_how_it_was_checked(
    missing: str,
) -> None:
    desk, _ = finished()
    refused = desk.no(reassess(**{missing: " "}))
    assert (refused.code, refused.facts["missing"]) == ("reassessment-unfounded", [missing])


def test_what_loopx_itself_found_to_differ_is_kept_and_is_no_part_of_the_request() -> None:
    desk, _ = finished()
    done = desk.do(reassess(difference=None, observed="M src/app.py"), op="mine")
    made = kept(desk, facts(done)["judgement"]).reassessment
    assert made is not None and made.difference == "M src/app.py"
    assert desk.do(reassess(difference=None, observed="M src/app.py, M docs"), op="mine").receipt == done.receipt


def test_superseded_takes_a_reason_alone_and_may_be_said_by_the_executor() -> None:
    desk, _ = finished()
    assert desk.no(reassess("superseded", reason=" "), BOT).code == "reason-missing"
    desk.do(reassess("superseded"), BOT)
    assert verdict(desk) is EvidenceVerdict.SUPERSEDED
    assert desk.do(reassess("superseded"), ANN).changes == ()


def test_an_executor_may_not_set_aside_what_speaks_against_its_work() -> None:
    desk, _ = finished()
    failed = evidence(E2, result=EvidenceResult.FAILED, inputs=validation_inputs(desk.todo(), desk.goal()))
    desk.do(RecordEvidence(evidence=failed), REX, origin=Origin.SYSTEM)
    assert desk.no(reassess("superseded", E2), BOT).code == "reassessment-own-work"
    desk.do(reassess("superseded", E2), REX)


def test_nothing_to_judge_changes_nothing() -> None:
    desk, around = finished()
    around.files["src/app.py"] = "1"
    assert desk.do(reassess(difference=None)).changes == ()


def test_what_cannot_be_compared_cannot_be_judged_to_apply() -> None:
    desk, around = finished()
    around.commit = None
    assert desk.no(reassess()).code == "evidence-input-unknown"
    desk.do(reassess("superseded"))


def test_what_happened_since_is_not_judged_away() -> None:
    desk, around = finished()
    failed = evidence(
        E2,
        observed_at=desk.now,
        result=EvidenceResult.FAILED,
        inputs=validation_inputs(desk.todo(), desk.goal()),
        artifact=around.artifact(()),
    )
    desk.do(RecordEvidence(evidence=failed), origin=Origin.SYSTEM)
    assert desk.no(reassess()).code == "evidence-superseded"


def test_a_judgement_is_not_judged_but_what_it_speaks_of() -> None:
    desk, _ = finished()
    judgement = facts(desk.do(reassess()))["judgement"]
    refused = desk.no(reassess("superseded", judgement))
    assert (refused.code, refused.hint) == ("reassessment-of-judgement", f"Judge {E1} anew.")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (reassess(name="e-zzzz9999"), "evidence-unknown"),
        (ReassessEvidence(evidence=E1, assessment="maybe", reason="x"), "field-value"),
        (reassess(method="token: abc12345"), "text-credential"),
        (reassess(reason=" "), "reason-missing"),
    ],
)
def test_a_judgement_nobody_could_rest_on_is_refused(command: ReassessEvidence, code: str) -> None:
    assert finished()[0].no(command).code == code


def test_nobody_judges_by_editing_a_file() -> None:
    assert finished()[0].no(reassess(), ANN, origin=Origin.HAND).code == "record-machine-owned"


@pytest.mark.parametrize("how", ["source", "recorder", "completer", "claim", "lease", "turn"])
def test_everybody_who_made_the_evidence_or_did_the_work_is_an_executor(how: str) -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(acceptance=("a1",)))
    made = evidence(kind=EvidenceKind.OBSERVATION, subject="beta/a1", source="human:Ann")
    match how:
        case "source" | "recorder":
            identity = facts(desk.do(AddEvidence(about="beta/a1", summary="seen"), BOT))["id"]
            made = kept(desk, identity)
        case "completer":
            desk.do(CompleteTodo(todo=T1), BOT)
        case "claim":
            desk.do(ClaimTodo(todo=T1), BOT)
        case "lease":
            desk.entities.append(_lease())
        case "turn":
            turn = Turn(id="turn-aaaa1111", agent="bot", todo=T1, opened_at=START, opened_by="op-1", goal="beta")
            desk.entities.append(turn)
    assert executors(desk.state, made) == {"bot"}


def _lease() -> Lease:
    return Lease(
        todo=T1,
        owner="bot",
        key="k-aaaa1111",
        epoch=1,
        version=1,
        acquired_at=START,
        renewed_at=START,
        expires_at=START,
        ttl_seconds=60,
        acquired_by="op-1",
        terms="x",
        goal="beta",
    )


def test_work_on_something_else_makes_nobody_an_executor() -> None:
    desk = Desk.of(goal(acceptance=(criterion(), criterion("a2"))), todo(acceptance=("a2",)))
    desk.do(CompleteTodo(todo=T1), BOT)
    assert executors(desk.state, evidence(subject="beta/a1")) == frozenset()


@pytest.mark.parametrize("actor", [ANN, REX])
def test_the_judgement_names_who_made_it(actor: Actor) -> None:
    desk, _ = finished()
    judgement = facts(desk.do(reassess(), actor))["judgement"]
    assert kept(desk, judgement).source == str(actor)
