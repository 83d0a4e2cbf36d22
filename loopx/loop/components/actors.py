"""The one actor of a run: it hands each step to whoever its kind names, and reads lost outcomes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop.components.callables import PythonActor, StepCallable
from loopx.loop.components.commands import AgentActor, CommandActor, Unfit, filled, launch_of
from loopx.loop.components.people import HumanActor
from loopx.loop.components.processes import Close, run
from loopx.loop.components.protocols import Acted, Actor, Probed
from loopx.model.plan import ActorKind

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.step import StepView

HAPPENED, ABSENT = 0, 1
"""How a probe ends."""


class Actors:
    """Carries steps out by the kind of actor they name."""

    def __init__(self, callables: Mapping[str, StepCallable] = MappingProxyType({})) -> None:
        self._by_kind: Mapping[ActorKind, Actor] = {
            ActorKind.COMMAND: CommandActor(),
            ActorKind.AGENT: AgentActor(),
            ActorKind.HUMAN: HumanActor(),
            ActorKind.PYTHON: PythonActor(callables),
        }

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        return await self._by_kind[step.meant.action.actor].act(step, attempt, context)

    async def probe(self, step: StepView, attempt: str, context: LoopContext) -> Probed:
        """Whether ``attempt`` happened, by the step's own probe. Raises ``probe-broken`` where that does not tell."""
        argv = step.meant.action.probe
        if not argv:
            raise LoopxError("probe-broken", f"{step.id} names no probe")
        try:
            launch = launch_of(step, context, filled(argv, step, context), "", attempt)
            ran = await run(replace(launch, noted=context.noted))
        except Unfit as unfit:
            raise LoopxError("probe-broken", f"the probe of {step.id} cannot be run: {unfit}") from unfit
        if ran.close is Close.ENDED and ran.status in (HAPPENED, ABSENT):
            message = ran.output.strip().partition("\n")[0][:200]
            return Probed(ran.status == HAPPENED, ran.output or None, 0, message)
        how = (
            f"ended with {ran.status}" if ran.close is Close.ENDED else f"{ran.close.value}: {ran.output}".rstrip(": ")
        )
        raise LoopxError("probe-broken", f"the probe of {step.id} {how}", facts={"step": step.id})
