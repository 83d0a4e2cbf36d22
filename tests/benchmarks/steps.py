"""What a step costs in memory: processor time of one step of a chain, at 100, 1,000 and 10,000 steps.

``python -m tests.benchmarks.steps [--failing]``. The figures of a loaded machine move; the ratios say whether the cost
grows with the plan. ``--failing`` lets every step be rejected once, so that each is recovered from as well.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from datetime import UTC, datetime
from typing import Any

from loopx.loop.components.protocols import Acted, ComponentType, Verdict
from loopx.loop.context import LoopContext
from loopx.loop.engine import LoopEngine
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.plan import Plan
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.plan import Action, PlanStep, RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState
from tests.support.ids import FixedIds

SIZES = {100: 20, 1_000: 7, 10_000: 3}
"""Steps, and how often they are run; the least counts."""
DONE, YES, NO = Acted(AttemptOutcome.SUCCEEDED, "x", 0), Verdict(True), Verdict(False, "not yet")


class Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        raise AssertionError("nothing is waited for")


class Parts:
    """An actor, an evaluator and a verifier that do nothing but answer."""

    def __init__(self, is_failing: bool) -> None:
        self.is_failing = is_failing

    async def act(self, step: Any, attempt: str, context: Any) -> Acted:
        return DONE

    async def evaluate(self, step: Any, acted: Acted, context: Any) -> Verdict:
        return NO if self.is_failing and not step.retry_count else YES

    async def verify(self, step: Any, context: Any) -> Verdict:
        return YES


def microseconds(size: int, is_failing: bool) -> float:
    """Processor time of one step among ``size`` that wait for each other."""
    after = [(f"s{number - 1}",) if number else () for number in range(size)]
    meant = [PlanStep(id=f"s{n}", title="x", action=Action(argv=("true",)), depends_on=after[n]) for n in range(size)]
    settings, clock, parts = RunSettings(max_recoveries=size), Clock(), Parts(is_failing)
    state = LoopState("run-1", Plan("x", [Step(each) for each in meant]), clock.now(), clock.now())
    context = LoopContext(
        run="run-1",
        settings=settings,
        clock=clock,
        ids=FixedIds(),
        lifecycle=Lifecycle(settings, clock),
        project=".",
        components=dict.fromkeys((ComponentType.ACTOR, ComponentType.EVALUATOR, ComponentType.VERIFIER), parts),
    )
    engine = LoopEngine(state, context)
    started = time.process_time()
    result = asyncio.run(engine.run())
    took = time.process_time() - started
    assert result.execution_state is ExecutionState.COMPLETED
    return took / size * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failing", action="store_true", help="every step is rejected once")
    is_failing = parser.parse_args().failing
    found = {size: min(microseconds(size, is_failing) for _ in range(runs)) for size, runs in SIZES.items()}
    for size, each in found.items():
        print(f"{'in-memory step':<22}{size:>9,}{each:8.1f} µs   x{each / found[100]:.2f}")


if __name__ == "__main__":
    main()
