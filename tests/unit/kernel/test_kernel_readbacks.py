"""Criteria that rest on an outside fact, on a check, or on evidence whose inputs change."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.bindings import bindings_of
from loopx.kernel.commands import AddEvidence, CompleteTodo, EditGoal, MeetCriterion, RecordEvidence
from loopx.kernel.criteria import CriterionStanding, criterion_standing
from loopx.kernel.digest import validation_inputs
from loopx.model.actor import Origin
from loopx.model.goal import Readback
from loopx.model.records import CriterionStatus, Evidence, EvidenceKind, EvidenceResult
from tests.support.kernel import ANN, BOT, E1, E2, PYTEST, REX, T1, Desk, criterion, evidence, facts, goal, todo
from tests.support.surroundings import Surroundings

SOURCE = "https://status.example.org"
UP = criterion(text="It is up", readback=Readback(source=SOURCE, fresh_for="6h"))
CHECKED = criterion(check=("make", "check"))
MEET = MeetCriterion(goal="beta", criterion="a1", evidence=("I looked, it is up",))


def place(one: Any, *entities: Any) -> Desk:
    desk = Desk.of(goal(acceptance=(one,)), *entities)
    desk.environment = Surroundings()
    return desk


def standing(desk: Desk) -> CriterionStanding:
    goal_ = desk.goal()
    return criterion_standing(desk.state, goal_, goal_.acceptance[0], desk.now)


def is_met(desk: Desk) -> bool:
    return standing(desk).status is CriterionStatus.MET


def ran(desk: Desk, name: str = E1, **fields: Any) -> Evidence:
    """The check of a1, run by LoopX on the project as it is."""
    around = desk.environment
    made = evidence(
        name,
        **{
            "subject": "beta/a1",
            "source": "loopx:check",
            "observed_at": desk.now,
            "artifact": around.artifact(()),
            "artifact_revision": around.artifact_revision(),
            "bound": bindings_of(desk.state, "beta", "beta/a1"),
            **fields,
        },
    )
    desk.do(RecordEvidence(evidence=made), BOT, origin=Origin.SYSTEM)
    return made


def read(desk: Desk, name: str = E1, **fields: Any) -> Evidence:
    """The outside fact, read back by LoopX."""
    kind = EvidenceKind.READBACK
    return ran(desk, name, **{"kind": kind, "references": (SOURCE,), "artifact": None, "fresh_for": "6h", **fields})


def meet(*cited: str) -> MeetCriterion:
    return MeetCriterion(goal="beta", criterion="a1", evidence=cited)


# read-backs --------------------------------------------------------------------------------------


def test_a_persons_word_on_an_outside_fact_is_a_read_back_and_goes_stale() -> None:
    desk = place(UP)
    identity = facts(desk.do(MEET))["evidence"][0]
    made = desk.state.evidence(identity)
    assert made is not None
    assert (made.kind, made.references, made.fresh_for) == (EvidenceKind.READBACK, (SOURCE,), "6h")
    desk.wait(hours=6)
    assert is_met(desk)
    desk.wait(seconds=1)
    found = standing(desk)
    assert (found.status, found.needs_reassessment) == (CriterionStatus.OPEN, True)
    assert found.why == f"{SOURCE} was read at 2026-03-02T09:00:00Z, which counts 6h."


def test_a_criterion_is_met_again_as_soon_as_the_fact_was_read_again() -> None:
    desk = place(UP)
    desk.do(meet(read(desk).id), BOT)
    desk.wait(hours=7)
    assert not is_met(desk)
    read(desk, E2)
    assert is_met(desk)
    desk.wait(hours=7)
    said = facts(desk.do(AddEvidence(about="beta/a1", summary="Still up", kind="readback")))["id"]
    assert said and is_met(desk)


def test_without_a_fresh_reading_it_is_not_met() -> None:
    desk = place(UP, todo(validation=PYTEST, acceptance=("a1",)))
    desk.do(CompleteTodo(todo=T1, evidence=evidence(inputs=validation_inputs(desk.todo(), desk.goal()))), BOT)
    refused = desk.no(meet(T1), BOT)
    assert (refused.code, refused.message) == ("readback-stale", f"Nobody read {SOURCE} back.")
    read(desk, E2)
    desk.do(meet(T1), BOT)
    assert is_met(desk)
    desk.wait(hours=7)
    found = standing(desk)
    assert found.status is CriterionStatus.OPEN
    assert found.why == f"{SOURCE} was read at 2026-03-02T09:00:00Z, which counts 6h."
    assert desk.no(meet(T1), BOT).code == "readback-stale"


@pytest.mark.parametrize(
    "fields",
    [
        {"result": EvidenceResult.FAILED},
        {"references": ()},
        {"references": ("https://other.example.org",)},
        {"kind": EvidenceKind.VALIDATION},
        {"subject": "beta/a2"},
        {"fresh_for": "1m"},
    ],
)
def test_what_is_no_reading_of_this_fact_does_not_count_as_one(fields: dict[str, Any]) -> None:
    desk = place(UP)
    desk.do(MEET)
    desk.wait(hours=7)
    read(desk, **fields)
    desk.wait(minutes=2)
    assert not is_met(desk)


def test_a_reading_from_the_future_does_not_count() -> None:
    desk = place(UP)
    desk.do(MEET)
    desk.wait(hours=7)
    read(desk, observed_at=desk.now + timedelta(hours=1), fresh_for=None)
    assert not is_met(desk)


def test_a_length_nobody_can_read_is_said() -> None:
    desk = place(criterion(readback=Readback(source=SOURCE, fresh_for="a while")))
    assert "cannot be told" in desk.no(MEET).message


def test_a_length_nobody_can_read_is_refused_where_it_is_declared() -> None:
    desk = place(criterion())
    readback = {"source": SOURCE, "fresh_for": "a while"}
    changed = [{"id": "a1", "text": "It is up", "readback": readback}]
    assert desk.no(EditGoal(goal="beta", fields={"acceptance": changed})).code == "field-value"


def test_an_agent_cannot_say_that_it_read_an_outside_fact() -> None:
    desk = place(UP)
    assert desk.no(MEET, BOT).code == "criterion-evidence-insufficient"
    desk.do(AddEvidence(about="beta/a1", summary="It is up"), BOT)
    assert not is_met(desk)


# checks ------------------------------------------------------------------------------------------


def test_where_a_check_is_declared_nothing_else_loopx_ran_stands_for_it() -> None:
    desk = place(CHECKED, todo(validation=PYTEST, acceptance=("a1",)))
    desk.do(CompleteTodo(todo=T1, evidence=evidence(inputs=validation_inputs(desk.todo(), desk.goal()))), BOT)
    refused = desk.no(meet(T1), BOT)
    assert (refused.code, refused.hint) == (
        "criterion-evidence-insufficient",
        "Run its check with `loopx goal check beta a1`.",
    )
    desk.do(meet(ran(desk, E2).id), BOT)
    assert is_met(desk)


def test_a_person_may_meet_it_by_what_they_see_all_the_same() -> None:
    desk = place(CHECKED)
    desk.do(MEET)
    assert is_met(desk)


def test_a_check_that_fails_later_opens_the_criterion_until_it_passes_or_a_person_looks_again() -> None:
    desk = place(CHECKED)
    desk.do(MEET)
    desk.wait(minutes=5)
    failed = ran(desk, E2, result=EvidenceResult.FAILED)
    found = standing(desk)
    assert (found.status, found.needs_reassessment) == (CriterionStatus.OPEN, True)
    assert failed.id in found.why
    desk.wait(minutes=5)
    desk.do(MEET)
    assert is_met(desk)


def test_a_check_of_files_as_they_were_meets_nothing_once_they_change() -> None:
    desk = place(CHECKED)
    around = Surroundings()
    desk.environment = around
    desk.do(meet(ran(desk).id), BOT)
    around.files["src/app.py"] = "2"
    found = standing(desk)
    assert found.why == (
        "No evidence it was met on still applies: it needs reassessment."
        f" {E1}: It needs reassessment; changed since: artifact."
    )
    refused = desk.no(meet(E1), BOT)
    assert refused.code == "criterion-evidence-insufficient" and "changed since: artifact" in refused.message
    desk.do(meet(ran(desk, E2).id), BOT)
    assert is_met(desk)


def test_a_check_of_a_criterion_that_reads_differently_now_meets_nothing() -> None:
    desk = place(CHECKED)
    made = ran(desk)
    changed = [{"id": "a1", "text": "Ten people use it", "check": ["true"]}]
    desk.do(EditGoal(goal="beta", fields={"acceptance": changed}))
    assert desk.no(meet(made.id), BOT).code == "criterion-evidence-insufficient"


def test_a_check_is_declared_by_a_person_and_taken_away_by_one() -> None:
    desk = place(criterion())
    declare = EditGoal(goal="beta", checks=(("A1", ("make", "check")),))
    assert desk.no(declare, BOT).code == "actor-not-permitted"
    desk.do(declare)
    assert desk.goal().acceptance[0].check == ("make", "check")
    assert desk.no(EditGoal(goal="beta", checks=(("a9", ("true",)),))).code == "criterion-unknown"
    desk.do(EditGoal(goal="beta", checks=(("a1", ()),)))
    assert desk.goal().acceptance[0].check is None


# whose evidence counts for what --------------------------------------------------------------------


def test_an_agent_cites_only_work_that_advances_the_criterion() -> None:
    desk = place(criterion(), todo(validation=PYTEST))
    desk.do(CompleteTodo(todo=T1, evidence=evidence(inputs=validation_inputs(desk.todo(), desk.goal()))), BOT)
    assert desk.no(meet(T1), BOT).code == "criterion-evidence-insufficient"
    desk.do(meet(T1), ANN)
    assert is_met(desk)


@pytest.mark.parametrize("kind", ["negative_result", "observation"])
def test_what_a_person_found_not_to_be_so_shows_nothing(kind: str) -> None:
    desk = place(criterion())
    said = facts(desk.do(AddEvidence(about="beta/a1", summary="Nine people", kind=kind)))["id"]
    if kind == "negative_result":
        assert desk.no(meet(said), REX).code == "criterion-evidence-insufficient"
    else:
        desk.do(meet(said), REX)


def test_a_persons_word_that_no_longer_counts_holds_nothing_up() -> None:
    desk = place(criterion())
    said = facts(desk.do(AddEvidence(about="beta/a1", summary="Ten people", fresh_for="1d")))["id"]
    desk.do(meet(said), BOT)
    assert is_met(desk)
    desk.wait(days=1, seconds=1)
    assert not is_met(desk)
    goal_ = desk.goal()
    assert criterion_standing(desk.state, goal_, goal_.acceptance[0]).status is CriterionStatus.MET  # no time, no age
