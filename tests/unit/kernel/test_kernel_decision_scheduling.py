"""When to look again: at the instant that is known, or after a while that grows the longer nothing changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from loopx.kernel.decision.scheduling import BASE, CAP, interval
from loopx.kernel.durations import LONGEST
from loopx.model.goal import Quota
from loopx.model.lease import Lease
from loopx.model.todo import TodoStatus
from loopx.model.turn import Spend
from tests.support.clock import START
from tests.support.kernel import T1, T2, gate
from tests.unit.kernel.deciding import DEPLOY, beta, decided, effect, hours, looked_at, monitor, settled, work

SPENT = settled(1, START, "outcome_progress", spend=Spend(slots=1, at=START, operation="op-s1"))
HELD = work(claimed_by="rex")


def test_a_wait_ends_at_the_very_instant_that_is_known() -> None:
    put_off = work(status=TodoStatus.DEFERRED, resume_when="at:2026-03-02T10:30:00Z")
    found = decided(beta(), put_off).scheduler
    assert (found.after_seconds, found.look_again_at, found.owner) == (5400, hours(1.5), "the clock")
    assert found.ended_by == "at:2026-03-02T10:30:00Z comes true"
    watched = decided(beta(), monitor(acceptance=("a1",)), looked_at()).scheduler
    assert watched.look_again_at == hours(1)
    doubtful = decided(beta(), work(), effect(todo=T1, readback_due_at=hours(3))).scheduler
    assert doubtful.look_again_at == hours(3)


def test_a_used_up_quota_is_looked_at_again_when_a_slot_frees() -> None:
    found = decided(beta(quota=Quota(compute=1)), work(), SPENT, now=hours(1)).scheduler
    assert (found.look_again_at, found.owner) == (hours(24), "the clock")


def test_held_work_is_looked_at_again_when_its_lease_or_its_claim_ends() -> None:
    lease = Lease(
        todo=T1,
        owner="rex",
        key="k-1",
        epoch=1,
        version=1,
        ttl_seconds=1800,
        acquired_at=START,
        renewed_at=START,
        expires_at=hours(0.5),
        acquired_by="op-l1",
        terms="t",
        goal="beta",
    )
    leased = decided(beta(), replace(HELD, claimed_at=START), lease).scheduler
    assert (leased.owner, leased.look_again_at) == ("rex", hours(0.5))
    claimed = decided(beta(), replace(HELD, claimed_at=START)).scheduler
    assert (claimed.owner, claimed.look_again_at) == ("rex", hours(24))


def test_of_several_waits_the_one_that_ends_first_is_told() -> None:
    later = work(status=TodoStatus.DEFERRED, resume_when="at:2026-03-09T09:00:00Z")
    sooner = work(T2, status=TodoStatus.DEFERRED, resume_when="at:2026-03-03T09:00:00Z")
    assert decided(beta(), later, sooner).scheduler.look_again_at == hours(24)


def test_a_question_is_looked_at_again_after_a_while_that_grows_and_by_its_deadline_at_the_latest() -> None:
    pending = [beta(), work(requires=(DEPLOY,)), gate()]
    waits = [
        decided(*pending, now=hours(count), changed_at={"beta": START}).scheduler.after_seconds
        for count in (0, 0.05, 0.1, 1, 40)
    ]
    assert waits == [60, 120, 240, 1920, 3600]
    soon = decided(*pending[:2], gate(deadline=hours(40.5)), now=hours(40), changed_at={"beta": START})
    assert soon.scheduler.look_again_at == hours(40.5)
    moved = decided(*pending, now=hours(40), changed_at={"beta": hours(40)})
    assert moved.scheduler.after_seconds == 60


@pytest.mark.parametrize("quiet", [-(10**9), -1, 0, 1, 40, 64, 5000, 10**9, int(LONGEST.total_seconds())])
def test_L08_a_back_off_never_falls_below_its_base_nor_above_its_cap(quiet: int) -> None:
    found = interval(START, START - timedelta(seconds=max(quiet, -(10**8))))
    assert BASE <= found <= CAP
    assert found == min(BASE * (1 << max((max(quiet, 60) // 60).bit_length() - 1, 0)), CAP)


def test_L08_a_back_off_holds_at_both_ends_of_time() -> None:
    last, first = START.replace(year=9999), START.replace(year=1)
    assert interval(last, first) == CAP
    assert interval(first, last) == BASE
    assert interval(START, None) == BASE
    far = decided(beta(), HELD, now=last, changed_at={"beta": first})
    assert far.scheduler.after_seconds == CAP.total_seconds()
