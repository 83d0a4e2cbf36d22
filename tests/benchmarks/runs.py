"""What a durable step costs: a run kept in a workspace, beside one write of a plain command in the same place.

``python -m tests.benchmarks.runs [STEPS]`` prints milliseconds a step on top of what the step's own work takes.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from loopx.kernel.commands import EditTodo
from tests.support.durable import Durable
from tests.support.lab import Lab
from tests.support.loop import step


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab.make(Path(folder) / "project")
        try:
            write, durable = write_ms(lab), durable_ms(lab, steps)
        finally:
            lab.close()
    wall, cpu = (f"{durable[n]:6.1f} (plain write {write[n]:.1f}, {durable[n] - write[n]:+.1f})" for n in (0, 1))
    print(f"{steps:,} steps: wall ms a step {wall}; cpu ms a step {cpu}")


def write_ms(lab: Lab, times: int = 30) -> tuple[float, float]:
    """Milliseconds (wall, processor) of one warm write that changes one file."""
    lab.goal()
    todo = lab.todo("Measured")
    begun = time.perf_counter(), time.process_time()
    for number in range(times):
        lab.submit(EditTodo(todo=todo, fields={"title": f"Measured {number}"}))
    return _since(begun, times)


def durable_ms(lab: Lab, steps: int) -> tuple[float, float]:
    """Milliseconds (wall, processor) of one step of a run whose steps do nothing."""
    run = Durable.make(lab, *(step(f"s{number}") for number in range(steps)))
    engine = run.engine()
    begun = time.perf_counter(), time.process_time()
    asyncio.run(engine.run())
    return _since(begun, steps)


def _since(begun: tuple[float, float], times: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter() - begun[0], time.process_time() - begun[1]
    return wall / times * 1e3, cpu / times * 1e3


if __name__ == "__main__":
    main()
