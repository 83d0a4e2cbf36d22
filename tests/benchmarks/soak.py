"""Ten thousand edits beside one daemon: print descriptors, memory, children and commits as they go by.

``python -m tests.benchmarks.soak [--edits N] [--files N] [--pause S]``. Flat is what to look for; nothing is judged. A
thousand edits to a hundred files within thirty seconds: ``--edits 1000 --files 100 --pause 0.026``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks.attended import daemon, footprint, line, surroundings, told
from tests.benchmarks.places import Size, command, write_files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between edits")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "soak"
        project.mkdir()
        subprocess.run(command("init"), cwd=project, env=surroundings(), check=True, capture_output=True)
        write_files(project, Size(1, asked.files))
        time.sleep(2.1)
        with daemon(project) as pid:
            soak(project, pid, asked.edits, asked.pause)


def soak(project: Path, pid: int, edits: int, pause: float) -> None:
    files = sorted((project / ".loopx/goals/goal-000/todos").glob("*.md"))
    wait_until_clean(project)
    line(edits=0, commits=commits(project), **footprint(pid))
    began = time.perf_counter()
    for number in range(1, edits + 1):
        file = files[number % len(files)]
        head, _, _ = file.read_text().partition("Edit ")
        save(number, file, f"{head}Edit {number}.\n".encode())
        time.sleep(pause)
        if number % max(1, edits // 10) == 0:
            line(edits=number, seconds=round(time.perf_counter() - began), commits=commits(project), **footprint(pid))
    wait_until_clean(project)
    time.sleep(5)
    line(edits=edits, at="rest", commits=commits(project), **footprint(pid))
    in_history, twice = kept(project)
    line(edits=edits, in_history=in_history, twice=twice)
    line(**{name: told(project).get(name) for name in ("looks", "failures", "overflows", "problems", "last_look_ms")})


def save(number: int, file: Path, content: bytes) -> None:
    """As one editor or another does."""
    if number % 2:
        fresh = file.with_name(f".{file.name}.swp")
        fresh.write_bytes(content)
        os.replace(fresh, file)
    else:
        file.write_bytes(content)


def commits(project: Path) -> int:
    asked = ["git", "-C", str(project / ".loopx"), "rev-list", "--count", "main"]
    return int(subprocess.run(asked, capture_output=True, check=True).stdout)


def kept(project: Path) -> tuple[int, int]:
    """How many edits are in history each by itself, and how many were committed more than once. Of edits to one file
    that follow each other faster than the daemon looks, the last is kept."""
    asked = ["git", "-C", str(project / ".loopx"), "log", "-p", "--format=", "-U0", "main", "--", "goals"]
    text = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    found = Counter(each for each in text.splitlines() if each.startswith("+Edit "))
    return len(found), sum(count > 1 for count in found.values())


def wait_until_clean(project: Path) -> None:
    asked = ["git", "-C", str(project / ".loopx"), "status", "--porcelain"]
    for _ in range(600):
        if not subprocess.run(asked, capture_output=True, check=True).stdout:
            return
        time.sleep(0.2)
    raise SystemExit("edits were lost")


if __name__ == "__main__":
    main()
