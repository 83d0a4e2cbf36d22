"""Rules of effects: record the intent, act, record the outcome.

While the intent is the newest fact a second act on the same work is refused, so that no new id hides what nobody knows
about the first. Only evidence leads out of *unknown*, and what happened stays so: a wrong effect is made good, not
unmade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from loopx.kernel.agents import only_watches, unregistered
from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.apply import updated
from loopx.kernel.authority import beyond
from loopx.kernel.citing import Cited, read_citations
from loopx.kernel.claims import holder_name
from loopx.kernel.commands import Command, ConfirmPostcondition, OpenEffect, SettleEffect
from loopx.kernel.context import Context
from loopx.kernel.durations import LONGEST, later
from loopx.kernel.effects import unknown_effects
from loopx.kernel.fencing import fence
from loopx.kernel.outcome import Change, Outcome, Record, Refused
from loopx.kernel.privacy import bad_texts, is_shared
from loopx.kernel.resolve import find_goal, find_todo, folded_name, resolve
from loopx.kernel.scopes import overlap
from loopx.kernel.state import State
from loopx.kernel.support import applies
from loopx.kernel.texts import bad_line, bad_lines
from loopx.kernel.transitions import move
from loopx.kernel.verdicts import verdict
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.actor import ActorKind
from loopx.model.effect import Effect, EffectStatus, Postcondition
from loopx.model.goal import Goal, GoalStatus
from loopx.model.ids import EFFECT, normalised_title
from loopx.model.kind import Kind
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.times import format_instant
from loopx.model.todo import Todo

_OUTCOMES = (EffectStatus.CONFIRMED, EffectStatus.ABSENT, EffectStatus.COMPENSATED)


def open_effect(state: State, command: OpenEffect, context: Context) -> Outcome:
    """Record what is about to be done outside. Its id is handed there as idempotency key."""
    found = _work(state, command, context)
    if isinstance(found, Refused):
        return found
    goal, todo = found
    agent = _agent(state, command, context, goal)
    if isinstance(agent, Refused):
        return agent
    refused = _bad_texts(state, command) or _unsettled(state, command, goal, todo)
    if refused := refused or (_not_now(state, todo, command, context) if todo else None):
        return refused
    effect = _intent(state, command, context, goal, todo, agent)
    due = format_instant(effect.readback_due_at)
    return _answer(command, context, effect, [Record(effect)], effect.summary, readback_due_at=due)


def settle(state: State, command: SettleEffect, context: Context) -> Outcome:
    """Record what became of an effect, and on what that is known."""
    effect = find_effect(state, command.effect)
    if isinstance(effect, Refused):
        return effect
    refused = _not_yours(effect, context) or _bad_reason(state, command)
    status = next((each for each in _OUTCOMES if each == command.status), None)
    if refused is None and status is None:
        refused = refuse("field-value", f"{quoted(command.status)} is no outcome.", f"Use {listed(_OUTCOMES)}.")
    if refused or status is None:
        return refused or _unknown(command.effect)
    if effect.status is status:
        return _answer(command, context, effect, [], already=True)
    cited = _cited(state, effect, command, context)
    if isinstance(cited, Refused):
        return cited
    change = move(
        effect,
        status,
        command.name,
        settled_at=stamp(context),
        settled_by=context.operation,
        evidence=(*effect.evidence, *(each for each in cited.ids if each not in effect.evidence)),
        reason=command.reason.strip() if command.reason else None,
    )
    if isinstance(change, Refused):
        return change
    after = updated(effect, change)
    body = command.reason or "\n".join(each.summary for each in cited.evidence)
    return _answer(command, context, after, [Record(after), *map(Record, cited.made)], body, evidence=list(cited.ids))


def confirm(state: State, command: ConfirmPostcondition, context: Context) -> Outcome:
    """Record that a follow-up was seen to hold, by a person or by evidence that is more than the claimant's word."""
    effect = find_effect(state, command.effect)
    if isinstance(effect, Refused):
        return effect
    if not 1 <= command.number <= len(effect.postconditions):
        count = len(effect.postconditions)
        hint = f"They are counted from 1 to {count}." if count else "Nothing was declared that must hold after it."
        return refuse("postcondition-unknown", f"{effect.id} has no postcondition {command.number}.", hint)
    if effect.status is not EffectStatus.CONFIRMED:
        message = f"The outcome of {effect.id} is {effect.status}, so nothing has to hold after it yet."
        hint = f"Settle it first: loopx effect settle {effect.id} --status confirmed --evidence …"
        if effect.status is not EffectStatus.UNKNOWN:
            message, hint = (
                f"{effect.id} is {effect.status}, so nothing has to hold after it.",
                "Nothing is left to do.",
            )
        return refuse("effect-not-confirmed", message, hint, effect=effect.id, status=effect.status.value)
    known = effect.postconditions[command.number - 1]
    if known.confirmed_at is not None:
        return _answer(command, context, effect, [], already=True, number=command.number)
    return _confirmed(state, effect, known, command, context)


