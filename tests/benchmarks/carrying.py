"""What carrying a plan out costs as people see it: the whole process of ``loopx run``.

``python -m tests.benchmarks.carrying [STEPS]`` prints how long four steps of one second take four at a time, and what
each of STEPS steps that run a program costs on top of starting that program.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from loopx.kernel.commands import AddTodo, NewGoal, NewPlan
from loopx.model.actor import Actor
from loopx.model.plan import Action, Judge, JudgeKind, PlanStep, RunSettings
from loopx.workspace import Workspace

ANN = Actor.parse("human:Ann")
BY_STATUS = (Judge(kind=JudgeKind.EXIT_CODE),)


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        environ = {**os.environ, "LOOPX_PAGES": "off", "LOOPX_ACTOR": "human:Ann"}
        with Workspace.create(root, title="Bench", environ=environ) as made:
            made.submit(NewGoal(goal="beta", title="Beta"), actor=ANN)
            beside = [step(f"s{number}", ("sleep", "1"), writes=f"out{number}/**") for number in range(4)]
            wide = planned(made, beside)
            row = [step(f"s{n}", ("true",), *((f"s{n - 1}",) if n else ())) for n in range(steps)]
            chain, one = planned(made, row), planned(made, row[:1])
        seconds = carried(root, environ, wide, "--parallel", "4")
        print(f"{'four steps of 1 s':<22}{'at once':>9}{seconds:8.2f} s")
        least, whole = carried(root, environ, one), carried(root, environ, chain)
        alone = started("true", 50)
        each = (whole - least) / (steps - 1) * 1e3
        print(f"{'durable step':<22}{steps:>9,}{each - alone:8.1f} ms   on top of {alone:.1f} ms for its program")
        print(f"{'run of one step':<22}{1:>9,}{least * 1e3:8.0f} ms   the whole process")


def planned(workspace: Workspace, steps: list[PlanStep]) -> str:
    todo = workspace.submit(AddTodo(goal="beta", title=f"Carry out {len(steps)} steps"), actor=ANN)
    settings = RunSettings(enable_verification=False)
    plan = NewPlan(todo=str(todo.receipt.result["id"]), steps=tuple(steps), settings=settings)
    return str(workspace.submit(plan, actor=ANN).receipt.result["id"])


def step(identity: str, argv: tuple[str, ...], *after: str, writes: str | None = None) -> PlanStep:
    scopes = (writes,) if writes is not None else ()
    action = Action(argv=argv)
    return PlanStep(id=identity, title="Work", action=action, depends_on=after, write_scopes=scopes, evaluate=BY_STATUS)


def carried(root: Path, environ: dict[str, str], run: str, *options: str) -> float:
    argv = [sys.executable, "-m", "loopx", "run", run, *options]
    begun = time.perf_counter()
    subprocess.run(argv, cwd=root, env=environ, check=True, capture_output=True)
    return time.perf_counter() - begun


def started(program: str, times: int) -> float:
    """Milliseconds it takes to start ``program`` and see its end."""
    begun = time.perf_counter()
    for _ in range(times):
        subprocess.run([program], check=True)
    return (time.perf_counter() - begun) / times * 1e3


if __name__ == "__main__":
    main()
