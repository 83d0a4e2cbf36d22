"""A plan run in memory with plain Python callables: what a script or a test needs, and nothing is kept afterwards.

Part of the Python API (:func:`loopx.run_plan`). Runs that are to survive a crash are kept in a workspace instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loopx.loop.components.callables import StepCallable, carried_out, judged
from loopx.loop.components.protocols import Acted, ComponentType, Verdict
from loopx.loop.context import LoopContext
from loopx.loop.engine import LoopEngine
from loopx.loop.keeping.permits import Granted
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.plan import Plan
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.plan import RunSettings
from loopx.workspace.clock import RandomIds, SystemClock

if TYPE_CHECKING:
    from loopx.loop.components.protocols import Planner, RecoveryPolicy
    from loopx.loop.recovery.registry import RecoveryRegistry
    from loopx.loop.result import RunResult
    from loopx.loop.step import StepView
    from loopx.model.clock import Clock
    from loopx.model.plan import PlanStep
    from loopx.model.step import StepEffect


def run_plan(
    steps: Sequence[PlanStep],
    actor: StepCallable | Mapping[str, StepCallable],
    evaluator: StepCallable | None = None,
    verifier: StepCallable | None = None,
    *,
    objective: str = "",
    settings: RunSettings | None = None,
    planner: Planner | None = None,
    policy: RecoveryPolicy | None = None,
    registry: RecoveryRegistry | None = None,
    tools: Sequence[str] = (),
    models: Sequence[str] = (),
    clock: Clock | None = None,
    permit: Sequence[StepEffect | str] = (),
) -> RunResult:
    """Run ``steps`` to an end and say what they came to.

    ``actor`` is one callable for all steps, or one by the name in a step's action (the step's id where it names none).
    It gets a :class:`loopx.loop.step.StepView` and returns the output. What it raises leaves the outcome unknown, so
    that the step is done again only where its action says ``recover=repeat``. ``evaluator`` and ``verifier`` get the
    same view, with the output in it, and return true, false or a ``Verdict``; a phase nobody is given for is off.
    Any of them may be a coroutine function. ``permit`` names the effects (``send``, ``publish``, ``manage``) and the
    decision scopes you allow steps; nothing else reaches outside. Raises :class:`loopx.LoopxError` for parts that are
    wanted and missing.
    """
    given = _switched(settings or RunSettings(), evaluator, verifier)
    clock = clock or SystemClock()
    components: dict[ComponentType, Any] = {ComponentType.ACTOR: _Acting(actor)}
    parts = {
        ComponentType.EVALUATOR: evaluator and _Judging(evaluator),
        ComponentType.VERIFIER: verifier and _Judging(verifier),
        ComponentType.PLANNER: planner,
    }
    components.update((kind, part) for kind, part in parts.items() if part is not None)
    context = LoopContext(
        run="run-in-memory",
        settings=given,
        clock=clock,
        ids=RandomIds(),
        lifecycle=Lifecycle(given, clock),
        project=".",
        components=components,
        tools={each: (each,) for each in tools},
        models=tuple(models),
        permits=Granted(permit) if permit else None,
    )
    plan = Plan(objective, [Step(each, tool=each.tool, model=each.model) for each in steps])
    state = LoopState(context.run, plan, clock.now(), clock.now())
    return asyncio.run(LoopEngine(state, context, policy=policy, registry=registry).run())


class _Acting:
    """An actor over one callable, or over one a step."""

    def __init__(self, actor: StepCallable | Mapping[str, StepCallable]) -> None:
        self._named = actor if isinstance(actor, Mapping) else None
        self._for_all = None if isinstance(actor, Mapping) else actor

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        name = step.meant.action.callable or step.meant.lineage or step.id
        return await carried_out(name, self._for_all or (self._named or {}).get(name), step)


class _Judging:
    """An evaluator or a verifier over a callable."""

    def __init__(self, function: StepCallable) -> None:
        self._function = function

    async def evaluate(self, step: StepView, acted: Acted, context: LoopContext) -> Verdict:
        return await judged(self._function, step)

    async def verify(self, step: StepView, context: LoopContext) -> Verdict:
        return await judged(self._function, step)


def _switched(settings: RunSettings, evaluator: StepCallable | None, verifier: StepCallable | None) -> RunSettings:
    """The settings, with a phase nobody is given for switched off."""
    from dataclasses import replace

    return replace(
        settings,
        enable_evaluation=settings.enable_evaluation and evaluator is not None,
        enable_verification=settings.enable_verification and verifier is not None,
    )
