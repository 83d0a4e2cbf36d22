"""What a daemon is worth at 10,000 Todos: from a save to its commit and its page, and commands with and without it.

``python -m tests.benchmarks.beside [--in PROJECT] [--saves N]``. With ``--in`` a workspace made before is used.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from tests.benchmarks.__main__ import prepare
from tests.benchmarks.attended import daemon, footprint, line, surroundings, told
from tests.benchmarks.places import LARGE, command
from tests.benchmarks.timing import timed

PAGE = ".loopx/status/goals/goal-000.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in", dest="project", type=Path)
    parser.add_argument("--saves", type=int, default=60)
    asked = parser.parse_args()
    if asked.project is not None:
        measure(asked.project, asked.saves)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(prepare(Path(folder) / "large", LARGE), asked.saves)


def measure(project: Path, saves: int) -> None:
    without = {name: timed(words, project, surroundings()) for name, words in commands(project).items()}
    with daemon(project) as pid:
        served = told(project)["served"]
        beside = {name: timed(words, project, surroundings()) for name, words in commands(project).items()}
        line(served=int(str(told(project)["served"])) - int(str(served)), declined=told(project)["declined"])
        latency(project, saves)
        line(**footprint(pid))
    for name, alone in without.items():
        print(f"{name:<12} without {alone}\n{'':<12} with    {beside[name]}")


def commands(project: Path) -> dict[str, list[str]]:
    add = 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; exec "$0" todo add "Measured $n" --goal goal-000'
    edited = (project / ".loopx/goals/goal-000/todos/item-000.md").read_text().split('"')[1]
    edit = 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; exec "$0" todo edit "$1" --title "Edited $n"'
    return {
        "next": command("next", "--goal", "goal-000", "--json"),
        "status": command("status", "--json"),
        "todo list": command("todo", "list", "--goal", "goal-000", "--json"),
        "todo add": ["/bin/sh", "-c", add, command()[0]],
        "todo edit": ["/bin/sh", "-c", edit, command()[0], edited],
    }


def latency(project: Path, saves: int) -> None:
    """Milliseconds from a save to its commit, and to its Goal's page."""
    file, page = project / ".loopx/goals/goal-000/todos/item-001.md", project / PAGE
    to_commit, to_page = [], []
    for number in range(saves):
        title = f"Saved {time.time_ns()}"
        lines = [f"title: {title}" if each.startswith("title:") else each for each in file.read_text().split("\n")]
        head = tip(project)
        began = time.perf_counter()
        file.write_text("\n".join(lines))
        while tip(project) == head:
            time.sleep(0.002)
        to_commit.append((time.perf_counter() - began) * 1e3)
        while title not in page.read_text():
            time.sleep(0.002)
        to_page.append((time.perf_counter() - began) * 1e3)
        time.sleep(0.3 if number % 2 else 1.5)
    for name, found in (("save to commit", to_commit), ("save to page", to_page)):
        found.sort()
        median, late = statistics.median(found), found[min(len(found) - 1, int(len(found) * 0.99))]
        print(f"{name:<16} median {median:6.0f} ms   p99 {late:6.0f} ms   least {found[0]:.0f} ms")


def tip(project: Path) -> str:
    return (project / ".loopx/.git/refs/heads/main").read_text()


if __name__ == "__main__":
    main()
