"""Settling the same turn again, and settling one that somebody else has the Todo of by now."""

from __future__ import annotations

from loopx.kernel.commands import (
    AcquireLease,
    CancelTodo,
    ClaimTodo,
    ReleaseLease,
    SettleTurn,
    VoidTurn,
)
from loopx.model.kind import Kind
from loopx.model.policy import Ownership
from loopx.model.todo import Todo
from loopx.model.turn import PathDelta, PathOutcome, Scale
from tests.support.kernel import ANN, BOT, REX, T1, Desk, config, criterion, facts, goal
from tests.unit.kernel.turning import (
    AGENTS,
    PROGRESS,
    SURFACE,
    desk_of,
    done,
    opens,
    refused,
    settled,
    settles,
)

ACCEPTED = goal(acceptance=(criterion(),))

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