def find_effect(state: State, typed: str) -> Effect | Refused:
    """The effect ``typed`` names."""
    identity = resolve(state, Kind.EFFECT, typed)
    return identity if isinstance(identity, Refused) else state.effect(identity) or _unknown(typed)


def _unknown(typed: str) -> Refused:
    return refuse("effect-unknown", f"There is no effect {quoted(typed)}.", typed=typed)


def _work(state: State, command: OpenEffect, context: Context) -> tuple[Goal, Todo | None] | Refused:
    """The Goal, which is active, and the Todo of it that it is done for."""
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if goal.status is not GoalStatus.ACTIVE:
        return refuse("effect-not-now", f"Goal {goal.id} is {goal.status}.", goal=goal.id)
    if command.todo is None:
        return goal, None
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused):
        return todo
    if todo.goal != goal.id:
        return refuse("field-value", f"{todo.id} is work of {todo.goal}, not of {goal.id}.", field="todo")
    return goal, todo


def _not_now(state: State, todo: Todo, command: OpenEffect, context: Context) -> Refused | None:
    """The refusal of an act for work that may not be done right now, or not by this actor."""
    refused = fence(state, todo, context, command.lease_key)
    if refused:
        return refused
    found = verdict(state, todo, context.actor, context.now)
    if found.is_runnable:
        return None
    reason = found.reasons[0]
    hint = f"`loopx why {todo.id}` tells every reason."
    return refuse("effect-not-now", f"{todo.id}: {reason.message}", hint, todo=todo.id, reason=reason.code.value)


def _agent(state: State, command: OpenEffect, context: Context, goal: Goal) -> str | Refused:
    """Who does it: the actor itself or, where a person records it, whom they name."""
    own = holder_name(context.actor)
    agent = own if command.agent is None else folded_name(command.agent)
    if agent != own and not context.actor.is_human:
        return beyond(context, f"it records its own effects, not those of {agent}")
    if context.actor.is_human and agent == own:
        return agent
    if only_watches(goal, agent):
        return beyond(context, f"{agent} only monitors in {goal.id}")
    return unregistered(state, agent, goal.id) or agent


def _bad_texts(state: State, command: OpenEffect) -> Refused | None:
    said: list[tuple[str, str | None]] = [("summary", command.summary), ("readback", command.readback)]
    said += [("postconditions", each) for each in command.postconditions]
    refused = bad_line(command.summary, "summary") or bad_lines(command.postconditions, "postconditions")
    refused = refused or bad_lines(command.write_scopes, "write_scopes")
    if refused is None and command.readback is not None:
        refused = bad_line(command.readback, "readback")
    return refused or bad_texts(said, is_shared(state))


def _unsettled(state: State, command: OpenEffect, goal: Goal, todo: Todo | None) -> Refused | None:
    """The refusal of an act while what became of an earlier one on the same work is not known."""
    title = normalised_title(command.summary)
    for each in unknown_effects(state, goal.id):
        is_same = normalised_title(each.summary) == title or (todo is not None and each.todo == todo.id)
        if is_same or overlap(each.write_scopes, command.write_scopes):
            message = f"What became of {each.id} {quoted(each.summary)} is not known yet."
            hint = f"Read it back, then `loopx effect settle {each.id}`; a new act would only hide it."
            return refuse("effect-unsettled", message, hint, effect=each.id, agent=each.agent)
    return None


