"""The turns of an agent that ended, newest first, also where several bear the same time."""

from __future__ import annotations

from datetime import timedelta

from loopx.kernel.commands import VoidTurn
from loopx.kernel.turns.past import ended, last_ended, open_turn
from tests.support.kernel import BOT, REX, T1, T2
from tests.support.kernel import todo as a_todo
from tests.unit.kernel.turning import desk_of, opens, settles


def test_turns_of_one_second_keep_their_order() -> None:
    """Ids are drawn so that they fall: by id alone the newest would come last."""
    desk = desk_of()
    made = []
    for letter in "zyxwvts":
        desk.ids = type(desk.ids)(letter)
        made.append(settles(desk, todo=T1).id)
    assert [each.id for each in ended(desk.state, "beta", "bot", 3)] == made[:-4:-1]
    newest = last_ended(desk.state, "beta", "bot")
    assert newest is not None and newest.id == made[-1]


def test_voided_turns_are_among_them_and_open_ones_and_those_of_others_are_not() -> None:
    desk = desk_of(a_todo(T2, "Print it"))
    first = settles(desk, todo=T1).id
    settles(desk, REX, todo=T2)
    second = opens(desk)
    desk.do(VoidTurn(turn=second, reason="x"), BOT)
    third = opens(desk)
    assert [each.id for each in ended(desk.state, "beta", "bot", 9)] == [second, first]
    found = open_turn(desk.state, "beta", "bot")
    assert found is not None and found.id == third
    assert open_turn(desk.state, "beta", "rex") is None
    assert last_ended(desk.state, "gamma", "bot") is None


def test_later_ones_come_first() -> None:
    desk = desk_of()
    made = []
    for _ in range(5):
        made.append(settles(desk, todo=T1))
        desk.wait(minutes=1)
    assert [each.id for each in ended(desk.state, "beta", "bot", 5)] == [each.id for each in reversed(made)]
    assert made[1].previous == made[0].id and made[0].previous is None
    assert made[1].settled_at == made[0].settled_at + timedelta(minutes=1)  # type: ignore[operator]
