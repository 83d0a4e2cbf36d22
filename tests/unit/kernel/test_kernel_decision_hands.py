"""Whose hands work is in: open turns, offers and claims of others, and what becomes of those nobody acts on."""

from __future__ import annotations

from typing import Any

from loopx.kernel.commands import CompleteTodo, PollMonitor
from loopx.kernel.decision.record import Mode
from loopx.model.goal import Participant
from loopx.model.handoff import Handoff, HandoffStatus
from loopx.model.todo import Priority, TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, T1, T2
from tests.unit.kernel.deciding import beta, decided, desk, effect, hours, looked_at, met, monitor, on, turn, work

REX_AT_WORK = turn("turn-bbbb2222", agent="rex")
DONE = [beta(), met(), work(status=TodoStatus.DONE)]


def offer(**fields: Any) -> Handoff:
    made = {"sender": "agent:bot", "next_action": "Go on", "created_at": START, "created_by": "op-h1", "goal": "beta"}
    return Handoff(**{"id": "h-aaaa1111", "receiver": "rex", **made, **fields})


def test_work_somebody_else_has_a_turn_open_on_is_left_to_them_until_its_slots_are_used_up() -> None:
    assert decided(beta(), work(), REX_AT_WORK).mode is Mode.WAIT_FOR_PEERS
    free = decided(beta(), work(), work(T2, priority=Priority.P4), REX_AT_WORK)
    assert free.selected is not None and free.selected.id == T2
    late = decided(beta(), work(), REX_AT_WORK, now=hours(1))
    assert late.selected is not None and late.selected.id == T1


def test_a_turn_of_others_that_has_used_its_slots_up_holds_nobody_and_a_person_is_asked_about_it_at_the_end() -> None:
    found = decided(*DONE, REX_AT_WORK)
    assert (found.mode, found.scheduler.owner) == (Mode.WAIT_FOR_PEERS, "rex")
    late = decided(*DONE, REX_AT_WORK, now=hours(1))
    assert late.mode is Mode.CLOSE_OUT
    assert late.user.action_required
    assert late.user.question is not None and late.user.question.startswith("rex has turn-bbbb2222 open since")


def test_an_offer_to_somebody_else_is_waited_for_and_one_to_the_actor_is_not() -> None:
    found = decided(*DONE, offer())
    assert (found.mode, found.scheduler.ended_by) == (Mode.WAIT_FOR_PEERS, "rex accepts or declines h-aaaa1111")
    assert decided(*DONE, offer(), actor=REX).mode is Mode.CLOSE_OUT
    assert decided(*DONE, offer(receiver=None)).mode is Mode.CLOSE_OUT
    assert decided(*DONE, offer(status=HandoffStatus.DECLINED)).mode is Mode.CLOSE_OUT


def test_a_claim_that_lapsed_holds_nothing() -> None:
    claimed = work(claimed_by="rex", claimed_at=START)
    assert decided(beta(), claimed, now=hours(23)).mode is Mode.WAIT_FOR_PEERS
    assert decided(beta(), claimed, now=hours(25)).mode is Mode.DELIVER


def test_work_a_peer_can_do_is_waited_for_and_work_nobody_can_do_is_not() -> None:
    lacking = work(capabilities=("gpu",))
    able = beta(agents=(Participant(id="bot"), Participant(id="rex", capabilities=("gpu",))))
    assert decided(able, lacking).scheduler.owner == "rex"
    excluded = work(capabilities=("gpu",), excluded_agents=("rex",))
    assert decided(able, excluded).mode is Mode.REPAIR_CAPABILITY


def test_blocked_work_that_names_what_wakes_it_waits_and_asks_nobody() -> None:
    waiting = work(status=TodoStatus.BLOCKED, reason="frozen", resume_when="at:2026-03-03T09:00:00Z")
    found = decided(beta(), waiting)
    assert (found.mode, found.scheduler.look_again_at) == (Mode.WAIT, hours(24))
    assert decided(beta(), waiting, now=hours(25)).reason == "work-blocked"


def test_an_act_that_cannot_be_read_back_is_asked_about_when_it_is_due_and_not_before() -> None:
    doubtful = effect(todo=T1, readback=None, readback_due_at=hours(1))
    assert decided(beta(), work(), doubtful).mode is Mode.WAIT
    assert decided(beta(), work(), doubtful, now=hours(1)).reason == "effect-unsure"


def test_waits_that_bring_no_open_criterion_closer_do_not_keep_anybody_from_planning() -> None:
    aside = work(status=TodoStatus.DEFERRED, resume_when="at:2026-03-05T09:00:00Z", acceptance=())
    assert decided(beta(), aside).reason == "acceptance-open"
    assert decided(beta(), aside, met()).mode is Mode.WAIT
    watched = [monitor(watch_only=True), looked_at()]
    assert decided(beta(), *watched, work(status=TodoStatus.CANCELLED)).mode is Mode.REPLAN
    assert decided(beta(), met(), *watched).mode is Mode.CLOSE_OUT


def test_looks_give_way_to_work_for_those_who_keep_no_turns_as_well() -> None:
    watched = monitor(priority=Priority.P0, cadence="1m")
    here = desk(beta(), work(), work(T2), watched, now=hours(9))
    told = []
    for _ in range(7):
        found = on(here)
        told.append(found.mode.value)
        assert found.selected is not None
        if found.mode is Mode.OBSERVE:
            here.do(PollMonitor(todo=found.selected.id, target="https://example.org/ci", seen="green"), BOT)
        else:
            here.do(CompleteTodo(todo=found.selected.id), BOT)
        here.wait(minutes=1)
    assert told == ["observe"] * 4 + ["deliver", "observe", "observe"]


def test_a_person_sees_the_work_agents_hold_as_held() -> None:
    found = decided(beta(), work(claimed_by="rex"), actor=ANN)
    assert (found.mode, found.scheduler.owner) == (Mode.WAIT_FOR_PEERS, "rex")
