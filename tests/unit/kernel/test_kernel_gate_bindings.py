"""When what a Gate was decided on changes: which approvals lapse, and which ordinary ones do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loopx.kernel.commands import AddTodo, CompleteTodo, DecideGate, EditGoal, ReassessEvidence
from loopx.kernel.digest import validation_inputs
from loopx.kernel.standing import GateStanding, covering_gate, gate_standing
from loopx.model.gate import DecisionScope, GateStatus
from loopx.model.records import Evidence, EvidenceResult
from tests.support.kernel import BOT, E1, G1, PYTEST, T2, Desk, criterion, evidence, facts, gate, goal, todo
from tests.support.surroundings import Surroundings

APPROVE = DecideGate(gate=G1, verb="approve", reason="Rehearsed", confirmed=True)
SCOPE = "production:goal:deploy"
MORE = EditGoal(goal="beta", add_acceptance=("It is fast",))
REWORDED = EditGoal(
    goal="beta", fields={"acceptance": [{"id": "a1", "text": "A hundred"}, {"id": "guide", "text": "It is read"}]}
)


def place(made: Evidence | None = None, **asked: Any) -> tuple[Desk, Surroundings]:
    """A desk in a project with the Gate G1, which names E1 where there is one."""
    around = Surroundings()
    one = gate(evidence=(E1,) if made else (), **asked)
    acceptance = (criterion(), criterion("guide", "It is read"))
    desk = Desk.of(goal(acceptance=acceptance), todo(validation=PYTEST), one, *([made] if made else []))
    desk.environment = around
    return desk, around


def validation(**fields: Any) -> Evidence:
    """A validation of T1 on the files as they are in a new place."""
    scopes = ("src/**",)
    inputs = validation_inputs(
        todo(validation=PYTEST), goal(acceptance=(criterion(), criterion("guide", "It is read")))
    )
    return evidence(
        **{
            "artifact": Surroundings().artifact(scopes),
            "artifact_scopes": scopes,
            "artifact_revision": "c1",
            "inputs": inputs,
            **fields,
        }
    )


def standing(desk: Desk) -> GateStanding:
    return gate_standing(desk.state, desk.gate(), desk.now)


def covers(desk: Desk) -> bool:
    return covering_gate(desk.state, "beta", DecisionScope.parse(SCOPE), desk.now) is not None


def test_an_approval_asked_on_a_validation_lapses_with_the_files_it_speaks_of() -> None:
    desk, around = place(validation())
    desk.do(APPROVE)
    assert covers(desk)
    around.files["docs/guide.md"] = "2"
    around.commit = "c2"
    assert covers(desk)
    around.files["src/app.py"] = "2"
    found = standing(desk)
    assert (found.status, found.covers, found.needs_reassessment) == (GateStatus.OPEN, False, True)
    assert found.why == (
        "What it was decided on needs reassessment, and so does the answer."
        f" {E1}: It needs reassessment; changed since: artifact."
    )
    assert not covers(desk)


def test_a_person_answers_again_on_how_things_are_now() -> None:
    desk, around = place(validation())
    desk.do(APPROVE)
    around.files["src/app.py"] = "2"
    again = desk.do(APPROVE)
    assert facts(again)["already"] is False and covers(desk)
    around.files["src/app.py"] = "3"
    assert not covers(desk)
    around.files["src/app.py"] = "2"
    assert covers(desk)


def test_it_covers_again_once_somebody_judged_that_the_evidence_still_applies() -> None:
    desk, around = place(validation())
    desk.do(APPROVE)
    around.files["src/app.py"] = "2"
    words = {"difference": "a comment", "requirement": "it deploys", "method": "read it"}
    desk.do(ReassessEvidence(evidence=E1, assessment="applies", reason="A comment only", **words))
    assert covers(desk)
    around.files["src/app.py"] = "3"
    assert not covers(desk)


def test_it_is_not_known_to_cover_where_the_files_cannot_be_looked_at() -> None:
    desk, around = place(validation())
    desk.do(APPROVE)
    around.commit = None
    found = standing(desk)
    assert not found.covers and "cannot be compared now: artifact" in found.why


def test_an_answer_given_where_nothing_could_be_looked_at_rests_on_the_evidence_alone() -> None:
    desk, around = place(validation())
    around.commit = None
    desk.do(APPROVE)
    assert not covers(desk)
    around.commit = "c1"
    assert covers(desk)


def test_a_todo_that_needs_a_lapsed_approval_waits_for_a_person_again() -> None:
    desk, around = place(validation())
    desk.do(APPROVE)
    added = facts(desk.do(AddTodo(goal="beta", title="Deploy", requires=(SCOPE,))))["id"]
    around.files["src/app.py"] = "2"
    assert desk.no(CompleteTodo(todo=added)).code == "gate-pending"
    desk.do(APPROVE)
    desk.do(CompleteTodo(todo=added))


@pytest.mark.parametrize("change", ["files", "commit", "acceptance"])
def test_an_ordinary_approval_lapses_for_none_of_it(change: str) -> None:
    desk, around = place()
    desk.do(APPROVE)
    match change:
        case "files":
            around.files["src/app.py"] = "2"
        case "commit":
            around.commit = "c2"
        case "acceptance":
            desk.do(REWORDED)
            desk.do(MORE)
    assert covers(desk)


@pytest.mark.parametrize(
    ("asked", "reworded", "more"),
    [
        ({"question": "Is a1 reached, so that it may go live?"}, True, True),
        ({"question": "Is A1 reached?", "scope": "production:action:deploy"}, True, False),
        ({"question": "Which?", "options": ("drop beta/guide", "keep it")}, False, True),
        (
            {"question": "Which?", "options": ("drop beta/guide", "keep it"), "scope": "production:lane:deploy"},
            False,
            False,
        ),
        ({"question": "May the guide go live?"}, False, False),
        ({"question": "Is a12 or xa1 or a1-b reached?"}, False, False),
    ],
    ids=["its Goal's", "the one named", "its Goal's, by an option", "an unchanged one", "a common word", "other names"],
)
def test_a_question_about_criteria_lapses_with_them(asked: dict[str, Any], reworded: bool, more: bool) -> None:
    for command, lapses in ((REWORDED, reworded or more), (MORE, more)):
        desk, _ = place(**asked)
        approve = replace(APPROVE, option=next(iter(asked.get("options", ())), None))
        desk.do(approve)
        assert standing(desk).covers
        desk.do(command)
        found = standing(desk)
        assert found.covers is not lapses, (command, found)
        if lapses:
            assert found.why.startswith("The acceptance it was decided on changed since")
            desk.do(approve)
            assert standing(desk).covers


def test_evidence_about_a_criterion_makes_the_gate_about_it() -> None:
    desk, _ = place(evidence(subject="beta/a1"), question="May it go live?")
    desk.do(APPROVE)
    desk.do(MORE)
    assert not standing(desk).covers


def test_evidence_of_work_that_advances_a_criterion_binds_to_that_criterion_alone() -> None:
    said = evidence(subject=T2)
    desk, _ = place(said)
    desk.entities.append(todo(T2, "Write it", acceptance=("a1",)))
    desk.do(APPROVE)
    desk.do(MORE)
    assert standing(desk).covers
    desk.do(REWORDED)
    assert not standing(desk).covers


def test_what_is_bound_is_kept_with_the_decision() -> None:
    desk, _ = place(validation(), question="Is a1 reached?")
    desk.do(APPROVE)
    log = desk.state.decisions(G1)
    assert log is not None
    assert log.entries[-1].acceptance is not None and log.entries[-1].artifact is not None
    plain, _ = place()
    plain.do(APPROVE)
    log = plain.state.decisions(G1)
    assert log is not None and (log.entries[-1].acceptance, log.entries[-1].artifact) == (None, None)


def test_a_later_run_that_failed_asks_the_person_again_once_the_files_differ() -> None:
    desk, around = place(validation())
    desk.do(APPROVE)
    around.files["src/app.py"] = "2"
    desk.wait(minutes=1)
    failed = validation(
        id="e-bbbb2222", observed_at=desk.now, artifact=around.artifact(("src/**",)), result=EvidenceResult.FAILED
    )
    desk.entities.append(failed)
    assert "e-bbbb2222 looked at the same" in standing(desk).why


def test_evidence_that_is_gone_binds_to_nothing() -> None:
    desk, around = place(validation())
    desk.entities = [each for each in desk.entities if not isinstance(each, Evidence)]
    desk.do(APPROVE)
    around.files["src/app.py"] = "2"
    assert standing(desk).covers


def test_an_agent_still_never_answers() -> None:
    desk, _ = place(validation())
    assert desk.no(APPROVE, BOT).code == "gate-own-question"
