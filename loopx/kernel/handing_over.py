"""Rules of handoffs: offering work, taking it on, turning it down.

A packet is bounded and grants nothing: ids, the next step, when to stop, and what was left out with the legal way to
get it. Whoever accepts goes through today's guards; the claim moves and the sender's lease ends in one commit, so that
never both or neither may go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loopx.kernel.agents import only_watches, unregistered
from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.apply import updated
from loopx.kernel.authority import beyond
from loopx.kernel.claims import PERSON_PREFIX, holder_name
from loopx.kernel.commands import AcceptHandoff, Command, CreateHandoff, DeclineHandoff
from loopx.kernel.context import Context
from loopx.kernel.fencing import closed, held_by_another
from loopx.kernel.handoffs import find_handoff, unanswered
from loopx.kernel.lease_record import endings
from loopx.kernel.lease_standing import live_lease
from loopx.kernel.outcome import Change, Outcome, Record, Refused
from loopx.kernel.policies import ownership
from loopx.kernel.privacy import bad_texts, is_shared, names_private
from loopx.kernel.references import goal_taking_work
from loopx.kernel.resolve import find_todo, folded_name, resolve
from loopx.kernel.standing import GateBook
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent, bad_line, bad_lines, bad_reason, read_scope
from loopx.kernel.transitions import move, update
from loopx.kernel.verdicts import Reason, ReasonCode, verdict
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.actor import Actor
from loopx.model.goal import Goal
from loopx.model.handoff import Handoff, HandoffStatus
from loopx.model.ids import HANDOFF
from loopx.model.kind import Kind
from loopx.model.policy import Ownership
from loopx.model.todo import Todo

LIMIT = 20
"""Todos, pieces of evidence and omissions a packet may name, each."""
_KEEPS_AWAY = frozenset(
    {
        ReasonCode.GOAL_NOT_ACTIVE,
        ReasonCode.TODO_CLOSED,
        ReasonCode.LEASED_BY_OTHER,
        ReasonCode.CLAIMED_BY_OTHER,
        ReasonCode.AGENT_EXCLUDED,
        ReasonCode.CAPABILITY_MISSING,
        ReasonCode.REPOSITORY_ELSEWHERE,
    }
)
"""What keeps a receiver from taking work on. What the work itself waits for is handed over with it."""
_HELD = frozenset({ReasonCode.LEASED_BY_OTHER, ReasonCode.CLAIMED_BY_OTHER})


def create(state: State, command: CreateHandoff, context: Context) -> Outcome:
    """Offer work to one agent or to anybody."""
    goal = goal_taking_work(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    refused = _bad_texts(state, goal, command) or _too_large(command)
    if refused:
        return refused
    todos = _todos(state, goal, command, context)
    if isinstance(todos, Refused):
        return todos
    receiver = _receiver(state, goal, command, context, todos)
    if isinstance(receiver, Refused):
        return receiver
    evidence = _evidence(state, command)
    if isinstance(evidence, Refused):
        return evidence
    handoff = Handoff(
        id=fresh_id(state, context, HANDOFF),
        sender=str(context.actor),
        receiver=receiver,
        todos=tuple(each.id for each in todos),
        gates=_gates(state, todos, context),
        evidence=evidence,
        revision=command.basis,
        next_action=command.next_action.strip(),
        stop_condition=command.stop_condition.strip() if command.stop_condition else None,
        omitted=tuple(each.strip() for each in command.omitted),
        created_at=stamp(context),
        created_by=context.operation,
        goal=goal.id,
    )
    facts = {"to": receiver, "todos": list(handoff.todos), "gates": list(handoff.gates)[:LIMIT]}
    return _answer(command, context, handoff, [Record(handoff)], handoff.next_action, facts)


def accept(state: State, command: AcceptHandoff, context: Context) -> Outcome:
    """Take the work on: its claims are the receiver's from now on."""
    handoff = find_handoff(state, command.handoff)
    if isinstance(handoff, Refused):
        return handoff
    if handoff.status is HandoffStatus.ACCEPTED and handoff.answered_by == str(context.actor):
        return _answer(command, context, handoff, [], already=True)
    if refused := _not_for(state, handoff, context):
        return refused
    answered = {"answered_at": stamp(context), "answered_by": str(context.actor)}
    change = move(handoff, HandoffStatus.ACCEPTED, command.name, **answered)
    if isinstance(change, Refused):
        return change
    if refused := _kept_away(state, handoff, context):
        return refused
    after = updated(handoff, change)
    to_lease = [each for each in after.todos if ownership(state, after.goal) is Ownership.LEASE]
    facts = {"todos": list(after.todos), "next_action": after.next_action, "acquire": to_lease}
    return _answer(command, context, after, [Record(after), *_moved(state, after, context)], facts=facts)


