"""Which steps begin at a boundary, and which READY ones are held back although nothing in the plan keeps them waiting.

A step is held back while it needs a person's yes it does not have, and while it is expected to cost more than this
process may still spend. Held steps stay READY and hold nothing else up; the next process looks at them afresh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel.plans.permitting import needs_permission
from loopx.loop import failing
from loopx.loop.boundary import to_recover
from loopx.loop.components.protocols import ComponentType
from loopx.loop.keeping.permits import Granted, Permits
from loopx.loop.scheduling import choose
from loopx.loop.step import Step, StepView
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from loopx.loop.allowance import Spending
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState


class Choosing:
    """The choice of one engine, from boundary to boundary."""

    def __init__(self, state: LoopState, context: LoopContext, spending: Spending) -> None:
        self._state = state
        self._context = context
        self._spending = spending
        self._too_dear: set[str] = set()
        self._unpermitted: set[str] = set()
        self.gates: tuple[str, ...] = ()
        """The Gates people are asked by for what is held back."""
        self.objection: str | None = None
        """Why safety stops the run; ``None`` while it does not."""

    def begin(self) -> None:
        """The run is taken up: what was held back is looked at afresh."""
        self._spending.begin(self._state)
        self._too_dear.clear()
        self._unpermitted.clear()
        self.gates = ()
        for each in self._state.plan.in_status(StepStatus.READY):
            self._state.plan.offer(each)

    @property
    def _permits(self) -> Permits:
        return self._context.permits or Granted()

    @property
    def may_begin(self) -> bool:
        """Whether this process may still begin anything."""
        return not self._spending.is_spent(self._state, self._context.clock.now())

    @property
    def is_too_dear(self) -> bool:
        """Whether a step is held back because of what it would cost."""
        return bool(self._still_ready(self._too_dear))

    @property
    def is_unpermitted(self) -> bool:
        """Whether a step is held back because it needs a person's yes."""
        return bool(self._still_ready(self._unpermitted))

    def ask(self) -> bool:
        """Nothing else can run: look again at what needs a yes, and have people asked for what is missing. True when
        something may begin after all."""
        held, self.gates, is_freed = self._still_ready(self._unpermitted), (), False
        for each in held:
            step = self._state.plan.step(each)
            permit = self._permits.standing(step.meant)
            if permit.is_given or (permit.is_refused and not failing.refusals(self._state, step)):
                self._unpermitted.discard(each)
                self._state.plan.offer(each)
                is_freed = True
            elif not permit.is_refused:
                self.gates += self._permits.ask(step.meant)
        return is_freed

    def chosen(self, running: list[Step]) -> list[Step]:
        """The steps to begin now beside those ``running``: none that safety objects to or that is held back, and none
        whose cost would pass the limit."""
        state, context, begun = self._state, self._context, list[Step]()
        reserved = sum(each.meant.cost for each in running)
        allowed = self._spending.left(state, context.clock.now()).cost
        for step in choose(state, running, self._room(len(running))):
            if self.objection is None:
                self.objection = self._objects(step)
            if self.objection is not None or to_recover(state) is not None:
                state.plan.offer(step.id)
            elif not self._is_permitted(step):
                self._unpermitted.add(step.id)
            elif not failing.is_affordable(state, step, reserved, context):
                state.plan.offer(step.id)
                failing.forecast(state, step, reserved, context)
            elif allowed is not None and step.meant.cost > allowed:
                self._too_dear.add(step.id)
            elif allowed is not None and reserved + step.meant.cost > allowed:
                state.plan.offer(step.id)  # what runs may cost less than expected
            else:
                begun.append(step)
                reserved += step.meant.cost
        return begun

    def _room(self, running: int) -> int:
        """How many steps may begin beside those running, without passing a limit of executions."""
        settings, state = self._context.settings, self._state
        room, limit = max(settings.parallel, 1) - running, settings.budgets.steps
        if limit is not None:
            room = min(room, limit - state.counters.steps_executed)
        allowed = self._spending.left(state, self._context.clock.now()).steps
        return room if allowed is None else min(room, allowed)

    def _is_permitted(self, step: Step) -> bool:
        """Whether people allow the step to begin. What they have refused is a failure."""
        if not needs_permission(step.meant):
            return True
        state, context, permit = self._state, self._context, self._permits.standing(step.meant)
        if permit.is_refused:
            failing.refused(state, step, permit.message, context)
        elif permit.is_given:
            for each in failing.refusals(state, step):
                failing.settle_moot(state, each, context)
        return permit.is_given

    def _objects(self, step: Step) -> str | None:
        """Why safety would stop the run rather than have the step carried out. One that breaks objects."""
        safety = self._context.components.get(ComponentType.SAFETY)
        if safety is None:
            return None
        try:
            found: str | None = safety.objection(StepView.of(step), self._context)
        except Exception as error:  # noqa: BLE001  (the step boundary: what cannot be checked is not safe)
            return f"safety could not be checked: {type(error).__name__}: {error}"
        return found

    def _still_ready(self, held: set[str]) -> list[str]:
        plan = self._state.plan
        return [each for each in held if each in plan and plan.status(each) is StepStatus.READY]
