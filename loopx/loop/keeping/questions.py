"""Asking people by Gates: for a recovery with the run's next save, for a step a person carries out at once.

Called by the recovery that asks and by the human actor. Nothing here answers for anybody: an answer is what the Gate's
newest decision says, given by whoever may decide Gates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.kernel.commands import OpenGate, WithdrawGate
from loopx.kernel.standing import last_decision
from loopx.loop.context import Answer
from loopx.model.gate import GateStatus
from loopx.model.ids import GATE

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.loop.keeping.durable import WorkspaceRunStore
    from loopx.loop.state import LoopState

_ABORT = "abort"
_ANSWERED = frozenset({GateStatus.APPROVED, GateStatus.REJECTED, GateStatus.WITHDRAWN})
_UNANSWERED = frozenset({GateStatus.OPEN, GateStatus.DEFERRED})
_NOBODY = "nobody in time"


class GateChannel:
    """A :class:`loopx.loop.context.HumanChannel` that asks by Gates of the run's Goal."""

    def __init__(self, store: WorkspaceRunStore) -> None:
        self._store = store

    def ask(self, question: str, options: tuple[str, ...], facts: Mapping[str, Any]) -> str:
        """The id of the Gate: opened now for an execution, with the run's next save otherwise."""
        store = self._store
        attempt = facts.get("attempt")
        asked = OpenGate(
            goal=store.record.goal,
            scope=f"other:goal:{store.run}" if attempt is None else f"other:action:{attempt}",
            question=" ".join(question.split()),
            options=options,
            deadline=facts.get("deadline"),
            body=_told(store, facts),
        )
        if attempt is None:
            identity = store.workspace.ids.fresh(GATE)
            store.question = (identity, asked)
            return identity
        committed = store.workspace.submit(asked, actor=store.actor, op=operation_of(str(attempt)))
        return str(committed.receipt.result["id"])

    def answer(self, gate: str) -> Answer | None:
        """What was said to it; ``None`` while nobody has answered."""
        return answer_of(self._store.workspace.read().state, gate)

    def withdraw(self, gate: str) -> None:
        """Nobody has to answer it any more; what was only about to be asked is not asked."""
        store = self._store
        if store.question is not None and store.question[0] == gate:
            store.question = None
            return
        found = store.workspace.read().state.gate(gate)
        if found is not None and found.status in _UNANSWERED:
            command = WithdrawGate(gate=gate, reason=f"Nothing of {store.run} waits for it any more")
            store.workspace.submit(command, actor=store.actor)


def take_back(store: WorkspaceRunStore) -> None:
    """The run has ended: what it asked about itself and its steps, and nobody answered, needs no answer any more. What
    somebody else asked, or may not be withdrawn by whoever carried the run on, stays."""
    state = store.workspace.read(take_in=False).state
    for gate in list(state.gates(store.record.goal, set(_UNANSWERED))):
        key = gate.scope.rpartition(":")[2]
        if gate.asked_by == str(store.actor) and (key == store.run or key.startswith(f"{store.run}/")):
            command = WithdrawGate(gate=gate.id, reason=f"{store.run} has ended")
            with suppress(LoopxError):
                store.workspace.submit(command, actor=store.actor)


def answers(store: WorkspaceRunStore, state: LoopState) -> Callable[[], tuple[str, str] | None]:
    """How the engine looks whether the person it asked has answered: the option, and who chose it."""

    def look() -> tuple[str, str] | None:
        if state.gate is None or (store.question is not None and store.question[0] == state.gate):
            return None
        return answer_with_name(store.workspace.read().state, state.gate)

    return look


def answer_with_name(state: State, gate: str) -> tuple[str, str] | None:
    """The option that was chosen and by whom; a rejected or withdrawn Gate, and an answer after its deadline, is an
    abort. One that was given in time counts whenever it is found."""
    found = state.gate(gate)
    if found is None or found.status not in _ANSWERED:
        return None
    decision = last_decision(state, found)
    by = decision.by if decision is not None else "somebody"
    if decision is not None and found.deadline is not None and decision.at > found.deadline:
        return _ABORT, _NOBODY
    if found.status is not GateStatus.APPROVED:
        return _ABORT, by
    return (decision.option if decision is not None else None) or _ABORT, by


def answer_of(state: State, gate: str) -> Answer | None:
    """What was said to ``gate``; ``None`` while nobody has answered."""
    found = state.gate(gate)
    if found is None or found.status not in _ANSWERED:
        return None
    decision = last_decision(state, found)
    is_approved = found.status is GateStatus.APPROVED and decision is not None
    if decision is None:
        return Answer(is_approved)
    return Answer(is_approved, decision.option, decision.reason, decision.at)


def operation_of(attempt: str) -> str:
    """The identity of the question an execution asks: asked twice, it is the same."""
    return f"{attempt.replace('/', ':')}:ask"


def gate_of_attempt(state: State, attempt: str) -> str | None:
    """The Gate an execution asked by; ``None`` when it had not come that far."""
    receipt = state.receipt(operation_of(attempt))
    return None if receipt is None else str(receipt.result["id"])


def _told(store: WorkspaceRunStore, facts: Mapping[str, Any]) -> str:
    """What a person needs to know to answer, as lines."""
    lines = [f"Run {store.run} of {store.record.todo}."]
    for name, fact in facts.items():
        if fact is not False and fact not in (None, "", [], ()):
            said = ", ".join(map(str, fact)) if isinstance(fact, (list, tuple)) else " ".join(str(fact).split())
            lines.append(f"- {name.replace('_', ' ')}: {said}")
    return "\n".join(lines)
