"""Effects: the intent is on record before the act, the outcome after it, and unknown is never taken for failed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.durations import LONGEST
from loopx.kernel.effects import open_postconditions, unknown_effects
from loopx.model.effect import Effect, EffectStatus
from loopx.model.goal import AgentMode, GoalStatus, Participant
from loopx.model.kind import Kind
from loopx.model.lease import Lease
from loopx.model.policy import Ownership
from loopx.model.records import EvidenceKind, EvidenceResult
from loopx.model.todo import TodoStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import (
    ANN,
    BEN,
    BOT,
    E1,
    REX,
    T1,
    T2,
    Desk,
    config,
    evidence,
    facts,
    gate,
    goal,
    todo,
)

KNOWN = (AgentEntry(id="bot"), AgentEntry(id="rex"))
WATCHER = Participant(id="bot", mode=AgentMode.MONITOR_ONLY)


def desk(*more: Any, **fields: Any) -> Desk:
    return Desk.of(config(*KNOWN), goal(), todo(**fields), *more)


def publish(**more: Any) -> c.OpenEffect:
    return c.OpenEffect(**{"goal": "beta", "summary": "Publish 1.0", "todo": T1, **more})


def opened(at: Desk, actor: Any = BOT, **more: Any) -> str:
    return str(facts(at.do(publish(**more), actor))["id"])


def effect(at: Desk, name: str) -> Effect:
    found = at.state.effect(name)
    assert found is not None
    return found


def settle(name: str, status: str = "confirmed", *cited: str, **more: Any) -> c.SettleEffect:
    return c.SettleEffect(effect=name, status=status, evidence=cited, **more)


# the intent ----------------------------------------------------------------------------------


def test_the_intent_is_on_record_before_anything_is_done_and_its_id_is_the_idempotency_key() -> None:
    at = desk()
    name = opened(
        at,
        readback="GET https://example.org/1.0",
        readback_after_seconds=600,
        write_scopes=("dist/**",),
        postconditions=("The page shows 1.0", "The old one is gone"),
    )
    found = effect(at, name)
    assert (found.status, found.agent, found.todo) == (EffectStatus.UNKNOWN, "bot", T1)
    assert found.readback_due_at == START + timedelta(minutes=10)
    assert (found.opened_at, found.opened_by, found.settled_at) == (START, at.receipts[-1].operation, None)
    assert unknown_effects(at.state, "beta") == (found,)
    assert [(each.number, each.postcondition.text) for each in open_postconditions(at.state, "beta")] == [
        (1, "The page shows 1.0"),
        (2, "The old one is gone"),
    ]


def test_a_lost_answer_is_recovered_under_the_same_operation_without_a_second_effect() -> None:
    at = desk()
    first = at.do(publish(), BOT, op="op-publish")
    again = at.do(publish(), BOT, op="op-publish")
    assert again.receipt == first.receipt and len(at.records(Kind.EFFECT)) == 1
    assert at.no(publish(summary="Publish 2.0"), BOT, op="op-publish").code == "operation-reused"


def test_no_new_identity_hides_an_outcome_nobody_knows() -> None:
    at = desk(todo(T2, "Other"))
    name = opened(at, write_scopes=("dist/**",))
    for again in (
        publish(),
        publish(summary="Publish it once more"),
        publish(todo=None, summary="publish  1.0"),
        publish(todo=T2, summary="Another thing", write_scopes=("dist/app.js",)),
    ):
        found = at.no(again, BOT)
        assert (found.code, found.facts["effect"]) == ("effect-unsettled", name)
    opened(at, todo=T2, summary="Send the letter", write_scopes=("letters/**",))
    at.do(settle(name, "absent", "The registry has no 1.0"), BOT)
    opened(at)


@pytest.mark.parametrize(
    ("at", "code"),
    [
        (Desk.of(config(*KNOWN), goal(status=GoalStatus.PAUSED), todo()), "effect-not-now"),
        (Desk.of(config(*KNOWN), goal(status=GoalStatus.DRAFT), todo()), "effect-not-now"),
        (desk(status=TodoStatus.BLOCKED, reason="no"), "effect-not-now"),
        (desk(todo(T2, "First"), depends_on=(T2,)), "effect-not-now"),
        (desk(status=TodoStatus.DONE), "effect-not-now"),
        (desk(requires=("production:goal:deploy",)), "effect-not-now"),
        (desk(gate(), requires=("production:goal:deploy",)), "effect-not-now"),
        (desk(claimed_by="rex"), "todo-claimed"),
        (desk(excluded_agents=("bot",)), "agent-excluded"),
        (Desk.of(config(AgentEntry(id="rex")), goal(), todo()), "agent-unregistered"),
        (Desk.of(config(*KNOWN), goal(agents=(Participant(id="rex"),)), todo()), "agent-unregistered"),
        (Desk.of(config(*KNOWN), goal(agents=(WATCHER,)), todo()), "actor-not-permitted"),
        (Desk.of(config(*KNOWN), goal(), goal("gamma"), todo(goal="gamma")), "field-value"),
        (Desk.of(config(*KNOWN), goal()), "todo-unknown"),
    ],
)
def test_an_act_on_the_outside_passes_every_guard_of_the_work_it_is_for(at: Desk, code: str) -> None:
    assert at.no(publish(), BOT).code == code


def test_where_a_lease_is_asked_for_the_act_needs_its_key() -> None:
    terms: dict[str, Any] = {
        "key": "k-1",
        "epoch": 1,
        "version": 1,
        "acquired_by": "op-1",
        "terms": "x",
        "ttl_seconds": 2700,
        "acquired_at": START,
        "renewed_at": START,
        "expires_at": START + timedelta(minutes=45),
    }
    lease = Lease(todo=T1, owner="bot", goal="beta", **terms)
    strict = config(*KNOWN, ownership=Ownership.LEASE)
    assert Desk.of(strict, goal(), todo()).no(publish(), BOT).code == "lease-required"
    at = Desk.of(strict, goal(), todo(), lease)
    assert at.no(publish(), REX).code == "lease-held"
    assert at.no(publish(), BOT).code == "lease-key-missing"
    assert at.no(publish(lease_key="k-2"), BOT).code == "lease-key-wrong"
    at.wait(minutes=46)
    assert at.no(publish(lease_key="k-1"), BOT).code == "lease-expired"
    at.now = START
    opened(at, lease_key="k-1")


def test_an_agent_records_its_own_effects_and_a_person_those_of_anybody_who_works_here() -> None:
    at = desk()
    assert at.no(publish(agent="rex"), BOT).code == "actor-not-permitted"
    assert at.no(publish(agent="tom"), ANN).code == "agent-unregistered"
    assert effect(at, opened(at, ANN, agent="rex", todo=None)).agent == "rex"
    at = desk()
    assert effect(at, opened(at, ANN)).agent == "human-ann"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"summary": " "}, "field-missing"),
        ({"summary": "two\nlines"}, "field-value"),
        ({"readback": " "}, "field-missing"),
        ({"postconditions": ("",)}, "field-missing"),
        ({"write_scopes": (" ",)}, "field-missing"),
        ({"summary": "Log in with password=hunter22"}, "text-credential"),
        ({"readback": "curl -H 'Authorization: Bearer abcdef0123456789'"}, "text-credential"),
        ({"postconditions": ("https://ann:pa55@example.org answers",)}, "text-credential"),
    ],
)
def test_texts_are_lines_and_hold_no_credential(more: dict[str, Any], code: str) -> None:
    assert desk().no(publish(**more), BOT).code == code


@pytest.mark.parametrize("seconds", [-5, 0, 2**40, 2**80])
def test_L08_the_time_of_the_read_back_is_clamped(seconds: int) -> None:
    at = desk()
    due = effect(at, opened(at, readback_after_seconds=seconds)).readback_due_at
    assert START <= due <= START + LONGEST


# the outcome ---------------------------------------------------------------------------------


def test_what_became_of_it_is_settled_on_what_was_read_back() -> None:
    at = desk()
    name = opened(at)
    assert at.no(settle(name), BOT).code == "effect-unproven"
    at.wait(minutes=1)
    at.do(settle(name, "confirmed", "The registry lists 1.0", reason="It is out"), BOT)
    found = effect(at, name)
    assert (found.status, found.settled_at, found.reason) == (EffectStatus.CONFIRMED, at.now, "It is out")
    [seen] = at.records(Kind.EVIDENCE)
    assert found.evidence == (seen.id,)
    assert (seen.kind, seen.source, seen.subject, seen.summary) == (
        EvidenceKind.OBSERVATION,
        str(BOT),
        name,
        "The registry lists 1.0",
    )
    assert unknown_effects(at.state, "beta") == ()


def test_evidence_on_record_is_cited_by_its_id_and_must_be_newer_than_the_intent() -> None:
    at = desk(evidence(E1, observed_at=START - timedelta(seconds=1)))
    name = opened(at)
    assert at.no(settle(name, "absent", E1), BOT).code == "evidence-too-old"
    assert at.no(settle(name, "absent", "e-zzzz9999"), BOT).code == "evidence-unknown"
    at.entities.append(evidence("e-cccc3333", observed_at=START))
    at.do(settle(name, "absent", "E-CCCC3333", "and the log says so"), BOT)
    assert len(effect(at, name).evidence) == 2


def test_the_same_outcome_again_changes_nothing_and_another_one_is_refused() -> None:
    at = desk()
    name = opened(at)
    at.do(settle(name, "absent", "Nothing there"), BOT)
    assert facts(at.do(settle(name, "absent"), BOT))["already"] is True
    for other in ("confirmed", "compensated"):
        assert at.no(settle(name, other, "It is there"), BOT).code == "transition-illegal"


def test_what_happened_is_made_good_and_never_unmade() -> None:
    at = desk()
    name = opened(at)
    assert at.no(settle(name, "compensated", "Taken back"), BOT).code == "transition-illegal"
    at.do(settle(name, "confirmed", "It is there"), BOT)
    at.wait(hours=1)
    assert at.no(settle(name, "absent", "It is gone"), BOT).code == "transition-illegal"
    first = effect(at, name).evidence
    assert at.no(settle(name, "compensated", *first), BOT).code == "effect-unproven"
    at.do(settle(name, "compensated", "Yanked; the page says so"), BOT)
    found = effect(at, name)
    assert found.status is EffectStatus.COMPENSATED and found.evidence[:1] == first and len(found.evidence) == 2


def test_others_acts_are_settled_by_people_only() -> None:
    at = desk()
    name = opened(at)
    assert at.no(settle(name, "absent", "Nope"), REX).code == "actor-not-permitted"
    at.do(settle(name, "absent", "Ben looked"), BEN)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (lambda name: settle(name, "failed", "Nope"), "field-value"),
        (lambda name: settle(name, "unknown", "Nope"), "field-value"),
        (lambda name: settle("x-zzzz9999", "absent", "Nope"), "effect-unknown"),
        (lambda name: settle(name, "absent", "token=abcdef123456"), "text-credential"),
        (lambda name: settle(name, "absent", "Nope", reason="api_key: 12345678"), "text-credential"),
        (lambda name: settle(name, "absent", " "), "field-missing"),
        (lambda name: settle(name, "absent", "Nope", reason="a\nb"), "field-value"),
    ],
)
def test_an_outcome_that_cannot_be_is_refused(command: Any, code: str) -> None:
    at = desk()
    assert at.no(command(opened(at)), BOT).code == code


# postconditions ------------------------------------------------------------------------------


def happened(at: Desk) -> str:
    name = opened(at, postconditions=("The page shows 1.0",))
    at.do(settle(name, "confirmed", "The registry lists it"), BOT)
    return name


def confirm(name: str, number: int = 1, cited: str | None = None) -> c.ConfirmPostcondition:
    return c.ConfirmPostcondition(effect=name, number=number, evidence=cited)


def test_a_persons_word_confirms_what_must_hold_and_an_agents_own_does_not() -> None:
    at = desk()
    name = happened(at)
    assert at.no(confirm(name), BOT).code == "postcondition-unproven"
    assert at.no(confirm(name, cited="I saw it"), BOT).code == "postcondition-unproven"
    assert facts(at.do(confirm(name, cited="I saw it"), ANN))["left"] == 0
    [held] = effect(at, name).postconditions
    assert (held.confirmed_by, held.confirmed_at) == (str(ANN), at.now)
    assert at.state.evidence(held.evidence or "") is not None
    assert open_postconditions(at.state, "beta") == ()
    assert facts(at.do(confirm(name), BEN))["already"] is True


def test_a_person_needs_no_words() -> None:
    at = desk()
    name = happened(at)
    at.do(confirm(name), ANN)
    assert effect(at, name).postconditions[0].evidence is None


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({"kind": EvidenceKind.READBACK, "source": "loopx:readback"}, True),
        ({"kind": EvidenceKind.READBACK, "source": "loopx:readback", "subject": T2}, False),
        ({"kind": EvidenceKind.READBACK, "source": "loopx:readback", "result": EvidenceResult.FAILED}, False),
        ({"kind": EvidenceKind.OBSERVATION, "source": "agent:rex", "result": EvidenceResult.NOTED}, False),
        ({"kind": EvidenceKind.OBSERVATION, "source": "human:Ann", "result": EvidenceResult.NOTED}, True),
        ({"kind": EvidenceKind.NEGATIVE_RESULT, "source": "human:Ann", "result": EvidenceResult.NOTED}, False),
    ],
)
def test_an_agent_confirms_on_what_loopx_or_a_person_saw(fields: dict[str, Any], counts: bool) -> None:
    at = desk(evidence(E1, **fields))
    name = happened(at)
    if counts:
        at.do(confirm(name, cited=E1), BOT)
        assert effect(at, name).postconditions[0].evidence == E1
    else:
        assert at.no(confirm(name, cited=E1), BOT).code == "postcondition-unproven"


def test_only_what_is_known_to_have_happened_has_something_to_hold() -> None:
    at = desk()
    name = opened(at, postconditions=("The page shows 1.0",))
    assert at.no(confirm(name), ANN).code == "effect-not-confirmed"
    at.do(settle(name, "absent", "Nothing there"), BOT)
    assert at.no(confirm(name), ANN).code == "effect-not-confirmed"
    assert open_postconditions(at.state, "beta") == ()


@pytest.mark.parametrize("number", [0, 2, -1, 10**9])
def test_a_postcondition_that_was_not_declared_is_unknown(number: int) -> None:
    at = desk()
    assert at.no(confirm(happened(at), number), ANN).code == "postcondition-unknown"


def test_nothing_must_hold_after_what_was_made_good() -> None:
    at = desk()
    name = happened(at)
    assert len(open_postconditions(at.state, "beta")) == 1
    at.do(settle(name, "compensated", "Yanked"), BOT)
    assert open_postconditions(at.state, "beta") == ()


def test_a_todo_that_something_was_done_outside_for_is_not_deleted_by_hand() -> None:
    at = desk()
    name = opened(at)
    refused = at.mistyped(at.todo(), None)
    assert (refused.code, refused.facts["by"]) == ("document-referenced", [name])