def decline(state: State, command: DeclineHandoff, context: Context) -> Outcome:
    """Turn it down, or take it back; whoever held the work holds it still."""
    handoff = find_handoff(state, command.handoff)
    if isinstance(handoff, Refused):
        return handoff
    is_party = str(context.actor) == handoff.sender or context.actor.name == handoff.receiver
    if not context.actor.is_human and not is_party:
        return beyond(context, f"{handoff.id} is between {handoff.sender} and {handoff.receiver or 'anybody'}")
    refused = bad_reason(command.reason) or _said(state, handoff.goal, [("reason", command.reason)])
    if refused:
        return refused
    if handoff.status is HandoffStatus.DECLINED:
        return _answer(command, context, handoff, [], already=True)
    reason = command.reason.strip()
    answered = {"answered_at": stamp(context), "answered_by": str(context.actor)}
    change = move(handoff, HandoffStatus.DECLINED, command.name, reason=reason, **answered)
    if isinstance(change, Refused):
        return change
    after = updated(handoff, change)
    return _answer(command, context, after, [Record(after)], reason)


# what is offered -----------------------------------------------------------------------------


def _bad_texts(state: State, goal: Goal, command: CreateHandoff) -> Refused | None:
    refused = bad_line(command.next_action, "next_action") or bad_lines(command.omitted, "omitted")
    if refused is None and command.stop_condition is not None:
        refused = bad_line(command.stop_condition, "stop_condition")
    said = [("next_action", command.next_action), ("stop_condition", command.stop_condition or "")]
    return refused or _said(state, goal.id, [*said, *(("omitted", each) for each in command.omitted)])


def _said(state: State, goal_id: str, texts: Sequence[tuple[str, str]]) -> Refused | None:
    """The refusal of texts that hold what no packet may."""
    goal = state.goal(goal_id)
    private = goal.boundary.private_paths if goal is not None and goal.boundary is not None else ()
    return bad_texts(texts, is_shared(state)) or names_private(texts, private)


def _too_large(command: CreateHandoff) -> Refused | None:
    for name in ("todos", "evidence", "omitted"):
        count = len(getattr(command, name))
        if count > LIMIT:
            message = f"A handoff names at most {LIMIT} {name}; these are {count}."
            return refuse("handoff-too-large", message, field=name, count=count, limit=LIMIT)
    return None


def _todos(state: State, goal: Goal, command: CreateHandoff, context: Context) -> list[Todo] | Refused:
    """The Todos offered: open work of the Goal that the sender may give away, and that nobody was offered yet."""
    offered = {todo: each.id for each in unanswered(state, goal.id) for todo in each.todos}
    found: dict[str, Todo] = {}
    for typed in command.todos:
        todo = find_todo(state, typed)
        if isinstance(todo, Refused):
            return todo
        refused = _not_to_give(state, goal, todo, context)
        if refused:
            return refused
        if todo.id in offered:
            message = f"{todo.id} {quoted(todo.title)} is offered in {offered[todo.id]} already."
            return refuse("handoff-pending", message, todo=todo.id, handoff=offered[todo.id])
        found[todo.id] = todo
    return list(found.values())


def _not_to_give(state: State, goal: Goal, todo: Todo, context: Context) -> Refused | None:
    if todo.goal != goal.id:
        return refuse("field-value", f"{todo.id} is work of {todo.goal}, not of {goal.id}.", field="todos")
    if todo.status.is_closed:
        return closed(todo)
    return None if context.actor.is_human else held_by_another(state, todo, context)


def _receiver(
    state: State, goal: Goal, command: CreateHandoff, context: Context, todos: Sequence[Todo]
) -> str | Refused | None:
    if command.to is None:
        return None
    receiver = folded_name(command.to)
    if receiver == holder_name(context.actor):
        return refuse("handoff-to-yourself", f"{receiver} offers this itself.", agent=receiver)
    refused = bad_agent(receiver)
    if refused is None and not receiver.startswith(PERSON_PREFIX):
        refused = unregistered(state, receiver, goal.id)
    if refused is None and only_watches(goal, receiver):
        refused = refuse("agent-excluded", f"{receiver} only monitors in {goal.id}.", agent=receiver, goal=goal.id)
    excluding = next((each for each in todos if receiver in each.excluded_agents), None)
    if refused is None and excluding is not None:
        refused = refuse("agent-excluded", f"{excluding.id} excludes {receiver}.", todo=excluding.id, agent=receiver)
    return refused or receiver


