"""Work that waits for what cannot come, where the agent asked may not even give it up: somebody else is told."""

from __future__ import annotations

from loopx.kernel.decision.record import Mode
from loopx.model.goal import Participant
from loopx.model.handoff import Handoff
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, T2, todo
from tests.unit.kernel.deciding import beta, decided, work

CANCELLED = todo(T2, "Ask the editor", status=TodoStatus.CANCELLED)
KEPT = work(depends_on=(T2,), excluded_agents=("bot",))
ALONE = beta(agents=(Participant(id="bot"),))


def test_an_agent_that_may_not_touch_a_dead_end_waits_for_one_that_may() -> None:
    found = decided(beta(), CANCELLED, KEPT, actor=BOT)
    assert (found.mode, found.scheduler.owner) == (Mode.WAIT_FOR_PEERS, "rex")
    other = decided(beta(), CANCELLED, KEPT, actor=REX)
    assert (other.mode, other.reason) == (Mode.REPLAN, "condition-dead")


def test_where_no_agent_may_touch_a_dead_end_a_person_is_asked() -> None:
    found = decided(ALONE, CANCELLED, KEPT, actor=BOT)
    assert (found.mode, found.reason) == (Mode.ASK_USER, "nobody-left")
    assert found.user.action_required and KEPT.id in (found.user.question or "")
    assert not found.channel.must_attempt
    assert decided(ALONE, CANCELLED, KEPT, actor=ANN).reason == "condition-dead"


def test_put_off_work_that_may_go_on_is_somebodys_although_this_agent_is_excluded() -> None:
    woken = work(status=TodoStatus.DEFERRED, resume_when="at:2026-01-01T00:00:00Z", excluded_agents=("bot",))
    assert decided(beta(), woken, actor=BOT).scheduler.owner == "rex"
    assert decided(beta(), woken, actor=REX).reason == "condition-met"


def test_nobody_waits_for_an_agent_that_is_gone_to_answer_an_offer() -> None:
    offer = Handoff(
        id="h-aaaa1111",
        sender="agent:bot",
        receiver="rex",
        next_action="Go on",
        created_at=START,
        created_by="op-1",
        goal="beta",
    )
    bare = beta(acceptance=())
    assert decided(bare, work(acceptance=(), status=TodoStatus.DONE), offer, actor=BOT).mode is Mode.WAIT_FOR_PEERS
    gone = beta(acceptance=(), agents=(Participant(id="bot"),))
    found = decided(gone, work(acceptance=(), status=TodoStatus.DONE), offer, actor=BOT)
    assert found.mode is Mode.CLOSE_OUT  # whose audit names the offer
