"""What evidence is worth when what it was made on changes: applies, needs reassessment, superseded."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.bindings import EvidenceStanding, EvidenceVerdict, evidence_standing
from loopx.kernel.commands import CompleteTodo, EditGoal, EditTodo, MeetCriterion, RecordEvidence, ReopenTodo
from loopx.kernel.digest import completion_basis, validation_inputs
from loopx.kernel.outcome import Refused
from loopx.kernel.why import Line, explain
from loopx.model.actor import Origin
from loopx.model.goal import Boundary
from loopx.model.kind import Kind
from loopx.model.lease import Lease
from loopx.model.records import Assessment, Binding, Evidence, EvidenceKind, EvidenceResult, Reassessment
from loopx.model.todo import Priority, TodoStatus, Validation
from tests.support.clock import START
from tests.support.kernel import (
    ANN,
    BOT,
    E1,
    E2,
    G1,
    PYTEST,
    T1,
    Desk,
    criterion,
    edited,
    evidence,
    gate,
    goal,
    todo,
)
from tests.support.surroundings import Surroundings

APPLIES, REASSESS, SUPERSEDED = EvidenceVerdict
SRC, DOCS = ("src/**",), ("docs/**",)


def place(*entities: Any) -> tuple[Desk, Surroundings]:
    """A desk in a project, with the Goal beta and a Todo T1 that declares a validation."""
    around = Surroundings()
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(validation=PYTEST, acceptance=("a1",)), *entities)
    desk.environment = around
    return desk, around


def validated(desk: Desk, name: str = E1, **fields: Any) -> Evidence:
    """A validation of T1 that passed on the project as it is, kept on the desk."""
    around = desk.environment
    scopes = fields.pop("artifact_scopes", SRC)
    made = evidence(
        name,
        **{
            "inputs": validation_inputs(desk.todo(), desk.goal()),
            "artifact_revision": around.artifact_revision(),
            "artifact": around.artifact(scopes),
            "artifact_scopes": scopes,
            "observed_at": desk.now,
            **fields,
        },
    )
    desk.do(RecordEvidence(evidence=made), origin=Origin.SYSTEM)
    return made


def standing(desk: Desk, made: Evidence) -> EvidenceStanding:
    return evidence_standing(desk.state, made, desk.now)


def verdict(desk: Desk, made: Evidence) -> EvidenceVerdict:
    return standing(desk, made).verdict


def test_evidence_applies_while_nothing_it_was_made_on_changed() -> None:
    desk, _ = place()
    found = standing(desk, validated(desk))
    assert (found.verdict, found.is_fresh, found.changed, found.unknown, found.counts) == (APPLIES, True, (), (), True)
    assert found.why == "Nothing it was made on has changed."


def test_a_check_on_one_state_of_the_files_in_scope_does_not_validate_another() -> None:
    desk, around = place()
    made = validated(desk)
    around.files["src/app.py"] = "2"
    found = standing(desk, made)
    assert (found.verdict, found.changed) == (REASSESS, ("artifact",))
    assert found.why == "It needs reassessment; changed since: artifact."
    around.files["src/app.py"] = "1"
    assert verdict(desk, made) is APPLIES


def test_what_changes_outside_the_scope_and_a_commit_of_the_same_files_change_nothing() -> None:
    desk, around = place()
    made = validated(desk)
    around.files["docs/guide.md"] = "2"
    around.commit = "c2"
    assert verdict(desk, made) is APPLIES


def test_a_validation_that_names_a_commit_and_no_digest_speaks_of_that_commit_alone() -> None:
    desk, around = place()
    made = validated(desk, artifact=None)
    assert verdict(desk, made) is APPLIES
    around.commit = "c2"
    assert standing(desk, made).changed == ("artifact",)


def test_what_cannot_be_looked_at_is_neither_unchanged_nor_changed() -> None:
    desk, around = place()
    made = validated(desk, bound=(Binding(what="file:src/app.py", digest="1"),))
    around.commit = None
    del around.files["src/app.py"]
    found = standing(desk, made)
    assert (found.verdict, found.changed, found.unknown) == (REASSESS, (), ("artifact", "file:src/app.py"))
    assert found.why == "It needs reassessment; cannot be compared now: artifact, file:src/app.py."


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("file:docs/guide.md", lambda around: around.files.update({"docs/guide.md": "2"})),
        ("environment:REGION", lambda around: around.variables.update(REGION="us")),
    ],
)
def test_files_and_variables_named_are_bound_too(what: str, change: Any) -> None:
    desk, around = place()
    around.variables["REGION"] = "eu"
    digest = "1" if what.startswith("file") else "eu"
    made = validated(desk, bound=(Binding(what=what, digest=digest),))
    assert verdict(desk, made) is APPLIES
    change(around)
    assert standing(desk, made).changed == (what,)


@pytest.mark.parametrize(
    ("what", "subject", "command"),
    [
        ("validation", T1, EditTodo(todo=T1, fields={"validation": {"argv": ["true"]}})),
        ("validation", T1, EditTodo(todo=T1, fields={"requires": ["production:goal:deploy"]})),
        ("validation", T1, EditGoal(goal="beta", fields={"acceptance": [{"id": "a1", "text": "A hundred"}]})),
        ("criterion:a1", "beta/a1", EditGoal(goal="beta", fields={"acceptance": [{"id": "a1", "text": "A hundred"}]})),
        ("criterion:a1", "beta/a1", EditGoal(goal="beta", fields={"acceptance": []})),
        ("boundary", T1, EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["src/**"]}})),
    ],
)
def test_what_loopx_keeps_is_bound_by_its_text(what: str, subject: str, command: Any) -> None:
    from loopx.kernel.bindings import bindings_of

    desk, _ = place()
    said = evidence(
        kind=EvidenceKind.OBSERVATION,
        subject=subject,
        source="human:Ann",
        bound=bindings_of(desk.state, "beta", subject),
    )
    assert verdict(desk, said) is APPLIES
    desk.do(command)
    assert what in standing(desk, said).changed


def test_a_gate_is_bound_by_the_question_as_it_was_asked() -> None:
    from loopx.kernel.bindings import bindings_of

    desk, _ = place(gate())
    bound = bindings_of(desk.state, "beta", G1)
    said = evidence(kind=EvidenceKind.OBSERVATION, subject=G1, source="human:Ann", bound=bound)
    assert [each.what for each in bound] == [f"gate:{G1}", "boundary"] and verdict(desk, said) is APPLIES
    desk.entities.remove(desk.gate())
    assert standing(desk, said).changed == (f"gate:{G1}",)


def test_what_evidence_is_bound_to_that_this_version_does_not_know_is_unknown() -> None:
    desk, _ = place()
    assert standing(desk, validated(desk, bound=(Binding(what="weather", digest="sun"),))).unknown == ("weather",)


def test_a_validation_that_does_not_say_of_what_says_nothing() -> None:
    desk, _ = place()
    assert verdict(desk, evidence()) is REASSESS


def test_a_bound_that_is_set_for_the_first_time_is_a_change() -> None:
    from loopx.kernel.bindings import bindings_of

    desk, _ = place()
    said = evidence(kind=EvidenceKind.OBSERVATION, source="human:Ann", bound=bindings_of(desk.state, "beta", T1))
    desk.entities[0] = edited(desk.goal(), boundary=Boundary(authority_sources=("rules.md",)))
    assert standing(desk, said).changed == ("boundary",)


# freshness ---------------------------------------------------------------------------------------


def test_evidence_counts_for_as_long_as_it_says() -> None:
    desk, _ = place()
    made = validated(desk, fresh_for="6h")
    desk.wait(hours=6)
    assert standing(desk, made).counts
    desk.wait(seconds=1)
    found = standing(desk, made)
    assert (found.verdict, found.is_fresh, found.counts) == (APPLIES, False, False)
    assert found.why == "It was seen at 2026-03-02T09:00:00Z and counts for 6h."


def test_a_time_from_the_future_makes_nothing_count_longer() -> None:
    desk, _ = place()
    made = validated(desk, fresh_for="6h", observed_at=START + timedelta(hours=2))
    assert not standing(desk, made).is_fresh
    desk.wait(hours=3)
    assert standing(desk, made).is_fresh


def test_a_length_of_time_nobody_can_read_makes_evidence_count_not_at_all() -> None:
    desk, _ = place()
    assert not standing(desk, validated(desk, fresh_for="a while")).is_fresh
    assert evidence_standing(desk.state, validated(desk, E2, fresh_for="a while"), None).is_fresh


# superseded --------------------------------------------------------------------------------------


def test_a_completion_that_was_undone_takes_its_validation_along() -> None:
    desk, _ = place()
    made = evidence(inputs=validation_inputs(desk.todo(), desk.goal()))
    desk.do(CompleteTodo(todo=T1, evidence=made), BOT)
    assert verdict(desk, made) is APPLIES
    desk.do(ReopenTodo(todo=T1, reason="it broke"))
    assert verdict(desk, made) is SUPERSEDED


def test_a_later_run_on_things_as_they_are_speaks_instead_of_an_earlier_one() -> None:
    desk, around = place()
    first = validated(desk)
    desk.wait(minutes=5)
    second = validated(desk, E2)
    assert (verdict(desk, first), verdict(desk, second)) == (APPLIES, APPLIES)
    around.files["src/app.py"] = "2"
    assert (verdict(desk, first), verdict(desk, second)) == (REASSESS, REASSESS)
    desk.wait(minutes=5)
    third = validated(desk, "e-cccc3333")
    assert (verdict(desk, first), verdict(desk, second), verdict(desk, third)) == (SUPERSEDED, SUPERSEDED, APPLIES)
    assert standing(desk, first).why.startswith("e-cccc3333 looked at the same on ")


def test_a_later_run_that_failed_on_the_same_things_takes_the_earlier_ones_worth() -> None:
    desk, around = place()
    made = validated(desk)
    desk.wait(minutes=5)
    failed = validated(desk, E2, result=EvidenceResult.FAILED)
    assert (verdict(desk, made), verdict(desk, failed)) == (SUPERSEDED, APPLIES)
    around.files["src/app.py"] = "2"
    assert verdict(desk, made) is REASSESS


@pytest.mark.parametrize("result", [EvidenceResult.TIMED_OUT, EvidenceResult.UNAVAILABLE])
def test_a_run_that_came_to_no_answer_speaks_against_nothing(result: EvidenceResult) -> None:
    desk, _ = place()
    made = validated(desk)
    desk.wait(minutes=5)
    validated(desk, E2, result=result)
    assert verdict(desk, made) is APPLIES


# judgements --------------------------------------------------------------------------------------


def judge(desk: Desk, made: Evidence, assessment: Assessment, name: str = "e-dddd4444") -> Evidence:
    """A person's judgement on ``made`` as things are, kept as such."""
    from loopx.kernel.bindings import inputs_today

    reassessment = Reassessment(of=made.id, assessment=assessment, inputs=inputs_today(desk.state, made))
    said = evidence(
        name,
        kind=EvidenceKind.DECISION,
        source=str(ANN),
        result=EvidenceResult.NOTED,
        observed_at=desk.now,
        summary="a comment only",
        reassessment=reassessment,
    )
    desk.entities.append(said)
    return said


