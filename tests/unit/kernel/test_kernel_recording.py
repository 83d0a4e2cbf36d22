"""Adding evidence in one's own name, bound to what it is about and to what is named."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import AddEvidence
from loopx.kernel.outcome import Accepted, Refused
from loopx.kernel.subjects import find_subject
from loopx.model.actor import Actor, Origin
from loopx.model.effect import Effect
from loopx.model.goal import Readback
from loopx.model.kind import Kind
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, G1, T1, Desk, config, criterion, facts, gate, goal, todo
from tests.support.surroundings import Surroundings

READBACK = Readback(source="https://status.example.org", fresh_for="6h")
BETA = goal(acceptance=(criterion(), criterion("a2", "It is up", readback=READBACK)))


def desk_with(*entities: Any) -> Desk:
    desk = Desk.of(BETA, todo(), gate(), *entities)
    desk.environment = Surroundings(variables={"REGION": "eu"})
    return desk


def effect() -> Effect:
    return Effect(
        id="x-aaaa1111", summary="Deploy", agent="bot", goal="beta",
        readback_due_at=START, opened_at=START, opened_by="op-1",
    )  # fmt: skip


def add(about: str = T1, **more: Any) -> AddEvidence:
    return AddEvidence(**{"about": about, "summary": "Ten people used it", **more})


def added(desk: Desk, command: AddEvidence, actor: Actor = BOT) -> Evidence:
    identity = facts(desk.do(command, actor))["id"]
    found = desk.state.evidence(identity)
    assert found is not None
    return found


def test_what_somebody_saw_is_kept_in_their_own_name() -> None:
    desk = desk_with()
    made = added(desk, add(references=("https://example.org/run/7",)))
    assert (made.kind, made.subject, made.source, made.result) == (
        EvidenceKind.OBSERVATION,
        T1,
        "agent:bot",
        EvidenceResult.NOTED,
    )
    assert (made.observed_at, made.goal, made.references) == (START, "beta", ("https://example.org/run/7",))
    assert made.operation == desk.receipts[-1].operation
    assert (made.artifact, made.artifact_revision) == (None, None)


@pytest.mark.parametrize(
    ("about", "goal_", "subject", "bound"),
    [
        (T1, None, T1, ["validation", "boundary"]),
        ("T-AAAA", "beta", T1, ["validation", "boundary"]),
        (G1, None, G1, [f"gate:{G1}", "boundary"]),
        ("beta/a1", None, "beta/a1", ["criterion:a1", "boundary"]),
        ("a1", "beta", "beta/a1", ["criterion:a1", "boundary"]),
        ("A1", "BETA", "beta/a1", ["criterion:a1", "boundary"]),
        ("x-aaaa1111", None, "x-aaaa1111", ["boundary"]),
    ],
)
def test_evidence_is_bound_to_what_it_is_about(about: str, goal_: str | None, subject: str, bound: list[str]) -> None:
    desk = desk_with(effect())
    made = added(desk, add(about, goal=goal_))
    assert (made.subject, [each.what for each in made.bound]) == (subject, bound)


@pytest.mark.parametrize(
    ("about", "goal_", "code"),
    [
        ("t-zzzz9999", None, "todo-unknown"),
        ("g-zzzz9999", None, "gate-unknown"),
        ("x-zzzz9999", None, "effect-unknown"),
        ("gone/a1", None, "goal-unknown"),
        ("beta/a9", None, "criterion-unknown"),
        ("a9", "beta", "criterion-unknown"),
        ("a1", None, "evidence-about-unclear"),
        ("a1", "gone", "goal-unknown"),
    ],
)
def test_what_evidence_is_about_must_be_there(about: str, goal_: str | None, code: str) -> None:
    assert desk_with().no(add(about, goal=goal_), BOT).code == code


def test_a_criterion_whose_name_looks_like_an_id_is_found_in_its_goal() -> None:
    desk = Desk.of(goal(acceptance=(criterion("t-aaaa1111"),)), todo())
    found = find_subject(desk.state, T1, "beta")
    assert not isinstance(found, Refused) and found.id == f"beta/{T1}"


def test_files_and_variables_named_are_bound_as_they_are() -> None:
    made = added(desk_with(), add(files=("src/app.py", "src/app.py"), variables=("REGION",)))
    named = [(each.what, each.digest) for each in made.bound[2:]]
    assert named == [("file:src/app.py", "1"), ("environment:REGION", "eu")]


@pytest.mark.parametrize("more", [{"files": ("missing.py",)}, {"variables": ("UNSET",)}])
def test_what_is_named_must_be_there_to_be_named(more: dict[str, Any]) -> None:
    assert desk_with().no(add(**more), BOT).code == "evidence-input-unknown"


@pytest.mark.parametrize("kind", ["observation", "delivery", "negative_result"])
def test_anybody_says_what_they_saw_delivered_or_found_not_to_be_so(kind: str) -> None:
    assert added(desk_with(), add(kind=kind)).kind == kind


def test_a_read_back_is_a_persons_to_say_never_an_agents() -> None:
    desk = desk_with()
    assert desk.no(add("beta/a2", kind="readback"), BOT).code == "actor-not-permitted"
    made = added(desk, add("beta/a2", kind="readback"), ANN)
    assert (made.source, made.fresh_for, made.references) == ("human:Ann", "6h", (READBACK.source,))


def test_a_read_back_says_for_how_long_it_counts_where_one_says_so() -> None:
    desk = desk_with()
    command = add("beta/a2", kind="readback", fresh_for="30m", references=(READBACK.source,))
    made = added(desk, command, ANN)
    assert (made.fresh_for, made.references) == ("30m", (READBACK.source,))
    assert added(desk, add("beta/a1", kind="readback"), ANN).references == ()


@pytest.mark.parametrize("kind", ["validation", "decision", "rumour"])
@pytest.mark.parametrize("actor", [ANN, BOT])
def test_what_loopx_records_itself_is_said_by_nobody(kind: str, actor: Actor) -> None:
    assert desk_with().no(add(kind=kind), actor).code == "evidence-kind-reserved"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"summary": " "}, "field-missing"),
        ({"summary": "x" * 4001}, "field-value"),
        ({"references": ("two\nlines",)}, "field-value"),
        ({"fresh_for": "a while"}, "field-value"),
        ({"summary": "password: hunter2"}, "text-credential"),
        ({"references": ("https://ann:hunter2@example.org/",)}, "text-credential"),
    ],
)
def test_what_cannot_be_kept_is_refused(more: dict[str, Any], code: str) -> None:
    assert desk_with().no(add(**more), BOT).code == code


def test_in_a_shared_workspace_no_place_of_this_machine_is_named() -> None:
    desk = desk_with(config(shared=True))
    assert desk.no(add(summary="See /home/ann/out.log"), BOT).code == "text-private"


def test_nobody_adds_evidence_by_editing_a_file() -> None:
    assert desk_with().no(add(), ANN, origin=Origin.HAND).code == "record-machine-owned"


def test_the_same_request_again_adds_nothing() -> None:
    desk = desk_with()
    first = desk.do(add(), BOT, op="mine")
    again = desk.ask(add(), BOT, op="mine")
    assert isinstance(again, Accepted) and again.changes == () and again.receipt == first.receipt
    assert len(desk.records(Kind.EVIDENCE)) == 1
