"""The one way in: a State, a Command and a Context go in, Accepted or Refused comes out.

The workspace calls :func:`decide` with the lock held; nothing it returns has happened yet. The order never changes:
a repeated operation is answered first, then who may, then the command's own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from loopx.kernel import adding, closing, completing, configuring, criteria, editing, gates, goals, holding, visions
from loopx.kernel import commands as c
from loopx.kernel.authority import permitted
from loopx.kernel.context import Context
from loopx.kernel.digest import request_digest
from loopx.kernel.outcome import Accepted, Outcome, Refused
from loopx.kernel.recording import record_evidence
from loopx.kernel.rollback import judge_rollback
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse

RULES: Mapping[type[c.Command], Callable[[State, Any, Context], Outcome]] = MappingProxyType(
    {
        c.NewGoal: goals.new,
        c.EditGoal: goals.edit,
        c.SetGoalStatus: goals.set_status,
        c.MeetCriterion: criteria.meet,
        c.UnmeetCriterion: criteria.unmeet,
        c.WaiveCriterion: criteria.waive,
        c.AddTodo: adding.add,
        c.EditTodo: editing.edit,
        c.ClaimTodo: holding.claim,
        c.UnclaimTodo: holding.unclaim,
        c.BlockTodo: holding.block,
        c.DeferTodo: holding.defer,
        c.ResumeTodo: holding.resume,
        c.CompleteTodo: completing.complete,
        c.SupersedeTodo: closing.supersede,
        c.CancelTodo: closing.cancel,
        c.ReopenTodo: closing.reopen,
        c.ArchiveTodo: holding.archive,
        c.OpenGate: gates.open_gate,
        c.DecideGate: gates.decide_gate,
        c.WithdrawGate: gates.withdraw,
        c.SetVision: visions.set_vision,
        c.RetireVision: visions.retire,
        c.RecordEvidence: record_evidence,
        c.EditWorkspace: configuring.edit_workspace,
        c.Rollback: judge_rollback,
    }
)
"""Every command and the function that judges it."""


def decide(state: State, command: c.Command, context: Context) -> Outcome:
    """Accept or refuse ``command``; the state stays as it is.

    An operation that is committed already gets its own receipt again and no changes, whatever else holds today; the
    same operation id with a different request is ``operation-reused``.
    """
    repeated = replayed(state, command, context)
    if repeated is not None:
        return repeated
    refused = _asker_answers(state, command, context) or permitted(state, command, context)
    return refused or RULES[type(command)](state, command, context)


def replayed(state: State, command: c.Command, context: Context) -> Outcome | None:
    """The answer to an operation id that was used before; ``None`` for a new one."""
    receipt = state.receipt(context.operation)
    if receipt is None:
        return None
    if receipt.request == request_digest(command, context.actor):
        return Accepted((), receipt, f"{receipt.subject}: replay {receipt.operation}")
    message = f"Operation {quoted(context.operation)} was `{receipt.command}` on {receipt.subject} before."
    return refuse("operation-reused", message, operation=context.operation, command=receipt.command)


def _asker_answers(state: State, command: c.Command, context: Context) -> Refused | None:
    return gates.own_question(state, command, context) if isinstance(command, c.DecideGate) else None
