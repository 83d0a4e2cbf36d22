"""When a monitor is due, and that no length of time ever runs over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loopx.kernel import commands as c
from loopx.kernel.cadence import MonitorStanding, find_monitor, monitor_standing, schedule
from loopx.kernel.durations import LONGEST, later
from loopx.kernel.outcome import Accepted
from loopx.kernel.refusal import Refused
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import T1, T2, Desk, todo
from tests.unit.kernel.watching import desk, look, watched


def standing(at: Desk) -> MonitorStanding:
    return monitor_standing(at.state, at.todo(), at.now)


def test_a_monitor_nobody_looked_at_is_due_at_once() -> None:
    assert standing(desk()).is_due
    assert standing(desk(created_at=None)).is_due
    assert standing(desk(created_at=START + timedelta(days=400))).is_due


def test_it_is_due_at_the_very_moment_and_overdue_a_whole_cadence_later() -> None:
    at = desk()
    at.do(look())
    for hours, due, overdue in ((5.9, False, False), (6, True, False), (11.9, True, False), (12, True, True)):
        at.now = START + timedelta(hours=hours)
        found = standing(at)
        assert (found.is_due, found.is_overdue) == (due, overdue), hours
        assert found.next_due_at == START + timedelta(hours=6)


def test_the_last_slot_is_the_one_after_which_watching_ends() -> None:
    at = desk(expires_at=START + timedelta(hours=13))
    at.do(look())
    at.wait(hours=6)
    assert standing(at).is_due and not standing(at).is_last_slot
    at.wait(hours=2)
    assert standing(at).is_last_slot
    at.wait(hours=6)
    found = standing(at)
    assert found.is_expired and not found.is_due and found.next_due_at is None


def test_a_closed_blocked_or_aimless_monitor_is_never_due() -> None:
    for fields in ({"status": TodoStatus.DONE}, {"status": TodoStatus.BLOCKED, "reason": "x"}, {"target": None}):
        found = standing(desk(**fields))
        assert not found.is_due and found.next_due_at is None and found.why


def test_a_changed_cadence_counts_from_the_last_look() -> None:
    at = desk()
    at.do(look())
    at.do(c.EditTodo(todo=T1, fields={"cadence": "1h"}))
    assert standing(at).next_due_at == START + timedelta(hours=1)


def test_a_clock_set_back_puts_the_next_look_off_by_one_cadence_at_most() -> None:
    at = desk()
    at.now = START + timedelta(days=3650)
    at.do(look())
    at.now = START
    assert standing(at).next_due_at == START + timedelta(hours=6)


@pytest.mark.parametrize("cadence", ["999999w", "999999d", "999999h999999m", "1s"])
def test_L08_no_cadence_however_long_runs_over_or_comes_at_once(cadence: str) -> None:
    at = desk(cadence=cadence)
    at.do(look())
    found = standing(at)
    assert not found.is_due and found.next_due_at is not None
    assert timedelta(seconds=1) <= found.next_due_at - at.now <= LONGEST
    at.now = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    made = at.ask(look("other", is_material=True, no_follow_up="The end of time"))
    assert isinstance(made, Accepted)
    assert standing(at).next_due_at is not None


@pytest.mark.parametrize("length", [timedelta(days=2**29), LONGEST, timedelta(seconds=2**40)])
def test_L08_a_sum_of_times_stops_at_the_last_instant(length: timedelta) -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert later(last, length) == last
    assert later(START, timedelta(0)) == START


def test_monitors_are_scheduled_due_ones_first_and_those_that_never_come_due_last() -> None:
    ids = [f"t-eeee000{number}" for number in range(5)]
    late, due, soon, never, closed = ids
    at = Desk.of(
        desk().goal(),
        todo(T2, "No monitor"),
        watched(id=soon, title="Soon", cadence="1d"),
        watched(id=never, title="Never", target=None),
        watched(id=closed, title="Closed", status=TodoStatus.DONE),
        watched(id=due, title="Due", created_at=START + timedelta(hours=11)),
        watched(id=late, title="Late", created_at=START),
    )
    at.now = START + timedelta(hours=12)
    at.do(look(todo=soon))
    assert [each.id for each, _ in schedule(at.state, at.now)] == [late, due, soon, never]
    assert [each.id for each, _ in schedule(at.state, at.now, only_due=True)] == [late, due]
    assert closed in [each.id for each, _ in schedule(at.state, at.now, "beta", closed=True)]
    assert schedule(at.state, at.now, "gamma") == []


def test_only_a_monitor_is_found_as_one() -> None:
    at = desk(todo(T2, "No monitor"))
    assert not isinstance(find_monitor(at.state, T1, at.now), Refused)
    for typed, code in ((T2, "todo-not-monitor"), ("t-zzzz9999", "todo-unknown")):
        refused = find_monitor(at.state, typed, at.now)
        assert isinstance(refused, Refused) and refused.code == code
