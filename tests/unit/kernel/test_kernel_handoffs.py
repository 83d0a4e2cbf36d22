"""Handoffs: a bounded packet, nothing private in it, and today's guards for whoever takes it on."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.handoffs import packet, unanswered
from loopx.kernel.outcome import Record
from loopx.model.goal import AgentMode, Boundary, GoalStatus, Participant
from loopx.model.handoff import Handoff, HandoffStatus
from loopx.model.kind import Kind
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.policy import Ownership
from loopx.model.todo import TodoStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import (
    ANN,
    BEN,
    BOT,
    E1,
    E2,
    G1,
    REX,
    T1,
    T2,
    Desk,
    config,
    edited,
    evidence,
    facts,
    gate,
    goal,
    todo,
)

KNOWN = (AgentEntry(id="bot"), AgentEntry(id="rex"), AgentEntry(id="tom"))


def desk(*more: Any, **fields: Any) -> Desk:
    return Desk.of(config(*KNOWN), goal(), todo(claimed_by="bot", claimed_at=START, **fields), *more)


def offer(**more: Any) -> c.CreateHandoff:
    return c.CreateHandoff(**{"goal": "beta", "todos": (T1,), "to": "rex", "next_action": "Write chapter two", **more})


def offered(at: Desk, actor: Any = BOT, **more: Any) -> str:
    return str(facts(at.do(offer(**more), actor))["id"])


def found(at: Desk, name: str) -> Handoff:
    there = at.state.handoff(name)
    assert there is not None
    return there


def lease(owner: str = "bot", **fields: Any) -> Lease:
    times = {"acquired_at": START, "renewed_at": START, "expires_at": START + timedelta(minutes=45)}
    proof = {"key": "k-1", "epoch": 1, "version": 1, "acquired_by": "op-1", "terms": "x", "ttl_seconds": 2700}
    return Lease(**{"todo": T1, "owner": owner, "goal": "beta", **times, **proof, **fields})


# what is offered -----------------------------------------------------------------------------


def test_a_packet_holds_ids_the_next_step_and_what_was_left_out() -> None:
    at = desk(gate(), evidence(E1), requires=("production:goal:deploy",))
    name = offered(
        at,
        stop_condition="When chapter two is in",
        evidence=(E1, E1.upper()),
        omitted=("The interview notes: ask Ann",),
        basis="0123abcd",
    )
    there = found(at, name)
    assert (there.sender, there.receiver, there.todos, there.evidence) == (str(BOT), "rex", (T1,), (E1,))
    assert there.gates == (G1,)
    assert (there.revision, there.status) == ("0123abcd", HandoffStatus.OFFERED)
    assert unanswered(at.state, "beta") == (there,)
    assert at.todo().claimed_by == "bot", "an offer moves nothing"


def test_the_basis_is_no_part_of_what_was_asked() -> None:
    at = desk()
    first = at.do(offer(basis="aaaa"), BOT, op="op-offer")
    assert at.do(offer(basis="bbbb"), BOT, op="op-offer").receipt == first.receipt


def test_a_packet_is_read_with_the_standing_of_today() -> None:
    at = desk(gate(), evidence(E1, fresh_for="1h", inputs=None), requires=("production:goal:deploy",))
    name = offered(at, evidence=(E1,))
    told = packet(at.state, found(at, name), at.now)
    assert told["todos"] == [{"id": T1, "title": "Write the guide", "status": "open", "holder": "bot"}]
    assert told["gates"][0]["covers"] is False and told["gates"][0]["status"] == "open"
    assert told["evidence"][0]["fresh"] is True
    assert told["provider_revision"] is None, "missing is missing, never 0"
    at.wait(hours=2)
    at.entities.append(lease())
    told = packet(at.state, found(at, name), at.now)
    assert told["evidence"][0]["fresh"] is False
    assert (told["todos"][0]["lease"], told["todos"][0]["lease_epoch"]) == ("expired", 1)
    at.entities = [each for each in at.entities if getattr(each, "id", "") not in (T1, E1, G1)]
    told = packet(at.state, found(at, name), at.now)
    assert [each["missing"] for part in ("todos", "gates", "evidence") for each in told[part]] == [True] * 3


def test_the_largest_packet_stays_small() -> None:
    many = [todo(f"t-zzzz{number:04}", title="x" * 1000) for number in range(20)]
    seen = [evidence(f"e-zzzz{number:04}", summary="y" * 5000) for number in range(20)]
    at = Desk.of(config(*KNOWN), goal(), *many, *seen)
    texts = {"next_action": "n" * 1000, "stop_condition": "s" * 1000, "omitted": tuple("o" * 100 for _ in range(20))}
    name = offered(at, ANN, todos=tuple(each.id for each in many), evidence=tuple(each.id for each in seen), **texts)
    told = packet(at.state, found(at, name), at.now)
    assert len(json.dumps(told)) < 20_000
    assert "y" * 10 not in json.dumps(told), "what was seen stays where it is"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"next_action": " "}, "field-missing"),
        ({"next_action": "a\nb"}, "field-value"),
        ({"stop_condition": ""}, "field-missing"),
        ({"omitted": ("",)}, "field-missing"),
        ({"next_action": "Log in with password=hunter22"}, "text-credential"),
        ({"stop_condition": "When token: abc123456 ends"}, "text-credential"),
        ({"omitted": ("-----BEGIN PRIVATE KEY-----",)}, "text-credential"),
        ({"to": "Mr Rex"}, "agent-invalid"),
        ({"to": "sue"}, "agent-unregistered"),
        ({"to": "bot"}, "handoff-to-yourself"),
        ({"todos": ("t-zzzz9999",)}, "todo-unknown"),
        ({"todos": tuple(f"t-{number:08}a" for number in range(21))}, "handoff-too-large"),
        ({"omitted": tuple(map(str, range(21)))}, "handoff-too-large"),
        ({"evidence": (E2,)}, "evidence-unknown"),
        ({"goal": "nowhere"}, "goal-unknown"),
    ],
)
def test_an_offer_that_cannot_be_is_refused(more: dict[str, Any], code: str) -> None:
    assert desk().no(offer(**more), BOT).code == code


def test_where_the_workspace_is_shared_no_machine_path_or_private_link_travels() -> None:
    at = desk()
    offered(at, next_action="See /home/ann/notes.md")
    shared = Desk.of(config(*KNOWN, shared=True), goal(), todo())
    assert shared.no(offer(next_action="See /home/ann/notes.md"), BOT).code == "text-private"
    assert shared.no(offer(omitted=("Ask at https://wiki/Guide",)), BOT).code == "text-private"


def test_a_path_the_goal_keeps_private_is_never_named() -> None:
    private = Boundary(private_paths=("notes/**", "*.key"))
    at = Desk.of(config(*KNOWN), goal(boundary=private), todo())
    for text in ("Read notes/ann.md first.", "It is in `deploy.key`", "(notes/a/b)"):
        assert at.no(offer(next_action=text), BOT).code == "text-private"
    name = offered(at, next_action="Take notes, and mind docs/notes.md")
    assert at.no(c.DeclineHandoff(handoff=name, reason="See notes/x.md"), REX).code == "text-private"


def test_one_gives_away_only_what_one_may() -> None:
    assert desk(status=TodoStatus.DONE).no(offer(), BOT).code == "todo-closed"
    assert desk().no(offer(to="tom"), REX).code == "todo-claimed"
    assert desk(excluded_agents=("rex",)).no(offer(), BOT).code == "agent-excluded"
    assert desk(lease("tom")).no(offer(), BOT).code == "lease-held"
    other = Desk.of(config(*KNOWN), goal(), goal("gamma"), todo(goal="gamma"))
    assert other.no(offer(), BOT).code == "field-value"
    stopped = Desk.of(config(*KNOWN), goal(status=GoalStatus.STOPPED), todo())
    assert stopped.no(offer(), BOT).code == "goal-closed"
    narrow = Desk.of(config(*KNOWN), goal(agents=(Participant(id="bot"),)), todo())
    assert narrow.no(offer(), BOT).code == "agent-unregistered"
    desk().do(offer(to="tom"), ANN)


def test_work_is_offered_once_at_a_time() -> None:
    at = desk()
    name = offered(at)
    again = at.no(offer(to="tom"), BOT)
    assert (again.code, again.facts["handoff"]) == ("handoff-pending", name)
    at.do(c.DeclineHandoff(handoff=name, reason="Taken back"), BOT)
    offered(at, to="tom")


def test_a_handoff_may_be_for_a_person_or_carry_no_todo() -> None:
    at = desk()
    assert found(at, offered(at, to="human-ann")).receiver == "human-ann"
    assert found(at, offered(at, todos=(), to=None)).todos == ()


# taking it on --------------------------------------------------------------------------------


def test_accepting_moves_the_claim_and_ends_the_senders_lease_in_one_commit() -> None:
    at = desk(lease())
    name = offered(at)
    at.wait(minutes=1)
    made = at.do(c.AcceptHandoff(handoff=name.upper()), REX)
    assert (at.todo().claimed_by, at.todo().claimed_at) == ("rex", at.now)
    [held] = at.records(Kind.LEASE)
    assert held.status is LeaseStatus.RELEASED and [each.key for each in held.retired] == ["k-1"]
    there = found(at, name)
    assert (there.status, there.answered_by, there.answered_at) == (HandoffStatus.ACCEPTED, str(REX), at.now)
    assert unanswered(at.state, "beta") == ()
    assert {type(each) for each in made.changes} >= {Record} and facts(made)["next_action"] == "Write chapter two"
    assert at.no(c.CompleteTodo(todo=T1), BOT).code == "todo-claimed", "the sender is out"


def test_where_a_lease_is_asked_for_the_receiver_acquires_one() -> None:
    at = Desk.of(config(*KNOWN, ownership=Ownership.LEASE), goal(), todo(claimed_by="bot", claimed_at=START), lease())
    name = offered(at)
    made = at.do(c.AcceptHandoff(handoff=name), REX)
    assert facts(made)["acquire"] == [T1]
    assert at.no(c.CompleteTodo(todo=T1), REX).code == "lease-required"
    assert at.no(c.CompleteTodo(todo=T1, lease_key="k-1"), BOT).code == "lease-key-retired"


def test_accepting_again_is_no_second_acceptance() -> None:
    at = desk()
    name = offered(at)
    at.do(c.AcceptHandoff(handoff=name), REX)
    again = at.do(c.AcceptHandoff(handoff=name), REX)
    assert facts(again)["already"] is True and again.changes == ()
    assert at.no(c.AcceptHandoff(handoff=name), ANN).code == "transition-illegal"
    assert at.no(c.DeclineHandoff(handoff=name, reason="No"), REX).code == "transition-illegal"


def test_only_whom_it_is_for_accepts_and_where_it_names_nobody_anybody_who_works_here() -> None:
    at = desk()
    name = offered(at)
    assert at.no(c.AcceptHandoff(handoff=name), BOT).code == "actor-not-permitted"
    assert at.no(c.AcceptHandoff(handoff=name), edited(REX, name="tom")).code == "actor-not-permitted"
    at.do(c.AcceptHandoff(handoff=name), BEN)
    assert at.todo().claimed_by == "human-ben"
    at = desk()
    name = offered(at, to=None)
    assert at.no(c.AcceptHandoff(handoff=name), edited(REX, name="sue")).code == "agent-unregistered"
    at.do(c.AcceptHandoff(handoff=name), edited(REX, name="tom"))


def after(at: Desk, change: str) -> None:
    """Something that happens between the offer and its answer."""
    match change:
        case "goal paused":
            at.do(c.SetGoalStatus(goal="beta", to=GoalStatus.PAUSED, verb="pause"))
        case "todo done":
            at.do(c.CompleteTodo(todo=T1), BOT)
        case "excluded":
            at.do(c.EditTodo(todo=T1, add={"excluded_agents": ("rex",)}))
        case "capability wanted":
            at.do(c.EditTodo(todo=T1, add={"capabilities": ("rust",)}))
        case "claimed by another":
            at.do(c.UnclaimTodo(todo=T1), BOT)
            at.do(c.ClaimTodo(todo=T1), edited(REX, name="tom"))
        case _:
            at.entities.append(lease("tom"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("goal paused", "goal-not-active"),
        ("todo done", "todo-closed"),
        ("excluded", "agent-excluded"),
        ("capability wanted", "capability-missing"),
        ("claimed by another", "claimed-by-other"),
        ("leased to another", "leased-by-other"),
    ],
)
def test_the_receiver_goes_through_todays_guards(change: str, reason: str) -> None:
    at = desk()
    name = offered(at)
    after(at, change)
    refused = at.no(c.AcceptHandoff(handoff=name), REX)
    assert (refused.code, refused.facts["reason"]) == ("handoff-not-now", reason)
    assert f"loopx handoff decline {name}" in refused.hint
    at.do(c.DeclineHandoff(handoff=name, reason="Not any more"), REX)


def test_an_agent_that_left_accepts_nothing() -> None:
    at = desk()
    name = offered(at)
    at.do(c.RemoveAgent(agent="rex"))
    assert at.no(c.AcceptHandoff(handoff=name), REX).code == "agent-unregistered"
    at.do(c.DeclineHandoff(handoff=name, reason="rex left"), ANN)


def test_what_the_work_itself_waits_for_is_handed_over_with_it() -> None:
    for fields in (
        {"depends_on": (T2,)},
        {"requires": ("production:goal:deploy",)},
        {"status": TodoStatus.BLOCKED, "reason": "the printer"},
    ):
        at = desk(todo(T2, "First"), **fields)
        at.do(c.AcceptHandoff(handoff=offered(at)), REX)
        assert at.todo().claimed_by == "rex"


# turning it down -----------------------------------------------------------------------------


def test_turning_it_down_leaves_the_work_where_it_was() -> None:
    at = desk(lease())
    name = offered(at)
    made = at.do(c.DeclineHandoff(handoff=name, reason="No time"), REX)
    assert at.todo().claimed_by == "bot" and at.records(Kind.LEASE)[0].status is LeaseStatus.ACTIVE
    assert (found(at, name).status, found(at, name).reason) == (HandoffStatus.DECLINED, "No time")
    assert len(made.changes) == 1
    assert facts(at.do(c.DeclineHandoff(handoff=name, reason="Again"), REX))["already"] is True
    assert at.no(c.AcceptHandoff(handoff=name), REX).code == "transition-illegal"


def test_only_the_parties_and_people_turn_it_down() -> None:
    at = desk()
    name = offered(at, to=None)
    assert at.no(c.DeclineHandoff(handoff=name, reason="No"), REX).code == "actor-not-permitted"
    at.do(c.DeclineHandoff(handoff=name, reason="Taken back"), BOT)
    at = desk()
    at.do(c.DeclineHandoff(handoff=offered(at), reason="No"), BEN)


@pytest.mark.parametrize(
    ("reason", "code"), [(" ", "reason-missing"), ("a\nb", "field-value"), ("secret: abc123456", "text-credential")]
)
def test_a_reason_is_one_line_without_secrets(reason: str, code: str) -> None:
    at = desk()
    assert at.no(c.DeclineHandoff(handoff=offered(at), reason=reason), REX).code == code


def test_an_unknown_handoff_is_said_to_be_unknown() -> None:
    assert desk().no(c.AcceptHandoff(handoff="h-zzzz9999"), REX).code == "handoff-unknown"


def test_what_a_packet_names_is_not_deleted_by_hand() -> None:
    at = desk(gate(), requires=("production:goal:deploy",))
    at.do(c.UnclaimTodo(todo=T1))
    name = offered(at, ANN)
    for before in (at.todo(), at.gate()):
        refused = at.mistyped(before, None)
        assert (refused.code, refused.facts["by"][-1]) == ("document-referenced", name)
    assert at.mistyped(at.goal(), None).code == "document-referenced"


def test_an_agent_that_only_monitors_takes_no_work_over() -> None:
    watching = (Participant(id="bot"), Participant(id="rex", mode=AgentMode.MONITOR_ONLY), Participant(id="tom"))
    at = Desk.of(config(*KNOWN), goal(agents=watching), todo(claimed_by="bot", claimed_at=START))
    assert at.no(offer(), BOT).code == "agent-excluded"
    assert at.no(c.AcceptHandoff(handoff=offered(at, to=None)), REX).code == "actor-not-permitted"
