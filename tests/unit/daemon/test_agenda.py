"""When the next look is, by a clock that stands still."""

from __future__ import annotations

from loopx.daemon.agenda import (
    CALM_SECONDS,
    DOUBT_SECONDS,
    FIRST_RETRY_SECONDS,
    LAST_RETRY_SECONDS,
    LIMIT_SECONDS,
    QUIET_SECONDS,
    RESCAN_SECONDS,
    Agenda,
    Why,
)

IDLE = Agenda(rescan_at=1000.0)


def test_without_anything_only_the_rescan_is_left() -> None:
    assert IDLE.next_look() == (1000.0, Why.RESCAN)


def test_an_event_is_answered_once_it_has_been_quiet() -> None:
    assert IDLE.with_event(10.0).next_look() == (10.0 + QUIET_SECONDS, Why.EVENTS)
    assert IDLE.with_event(10.0).with_event(10.1).next_look() == (10.1 + QUIET_SECONDS, Why.EVENTS)


def test_a_burst_puts_a_look_off_for_a_second_at_most() -> None:
    agenda = IDLE
    for step in range(100):
        agenda = agenda.with_event(10.0 + step / 10)
    assert agenda.next_look() == (10.0 + LIMIT_SECONDS, Why.EVENTS)


def test_a_look_answers_what_came_before_it_and_not_what_comes_after() -> None:
    looked = IDLE.with_event(10.0).with_look(10.3, is_doubtful=False, is_rescan=False)
    assert looked.next_look() == (1000.0, Why.RESCAN)
    assert looked.with_event(10.4).next_look() == (10.4 + QUIET_SECONDS, Why.EVENTS)


def test_only_a_rescan_puts_off_the_next_rescan() -> None:
    assert IDLE.with_look(50.0, is_doubtful=False, is_rescan=True).next_look()[0] == 50.0 + RESCAN_SECONDS
    assert IDLE.with_look(50.0, is_doubtful=False, is_rescan=False).next_look()[0] == 1000.0


def test_what_is_in_doubt_is_looked_at_again_soon_and_only_while_it_is() -> None:
    doubtful = IDLE.with_look(10.0, is_doubtful=True, is_rescan=False)
    assert doubtful.next_look() == (10.0 + DOUBT_SECONDS, Why.DOUBT)
    assert doubtful.with_look(11.0, is_doubtful=False, is_rescan=False).next_look() == (1000.0, Why.RESCAN)


def test_failures_are_tried_again_after_ever_longer_pauses() -> None:
    agenda, pauses = IDLE, []
    for _ in range(10):
        agenda = agenda.with_failure(10.0)
        at, why = agenda.next_look()
        assert why is Why.RETRY
        pauses.append(at - 10.0)
    assert pauses[:3] == [FIRST_RETRY_SECONDS, 2 * FIRST_RETRY_SECONDS, 4 * FIRST_RETRY_SECONDS]
    assert pauses[-1] == LAST_RETRY_SECONDS
    assert agenda.with_look(50.0, is_doubtful=False, is_rescan=False).failures == 0


def test_an_event_after_a_failure_brings_a_look_sooner_but_never_a_storm() -> None:
    failed = IDLE
    for _ in range(8):
        failed = failed.with_failure(10.0)
    assert failed.with_event(10.1).next_look() == (10.0 + CALM_SECONDS, Why.EVENTS)
    assert failed.with_event(20.0).next_look() == (20.0 + QUIET_SECONDS, Why.EVENTS)


def test_what_falls_due_brings_a_look_at_its_instant() -> None:
    assert IDLE.with_due(77.0).next_look() == (77.0, Why.DUE)
    assert IDLE.with_due(77.0).with_due(None).next_look() == (1000.0, Why.RESCAN)


def test_where_there_are_no_events_everything_is_looked_at_often() -> None:
    assert IDLE.with_pace(1.0, 5.0).next_look() == (6.0, Why.RESCAN)
    assert IDLE.with_pace(RESCAN_SECONDS, 5.0) is IDLE
