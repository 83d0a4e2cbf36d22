"""Agents that do what each decision says, and a person who does what the user channel asks; nothing else happens.

:func:`drive` plays them in turn until the Goal is closed. It never looks at more than the decision and, where that says
so, the audit: if one of the two left something out, both would be stuck here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta

from loopx.kernel import commands as c
from loopx.kernel.commands.turns import TodoSettlement, VisionSettlement
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.record import Decision, Mode
from loopx.kernel.outcome import Refused
from loopx.model.actor import Actor, Channel
from loopx.model.effect import EffectStatus
from loopx.model.goal import GoalStatus
from loopx.model.todo import Todo, TodoClass, TodoStatus, Validation
from loopx.model.turn import DeliveryOutcome, Scale, Turn
from tests.properties.endgame import GOAL, Move, Stuck, by, passed, settle_one
from tests.support.kernel import ANN, BOT, REX, Desk

ROUNDS = 200
"""Decisions taken at most until the end."""
PATIENCE = 4
"""Waits, or looks at what never changes, in a row after which a person has had enough and looks at the audit."""

AGENTS = (BOT, REX)

Moves = Iterator[Move]

_WORK_WANTED = frozenset({"frontier-exhausted", "successor-missing", "acceptance-open", "goal-unplanned"})
"""Reasons for a replan that call for work that leads on."""


def drive(desk: Desk) -> list[str]:
    """Play until the Goal is closed; what was done. Raises :class:`Stuck`."""
    done: list[str] = []
    idle = 0
    for number in range(ROUNDS):
        if desk.goal(GOAL).status is GoalStatus.CLOSED:
            return done
        played = [*(_played(desk, each) for each in AGENTS), _answered(desk)] if idle < PATIENCE else [settle_one(desk)]
        if number % PATIENCE == 0 and desk.goal(GOAL).status is not GoalStatus.CLOSED:
            played.append(_played(desk, ANN))  # people have a look for themselves too
        desk.wait(minutes=20)  # work takes time, and so leases nobody renews run out
        done += filter(None, played)
        if any(each and not each.startswith(Mode.OBSERVE) for each in played):
            idle = 0
        else:
            desk.now += _wait(desk)
            idle += 1  # to look at what never changes is to wait
    raise Stuck(f"not closed after {ROUNDS} decisions: {done[-12:]}")


def decided(desk: Desk, actor: Actor) -> Decision | None:
    """The decision for ``actor``; ``None`` for one that may not take part. Checks what must hold of any."""
    found = next_action(desk.state, GOAL, actor, desk.now)
    if isinstance(found, Refused):
        assert found.code == "agent-unregistered"
        return None
    told = found.channel.must_attempt or found.user.action_required or found.scheduler.ended_by
    assert told, f"{found.mode}: nobody is told what to do, and nothing is said to end it"
    return found


def _played(desk: Desk, actor: Actor) -> str:
    """What ``actor`` did of what its decision says, if anything of it was accepted and changed something."""
    decision = decided(desk, actor)
    if decision is None or not decision.channel.must_attempt:
        return ""
    return _first(desk, decision, ACTING[decision.mode](desk, decision, actor))


def _answered(desk: Desk) -> str:
    """What a person did of what they were asked, by the decision for the agent or, without one, for themselves."""
    for actor in (*AGENTS, ANN):
        decision = decided(desk, actor)
        if decision is None or desk.goal(GOAL).status is GoalStatus.CLOSED:
            continue
        if decision.user.action_required:
            return _first(desk, decision, _answers(desk, decision))
        if decision.mode is Mode.STOPPED:
            return _first(desk, decision, _stopped())
    return "" if any(decided(desk, each) for each in AGENTS) else _played(desk, ANN)


def _first(desk: Desk, decision: Decision, tried: Moves) -> str:
    for move in tried:
        before = list(desk.entities)
        if move.play(desk) and desk.entities != before:
            return f"{decision.mode} {decision.reason}: {move.name}"
    return ""


def _wait(desk: Desk) -> timedelta:
    """Until the scheduler's hint, an hour at least."""
    found = [decided(desk, each) for each in (*AGENTS, ANN)]
    seconds = min(each.scheduler.after_seconds for each in found if each is not None)
    return timedelta(seconds=min(max(seconds, 3600), 40 * 86400))


# what is done in each mode -----------------------------------------------------------------------


def _turn(desk: Desk, actor: Actor) -> Turn | None:
    name = actor.name if not actor.is_human else "human-ann"
    return next((each for each in desk.state.open_turns(GOAL) if each.agent == name), None)


