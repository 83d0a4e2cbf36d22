"""Ending a turn without a delivery, and taking a spend back by an entry that says so."""

from __future__ import annotations

import pytest

from loopx.kernel.commands import VoidTurn
from loopx.kernel.outcome import Record
from loopx.kernel.quota import window
from loopx.model.turn import TurnStatus
from tests.support.kernel import ANN, BEN, BOT, REX, T1, config, facts
from tests.unit.kernel.turning import AGENTS, desk_of, opens, settles, turn


def test_an_open_turn_ends_without_a_delivery() -> None:
    desk = desk_of()
    opened = opens(desk)
    done = desk.do(VoidTurn(turn=opened.upper(), reason=" lost its way "), BOT)
    found = turn(desk, opened)
    assert (found.status, found.note, found.settled_at) == (TurnStatus.VOIDED, "lost its way", desk.now)
    assert found.settled_by == done.receipt.operation and found.spend is None and found.outcome is None
    assert done.changes == (Record(found),) and done.body == "lost its way"
    opens(desk)


def test_an_agent_ends_its_own_turns_and_a_person_any() -> None:
    desk = desk_of()
    opened = opens(desk)
    assert desk.no(VoidTurn(turn=opened, reason="x"), REX).code == "actor-not-permitted"
    desk.do(VoidTurn(turn=opened, reason="the process died"), ANN)
    assert turn(desk, opened).status is TurnStatus.VOIDED


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (("turn-zzzz9", "x"), "turn-unknown"),
        (("turn-a0000001", " "), "reason-missing"),
        (("turn-a0000001", "a\nb"), "field-value"),
        (("turn-a0000001", "password: hunter2hunter2"), "text-credential"),
    ],
)
def test_an_end_without_a_reason_is_refused(asked: tuple[str, str], code: str) -> None:
    desk = desk_of()
    opens(desk)
    assert desk.no(VoidTurn(turn=asked[0], reason=asked[1]), BOT).code == code


def test_a_spend_is_taken_back_by_an_entry_and_stays_on_record() -> None:
    desk = desk_of()
    settled = settles(desk, todo=T1, evidence=("seen",), spend=3)
    desk.wait(minutes=5)
    done = desk.do(VoidTurn(turn=settled.id, reason="counted twice"), ANN)
    found = turn(desk, settled.id)
    assert found.spend is not None and settled.spend is not None
    assert (found.spend.slots, found.spend.at, found.spend.operation) == (3, settled.spend.at, settled.spend.operation)
    assert (found.spend.voided_at, found.spend.voided_by) == (desk.now, done.receipt.operation)
    assert found.spend.void_reason == "counted twice"
    assert (found.status, found.settled_at, found.evidence) == (
        TurnStatus.SETTLED,
        settled.settled_at,
        settled.evidence,
    )
    assert window(desk.state, desk.goal(), desk.now).spent == 0 and facts(done)["freed"] == 3


def test_no_agent_gives_itself_its_slots_back() -> None:
    desk = desk_of()
    settled = settles(desk, todo=T1, evidence=("seen",))
    assert desk.no(VoidTurn(turn=settled.id, reason="again"), BOT).code == "actor-not-permitted"
    desk.do(VoidTurn(turn=settled.id, reason="again"), ANN)
    named = desk_of(config(*AGENTS, operators=("Ann",)))
    settled = settles(named, todo=T1, evidence=("seen",))
    assert named.no(VoidTurn(turn=settled.id, reason="again"), BEN).code == "operator-required"


def test_what_was_ended_or_taken_back_before_needs_no_change() -> None:
    desk = desk_of()
    opened = opens(desk)
    desk.do(VoidTurn(turn=opened, reason="x"), BOT)
    assert desk.do(VoidTurn(turn=opened, reason="x"), BOT).changes == ()
    free = settles(desk, todo=T1, spend=0)
    assert facts(desk.do(VoidTurn(turn=free.id, reason="x"), BOT))["already"] is True
    paid = settles(desk, todo=T1, evidence=("seen",))
    desk.do(VoidTurn(turn=paid.id, reason="x"), ANN)
    once = turn(desk, paid.id)
    desk.wait(minutes=1)
    assert desk.do(VoidTurn(turn=paid.id, reason="y"), ANN).changes == () and turn(desk, paid.id) == once