def _intent(state: State, command: OpenEffect, context: Context, goal: Goal, todo: Todo | None, agent: str) -> Effect:
    at = stamp(context)
    seconds = min(max(command.readback_after_seconds, 0), int(LONGEST.total_seconds()))
    return Effect(
        id=fresh_id(state, context, EFFECT),
        summary=command.summary.strip(),
        agent=agent,
        todo=todo.id if todo else None,
        readback=command.readback.strip() if command.readback else None,
        readback_due_at=later(at, timedelta(seconds=seconds)),
        write_scopes=tuple(dict.fromkeys(each.strip() for each in command.write_scopes)),
        postconditions=tuple(Postcondition(text=each.strip()) for each in command.postconditions),
        opened_at=at,
        opened_by=context.operation,
        goal=goal.id,
    )


def _not_yours(effect: Effect, context: Context) -> Refused | None:
    if context.actor.is_human or effect.agent == context.actor.name:
        return None
    return beyond(context, f"{effect.id} is an act of {effect.agent}")


def _bad_reason(state: State, command: SettleEffect) -> Refused | None:
    if command.reason is None:
        return None
    return bad_line(command.reason, "reason") or bad_texts([("reason", command.reason)], is_shared(state))


def _cited(state: State, effect: Effect, command: SettleEffect, context: Context) -> Cited | Refused:
    """What shows the outcome: seen after the intent, or for what was made good after it was known to have happened."""
    since = effect.settled_at or effect.opened_at
    cited = read_citations(state, command.evidence, context, subject=effect.id, goal=effect.goal, since=since)
    if isinstance(cited, Refused) or set(cited.ids) - set(effect.evidence):
        return cited
    hint = "Cite evidence by its id, or say in words what was read back, with --evidence."
    return refuse(
        "effect-unproven", f"Nothing new was cited that shows what became of {effect.id}.", hint, effect=effect.id
    )


def _confirmed(
    state: State, effect: Effect, known: Postcondition, command: ConfirmPostcondition, context: Context
) -> Outcome:
    given = (command.evidence,) if command.evidence is not None else ()
    cited = read_citations(state, given, context, subject=effect.id, goal=effect.goal, since=effect.opened_at)
    if isinstance(cited, Refused):
        return cited
    by = str(context.actor)
    shown = context.actor.is_human or any(_is_shown(state, effect, each, context.now) for each in cited.evidence)
    if not shown:
        message = f"Nothing but the word of {context.actor.name} shows that {quoted(known.text)} holds."
        return refuse("postcondition-unproven", message, effect=effect.id, number=command.number)
    seen = replace(known, confirmed_at=stamp(context), confirmed_by=by, evidence=next(iter(cited.ids), None))
    at = command.number - 1
    after = replace(effect, postconditions=(*effect.postconditions[:at], seen, *effect.postconditions[at + 1 :]))
    changes: list[Change] = [Record(after), *map(Record, cited.made)]
    left = sum(each.confirmed_at is None for each in after.postconditions)
    return _answer(command, context, after, changes, known.text, number=command.number, left=left)


def _is_shown(state: State, effect: Effect, evidence: Evidence, now: datetime) -> bool:
    """Whether ``evidence`` about the effect, or the Todo it is for, is a person's word or what LoopX saw itself."""
    if evidence.subject not in (effect.id, effect.todo):
        return False
    if evidence.source.startswith(f"{ActorKind.HUMAN}:"):
        said = evidence.kind not in (EvidenceKind.NEGATIVE_RESULT, EvidenceKind.DECISION)
        said = said and evidence.result in (EvidenceResult.NOTED, EvidenceResult.PASSED)
    else:
        said = evidence.kind in (EvidenceKind.VALIDATION, EvidenceKind.READBACK)
        said = said and evidence.result is EvidenceResult.PASSED
    return said and applies(state, evidence, now)


def _answer(
    command: Command,
    context: Context,
    effect: Effect,
    changes: Sequence[Change],
    body: str = "",
    *,
    already: bool = False,
    **facts: object,
) -> Outcome:
    return accepted(
        command,
        context,
        subject=f"effect {effect.id}",
        goal=effect.goal,
        headline=headline("effect", command.name.split()[1], effect.id, effect.summary),
        changes=changes,
        body=body,
        result={"id": effect.id, "status": effect.status.value, "already": already, **facts},
    )