def _todo(desk: Desk, decision: Decision) -> Todo | None:
    return desk.state.todo(decision.selected.id) if decision.selected is not None else None


def _deliver(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    """Open a turn (with a lease, where one is needed), and settle it with the Todo done and its criteria met."""
    turn = _turn(desk, actor)
    if turn is not None:
        yield from _settle(desk, decision, actor)
        return
    todo = _todo(desk, decision)
    if todo is None:
        return
    yield by(actor, c.ResumeTodo(todo=todo.id))
    lease = desk.state.lease(todo.id)
    if actor.is_human:
        yield from _finished(desk, todo)
        yield by(actor, c.AcquireLease(todo=todo.id, key=f"k-{len(desk.receipts)}"))
        return
    if lease is not None:
        yield by(actor, c.OpenTurn(goal=GOAL, todo=todo.id, lease_key=lease.key))
    yield by(actor, c.OpenTurn(goal=GOAL, todo=todo.id))
    key = f"k-{len(desk.receipts)}"
    yield by(actor, c.AcquireLease(todo=todo.id, key=key))
    yield by(actor, c.AcquireLease(todo=todo.id, key=key, take_over=True))


def _finished(desk: Desk, todo: Todo) -> Moves:
    """A person sees that what it was for is reached, and finishes it."""
    for each in todo.acceptance:
        yield by(ANN, c.MeetCriterion(goal=GOAL, criterion=each, evidence=("I saw that it holds",)))
    lease = desk.state.lease(todo.id)
    done = c.CompleteTodo(todo=todo.id, evidence=passed(desk, todo) if todo.validation else None)
    yield by(ANN, done)
    if lease is not None:
        yield by(ANN, replace(done, lease_key=lease.key))


def _settle(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    turn = _turn(desk, actor)
    if turn is None:
        return
    todo = desk.state.todo(turn.todo) if turn.todo else None
    said = c.SettleTurn(
        goal=GOAL,
        turn=turn.id,
        scale=Scale.SINGLE_SURFACE,
        outcome=DeliveryOutcome.OUTCOME_PROGRESS,
        evidence=(f"Seen, {len(desk.receipts)}",),
        vision=VisionSettlement(summary=f"On we go, {len(desk.receipts)}"),
    )
    if todo is not None:
        ran = passed(desk, todo) if todo.validation else None
        done = replace(said, settlement=TodoSettlement(done=True), validation=ran)
        lease = desk.state.lease(todo.id)
        for each in (done, replace(done, lease_key=lease.key)) if lease is not None else (done,):
            yield by(actor, replace(each, meets=todo.acceptance))
            yield by(actor, each)
    else:
        if not any(each.acceptance and each.validation for each in desk.state.frontier(GOAL)):
            yield _work(desk, actor)
    yield by(actor, said)
    yield by(actor, c.VoidTurn(turn=turn.id, reason="no use"))


def _replan(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    """What discharges it: work that leads on and can be validated, another route, a turn that says so; for a person,
    what shows that a criterion is met."""
    goal = desk.goal(GOAL)
    kind, name = (decision.selected.kind, decision.selected.id) if decision.selected else ("", "")
    if actor.is_human:
        for each in goal.acceptance:
            yield by(actor, c.MeetCriterion(goal=GOAL, criterion=each.id, evidence=("I saw that it holds",)))
        for agent in ("bot", "rex") if "vision" in decision.reason else ():
            yield by(actor, c.SetVision(goal=GOAL, agent=agent, summary=f"Another way, {len(desk.receipts)}"))
    if kind == "todo":
        lease = desk.state.lease(name)
        given_up = c.CancelTodo(todo=name, reason="what it waits for cannot come")
        yield by(actor, given_up)
        if lease is not None:
            yield by(actor, replace(given_up, lease_key=lease.key))
        yield by(actor, c.AcquireLease(todo=name, key=f"k-{len(desk.receipts)}"))
        yield by(actor, c.ResumeTodo(todo=name))
    if decision.reason in _WORK_WANTED:
        yield _work(desk, actor)
    if _turn(desk, actor) is not None:
        yield from _settle(desk, decision, actor)
    if decision.reason in ("monitor-unchanged", "monitor-dead") and decision.obligations:
        yield by(actor, c.CancelTodo(todo=decision.obligations[0].subjects[0], reason="it tells us nothing"))
    if kind == "obligation":
        yield by(actor, c.OpenTurn(goal=GOAL, obligation=name))
    yield _work(desk, actor)


def _work(desk: Desk, actor: Actor) -> Move:
    """A Todo that leads to every criterion and can be validated."""
    wanted = tuple(each.id for each in desk.goal(GOAL).acceptance)
    title = f"Lead on, {len(desk.receipts)}"
    return by(actor, c.AddTodo(goal=GOAL, title=title, acceptance=wanted, validation=Validation(argv=("true",))))


def _reconcile(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    if decision.selected is not None:
        yield by(actor, c.SettleEffect(effect=decision.selected.id, status="absent", evidence=("Read back: no",)))


def _observe(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    todo = _todo(desk, decision)
    if todo is not None:
        log = desk.state.monitor(todo.id)
        if actor.is_human and log is not None and log.unchanged_count >= PATIENCE:
            yield by(actor, c.CancelTodo(todo=todo.id, reason="nothing ever changes there"))
        yield by(actor, c.PollMonitor(todo=todo.id, target=todo.target or "", seen="green", is_material=False))
        yield by(actor, c.CompleteTodo(todo=todo.id, no_follow_up="watched to the end"))


def _ask(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    """The agent asks; the person answers, or does what is theirs to do."""
    selected = decision.selected
    if selected is None:
        return
    scope = str(selected.facts.get("scope") or "")
    if not actor.is_human:
        yield by(actor, c.OpenGate(goal=GOAL, scope=scope, question="May it?"))
        return
    answer = c.DecideGate(gate=selected.id, verb="approve", reason="fine", channel=Channel.TERMINAL)
    yield by(actor, answer)
    yield by(actor, c.ResumeTodo(todo=selected.id))
    todo = desk.state.todo(selected.id)
    yield by(actor, c.CompleteTodo(todo=selected.id, evidence=passed(desk, todo) if todo and todo.validation else None))
    if scope:
        yield by(actor, c.OpenGate(goal=GOAL, scope=scope, question="May it?"))
    yield by(actor, c.CancelTodo(todo=selected.id, reason="not needed"))


def _close_out(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    yield by(actor, c.CloseGoal(goal=GOAL, outcome="achieved"))
    yield by(actor, c.CloseGoal(goal=GOAL, outcome="no_followup", reason="nothing more is wanted"))
    yield Move("what the audit names", act=settle_one)


def _stopped() -> Moves:
    yield by(ANN, c.SetGoalStatus(goal=GOAL, verb="activate", to=GoalStatus.ACTIVE))
    yield by(ANN, c.EditGoal(goal=GOAL, fields={"quota": {"compute": 100}}))


def _answers(desk: Desk, decision: Decision) -> Moves:
    """What a person does about the question they are asked: whatever it is about is named in it or stands open."""
    for effect in desk.state.effects(GOAL, {EffectStatus.UNKNOWN}):
        yield by(ANN, c.SettleEffect(effect=effect.id, status="absent", evidence=("I looked, it is not there",)))
    for gate in desk.state.gates(GOAL):
        yield by(ANN, c.DecideGate(gate=gate.id, verb="approve", reason="fine", channel=Channel.TERMINAL))
    if decision.mode in (Mode.ASK_USER, Mode.REPAIR_CAPABILITY):
        yield from _ask(desk, decision, ANN)
    for todo in desk.state.todos(GOAL, {TodoStatus.OPEN}):
        if todo.todo_class in (TodoClass.USER_ACTION, TodoClass.BLOCKER):
            yield from _finished(desk, todo)
            yield by(ANN, c.AcquireLease(todo=todo.id, key=f"k-{len(desk.receipts)}"))
    for each in desk.goal(GOAL).acceptance:
        yield by(ANN, c.MeetCriterion(goal=GOAL, criterion=each.id, evidence=("I saw that it holds",)))


def _nothing(desk: Desk, decision: Decision, actor: Actor) -> Moves:
    yield from ()


ACTING: Mapping[Mode, Callable[[Desk, Decision, Actor], Moves]] = {
    Mode.STOPPED: _nothing,
    Mode.TERMINAL: _nothing,
    Mode.SELF_REPAIR: _nothing,
    Mode.RECONCILE: _reconcile,
    Mode.REPLAN: _replan,
    Mode.SETTLE: _settle,
    Mode.THROTTLED: _nothing,
    Mode.OBSERVE: _observe,
    Mode.DELIVER: _deliver,
    Mode.ASK_USER: _ask,
    Mode.REPAIR_CAPABILITY: _ask,
    Mode.WAIT_FOR_PEERS: _nothing,
    Mode.WAIT: _nothing,
    Mode.CLOSE_OUT: _close_out,
}
