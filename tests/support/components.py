"""What the shipped components are tried with: a step, a context around a folder, and their answers."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopx.loop.attempt import Attempt
from loopx.loop.components.actors import Actors
from loopx.loop.components.protocols import Acted, Probed
from loopx.loop.context import LoopContext
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.step import Step, StepView
from loopx.model.plan import Action, ActorKind, PlanStep, RunSettings
from loopx.model.step import AttemptOutcome
from tests.support.clock import START, FakeClock
from tests.support.ids import FixedIds

RUN = "run-4k9x2m7q"
ID = f"{RUN}/s1/1"


def context_in(project: Path, **more: Any) -> LoopContext:
    """A run's surroundings in ``project``."""
    settings = more.pop("settings", RunSettings())
    clock = more.pop("clock", FakeClock())
    more.setdefault("environ", dict(os.environ))
    return LoopContext(
        run=RUN,
        settings=settings,
        clock=clock,
        ids=FixedIds(),
        lifecycle=Lifecycle(settings, clock),
        project=str(project),
        **more,
    )


def planned(*argv: str, actor: ActorKind = ActorKind.COMMAND, **more: Any) -> PlanStep:
    """A step; what is no field of a step is one of its action."""
    own = {name: more.pop(name) for name in tuple(more) if name in PlanStep.__dataclass_fields__}
    return PlanStep(**{"id": "s1", "title": "Do it", "action": Action(actor=actor, argv=argv, **more), **own})


def view_of(meant: PlanStep, output: Any = None, exit_status: int | None = 0, **more: Any) -> StepView:
    """``meant`` as components see it after it was carried out once."""
    step = Step(meant, output=output, tool=meant.tool, model=meant.model, **more)
    step.attempts.append(Attempt(ID, 1, meant, None, None, START, AttemptOutcome.SUCCEEDED, exit_status=exit_status))
    return StepView.of(step)


def act(meant: PlanStep, context: LoopContext, **callables: Any) -> Acted:
    """What the shipped actor makes of a step."""
    return asyncio.run(Actors(callables).act(view_of(meant), ID, context))


def probe(meant: PlanStep, context: LoopContext) -> Probed:
    """What the shipped actor reads back of a step."""
    return asyncio.run(Actors().probe(view_of(meant), ID, context))


def until(what: Callable[[], object]) -> None:
    """Return once ``what`` holds, which another process is about to bring about."""
    for _ in range(4000):
        if what():
            return
        time.sleep(0.005)
    raise AssertionError("it never came")