def test_a_judgement_speaks_of_the_inputs_it_was_made_on_and_no_others() -> None:
    desk, around = place()
    made = validated(desk)
    around.files["src/app.py"] = "2"
    said = judge(desk, made, Assessment.APPLIES)
    found = standing(desk, made)
    assert (found.verdict, found.changed, found.judgement) == (APPLIES, ("artifact",), said)
    assert found.why == "human:Ann judged that it still applies: a comment only"
    around.files["src/app.py"] = "3"
    assert verdict(desk, made) is REASSESS
    around.files["src/app.py"] = "2"
    assert verdict(desk, made) is APPLIES


def test_a_judgement_made_on_what_was_known_does_not_cover_what_is_not() -> None:
    desk, around = place()
    made = validated(desk)
    around.commit = None
    judge(desk, made, Assessment.APPLIES)
    assert verdict(desk, made) is REASSESS


def test_superseded_holds_until_somebody_says_otherwise() -> None:
    desk, around = place()
    made = validated(desk)
    judge(desk, made, Assessment.SUPERSEDED)
    around.files["src/app.py"] = "2"
    assert verdict(desk, made) is SUPERSEDED
    assert judge(desk, made, Assessment.APPLIES, "e-zzzz9999") and verdict(desk, made) is SUPERSEDED  # in one second
    desk.wait(seconds=1)
    judge(desk, made, Assessment.APPLIES, "e-yyyy8888")
    assert verdict(desk, made) is APPLIES


