"""The one place that moves steps and runs: by the tables, with a role, and every try of it stands in the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from loopx.errors import LoopxError
from loopx.kernel.plans import runs, steps
from loopx.kernel.plans.steps import Condition
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.clock import Clock
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState, Role, StepStatus

_IN_PROGRESS, _EXECUTED = StepStatus.IN_PROGRESS, StepStatus.EXECUTED


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Moves things. Raises :class:`LoopxError` (``transition-illegal``, ``transition-not-permitted``) and changes
    nothing when a table says no; the refusal is traced."""

    settings: RunSettings
    clock: Clock

    def create(self, state: LoopState, step: Step, status: StepStatus, role: Role, cause: str = "") -> None:
        """Give a step that is in no plan yet its first status. READY needs dependencies that are met."""
        roles = steps.CREATION.get(status)
        if roles is None or (status is StepStatus.READY and not _is_free(state, step)):
            self._refuse(state, step, None, status, role, cause, "transition-illegal")
        if role not in roles:
            self._refuse(state, step, None, status, role, cause, "transition-not-permitted")
        step._status = status
        state.changed.add(step.id)
        state.trace.add(self.clock.now(), step.entity, None, status, role, cause)

    def move(
        self,
        state: LoopState,
        step: Step,
        to: StepStatus,
        role: Role,
        cause: str = "",
        evidence: Mapping[str, Any] | None = None,
    ) -> None:
        """Bring ``step`` to the status ``to`` as ``role``."""
        before = step._status
        roles = steps.TRANSITIONS.get((before, to))
        if roles is None:
            self._refuse(state, step, before, to, role, cause, "transition-illegal")
        if role not in roles or (role is Role.SYSTEM and not self._holds(before, to, role)):
            self._refuse(state, step, before, to, role, cause, "transition-not-permitted")
        now = self.clock.now()
        if to is _IN_PROGRESS:
            step.start_time = now
        elif to is _EXECUTED:
            step.end_time = now
        step._status = to
        state.plan.moved(step, before)
        state.changed.add(step.id)
        state.trace.add(now, step.entity, before, to, role, cause, None, evidence)

    def turn(self, state: LoopState, to: ExecutionState, cause: str = "") -> None:
        """Bring the run to the execution state ``to``. Raises :class:`LoopxError` (``run-transition-illegal``)."""
        before = state.execution_state
        now = self.clock.now()
        if to not in runs.TRANSITIONS[before]:
            state.trace.add(now, "run", before, to, Role.SYSTEM, cause, "run-transition-illegal")
            raise LoopxError(
                "run-transition-illegal",
                f"the run is {before} and cannot become {to}",
                facts={"run": state.run, "from": before.value, "to": to.value},
            )
        state.execution_state = to
        state.trace.add(now, "run", before, to, Role.SYSTEM, cause)

    def _holds(self, before: StepStatus, to: StepStatus, role: Role) -> bool:
        """Whether what the change needs beyond status and role is so."""
        match steps.condition(before, to, role):
            case Condition.EVALUATION_DISABLED:
                return not self.settings.enable_evaluation
            case Condition.VERIFICATION_DISABLED:
                return not self.settings.enable_verification
            case Condition.NONE:
                return True

    def _refuse(
        self,
        state: LoopState,
        step: Step,
        before: StepStatus | None,
        to: StepStatus,
        role: Role,
        cause: str,
        code: str,
    ) -> NoReturn:
        state.trace.add(self.clock.now(), step.entity, before, to, role, cause, code)
        raise LoopxError(
            code,
            f"step {step.id} is {before or 'new'} and {role} may not make it {to}",
            facts={"step": step.id, "from": before and before.value, "to": to.value, "role": role.value},
        )


def _is_free(state: LoopState, step: Step) -> bool:
    """Whether everything a new step waits for is complete."""
    return all(
        name in state.plan and state.plan.status(name) is StepStatus.VERIFIED_COMPLETED for name in step.dependencies
    )
