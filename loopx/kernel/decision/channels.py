"""The three channels of a decision: what a person has to do with it, what the agent does, which commands come next.

One function a mode. What must hold between the channels is checked where a decision is built
(:mod:`loopx.kernel.decision.record`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.decision.commanding import Commands
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import ANYBODY, PEOPLE, Match, Question, Wait, first_wait
from loopx.kernel.decision.record import AgentChannel, CliChannel, Mode, Scheduler, UserChannel
from loopx.kernel.decision.scheduling import at_once, back_off, never, until
from loopx.kernel.decision.selecting import Candidate, Stuck
from loopx.kernel.obligations.record import Obligation, ObligationKind
from loopx.kernel.policies import ownership
from loopx.kernel.wording import quoted
from loopx.model.policy import Ownership
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.kernel.decision.watching import Watched
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

_SPEND = "once the validation passed and the writeback is accepted, which records it"
_NEXT = "Act now, and ask again once it is written back."


class Channels(NamedTuple):
    """What goes out to whom."""

    user: UserChannel
    agent: AgentChannel
    cli: CliChannel
    scheduler: Scheduler


def channels(facts: Facts, match: Match) -> Channels:
    """The channels of the decision ``match`` makes."""
    agent, cli, scheduler = _OF_MODE[match.mode](facts, match)
    return Channels(_user(facts, match), agent, cli, scheduler)


class _Told(NamedTuple):
    agent: AgentChannel
    cli: CliChannel
    scheduler: Scheduler


def _user(facts: Facts, match: Match) -> UserChannel:
    """A person's part. Whether the agent may run is decided elsewhere; a question only says what a person is asked."""
    if match.mode in (Mode.STOPPED, Mode.TERMINAL):
        return UserChannel()
    if match.mode is Mode.SELF_REPAIR:
        return UserChannel(True, True, f"{match.message} Who put it there, and may it be set right?")
    if match.question is not None:
        return UserChannel(not match.question.asks_first, True, match.question.text)
    doubt = _doubt(facts) if facts.effects else None
    if doubt is not None:
        return UserChannel(True, True, doubt.text)
    if facts.left_to_operators:
        owed = facts.left_to_operators[0]
        return UserChannel(True, True, f"{owed.message} No agent is there to settle {owed.id}.")
    if match.mode is Mode.CLOSE_OUT and facts.others_turns:
        turn = facts.others_turns[0]
        since = format_instant(turn.opened_at)
        text = f"{turn.agent} has {turn.id} open since {since}, and nothing else is left. Is it still at it?"
        return UserChannel(True, True, text)
    if not facts.open_gates and not facts.for_people:
        return UserChannel()
    from loopx.kernel.decision import questions

    standing = questions.first_open(facts)
    return UserChannel(standing is not None, False, standing.text if standing else None)


def _doubt(facts: Facts) -> Question | None:
    from loopx.kernel.decision import questions

    return next((each.question for each in questions.unsure(facts)), None)


# quiet modes --------------------------------------------------------------------------------


def _stopped(facts: Facts, match: Match) -> _Told:
    scheduler = back_off(match.waits[0], facts.now, facts.state.last_change(facts.goal.id))
    return _Told(_quiet("Do nothing for this Goal."), CliChannel(), scheduler)


def _terminal(facts: Facts, match: Match) -> _Told:
    return _Told(_quiet("Stop: this Goal has ended."), CliChannel(), never(match.waits[0], facts.now))


def _waiting(facts: Facts, match: Match) -> _Told:
    """Throttled, waiting for peers, or waiting for the clock and the outside."""
    first = first_wait(match.waits)
    assert first is not None
    scheduler = until(first, facts.now) if first.at is not None else _backed_off(facts, first)
    return _Told(_quiet(f"Wait until {first.ended_by}."), CliChannel((_commands(facts).look_again(),)), scheduler)


