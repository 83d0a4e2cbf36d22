"""What holds work up, sorted by who or what ends it: nobody any more, a peer, the clock or the outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from loopx.kernel.agents import is_registered, participant
from loopx.kernel.claims import holder
from loopx.kernel.conditions import Wake, waking
from loopx.kernel.decision.facts import Facts
from loopx.kernel.decision.finding import ANYBODY, CLOCK, PEOPLE, Wait
from loopx.kernel.decision.selecting import Stuck
from loopx.kernel.durations import later
from loopx.kernel.handoffs import unanswered
from loopx.kernel.lease_standing import lease_standing
from loopx.kernel.policies import claim_ttl
from loopx.kernel.quota import is_past_its_slots
from loopx.kernel.verdicts import HOPELESS, Reason, ReasonCode, abilities
from loopx.kernel.wording import quoted
from loopx.model.actor import Actor, ActorKind
from loopx.model.goal import AgentMode
from loopx.model.times import format_instant, parse_instant
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.model.todo import Todo

_BEYOND = frozenset({ReasonCode.CAPABILITY_MISSING, ReasonCode.REPOSITORY_ELSEWHERE})
_NOT_MINE = _BEYOND | {ReasonCode.CLAIMED_BY_OTHER, ReasonCode.LEASED_BY_OTHER, ReasonCode.AGENT_EXCLUDED}
_TAKEN = frozenset({ReasonCode.CLAIMED_BY_OTHER, ReasonCode.LEASED_BY_OTHER})
_FENCED = _TAKEN | {ReasonCode.AGENT_EXCLUDED}


def is_dead(stuck: Stuck) -> bool:
    """Whether a Todo waits for what can no longer come, so that only a change of plan helps."""
    return any(True for _ in dead_reasons(stuck))


def dead_reasons(stuck: Stuck) -> Iterator[Reason]:
    """The reasons that no time and no work ends: a dead condition, or a decision that was no."""
    for each in stuck.reasons:
        if each.code in HOPELESS or (each.code is ReasonCode.GATE_REQUIRED and each.facts.get("answer") == "rejected"):
            yield each


def is_beyond(facts: Facts, stuck: Stuck) -> bool:
    """Whether only a missing ability keeps the actor from it, and no other agent that takes part can do it."""
    return bool(stuck.codes) and stuck.codes <= _BEYOND and next(takers(facts, stuck), None) is None


def is_kept_from(facts: Facts, stuck: Stuck) -> bool:
    """Whether the actor may not even give the Todo up: it is excluded, or another has it in hand."""
    return not facts.actor.is_human and bool(stuck.codes & _FENCED)


def is_nobodys(facts: Facts, stuck: Stuck) -> bool:
    """Whether the actor is kept from it for good and no other agent that takes part can do it, or give it up."""
    is_kept = ReasonCode.AGENT_EXCLUDED in stuck.codes and not stuck.codes & _TAKEN and _is_for_another(stuck)
    return is_kept and next(takers(facts, stuck), None) is None


def _is_for_another(stuck: Stuck) -> bool:
    """Whether another could take it up, or change the plan around it, now: nothing it waits for can still come."""
    dead = list(dead_reasons(stuck))
    return all(each.code in _NOT_MINE or each in dead or each.facts.get("wake") == Wake.MET for each in stuck.reasons)


def takers(facts: Facts, stuck: Stuck) -> Iterator[str]:
    """Other agents that take part and could do what nothing but the actor's own limits keep it from."""
    if ReasonCode.REPOSITORY_ELSEWHERE in stuck.codes:
        return
    todo = stuck.todo
    for name in facts.scene.agents:
        found = participant(facts.goal, name)
        if name in (facts.name, *todo.excluded_agents) or found is None or found.mode is AgentMode.MONITOR_ONLY:
            continue
        able = abilities(facts.state, todo, Actor(ActorKind.AGENT, name))
        if able.issuperset(todo.capabilities) and is_registered(facts.state, name, facts.goal.id):
            yield name


