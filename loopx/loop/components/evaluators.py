"""The evaluator of a run: it judges the output of each step by what the step names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop.components.callables import StepCallable
from loopx.loop.components.commands import Unfit, folder_of, names, surroundings
from loopx.loop.components.judges import Case, judged
from loopx.loop.components.protocols import Acted, Verdict
from loopx.model.plan import Judge, JudgeKind
from loopx.model.step import FailureType

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.step import StepView

BY_DEFAULT = (Judge(kind=JudgeKind.EXIT_CODE),)
"""How a step that names no judge is judged."""
_ADMITTED = frozenset({FailureType.SEMANTIC_DRIFT, FailureType.GOAL_HIJACKING, FailureType.INVALID_OUTPUT})


class Evaluators:
    """All judges of a step must pass; what an actor says against its own work is never overruled."""

    def __init__(self, callables: Mapping[str, StepCallable] = MappingProxyType({})) -> None:
        self._callables = callables

    async def evaluate(self, step: StepView, acted: Acted, context: LoopContext) -> Verdict:
        if acted.failure in _ADMITTED:
            return Verdict(False, acted.message or f"the actor reports {acted.failure}", failure=acted.failure)
        try:
            folder = folder_of(step.meant.action.folder, context.project)
        except Unfit as unfit:
            raise LoopxError("judge-invalid", f"{step.id} cannot be judged: {unfit}") from unfit
        case = Case(
            step=step,
            output=acted.output,
            exit_status=acted.exit_status,
            outcome=acted.outcome,
            context=context,
            folder=folder,
            environ={**surroundings(context), **names(step, context)},
            callables=self._callables,
        )
        return await judged(step.meant.evaluate or BY_DEFAULT, case)
