"""Print what commands cost on workspaces of 10 and 10,000 Todos (``--huge`` adds 100,000), and what grows.

``python -m tests.benchmarks [--huge] [--only WORD]``. Figures move from machine to machine; read the ratios.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import tempfile
import time
from pathlib import Path

from tests.benchmarks import heartbeat
from tests.benchmarks.deciding import decision, decision_among
from tests.benchmarks.pages import page_render
from tests.benchmarks.past import add_past
from tests.benchmarks.places import HUGE, LARGE, SMALL, Size, command, environment, write_files
from tests.benchmarks.threads import commits_a_second
from tests.benchmarks.timing import Timed, timed
from tests.benchmarks.warm import warm_write

_TITLES = itertools.count()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--huge", action="store_true", help="also 100,000 Todos")
    parser.add_argument("--runs", type=int, default=9)
    asked = parser.parse_args()
    sizes = [SMALL, LARGE, *([HUGE] if asked.huge else [])]
    with tempfile.TemporaryDirectory() as folder:
        places = {size: prepare(Path(folder) / str(size.total), size) for size in sizes}
        version = timed(command("--version"), Path(folder), environment(), asked.runs)
        print(f"{'--version':<22}{'':>9}{version}")
        for name in ("todo list --goal", "todo add", "todo edit", "status", "next"):
            figures = {size: measure(name, places[size], asked.runs) for size in sizes}
            tell(name, figures)
        tell_numbers("every page made anew", {size: page_render(places[size]) for size in sizes}, "ms")
        tell_numbers("decision in process", {size: decision(places[size]) for size in sizes}, "ms")
        for turns in (0, 20_000):
            told = "(500 Todos and 20 Gates, with so many turns behind them)"
            print(f"{'decision, crowded':<22}{turns:>9,}{decision_among(turns):8.1f} ms   {told}")
        tell_numbers("warm write in process", {size: warm_write(places[size]) for size in sizes}, "ms")
        print(f"{'threads of one process':<22}{commits_a_second(places[SMALL]):>9.0f} commits a second")
        tell_heartbeats(places[LARGE], asked.runs)


def tell_heartbeats(root: Path, runs: int) -> None:
    """What an agent's round costs, and what 20,000 settled turns behind it make of that."""
    heartbeat.ready(root)
    print(f"{'size of a decision':<22}{heartbeat.decision_size(root):>9,} bytes")
    for turns in (0, 20_000):
        if turns:
            add_past(root, turns, LARGE.goals)
        print(f"{'next, turns behind':<22}{turns:>9,}{timed(asking(), root, environment(), runs)}")
        print(f"{'heartbeat, cold':<22}{turns:>9,}{heartbeat.cold(root, runs)}")
        print(f"{'heartbeat, in process':<22}{turns:>9,}{heartbeat.warm(root, runs):8.1f} ms")


def asking() -> list[str]:
    return command("next", "--goal", heartbeat.GOAL, "--actor", "agent:bot")


def prepare(root: Path, size: Size) -> Path:
    """A workspace of ``size``, with the time it took to take the hand-made files in."""
    root.mkdir()
    subprocess.run(command("init", "--title", "Bench"), cwd=root, env=environment(), check=True, capture_output=True)
    write_files(root, size)
    time.sleep(2.1)  # new files are adopted two seconds after their last save
    started = time.perf_counter()
    done = timed(command("todo", "list", "--json"), root, environment(), runs=1, warm=0)
    took = time.perf_counter() - started
    print(f"taking in {size.total:>7,} hand-made Todos: {took:6.1f} s, {done.memory:.0f} MB at the peak")
    return root


def measure(name: str, root: Path, runs: int) -> Timed:
    if name == "todo add":
        # A title once used in the Goal would add nothing, so each run brings its own through a shell counter file.
        script = 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; exec "$0" todo add "Measured $n" --goal goal-000'
        return timed(["/bin/sh", "-c", script, command()[0]], root, environment(), runs)
    if name == "todo edit":
        todo = next((root / ".loopx/goals/goal-000/todos").glob("item-000.md")).read_text().split('"')[1]
        script = 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; exec "$0" todo edit "$1" --title "Edited $n"'
        return timed(["/bin/sh", "-c", script, command()[0], todo], root, environment(), runs)
    words = [*name.split(), "goal-000"] if name.endswith("--goal") else name.split()
    return timed(command(*words), root, environment(), runs)


def tell(name: str, figures: dict[Size, Timed]) -> None:
    small = figures[SMALL]
    for size, each in figures.items():
        print(f"{name:<22}{size.total:>9,}{each}   x{each.wall / small.wall:.2f}")


def tell_numbers(name: str, figures: dict[Size, float], unit: str) -> None:
    for size, each in figures.items():
        print(f"{name:<22}{size.total:>9,}{each:8.1f} {unit}   x{each / figures[SMALL]:.2f}")


if __name__ == "__main__":
    main()