def by_peers(facts: Facts) -> Iterator[Wait]:
    """What is in the hands of others: Todos they hold or could take, Turns, looks, read-backs, and offers of work.

    A Turn that has used its slots up is in nobody's hands any more.
    """
    if facts.watches_only and (facts.unclosed or facts.scene.unmet):
        owner = facts.scene.steward
        yield Wait(f"{facts.name} only watches, and work is left", "an agent that does more takes it up", owner)
    for stuck in facts.work.stuck:
        if stuck.codes and (stuck.codes <= _NOT_MINE or (is_kept_from(facts, stuck) and _is_for_another(stuck))):
            yield from _held(facts, stuck)
    for turn in facts.others_turns:
        if not is_past_its_slots(turn, facts.goal, facts.now):
            what = f"{turn.agent} has {turn.id} open on {turn.todo or turn.obligation}"
            yield Wait(what, f"{turn.agent} settles or voids {turn.id}", turn.agent)
    for offer in unanswered(facts.state, facts.goal.id):
        if offer.receiver not in (None, facts.name) and facts.scene.owner(offer.receiver) == offer.receiver:
            what = f"{offer.id} is offered to {offer.receiver}"
            yield Wait(what, f"{offer.receiver} accepts or declines {offer.id}", str(offer.receiver))
    for watched in facts.watch.due:
        watcher = holder(facts.state, watched.todo, facts.now)
        if watcher is not None and watcher != facts.name:
            yield Wait(f"{watched.todo.id} is due and {watcher}'s to look at", f"{watcher} looks at it", watcher)
    for effect in facts.effects:
        if not facts.is_mine(effect):
            owner = facts.scene.owner(effect.agent)
            yield Wait(f"nobody knows whether {effect.id} happened", f"{owner} reads it back", owner)


def by_time(facts: Facts) -> Iterator[tuple[Wait, bool]]:
    """What waits for the clock or the outside, and whether it brings an open criterion closer."""
    for todo in (*facts.work.put_aside, *_blocked_until(facts)):
        found = waking(facts.state, todo, facts.now)
        if found.wake is Wake.WAITING:
            yield _deferred(facts, todo, found.why), _advances(facts, todo)
    for watched in facts.watch.every:
        due = watched.standing.next_due_at
        if due is not None and not watched.standing.is_due:
            what = f"{watched.todo.id} {quoted(watched.todo.title)} is looked at again at {format_instant(due)}"
            yield Wait(what, f"the monitor falls due at {format_instant(due)}", CLOCK, due), _leads(facts, watched.todo)
    for effect in facts.effects:
        if facts.is_mine(effect) and effect.readback_due_at > facts.now:
            due = effect.readback_due_at
            what = f"{effect.id} {quoted(effect.summary)} is read back from {format_instant(due)} on"
            yield Wait(what, f"the read-back falls due at {format_instant(due)}", CLOCK, due), True


def _blocked_until(facts: Facts) -> Iterator[Todo]:
    """Blocked Todos that name what would wake them."""
    blocked = (each.todo for each in facts.work.stuck if each.todo.status is TodoStatus.BLOCKED)
    return (each for each in blocked if each.resume_when is not None)


def _held(facts: Facts, stuck: Stuck) -> Iterator[Wait]:
    todo = stuck.todo
    if stuck.codes & _TAKEN:
        name, until = _taken(facts, todo)
        ends = f"{name} finishes or gives up {todo.id}"
        yield Wait(f"{name} holds {todo.id} {quoted(todo.title)}", ends, name, until)
        return
    name = next(takers(facts, stuck), "")
    if name:
        yield Wait(f"{todo.id} {quoted(todo.title)} is for {name}", f"{name} takes up {todo.id}", name)


def _taken(facts: Facts, todo: Todo) -> tuple[str, datetime | None]:
    """Who holds ``todo`` and until when at least, where the clock ends it."""
    standing = lease_standing(facts.state, todo.id, facts.now)
    if standing.is_live and standing.lease is not None:
        return standing.lease.owner, standing.expires_at
    name = holder(facts.state, todo, facts.now) or "somebody"
    if todo.claimed_at is None:
        return name, None
    lapses = later(todo.claimed_at, claim_ttl(facts.state, facts.goal.id))
    return name, lapses if lapses > facts.now else None


def _deferred(facts: Facts, todo: Todo, why: str) -> Wait:
    condition, _, subject = (todo.resume_when or "").partition(":")
    what = f"{todo.id} {quoted(todo.title)} is put off: {why[:1].lower()}{why[1:].rstrip('.')}"
    ended_by = f"{todo.resume_when} comes true"
    at = _instant(subject) if condition == "at" else None
    return Wait(what, ended_by, _owner_of(facts, condition, subject), at)


def _owner_of(facts: Facts, condition: str, subject: str) -> str:
    """Who brings a wake condition about."""
    if condition == "at":
        return CLOCK
    if condition != "todo_done":
        return PEOPLE if condition in ("gate_approved", "capability", "pr_merged") else ANYBODY
    todo = facts.state.todo(subject)
    return (holder(facts.state, todo, facts.now) if todo is not None else None) or ANYBODY


def _instant(text: str) -> datetime | None:
    try:
        return parse_instant(text)
    except ValueError:
        return None


def _advances(facts: Facts, todo: Todo) -> bool:
    """Whether waiting for ``todo`` is a way forward: it advances an open criterion, or none is open."""
    return not facts.scene.unmet or _leads(facts, todo)


def _leads(facts: Facts, todo: Todo) -> bool:
    return _meets(todo.acceptance, facts.scene.unmet)


def _meets(some: Iterable[str], others: Iterable[str]) -> bool:
    return not set(some).isdisjoint(others)
