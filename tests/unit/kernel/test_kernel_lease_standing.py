"""What a lease is worth by the clock: the last instant of its life, stamps from the future, numbers out of range."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from loopx.kernel.lease_progress import progress_at
from loopx.kernel.lease_standing import lease_standing, live_lease, standing_of
from loopx.model.lease import Lease, LeaseStatus
from loopx.model.turn import Turn
from tests.support.clock import START
from tests.support.kernel import T1, Desk, evidence
from tests.support.leases import TTL, crew, lease, live, released

TICK = timedelta(seconds=1)
HOUR = timedelta(hours=1)


def is_live(found: Lease, at: datetime) -> bool:
    return standing_of(found, at).is_live


@pytest.mark.parametrize("ttl", [1, 6, TTL, 24 * 3600])
def test_L03_a_lease_lives_to_the_very_end_of_its_time_and_no_tick_longer(ttl: int) -> None:
    found, end = lease(ttl_seconds=ttl), START + timedelta(seconds=ttl)
    assert is_live(found, end - TICK) and is_live(found, end)
    assert not is_live(found, end + TICK) and not is_live(found, end + timedelta(microseconds=1))
    assert standing_of(found, end).expires_at == standing_of(found, end + TICK).expires_at == end


def test_where_nobody_ever_had_one_there_is_no_number_that_stands_for_it() -> None:
    standing = lease_standing(crew().state, T1, START)
    assert (standing.status, standing.lease, standing.expires_at) == (None, None, None)
    assert not standing.is_live and live(crew()) is None


def test_what_was_given_back_is_over_however_early_it_is() -> None:
    standing = standing_of(released(), START)
    assert standing.status is LeaseStatus.RELEASED and not standing.is_live
    assert standing.why == "The lease of bot ended at 2026-03-02T09:00:00Z (released)."


def test_an_expired_lease_says_since_when() -> None:
    standing = standing_of(lease(), START + 2 * HOUR)
    assert standing.status is LeaseStatus.EXPIRED
    assert standing.why == "The lease of bot expired at 2026-03-02T09:45:00Z, 1h15m ago."


def test_L09_a_clock_that_steps_forward_ends_leases_and_makes_none_immortal() -> None:
    assert not is_live(lease(), START + 2 * HOUR)


def test_L09_a_clock_that_steps_back_neither_ends_a_lease_at_once_nor_lets_it_live_past_a_day() -> None:
    found = lease()
    standing = standing_of(found, START - 2 * HOUR)
    assert standing.is_live and standing.is_from_future and "ahead of the clock" in standing.why
    assert not is_live(found, START - 24 * HOUR), "from then on it would live for more than a day"
    assert is_live(found, START - 24 * HOUR + timedelta(seconds=TTL))


def test_L09_a_renewal_stamped_in_the_future_extends_nothing() -> None:
    found = lease(renewed_at=START + 10 * HOUR, expires_at=START + 11 * HOUR)
    soon = standing_of(found, START + timedelta(minutes=10))
    assert soon.is_live and soon.is_from_future and soon.expires_at == START + timedelta(seconds=TTL)
    assert not is_live(found, START + HOUR)
    assert is_live(found, START + 10 * HOUR), "once the clock has come to it the renewal counts like any other"


def test_L09_an_end_ten_years_ahead_is_told_by_nobody() -> None:
    for_ever = lease(expires_at=START + 87660 * HOUR)
    assert not is_live(for_ever, START + HOUR)
    assert not is_live(lease(acquired_at=START + 87660 * HOUR, renewed_at=START + 87660 * HOUR), START)


@pytest.mark.parametrize("ttl", [10**18, 2**62, 25 * 3600])
def test_L08_a_time_to_live_out_of_range_counts_as_a_day(ttl: int) -> None:
    assert is_live(lease(ttl_seconds=ttl), START + 24 * HOUR)
    assert not is_live(lease(ttl_seconds=ttl), START + 24 * HOUR + TICK)


@pytest.mark.parametrize("ttl", [0, -1, -(10**18)])
def test_L08_a_time_to_live_below_nothing_is_nothing(ttl: int) -> None:
    assert is_live(lease(ttl_seconds=ttl), START) and not is_live(lease(ttl_seconds=ttl), START + TICK)


def test_L08_stamps_at_the_end_of_time_raise_nothing() -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert is_live(lease(acquired_at=last, renewed_at=last), last)
    assert standing_of(lease(acquired_at=last, renewed_at=last), START).is_from_future


@pytest.mark.parametrize("entity", [lease(), lease(todo_id="t-bbbb2222")])
def test_the_live_lease_is_that_of_the_todo_asked_for(entity: Lease) -> None:
    assert live_lease(Desk.of(entity).state, entity.todo, START) == entity
    assert live_lease(Desk.of(entity).state, "t-cccc3333", START) is None


# progress -------------------------------------------------------------------------------------


def test_L05_renewals_are_no_progress_and_facts_are() -> None:
    later = START + timedelta(minutes=30)
    held = lease(renewed_at=later)
    assert progress_at(Desk.of(held).state, held) is None
    seen = evidence(observed_at=later)
    assert progress_at(Desk.of(held, seen).state, held) == later
    assert progress_at(Desk.of(held, evidence(subject="t-bbbb2222", observed_at=later)).state, held) is None


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({}, START + timedelta(minutes=5)),
        ({"agent": "rex"}, None),
        ({"todo": "t-bbbb2222"}, None),
        ({"opened_at": START - HOUR}, None),
    ],
    ids=["its own", "another agent's", "on another Todo", "before the lease"],
)
def test_only_turns_of_the_holder_on_the_todo_under_this_lease_are_progress(fields: Any, at: datetime | None) -> None:
    opened = {"agent": "bot", "todo": T1, "opened_at": START + timedelta(minutes=5), "goal": "beta"}
    turn = Turn(id="turn-aaaa1111", opened_by="op-1", **{**opened, **fields})
    assert progress_at(Desk.of(lease(), turn).state, lease()) == at