def test_a_failed_run_somebody_set_aside_speaks_against_nothing() -> None:
    desk, _ = place()
    made = validated(desk)
    desk.wait(minutes=5)
    failed = validated(desk, E2, result=EvidenceResult.FAILED)
    judge(desk, failed, Assessment.SUPERSEDED)
    assert verdict(desk, made) is APPLIES


def test_nothing_is_deleted_by_any_of_it() -> None:
    desk, around = place()
    made = validated(desk)
    around.files.clear()
    judge(desk, made, Assessment.SUPERSEDED)
    assert made in desk.records(Kind.EVIDENCE)


# what must stay as it was while a validation runs ------------------------------------------------


@pytest.mark.parametrize("change", ["status", "validation", "requires", "criteria", "epoch"])
def test_a_completion_rests_on_the_todo_as_it_was_when_its_validation_began(change: str) -> None:
    desk, _ = place()
    lease = Lease(
        todo=T1, owner="bot", key="k-aaaa1111", epoch=1, version=1, ttl_seconds=600, terms="x", goal="beta",
        acquired_at=START, renewed_at=START, expires_at=START + timedelta(minutes=10), acquired_by="op-1",
    )  # fmt: skip
    desk.entities.append(lease)
    basis = completion_basis(desk.todo(), desk.goal(), lease)
    made = evidence(inputs=validation_inputs(desk.todo(), desk.goal()))
    command = CompleteTodo(todo=T1, evidence=made, validated_on=basis, lease_key="k-aaaa1111")
    fields = {
        "status": {"status": TodoStatus.BLOCKED},
        "validation": {"validation": Validation(argv=("true",))},
        "requires": {"requires": ("production:goal:deploy",)},
        "criteria": {"acceptance": ()},
    }
    before = desk.entities.copy()
    if change == "epoch":
        desk.entities[-1] = edited(lease, epoch=2)
    else:
        desk.entities[1] = edited(desk.todo(), **fields[change])
    assert desk.no(command, BOT).code == "revision-conflict"
    desk.entities = before
    desk.entities[1] = edited(desk.todo(), title="Another", body="notes", priority=Priority.P0)
    desk.do(command, BOT)


def test_a_todo_whose_only_support_needs_reassessment_says_so_and_supports_nothing() -> None:
    desk, around = place()
    made = validated(desk)
    desk.do(CompleteTodo(todo=T1, evidence=made), BOT)

    def told() -> Line:
        found = explain(desk.state, T1, desk.now)
        assert not isinstance(found, Refused)
        return found.lines[-1]

    assert (told().verdict, told().message) == ("ok", "Evidence backs it.")
    around.files["src/app.py"] = "2"
    assert told().verdict == "no" and f"{E1}: It needs reassessment" in told().message
    meet = MeetCriterion(goal="beta", criterion="a1", evidence=(T1,))
    assert desk.no(meet, BOT).code == "criterion-evidence-insufficient"