def _evidence(state: State, command: CreateHandoff) -> tuple[str, ...] | Refused:
    found: dict[str, None] = {}
    for each in command.evidence:
        identity = resolve(state, Kind.EVIDENCE, each)
        if isinstance(identity, Refused):
            return identity
        found[identity] = None
    return tuple(found)


def _gates(state: State, todos: Sequence[Todo], context: Context) -> tuple[str, ...]:
    """Gates that bear on what the Todos require, whether they cover it or are still to be answered."""
    book = GateBook(state, context.now)
    found: dict[str, None] = {}
    for todo in todos:
        for text in todo.requires:
            need = read_scope(text, "requires")
            if isinstance(need, Refused):
                continue
            coverage = book.coverage(todo.goal, need)
            found.update((each.id, None) for each in (coverage.gate, coverage.pending, coverage.lapsed) if each)
    return tuple(found)


# who takes it on -----------------------------------------------------------------------------


def _not_for(state: State, handoff: Handoff, context: Context) -> Refused | None:
    """The refusal of whoever it is not for: the sender, another than the one addressed, or who does not work here."""
    if context.actor.is_human:
        return None
    if handoff.sender == str(context.actor):
        return beyond(context, f"{handoff.id} is its own offer")
    if handoff.receiver not in (None, context.actor.name):
        return beyond(context, f"{handoff.id} is for {handoff.receiver}")
    goal = state.goal(handoff.goal)
    if goal is not None and only_watches(goal, context.actor.name):
        return beyond(context, f"it only monitors in {goal.id}")
    return unregistered(state, context.actor.name, handoff.goal)


def _kept_away(state: State, handoff: Handoff, context: Context) -> Refused | None:
    """The refusal by today's guards: what held when the packet was made counts for nothing."""
    for name in handoff.todos:
        todo = state.todo(name)
        if todo is None:
            return refuse("todo-unknown", f"There is no todo {quoted(name)} any more.", todo=name)
        reason = next(_against(state, handoff, todo, context), None)
        if reason is not None:
            hint = f"Turn it down with `loopx handoff decline {handoff.id} --reason …` if that does not change."
            facts = {"handoff": handoff.id, "todo": todo.id, "reason": reason.code.value}
            return refuse("handoff-not-now", f"{todo.id}: {reason.message}", hint, **facts)
    return None


def _against(state: State, handoff: Handoff, todo: Todo, context: Context) -> Iterator[Reason]:
    sender = holder_name(Actor.parse(handoff.sender))
    for reason in verdict(state, todo, context.actor, context.now).reasons:
        is_senders = reason.code in _HELD and reason.facts.get("holder") == sender
        if reason.code in _KEEPS_AWAY and not is_senders:
            yield reason


def _moved(state: State, handoff: Handoff, context: Context) -> list[Change]:
    """What makes the work the receiver's: the claim, and the end of the lease the sender had."""
    to, sender = holder_name(context.actor), holder_name(Actor.parse(handoff.sender))
    changes: list[Change] = []
    for name in handoff.todos:
        todo = state.todo(name)
        if todo is None:
            continue
        changes.append(update(todo, claimed_by=to, claimed_at=stamp(context)))
        lease = live_lease(state, name, context.now)
        if lease is not None and lease.owner == sender and sender != to:
            changes.extend(endings(state, name, context, f"handed over in {handoff.id}"))
    return changes


def _answer(
    command: Command,
    context: Context,
    handoff: Handoff,
    changes: Sequence[Change],
    body: str = "",
    facts: Mapping[str, object] | None = None,
    *,
    already: bool = False,
) -> Outcome:
    what = f"{listed(handoff.todos)}: {handoff.next_action}" if handoff.todos else handoff.next_action
    return accepted(
        command,
        context,
        subject=f"handoff {handoff.id}",
        goal=handoff.goal,
        headline=headline("handoff", command.name.split()[1], handoff.id, what),
        changes=changes,
        body=body,
        result={"id": handoff.id, "status": handoff.status.value, "already": already, **(facts or {})},
    )
