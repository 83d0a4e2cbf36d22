"""Steps a person carries out just now: IN_PROGRESS until the person has answered, in this process or in a later one.
They hold nothing else up and cost nothing meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.loop import acting
from loopx.loop.components.people import deadline, known
from loopx.loop.components.protocols import Acted
from loopx.model.step import AttemptOutcome, Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState

LOOK_SECONDS = 2.0
"""How often a run that cannot be left looks whether somebody has answered."""
_OVER = Acted(AttemptOutcome.CANCELLED, message="the run ended before anybody answered")


class Awaiting:
    """Gates by the step whose newest execution waits for their answer.

    A step a person carries out names the files it writes for the record alone: nobody else is kept from them meanwhile.
    """

    def __init__(self, state: LoopState, context: LoopContext) -> None:
        self._state = state
        self._context = context
        self._gates: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._gates)

    @property
    def ids(self) -> list[str]:
        return list(self._gates)

    @property
    def gates(self) -> tuple[str, ...]:
        """The Gates that are to be answered, in the order they were asked."""
        return tuple(dict.fromkeys(self._gates.values()))

    def add(self, identity: str, gate: str) -> None:
        """The newest execution of a step waits for the answer of ``gate``."""
        self._gates[identity] = gate

    def ended(self) -> list[tuple[str, Acted]]:
        """Steps that were answered, or whose time is over, and what is known of them; they are awaited no more."""
        found = [(each, self._known(each, gate)) for each, gate in self._gates.items()]
        over = [(each, acted) for each, acted in found if acted.awaits is None]
        for identity, _ in over:
            del self._gates[identity]
        return over

    def cancel(self) -> None:
        """The run has ended: what nobody answered is cancelled, and the questions are taken back."""
        state, context = self._state, self._context
        for identity, gate in self._gates.items():
            step = state.plan.step(identity)
            if step.status is StepStatus.IN_PROGRESS:
                acting.note_end(state, step, _OVER, context)
                context.lifecycle.move(state, step, StepStatus.CANCELLED, Role.SYSTEM, _OVER.message)
            context.withdraw(gate)
        if state.question is not None and state.gate is not None:
            context.withdraw(state.gate)
        self._gates.clear()

    def _known(self, identity: str, gate: str) -> Acted:
        """What is known of one step. A channel that breaks, or is not there, says nothing."""
        human, now = self._context.human, self._context.clock.now()
        try:
            answer = None if human is None else human.answer(gate)
        except Exception as error:  # noqa: BLE001  (the step boundary: whatever a channel raises ends here)
            return Acted(AttemptOutcome.RUNNING, message=f"{type(error).__name__}: {error}", awaits=gate)
        begun = self._state.plan.peek(identity).attempts[-1].started_at
        return known(answer, gate, deadline(begun, self._context.settings.human_deadline_hours), now)