def _ask(facts: Facts, match: Match) -> _Told:
    question = match.question
    assert question is not None
    assert match.selected is not None
    wait = Wait(f"{match.selected.id} waits for a person", f"a person settles {match.selected.id}", PEOPLE)
    if question.asks_first:
        act = f"Put the question to a person: open a Gate for {match.selected.facts.get('scope')}."
        return _Told(_must(act), CliChannel(question.commands), at_once(_NEXT, facts.now))
    timed = Wait(wait.what, wait.ended_by, wait.owner, question.deadline)
    agent = _quiet(f"Wait for a person to settle {match.selected.id}; nothing else can be done.")
    return _Told(agent, CliChannel(question.commands), _backed_off(facts, timed))


# modes that act -----------------------------------------------------------------------------


def _self_repair(facts: Facts, match: Match) -> _Told:
    """The one acting mode that is not asked again at once: what an agent cannot repair stays wrong meanwhile."""
    act = "Find out which surface is wrong and who owns it; repair what is derived, and have its owner mend a source."
    wait = Wait(match.message.rstrip("."), "what is committed reads well again", PEOPLE)
    agent = _must(act) if facts.scene.policies.self_repair else _quiet("Wait: a person repairs it here.")
    return _Told(agent, CliChannel((_commands(facts).doctor(),)), _backed_off(facts, wait))


def _reconcile(facts: Facts, match: Match) -> _Told:
    effect = match.subject
    way = f"Read {effect.id} back ({effect.readback}) and record what you find; do not do it again."
    return _Told(_must(way), CliChannel(_commands(facts).settle_effect(effect)), at_once(_NEXT, facts.now))


def _replan(facts: Facts, match: Match) -> _Told:
    commands = _commands(facts)
    if isinstance(match.subject, Obligation):
        owed = match.subject
        act = f"Replan for {owed.id}: it is discharged by {owed.discharged_by}."
        lines = (*_turn_for(facts, owed), *_ways(facts, owed), _writeback(facts, owed))
        return _Told(_must(act), CliChannel(lines, True, _SPEND), at_once(_NEXT, facts.now))
    unmet = next(iter(facts.scene.unmet), None)
    act = "Change the plan: add work that leads on, ask, or say why it ends."
    ways: tuple[str, ...] = (commands.add_todo(unmet), *((commands.meet(unmet),) if unmet else ()))
    if isinstance(match.subject, Stuck):
        todo = match.subject.todo
        act = f"Change the plan around {todo.id} {quoted(todo.title)}: what it waits for cannot come."
        ways = (commands.show_todo(todo), commands.cancel(todo), commands.add_todo(unmet))
    return _Told(_must(act), CliChannel(ways, True, _SPEND), at_once(_NEXT, facts.now))


def _settle(facts: Facts, match: Match) -> _Told:
    turn, commands = match.subject, _commands(facts)
    lines = (commands.settle(turn, done=False), commands.void(turn))
    act = f"End {turn.id}: write back what it delivered, or void it."
    return _Told(_must(act), CliChannel(lines, True, _SPEND), at_once(_NEXT, facts.now))


def _deliver(facts: Facts, match: Match) -> _Told:
    commands = _commands(facts)
    if match.selected is not None and match.selected.kind == "turn":
        turn: Turn = match.subject
        act = f"Carry {turn.id} on, then write it back."
        lines: tuple[str, ...] = (commands.settle(turn, done=turn.todo is not None), commands.void(turn))
        todo = facts.state.todo(turn.todo) if turn.todo is not None else None
        if todo is not None and _has_plan(facts, todo):
            lines = (commands.run(todo), *lines)
    else:
        lines, act = _take_up(facts, match.subject)
    agent = AgentChannel(True, True, False, act)
    return _Told(agent, CliChannel(lines, True, _SPEND), at_once(_NEXT, facts.now))


def _observe(facts: Facts, match: Match) -> _Told:
    watched: Watched = match.subject
    act = f"Look at {watched.todo.target or watched.todo.id} and record what you see; look at nothing else."
    cli = CliChannel(_commands(facts).poll(watched.todo), True, _SPEND)
    return _Told(_must(act), cli, at_once(_NEXT, facts.now))


