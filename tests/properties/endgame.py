"""Playing a Goal to its end: what an agent and a person may do at any moment, and how following the audit ends it.

:func:`moves` is the menu a search draws from; most of it is refused at any one time, which is part of the game.
:func:`settle` does what the audit names, item by item, with nothing but commands that are accepted.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from loopx.kernel import commands as c
from loopx.kernel.closure.audit import audit
from loopx.kernel.closure.record import Audit, AuditItem
from loopx.kernel.commands.turns import TodoSettlement
from loopx.kernel.digest import validation_inputs
from loopx.kernel.outcome import Accepted
from loopx.model.actor import Actor, Channel
from loopx.model.goal import Goal, GoalStatus, Participant, VisionNeed
from loopx.model.ids import EVIDENCE
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import Todo, TodoClass
from loopx.model.turn import DeliveryOutcome, Scale
from loopx.model.workspace import AgentEntry
from tests.support.kernel import ANN, BOT, REX, Desk, config, criterion, goal

GOAL = "beta"
FAR = "2030-01-01T00:00:00Z"


def start(*more: Any, **fields: Any) -> Desk:
    """A Goal with one criterion, an agent that takes part, and one that might."""
    named = {"acceptance": (criterion(),), "agents": (Participant(id="bot"), Participant(id="rex")), **fields}
    return Desk.of(config(AgentEntry(id="bot"), AgentEntry(id="rex")), goal(GOAL, **named), *more)


def fork(desk: Desk) -> Desk:
    """The same desk, apart from the other from now on."""
    return replace(
        desk,
        entities=list(desk.entities),
        receipts=list(desk.receipts),
        known_ids=set(desk.known_ids),
        ids=copy.deepcopy(desk.ids),
    )


@dataclass(frozen=True)
class Move:
    """One thing somebody may try: a command, or letting time pass."""

    name: str
    command: c.Command | None = None
    actor: Actor = ANN
    wait: timedelta = timedelta()
    act: Callable[[Desk], object] | None = None
    """Anything else; whether it came to something is what it returns."""

    def play(self, desk: Desk) -> bool:
        """Whether it was accepted. A refusal changes nothing, which the desk checks."""
        desk.now += self.wait
        if self.act is not None:
            return bool(self.act(desk))
        return self.command is None or isinstance(desk.ask(self.command, self.actor), Accepted)


def moves(desk: Desk) -> Iterator[Move]:
    """Everything there is to try, whether or not it is allowed now."""
    state = desk.state
    for length in (timedelta(hours=1), timedelta(days=8), timedelta(hours=-2)):
        yield Move(f"wait {length}", wait=length)
    yield from _at_large()
    for todo in state.todos(GOAL):
        yield from _with_todo(desk, todo)
    for gate in state.gates(GOAL):
        yield from _with_gate(gate.id)
    for turn in state.turns(GOAL):
        yield from _with_turn(turn.id, turn.todo)
    for effect in state.effects(GOAL):
        yield from _with_effect(effect.id, len(effect.postconditions))
    for handoff in state.handoffs(GOAL):
        yield by(REX, c.AcceptHandoff(handoff=handoff.id))
        yield by(REX, c.DeclineHandoff(handoff=handoff.id, reason="busy"))
    for proposal in state.proposals(GOAL):
        yield by(ANN, c.AcceptProposal(proposal=proposal.id))
        yield by(ANN, c.RejectProposal(proposal=proposal.id, reason="no"))
    for each in [*state.evidences(GOAL)][:2]:
        yield by(ANN, c.ReassessEvidence(evidence=each.id, assessment="superseded", reason="older"))


def _at_large() -> Iterator[Move]:
    yield by(BOT, c.AddTodo(goal=GOAL, title="Write", acceptance=("a1",)))
    watched: dict[str, Any] = {"todo_class": TodoClass.MONITOR, "target": "ci", "cadence": "1h"}
    yield by(ANN, c.AddTodo(goal=GOAL, title="Watch", acceptance=("a1",), **watched))
    yield by(ANN, c.AddTodo(goal=GOAL, title="Look on", watch_only=True, **watched))
    yield by(ANN, c.AddTodo(goal=GOAL, title="Sign", todo_class=TodoClass.USER_ACTION))
    yield by(ANN, c.AddTodo(goal=GOAL, title="Publish", requires=("production:goal:x",), acceptance=("a1",)))
    yield by(BOT, c.OpenGate(goal=GOAL, scope="production:goal:x", question="May it?"))
    yield by(ANN, c.MeetCriterion(goal=GOAL, criterion="a1", evidence=("I saw it",)))
    yield by(ANN, c.UnmeetCriterion(goal=GOAL, criterion="a1", reason="not any more"))
    yield by(ANN, c.WaiveCriterion(goal=GOAL, criterion="a1", reason="no need"))
    yield by(ANN, c.EditGoal(goal=GOAL, add_acceptance=("It is quick",)))
    yield by(ANN, c.EditGoal(goal=GOAL, fields={"policies": {"ownership": "lease"}}))
    yield by(ANN, c.EditGoal(goal=GOAL, fields={"quota": {"compute": 1}}))
    yield by(ANN, c.EditGoal(goal=GOAL, fields={"agents": [{"id": "bot", "vision": VisionNeed.REQUIRED.value}]}))
    for verb, to in (("pause", GoalStatus.PAUSED), ("stop", GoalStatus.STOPPED), ("activate", GoalStatus.ACTIVE)):
        yield by(ANN, c.SetGoalStatus(goal=GOAL, verb=verb, to=to))
    yield by(BOT, c.SetVision(goal=GOAL, agent="bot", summary="Go on", advancement="repeat_until_closed"))
    yield by(ANN, c.RetireVision(goal=GOAL, agent="bot"))
    yield by(BOT, c.OpenEffect(goal=GOAL, summary="Post it", postconditions=("It is there",)))
    yield by(BOT, c.AddProposal(goal=GOAL, title="Try another way"))
    yield by(BOT, c.CreateHandoff(goal=GOAL, to="rex", next_action="Go on"))
    yield by(ANN, c.RemoveAgent(agent="bot", reason="left"))
    yield by(BOT, c.CloseGoal(goal=GOAL, outcome="achieved"))
    yield by(ANN, c.CloseGoal(goal=GOAL, outcome="abandoned", reason="no budget"))
    yield by(ANN, c.ReopenGoal(goal=GOAL, reason="on we go"))


def _with_todo(desk: Desk, todo: Todo) -> Iterator[Move]:
    lease = desk.state.lease(todo.id)
    key, version = (lease.key, lease.version) if lease else ("k-none", 1)
    yield by(BOT, c.ClaimTodo(todo=todo.id))
    yield by(BOT, c.AcquireLease(todo=todo.id, key=f"k-{len(lease.retired) if lease else 0}-bot"))
    yield by(BOT, c.ReleaseLease(todo=todo.id, key=key))
    yield by(BOT, c.TransferLease(todo=todo.id, key=key, version=version, to="rex", new_key=f"k-{version}-rex"))
    yield by(BOT, c.OpenTurn(goal=GOAL, todo=todo.id, lease_key=key if lease else None))
    yield by(BOT, c.CompleteTodo(todo=todo.id, lease_key=key if lease else None))
    yield by(BOT, c.CompleteTodo(todo=todo.id, successors=("Go on with it",), lease_key=key if lease else None))
    yield by(BOT, c.CompleteTodo(todo=todo.id, no_follow_up="all said", lease_key=key if lease else None))
    yield by(ANN, c.CompleteTodo(todo=todo.id))
    yield by(BOT, c.BlockTodo(todo=todo.id, reason="stuck"))
    yield by(ANN, c.DeferTodo(todo=todo.id, until=f"at:{FAR}"))
    yield by(BOT, c.CancelTodo(todo=todo.id, reason="no need"))
    yield by(BOT, c.SupersedeTodo(todo=todo.id, by=("Write it anew",), lease_key=key if lease else None))
    yield by(ANN, c.ReopenTodo(todo=todo.id, reason="not done"))
    others = [each.id for each in desk.state.todos(GOAL) if each.id != todo.id]
    if others:
        yield by(ANN, c.EditTodo(todo=todo.id, fields={"depends_on": others[:1]}))
        yield by(ANN, c.DeferTodo(todo=todo.id, until=f"todo_done:{others[0]}"))
    yield by(ANN, c.EditTodo(todo=todo.id, fields={"validation": {"argv": ["true"]}}))
    yield by(ANN, c.EditTodo(todo=todo.id, fields={"excluded_agents": ["bot"]}))
    if todo.todo_class is TodoClass.MONITOR:
        yield by(BOT, c.PollMonitor(todo=todo.id, target="ci", seen="green"))
        yield by(BOT, c.PollMonitor(todo=todo.id, target="ci", is_dead=True))
        yield by(BOT, c.PollMonitor(todo=todo.id, target="ci", seen="red", is_material=True, successors=("Mend it",)))


def _with_gate(gate: str) -> Iterator[Move]:
    for verb in ("approve", "reject", "defer"):
        yield by(ANN, c.DecideGate(gate=gate, verb=verb, reason="so", channel=Channel.TERMINAL))
    yield by(BOT, c.WithdrawGate(gate=gate, reason="answered elsewhere"))


def _with_turn(turn: str, todo: str | None) -> Iterator[Move]:
    for outcome in (DeliveryOutcome.SURFACE_ONLY, DeliveryOutcome.OUTCOME_PROGRESS):
        settled = c.SettleTurn(
            goal=GOAL, turn=turn, scale=Scale.SINGLE_SURFACE, outcome=outcome, evidence=("I saw it",)
        )
        yield by(BOT, settled)
        if todo is not None:
            yield by(BOT, replace(settled, settlement=TodoSettlement(done=True)))
    yield by(BOT, c.VoidTurn(turn=turn, reason="no use"))


def _with_effect(effect: str, postconditions: int) -> Iterator[Move]:
    for status in ("confirmed", "absent", "compensated"):
        yield by(BOT, c.SettleEffect(effect=effect, status=status, evidence=("I looked",)))
    for number in range(1, postconditions + 1):
        yield by(ANN, c.ConfirmPostcondition(effect=effect, number=number, evidence="I saw it"))


def by(actor: Actor, command: c.Command) -> Move:
    """A command of ``actor``."""
    verb = getattr(command, "verb", "") or getattr(command, "status", "") or getattr(command, "outcome", "")
    return Move(f"{actor} {command.name} {command.subject} {verb}".strip(), command, actor)


# following the audit ------------------------------------------------------------------------------


ROUNDS = 60
"""Steps to an end at most."""


class Stuck(AssertionError):
    """What the audit suggests does not bring the Goal to an end."""


def settle(desk: Desk) -> list[str]:
    """Bring the Goal to an end other than giving it up, as a person who does what the audit names; what was done."""
    done: list[str] = []
    for _ in range(ROUNDS):
        state = desk.state
        found = state.goal(GOAL)
        assert found is not None
        if found.status is GoalStatus.CLOSED:
            return done
        if found.status is not GoalStatus.ACTIVE:
            desk.do(c.SetGoalStatus(goal=GOAL, verb="activate", to=GoalStatus.ACTIVE))
            continue
        report = audit(state, found, desk.now)
        if report.is_clean:
            desk.do(c.CloseGoal(goal=GOAL, outcome="no_followup", reason="all settled"))
            done.append("close")
            continue
        step = _step(desk, found, report)
        desk.wait(days=0 if step else 1)  # a clock that was set back has to catch up with what was recorded before
        done.append(step or "wait")
    raise Stuck(f"not closed after {ROUNDS} rounds: {done[-6:]}")


def settle_one(desk: Desk) -> str:
    """Settle one thing the audit names, as a person would; what was done, if anything."""
    goal = desk.goal(GOAL)
    if goal.status is not GoalStatus.ACTIVE:
        return (
            "activate" if Move("", c.SetGoalStatus(goal=GOAL, verb="activate", to=GoalStatus.ACTIVE)).play(desk) else ""
        )
    return _step(desk, goal, audit(desk.state, goal, desk.now))


def _step(desk: Desk, goal: Goal, report: Audit) -> str:
    """Settle one item of the first line that fails; what was done, or nothing where nothing that was tried helps."""
    for line in (*report.lines, *report.others):
        for item in line.items:
            for move in SETTLING[line.key](desk, goal, item):
                before = _count(desk)
                if move.play(desk) and _count(desk) != before:
                    return f"{line.key}: {move.name}"
    return ""


def _count(desk: Desk) -> list[tuple[str, str]]:
    """What is in the way now."""
    found = desk.state.goal(GOAL)
    assert found is not None
    report = audit(desk.state, found, desk.now)
    return [(line.key, item.id + item.why) for line in (*report.lines, *report.others) for item in line.items]


Settling = Callable[[Desk, Goal, AuditItem], Iterator[Move]]


def _todo(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    todo = desk.state.todo(item.id)
    if todo is None:
        return
    yield by(ANN, c.ResumeTodo(todo=todo.id))
    yield by(ANN, c.CompleteTodo(todo=todo.id, evidence=passed(desk, todo) if todo.validation else None))
    yield by(ANN, c.CancelTodo(todo=todo.id, reason="not needed"))


def passed(desk: Desk, todo: Todo) -> Evidence:
    """What LoopX records when the declared validation runs and passes."""
    return Evidence(
        id=desk.ids.fresh(EVIDENCE),
        kind=EvidenceKind.VALIDATION,
        subject=todo.id,
        source="loopx:validation",
        observed_at=desk.now,
        result=EvidenceResult.PASSED,
        inputs=validation_inputs(todo, desk.state.goal(todo.goal)),
        goal=todo.goal,
    )


def _monitor(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.PollMonitor(todo=item.id, target="ci", seen="green", no_follow_up=None))
    yield by(ANN, c.PollMonitor(todo=item.id, target="ci", seen="green", is_material=False))
    yield by(ANN, c.CancelTodo(todo=item.id, reason="not needed"))


def _gate(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.DecideGate(gate=item.id, verb="approve", reason="fine", channel=Channel.TERMINAL))
    yield by(ANN, c.DecideGate(gate=item.id, verb="reject", reason="no", channel=Channel.TERMINAL))
    yield by(ANN, c.WithdrawGate(gate=item.id, reason="no more"))


def _criterion(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.MeetCriterion(goal=GOAL, criterion=item.id, evidence=("I saw that it holds",)))
    yield by(ANN, c.WaiveCriterion(goal=GOAL, criterion=item.id, reason="not needed"))


def _obligation(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    """An accountable delta: what is open is met, the route is written anew, or it ends."""
    for each in goal.acceptance:
        yield by(ANN, c.MeetCriterion(goal=GOAL, criterion=each.id, evidence=("I saw that it holds",)))
    for agent in ("bot", "rex"):
        yield by(ANN, c.SetVision(goal=GOAL, agent=agent, summary=f"Another way, {len(desk.receipts)}"))
        yield by(ANN, c.RetireVision(goal=GOAL, agent=agent, reason="the end is near"))
    yield by(
        ANN,
        c.SettleTurn(
            goal=GOAL,
            obligation=item.id,
            scale=Scale.TEST_ONLY,
            outcome=DeliveryOutcome.OUTCOME_GAP,
            settlement=TodoSettlement(no_follow_up="nothing more is wanted"),
            negative=("It does not work that way",),
        ),
    )


def _postcondition(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    effect, _, number = item.id.partition("#")
    yield by(ANN, c.SettleEffect(effect=effect, status="confirmed", evidence=("I looked",)))
    yield by(ANN, c.ConfirmPostcondition(effect=effect, number=int(number), evidence="I saw it"))


def _effect(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.SettleEffect(effect=item.id, status="absent", evidence=("I looked, it is not there",)))


def _turn(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.VoidTurn(turn=item.id, reason="the Goal ends"))


def _lease(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.ReleaseLease(todo=item.id, reason="the Goal ends"))


def _handoff(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield by(ANN, c.DeclineHandoff(handoff=item.id, reason="the Goal ends"))


def _read_back(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield from _criterion(desk, goal, item)


def _none(desk: Desk, goal: Goal, item: AuditItem) -> Iterator[Move]:
    yield from ()


SETTLING: dict[str, Settling] = {
    "open_todos": _todo,
    "due_monitors": _monitor,
    "unresolved_blocking_gates": _gate,
    "pending_successors": lambda desk, goal, item: (
        _obligation(desk, goal, item) if item.id.startswith("o-") else _todo(desk, goal, item)
    ),
    "replan_obligations": _obligation,
    "acceptance_gaps": _criterion,
    "retryable_postconditions": _postcondition,
    "required_external_readbacks_are_fresh": _read_back,
    "other_obligations": _obligation,
    "unknown_outcomes": _effect,
    "open_turns": _turn,
    "live_leases": _lease,
    "unanswered_handoffs": _handoff,
    "standing_monitors": lambda desk, goal, item: _todo(desk, goal, item),
    "unreadable_files": _none,
}
"""How a person settles an item of each line."""
