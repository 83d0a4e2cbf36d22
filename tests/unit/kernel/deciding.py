"""Small states of the Goal beta for tests of the decision: agents bot and rex, and whatever can be in the way."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import Match
from loopx.kernel.decision.record import Decision
from loopx.kernel.decision.rules import ORDER
from loopx.kernel.digest import criterion_text
from loopx.kernel.refusal import Refused
from loopx.kernel.state import MemorySource, State
from loopx.model.actor import Actor
from loopx.model.closure import Closure, ClosureLog
from loopx.model.effect import Effect
from loopx.model.entities import Entity
from loopx.model.goal import Goal, GoalOutcome, GoalStatus, Participant
from loopx.model.monitor import MonitorLog, Poll, PollResult
from loopx.model.records import CriterionLog, CriterionMark, CriterionStatus
from loopx.model.todo import Todo, TodoClass
from loopx.model.turn import DeliveryOutcome, Scale, Turn, TurnStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import BOT, T1, Desk, config, criterion, goal, todo

BOTH = (Participant(id="bot"), Participant(id="rex"))
AGENTS = config(AgentEntry(id="bot"), AgentEntry(id="rex"))
M1, M2 = "t-mmmm1111", "t-mmmm2222"
X1 = "x-aaaa1111"
DEPLOY = "production:goal:deploy"


def hours(count: float) -> datetime:
    """That many hours after the start."""
    return START + timedelta(hours=count)


def beta(**fields: Any) -> Goal:
    """The Goal beta with one criterion, a1, and both agents taking part."""
    return goal(**{"acceptance": (criterion(),), "agents": BOTH, **fields})


def work(name: str = T1, **fields: Any) -> Todo:
    """A Todo that advances a1."""
    return todo(name, **{"acceptance": ("a1",), **fields})


def monitor(name: str = M1, **fields: Any) -> Todo:
    """A monitor that is looked at every hour and was never looked at: due at once."""
    watched = {"todo_class": TodoClass.MONITOR, "target": "https://example.org/ci", "cadence": "1h"}
    return todo(name, **{"title": "Watch the build", **watched, **fields})


def looked_at(name: str = M1, at: datetime = START, **fields: Any) -> MonitorLog:
    """The log of a monitor last looked at ``at``."""
    return MonitorLog(**{"todo": name, "polls": 1, "last_polled_at": at, "goal": "beta", **fields})


def poll(number: int, at: datetime, by: str = "agent:bot") -> Poll:
    return Poll(number=number, at=at, by=by, operation=f"op-p{number}", result=PollResult.UNCHANGED)


def effect(**fields: Any) -> Effect:
    """An act of bot of which nobody knows whether it happened, due to be read back now."""
    known = {"id": X1, "summary": "Post the release", "agent": "bot", "readback": "GET /releases"}
    stamps = {"readback_due_at": START, "opened_at": START, "opened_by": "op-x1", "goal": "beta"}
    return Effect(**{**known, **stamps, **fields})


def turn(name: str = "turn-aaaa1111", **fields: Any) -> Turn:
    """An open Turn of bot on T1."""
    seen = {"agent": "bot", "todo": T1, "opened_at": START, "opened_by": "op-t1", "goal": "beta"}
    return Turn(**{"id": name, **seen, **fields})


def settled(number: int, at: datetime, outcome: str = "surface_only", **fields: Any) -> Turn:
    """The ``number``-th settled Turn of bot."""
    ended = {"status": TurnStatus.SETTLED, "settled_at": at, "settled_by": f"op-s{number}", "scale": Scale.TEST_ONLY}
    name = f"turn-{'abcdefghjk'[number % 10]}{number:07}"
    return turn(name, **{"opened_at": at, "outcome": DeliveryOutcome(outcome), **ended, **fields})


def met(name: str = "a1", status: CriterionStatus = CriterionStatus.WAIVED, **fields: Any) -> CriterionLog:
    """A judgement on a criterion that stands."""
    made = {"at": START, "by": "human:Ann", "operation": "op-c1", "reason": "done", "text": criterion_text(criterion())}
    mark = CriterionMark(**{"status": status, **made, **fields})
    return CriterionLog(criterion=name, entries=(mark,), goal="beta")


def ended(outcome: GoalOutcome = GoalOutcome.ACHIEVED, **fields: Any) -> ClosureLog:
    """The record of an end of beta that stands."""
    entry = Closure(**{"outcome": outcome, "at": START, "by": "human:Ann", "operation": "op-end", **fields})
    return ClosureLog(entries=(entry,), goal="beta")


def closed(**fields: Any) -> Goal:
    """beta as it reads once it was achieved."""
    return beta(**{"status": GoalStatus.CLOSED, "outcome": GoalOutcome.ACHIEVED, **fields})


def scene(*entities: Entity, now: datetime = START, **more: Any) -> Facts:
    """The facts the rules look at, for bot; ``actor``, ``unreadable`` and ``changed_at`` may be given."""
    actor = more.pop("actor", BOT)
    state = State(MemorySource([AGENTS, *entities], **more))
    found = state.goal("beta")
    assert found is not None
    return Facts(state, found, actor, now)


def desk(*entities: Entity, now: datetime = START) -> Desk:
    """A desk with the agents, for tests that go on with commands."""
    return Desk([AGENTS, *entities], now=now)


def decided(*entities: Entity, now: datetime = START, actor: Actor = BOT, **more: Any) -> Decision:
    """The decision for bot, or ``actor``, which must be one."""
    found = asked(State(MemorySource([AGENTS, *entities], **more)), now, actor)
    assert isinstance(found, Decision), found
    return found


def on(desk: Desk, actor: Actor = BOT) -> Decision:
    """The decision on a desk."""
    found = asked(desk.state, desk.now, actor)
    assert isinstance(found, Decision), found
    return found


def asked(state: State, now: datetime, actor: Actor = BOT, of: str = "beta") -> Decision | Refused:
    return next_action(state, of, actor, now, "0123456789abcdef")


def matching(facts: Facts) -> list[str]:
    """Every rule that matches, in order, whether or not an earlier one does."""
    return [rule.name for rule in ORDER if isinstance(rule.ask(facts), Match)]
