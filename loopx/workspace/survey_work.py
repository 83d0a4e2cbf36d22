"""The facts of the work on one Goal: what may happen now, what is owed, and everything that is open.

For pages only, since deciding for every agent of every Goal takes its time; nothing a cold read needs comes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from loopx.kernel.cadence import monitor_standing
from loopx.kernel.checkpoints import vision_gaps
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.effects import is_unfinished
from loopx.kernel.handoffs import unanswered
from loopx.kernel.lease_standing import standing_of
from loopx.kernel.obligations.deriving import obligations
from loopx.kernel.plans.standing import standing
from loopx.kernel.quota import quota_of, window
from loopx.kernel.refusal import Refused
from loopx.model.actor import Actor, ActorKind
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.layout import run_path
from loopx.model.lease import LeaseStatus
from loopx.model.proposal import ProposalStatus
from loopx.model.step import StepStatus
from loopx.model.times import format_instant
from loopx.model.todo import TodoClass
from loopx.projections.work_facts import (
    DecisionFacts,
    EffectFacts,
    GapFacts,
    HandoffFacts,
    LeaseFacts,
    MonitorFacts,
    ObligationFacts,
    ProposalFacts,
    RunFacts,
    RunningFacts,
    StepFacts,
    TurnFacts,
    WindowFacts,
    WorkFacts,
)

if TYPE_CHECKING:
    from loopx.kernel.decision.record import Decision, Step
    from loopx.kernel.obligations.record import Obligation
    from loopx.kernel.plans.standing import PlanStanding, StepStanding
    from loopx.model.effect import Effect
    from loopx.model.goal import Goal
    from loopx.model.handoff import Handoff
    from loopx.model.lease import Lease
    from loopx.model.proposal import Proposal
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn
    from loopx.workspace.survey import Surveyor

LAST_TURNS = 5
"""Turns that ended, of those a page tells."""
_MOST = 100
"""Lines of one list a page tells; how many more there are is counted."""


def work_facts(surveyor: Surveyor, goal: Goal) -> WorkFacts:
    """Everything about the work on ``goal``."""
    return _Work(surveyor, goal).make()


def obligation_facts(each: Obligation, goal: str = "") -> ObligationFacts:
    """One obligation as pages tell it."""
    return ObligationFacts(
        id=each.id,
        kind=each.kind.value,
        trigger=each.trigger,
        owner=each.owner,
        message=each.message,
        discharged_by=each.discharged_by,
        goal=goal,
        subjects=each.subjects,
    )


class _Work:
    """Makes the facts of one Goal."""

    def __init__(self, surveyor: Surveyor, goal: Goal) -> None:
        self.surveyor = surveyor
        self.state = surveyor.state
        self.now: datetime = surveyor.view.at
        self.goal = goal
        self.truncated: dict[str, int] = {}

    def make(self) -> WorkFacts:
        goal, state = self.goal.id, self.state
        owed = obligations(state, self.goal, self.now)
        return WorkFacts(
            decisions=tuple(self._decision(each) for each in self._actors()),
            obligations=self._some("obligations", (obligation_facts(each, goal) for each in owed)),
            leases=self._some("leases", map(self._lease, state.leases(goal, [LeaseStatus.ACTIVE]))),
            turns=self._some("turns", self._turns()),
            runs=self._some("runs", self._runs()),
            window=self._window(),
            gaps=tuple(self._gaps()),
            monitors=self._some("monitors", self._monitors()),
            effects=self._some("effects", map(self._effect, filter(is_unfinished, state.effects(goal)))),
            handoffs=self._some("handoffs", map(self._handoff, unanswered(state, goal))),
            proposals=self._some("proposals", map(self._proposal, state.proposals(goal, [ProposalStatus.PROPOSED]))),
            truncated=self.truncated,
        )

    def _some(self, name: str, found: Iterable[Any]) -> tuple[Any, ...]:
        items = iter(found)
        shown = tuple(islice(items, _MOST))
        more = sum(1 for _ in items)
        if more:
            self.truncated[name] = more
        return shown

    # decisions -------------------------------------------------------------------------------

    def _actors(self) -> list[Actor]:
        """Whoever takes part; where no agent does, a person who may decide."""
        if self.goal.agents:
            return [Actor(ActorKind.AGENT, each.id) for each in self.goal.agents]
        config = self.state.config()
        return [Actor(ActorKind.HUMAN, config.operators[0] if config and config.operators else "anybody")]

    def _decision(self, actor: Actor) -> DecisionFacts:
        agent = "" if actor.is_human else actor.name
        found = next_action(self.state, self.goal.id, actor, self.now, self.surveyor.view.revision)
        if isinstance(found, Refused):
            return DecisionFacts(agent=agent, mode="refused", reason=found.code, message=found.message)
        return DecisionFacts(
            agent=agent,
            mode=found.mode.value,
            reason=found.reason,
            message=found.message,
            action=found.channel.primary_action,
            commands=found.cli.commands,
            spending=found.cli.spend_when,
            question=(found.user.question or "") if found.user.action_required else "",
            ended_by=_ended_by(found),
            about=found.selected.id if found.selected is not None else "",
            obligations=tuple(each.id for each in found.obligations),
            trace=tuple(_step(each) for each in found.trace if each.facts.get("asked") is not False),
        )

    def _runs(self) -> Iterator[RunFacts]:
        """Plans whose runs have not ended, those nobody began included."""
        for plan in self.state.plans(self.goal.id):
            run = self.state.run(plan.run)
            if run is None or not run.status.is_terminal:
                yield self._run(standing(self.state, plan))

    def _run(self, stands: PlanStanding) -> RunFacts:
        plan, run, tally = stands.plan, stands.run, stands.tally
        return RunFacts(
            id=plan.run,
            todo=plan.todo,
            objective=plan.objective,
            status=stands.status,
            complete=tally.complete,
            counting=tally.counting,
            running=tuple(_running(each) for each in stands.steps if each.status is StepStatus.IN_PROGRESS),
            gate=(run.gate or "") if run is not None else "",
            started_by=run.started_by if run is not None else "",
            started_at=run.started_at if run is not None else None,
            path=run_path(Kind.PLAN, plan.goal, plan.todo, plan.run),
        )

    def _gaps(self) -> Iterator[GapFacts]:
        for agent in dict.fromkeys([*(each.id for each in self.goal.agents), *self._keepers()]):
            for gap in vision_gaps(self.state, self.goal, agent, self.now):
                yield GapFacts(agent=agent, code=gap.code.value, message=gap.message, discharged_by=gap.discharged_by)

    def _keepers(self) -> Iterator[str]:
        return (each.agent for each in self.state.visions(self.goal.id))

    # what is open ----------------------------------------------------------------------------

    def _lease(self, lease: Lease) -> LeaseFacts:
        standing = standing_of(lease, self.now)
        return LeaseFacts(
            todo=lease.todo,
            owner=lease.owner,
            epoch=lease.epoch,
            version=lease.version,
            acquired_at=lease.acquired_at,
            renewed_at=lease.renewed_at,
            expires_at=standing.expires_at or lease.expires_at,
            write_scopes=lease.write_scopes,
            is_from_future=standing.is_from_future,
        )

    def _turns(self) -> Iterator[TurnFacts]:
        yield from map(self._turn, self.state.open_turns(self.goal.id))
        ended = (each for each in self.state.turns(self.goal.id, limit=4 * LAST_TURNS) if each.settled_at is not None)
        yield from map(self._turn, islice(ended, LAST_TURNS))

    def _turn(self, turn: Turn) -> TurnFacts:
        return TurnFacts(
            id=turn.id,
            agent=turn.agent,
            status=turn.status.value,
            opened_at=turn.opened_at,
            todo=turn.todo or "",
            obligation=turn.obligation or "",
            ended_at=turn.settled_at,
            scale=turn.scale.value if turn.scale else "",
            outcome=turn.outcome.value if turn.outcome else "",
            claimed=turn.claimed.value if turn.claimed else "",
            delta=turn.delta,
            checkpoint=(turn.checkpoint.gap or turn.checkpoint.result.value) if turn.checkpoint else "",
            slots=turn.spend.slots if turn.spend is not None and turn.spend.voided_at is None else 0,
            next_action=turn.next_action or "",
            path=self._path(Kind.TURN, turn.id),
        )

    def _window(self) -> WindowFacts:
        found = window(self.state, self.goal, self.now)
        hours = quota_of(self.goal).window_hours
        return WindowFacts(spent=found.spent, limit=found.limit, hours=hours, frees_at=found.frees_at)

    def _monitors(self) -> Iterator[MonitorFacts]:
        if self.goal.status is not GoalStatus.CLOSED:
            yield from map(self._monitor, self.state.open_of_class(self.goal.id, TodoClass.MONITOR))

    def _monitor(self, todo: Todo) -> MonitorFacts:
        log = self.state.monitor(todo.id)
        return MonitorFacts(
            todo=todo.id,
            title=todo.title,
            target=todo.target or "",
            cadence=todo.cadence or "",
            next_due_at=monitor_standing(self.state, todo, self.now).next_due_at,
            expires_at=todo.expires_at,
            polls=log.polls if log else 0,
            unchanged=log.unchanged_count if log else 0,
            dead=log.dead_count if log else 0,
            last_polled_at=log.last_polled_at if log else None,
            last_seen=log.recent[-1].summary if log and log.recent else "",
            path=self._path(Kind.TODO, todo.id),
        )

    def _effect(self, effect: Effect) -> EffectFacts:
        return EffectFacts(
            id=effect.id,
            summary=effect.summary,
            status=effect.status.value,
            agent=effect.agent,
            todo=effect.todo or "",
            readback=effect.readback or "",
            readback_due_at=effect.readback_due_at,
            opened_at=effect.opened_at,
            unconfirmed=tuple(each.text for each in effect.postconditions if each.confirmed_at is None),
            path=self._path(Kind.EFFECT, effect.id),
        )

    def _handoff(self, handoff: Handoff) -> HandoffFacts:
        return HandoffFacts(
            id=handoff.id,
            sender=handoff.sender,
            receiver=handoff.receiver or "",
            todos=handoff.todos,
            next_action=handoff.next_action,
            created_at=handoff.created_at,
            path=self._path(Kind.HANDOFF, handoff.id),
        )

    def _proposal(self, proposal: Proposal) -> ProposalFacts:
        return ProposalFacts(
            id=proposal.id,
            title=proposal.title,
            proposed_by=proposal.proposed_by or "",
            created_at=proposal.created_at,
            path=self._path(Kind.PROPOSAL, proposal.id),
        )

    def _path(self, kind: Kind, identity: str) -> str:
        return self.surveyor.path_of(kind, identity, self.goal.id)


def _running(stands: StepStanding) -> RunningFacts:
    attempts = stands.record.attempts if stands.record is not None else ()
    last = attempts[-1] if attempts else None
    since = last.started_at if last is not None else None
    return RunningFacts(id=stands.meant.id, since=since, attempt=max(1, len(attempts)))


def _ended_by(decision: Decision) -> str:
    """The fact that ends the wait, and whose it is."""
    fact, owner = decision.scheduler.ended_by, decision.scheduler.owner
    return f"{fact} ({owner})" if fact and owner else fact


def _step(step: Step) -> StepFacts:
    return StepFacts(rule=step.rule, is_match=step.is_match, facts=tuple(_said(step.facts)))


def _said(facts: Mapping[str, Any]) -> Iterator[str]:
    """Facts of a rule in words, without those that say nothing."""
    for name, value in facts.items():
        if value in (None, "", (), []):
            continue
        yield f"{name.replace('_', ' ')}: {_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return str(value)
