"""Rules of Gates: opening a question, answering it, withdrawing it.

Only a person answers, through a channel that shows it; what an answer is worth later is :mod:`loopx.kernel.standing`.
"""

from __future__ import annotations

from datetime import datetime

from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.authority import beyond
from loopx.kernel.commands import Command, DecideGate, OpenGate, WithdrawGate
from loopx.kernel.context import Context
from loopx.kernel.digest import gate_inputs
from loopx.kernel.gate_bindings import bound_now
from loopx.kernel.outcome import Change, Create, Outcome, Record, Refused
from loopx.kernel.references import goal_taking_work
from loopx.kernel.resolve import find_gate, resolve
from loopx.kernel.standing import gate_standing
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, bad_lines, bad_reason, read_instant, read_scope
from loopx.kernel.transitions import move
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.actor import Channel
from loopx.model.gate import Gate, GateStatus
from loopx.model.ids import GATE, normalised_title
from loopx.model.kind import Kind
from loopx.model.records import DecisionLog, GateDecision
from loopx.model.times import format_instant

_ANSWERS = {
    "approve": GateStatus.APPROVED,
    "reject": GateStatus.REJECTED,
    "defer": GateStatus.DEFERRED,
}


def open_gate(state: State, command: OpenGate, context: Context) -> Outcome:
    """Ask a question, or point to the one that asks the same and is still open in the Goal."""
    goal = goal_taking_work(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    asked = _asked(state, command, context, goal.id)
    if isinstance(asked, Refused):
        return asked
    known = _same_question(state, asked)
    gate = known or asked
    return accepted(
        command,
        context,
        subject=f"gate {gate.id}",
        goal=goal.id,
        headline=headline("gate", "open", gate.id, gate.question),
        changes=[] if known else [Create(gate)],
        body=f"Scope {gate.scope}.",
        result={"id": gate.id, "added": known is None, "scope": gate.scope},
    )


def decide_gate(state: State, command: DecideGate, context: Context) -> Outcome:
    """Approve, reject or defer: a person's answer to the question as it now reads."""
    gate = find_gate(state, command.gate)
    if isinstance(gate, Refused):
        return gate
    refused = _unshown(gate, command) or bad_reason(command.reason) or _bad_option(gate, command)
    if refused:
        return refused
    status = _ANSWERS.get(command.verb)
    if status is None:
        return refuse("field-value", f"{quoted(command.verb)} is no answer.", f"Use {listed(_ANSWERS)}.")
    if gate.status is status and _is_answered(state, gate, command, context.now):
        return _answer(command, context, gate, [], status)
    if status is GateStatus.APPROVED and gate.valid_until is not None and context.now > gate.valid_until:
        message = f"An approval of {gate.id} would count until {format_instant(gate.valid_until)}, which is over."
        return refuse("gate-expired", message, gate=gate.id)
    return _decided(state, gate, command, context, status)


def own_question(state: State, command: DecideGate, context: Context) -> Refused | None:
    """The refusal of an agent that asked and now wants to answer; asked before any other rule of authority."""
    gate = find_gate(state, command.gate)
    if isinstance(gate, Refused) or context.actor.is_human or gate.asked_by != str(context.actor):
        return None
    return refuse("gate-own-question", f"{context.actor} asked {gate.id} and cannot answer it.", gate=gate.id)


def withdraw(state: State, command: WithdrawGate, context: Context) -> Outcome:
    """Take a question back. A person may take back any, an agent what it asked itself."""
    gate = find_gate(state, command.gate)
    if isinstance(gate, Refused):
        return gate
    if command.reason is not None and (refused := bad_line(command.reason, "reason")):
        return refused
    if not context.actor.is_human and gate.asked_by != str(context.actor):
        return beyond(context, f"{gate.id} was asked by {gate.asked_by or 'somebody else'}")
    if gate.status is GateStatus.WITHDRAWN:
        return _answer(command, context, gate, [], GateStatus.WITHDRAWN)
    change = move(gate, GateStatus.WITHDRAWN, command.name)
    if isinstance(change, Refused):
        return change
    reason = command.reason or "withdrawn"
    record = _recorded(state, gate, context, GateStatus.WITHDRAWN, reason, Channel.SCRIPT, None)
    return _answer(command, context, gate, [change, record], GateStatus.WITHDRAWN, reason)


def _asked(state: State, command: OpenGate, context: Context, goal: str) -> Gate | Refused:
    scope = read_scope(command.scope, "scope")
    if isinstance(scope, Refused):
        return scope
    if refused := bad_line(command.question, "question") or bad_lines(command.options, "options"):
        return refused
    deadline = read_instant(command.deadline, "deadline")
    if isinstance(deadline, Refused):
        return deadline
    valid_until = read_instant(command.valid_until, "valid_until")
    if isinstance(valid_until, Refused):
        return valid_until
    evidence = _evidence(state, command)
    if isinstance(evidence, Refused):
        return evidence
    return Gate(
        id=fresh_id(state, context, GATE),
        scope=str(scope),
        question=command.question.strip(),
        options=tuple(dict.fromkeys(each.strip() for each in command.options)),
        deadline=deadline,
        valid_until=valid_until,
        evidence=evidence,
        asked_by=str(context.actor),
        created_at=stamp(context),
        goal=goal,
        body=command.body,
    )


def _evidence(state: State, command: OpenGate) -> tuple[str, ...] | Refused:
    found: list[str] = []
    for each in command.evidence:
        identity = resolve(state, Kind.EVIDENCE, each)
        if isinstance(identity, Refused):
            return identity
        found.append(identity)
    return tuple(dict.fromkeys(found))


def _same_question(state: State, asked: Gate) -> Gate | None:
    key = (asked.scope, normalised_title(asked.question))
    pending = state.gates(asked.goal, {GateStatus.OPEN, GateStatus.DEFERRED})
    return next((each for each in pending if (each.scope, normalised_title(each.question)) == key), None)


def _unshown(gate: Gate, command: DecideGate) -> Refused | None:
    if command.channel is Channel.SCRIPT and not command.confirmed:
        message = f"Nothing shows that a person meant {gate.id} {quoted(gate.question)}."
        return refuse("gate-unconfirmed", message, f"Name it again with --confirm {gate.id}.", gate=gate.id)
    if command.channel is Channel.EDITOR:
        return refuse("gate-not-by-hand", f"{gate.id} was answered in an editor.", gate=gate.id)
    return None


def _bad_option(gate: Gate, command: DecideGate) -> Refused | None:
    if command.option is not None and command.option not in gate.options:
        hint = f"Its options are {listed(gate.options)}." if gate.options else "It offers none; leave --option out."
        return refuse("option-unknown", f"{gate.id} offers no {quoted(command.option)}.", hint, gate=gate.id)
    if command.verb == "approve" and gate.options and command.option is None:
        hint = f"Choose one of {listed(gate.options)} with --option."
        return refuse("option-missing", f"{gate.id} offers options, and none was chosen.", hint, gate=gate.id)
    return None


def _is_answered(state: State, gate: Gate, command: DecideGate, now: datetime) -> bool:
    """Whether the same answer was given before and still stands; an approval that covers nothing is given anew."""
    standing = gate_standing(state, gate, now)
    if standing.decision is None or standing.decision.option != command.option:
        return False
    return standing.covers or gate.status is not GateStatus.APPROVED


def _decided(state: State, gate: Gate, command: DecideGate, context: Context, status: GateStatus) -> Outcome:
    changes: list[Change] = []
    if gate.status is not status:
        change = move(gate, status, f"gate {command.verb}")
        if isinstance(change, Refused):
            return change
        changes.append(change)
    reason = command.reason.strip()
    changes.append(_recorded(state, gate, context, status, reason, command.channel, command.option))
    return _answer(command, context, gate, changes, status, reason)


def _recorded(
    state: State,
    gate: Gate,
    context: Context,
    status: GateStatus,
    reason: str,
    channel: Channel,
    option: str | None,
) -> Record:
    log = state.decisions(gate.id)
    bound = bound_now(state, gate)
    decision = GateDecision(
        status=status,
        at=stamp(context),
        by=str(context.actor),
        operation=context.operation,
        reason=reason,
        option=option,
        channel=channel,
        scope=gate.scope,
        inputs=gate_inputs(gate),
        acceptance=bound.acceptance,
        artifact=bound.artifact,
        valid_until=gate.valid_until,
    )
    return Record(DecisionLog(gate=gate.id, entries=(*(log.entries if log else ()), decision), goal=gate.goal))


def _answer(
    command: Command, context: Context, gate: Gate, changes: list[Change], status: GateStatus, reason: str = ""
) -> Outcome:
    verb = command.verb if isinstance(command, DecideGate) else "withdraw"
    return accepted(
        command,
        context,
        subject=f"gate {gate.id}",
        goal=gate.goal,
        headline=headline("gate", verb, gate.id, gate.question),
        changes=changes,
        body=reason,
        result={"id": gate.id, "status": status.value, "already": not changes},
    )