def _close_out(facts: Facts, match: Match) -> _Told:
    act = "Run the terminal audit, settle or hand to a person what it names, and close the Goal when it is clean."
    wait = Wait(match.message.rstrip("."), "the audit is clean and the Goal is closed", ANYBODY)
    return _Told(_must(act), CliChannel(_commands(facts).audit()), _backed_off(facts, wait))


def _take_up(facts: Facts, best: Candidate) -> tuple[tuple[str, ...], str]:
    commands, todo = _commands(facts), best.todo
    resume = (commands.resume(todo),) if best.needs_resume else ()
    if _has_plan(facts, todo):
        return (*resume, commands.run(todo)), f"Carry out the plan of {todo.id} {quoted(todo.title)}."
    if facts.actor.is_human:
        return (*resume, commands.done(todo)), f"Work on {todo.id} {quoted(todo.title)}."
    leased = ownership(facts.state, facts.goal.id) is Ownership.LEASE
    lease = (commands.acquire(todo),) if leased else ()
    lines = (*resume, *lease, commands.open_turn(todo, leased), commands.settle(None, with_lease=leased))
    return lines, f"Open a turn on {todo.id} {quoted(todo.title)}, deliver one bounded piece of it, and write it back."


def _has_plan(facts: Facts, todo: Todo) -> bool:
    """Whether there is a plan of ``todo`` that can be carried out: one whose run has not ended."""
    runs = {each.id: each for each in facts.state.runs_of(todo.id)}
    if any(not each.status.is_terminal for each in runs.values()):
        return True
    return any(each.run not in runs for each in facts.state.plans_of(todo.id))


def _turn_for(facts: Facts, owed: Obligation) -> tuple[str, ...]:
    """How to get a Turn for an obligation: nothing where one is open already, else after any other is ended."""
    commands, turn = _commands(facts), facts.turn
    if turn is not None and turn.obligation == owed.id:
        return ()
    ended = (commands.settle(turn, done=False),) if turn is not None else ()
    return (*ended, commands.open_for(owed.id))


def _writeback(facts: Facts, owed: Obligation) -> str:
    turn = facts.turn
    is_for_it = turn is not None and turn.obligation == owed.id
    return _commands(facts).settle(turn if is_for_it else None, done=False)


def _ways(facts: Facts, owed: Obligation) -> tuple[str, ...]:
    """A command or two that would discharge an obligation of this kind."""
    commands = _commands(facts)
    if owed.kind is ObligationKind.CHECKPOINT:
        return (commands.set_vision(owed.subjects[0].partition(":")[2]),)
    criterion = owed.subjects[0].partition("/")[2] if owed.kind is ObligationKind.SUCCESSOR else None
    return (commands.add_todo(criterion or next(iter(facts.scene.unmet), None)),)


def _commands(facts: Facts) -> Commands:
    return Commands(facts.name, facts.goal.id)


def _backed_off(facts: Facts, wait: Wait) -> Scheduler:
    return back_off(wait, facts.now, facts.state.last_change(facts.goal.id))


def _must(act: str) -> AgentChannel:
    return AgentChannel(True, False, False, act)


def _quiet(act: str) -> AgentChannel:
    return AgentChannel(False, False, True, act)


_OF_MODE: Mapping[Mode, Callable[[Facts, Match], _Told]] = MappingProxyType(
    {
        Mode.STOPPED: _stopped,
        Mode.TERMINAL: _terminal,
        Mode.SELF_REPAIR: _self_repair,
        Mode.RECONCILE: _reconcile,
        Mode.REPLAN: _replan,
        Mode.SETTLE: _settle,
        Mode.THROTTLED: _waiting,
        Mode.OBSERVE: _observe,
        Mode.DELIVER: _deliver,
        Mode.ASK_USER: _ask,
        Mode.REPAIR_CAPABILITY: _ask,
        Mode.WAIT_FOR_PEERS: _waiting,
        Mode.WAIT: _waiting,
        Mode.CLOSE_OUT: _close_out,
    }
)
