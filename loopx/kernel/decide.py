"""The one way in: a State, a Command and a Context go in, Accepted or Refused comes out.

The workspace calls :func:`decide` with the lock held; nothing it returns has happened yet. The order never changes:
a repeated operation is answered first, then who may, then the command's own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from loopx.kernel.authority import permitted
from loopx.kernel.context import Context
from loopx.kernel.digest import request_digest
from loopx.kernel.outcome import Accepted, Outcome, Receipt, Refused
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.commands import Command, DecideGate

RULES: Mapping[str, str] = MappingProxyType(
    {
        "goal new": "goals.new",
        "goal edit": "goals.edit",
        "goal status": "goals.set_status",
        "goal meet": "criteria.meet",
        "goal unmeet": "criteria.unmeet",
        "goal waive": "criteria.waive",
        "todo add": "adding.add",
        "todo edit": "editing.edit",
        "todo claim": "holding.claim",
        "todo unclaim": "holding.unclaim",
        "todo block": "holding.block",
        "todo defer": "holding.defer",
        "todo resume": "holding.resume",
        "todo done": "completing.complete",
        "todo supersede": "closing.supersede",
        "todo cancel": "closing.cancel",
        "todo reopen": "closing.reopen",
        "todo archive": "holding.archive",
        "gate open": "gates.open_gate",
        "gate decide": "gates.decide_gate",
        "gate withdraw": "gates.withdraw",
        "goal close": "ending.close",
        "goal reopen": "ending.reopen",
        "lease acquire": "leases.acquire",
        "lease renew": "leases.renew",
        "lease transfer": "leases.transfer",
        "lease release": "leases.release",
        "turn open": "turns.opening.open_turn",
        "turn void": "turns.voiding.void",
        "refresh-state": "turns.settling.settle",
        "monitor poll": "monitors.poll",
        "effect open": "acting.open_effect",
        "effect settle": "acting.settle",
        "effect confirm": "acting.confirm",
        "agent add": "enlisting.add",
        "agent edit": "enlisting.edit",
        "agent remove": "enlisting.remove",
        "proposal add": "proposals.add",
        "proposal accept": "proposals.accept",
        "proposal reject": "proposals.reject",
        "handoff create": "handing_over.create",
        "handoff accept": "handing_over.accept",
        "handoff decline": "handing_over.decline",
        "evidence add": "recording.add_evidence",
        "evidence reassess": "reassessing.reassess",
        "vision set": "visions.set_vision",
        "vision retire": "visions.retire",
        "evidence record": "recording.record_evidence",
        "workspace edit": "configuring.edit_workspace",
        "rollback": "rollback.judge_rollback",
        "plan new": "plans.planning.new_plan",
        "plan edit": "plans.planning.edit_plan",
        "run open": "plans.opening.open_run",
        "run record": "plans.recording.record_run",
    }
)
"""Every command and the function that judges it, as module and name: a command loads the rules of its own verbs only,
which keeps a cold process quick."""

Judge = Callable[[State, Any, Context], Outcome]


def decide(state: State, command: Command, context: Context) -> Outcome:
    """Accept or refuse ``command``; the state stays as it is.

    An operation that is committed already gets its own receipt again and no changes, whatever else holds today; the
    same operation id with a different request is ``operation-reused``.
    """
    repeated = replayed(state, command, context)
    if repeated is not None:
        return repeated
    refused = _asker_answers(state, command, context) or permitted(state, command, context)
    return refused or judge_of(type(command))(state, command, context)


def judge_of(command: type[Command]) -> Judge:
    """The function that judges commands of this class."""
    module, _, name = RULES[command.name].rpartition(".")
    judge: Judge = getattr(import_module(f"loopx.kernel.{module}"), name)
    return judge


def replayed(state: State, command: Command, context: Context) -> Outcome | None:
    """The answer to an operation id that was used before; ``None`` for a new one."""
    receipt = state.receipt(context.operation)
    if receipt is None:
        return None
    if receipt.request == request_digest(command, context.actor):
        return Accepted((), as_of_now(state, receipt, context.now), f"{receipt.subject}: replay {receipt.operation}")
    message = f"Operation {quoted(context.operation)} was `{receipt.command}` on {receipt.subject} before."
    return refuse("operation-reused", message, operation=context.operation, command=receipt.command)


def as_of_now(state: State, receipt: Receipt, now: datetime) -> Receipt:
    """A receipt as it is told again: that of a lease's verb says how the lease stands today, since what it tells of may
    have ended."""
    if not receipt.command.startswith("lease "):
        return receipt
    from loopx.kernel.lease_record import with_lease_of_today

    original = receipt.result.get("original")
    told = (state.receipt(original) if original is not None else None) or receipt
    return replace(told, result=with_lease_of_today(state, told.result, now))


def _asker_answers(state: State, command: Command, context: Context) -> Refused | None:
    if command.name != "gate decide":
        return None
    from loopx.kernel.gates import own_question

    return own_question(state, cast("DecideGate", command), context)
