"""A measured workspace with a daemon beside it, started and ended as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopx.daemon.asking import health
from loopx.workspace.places import Places
from tests.benchmarks.places import environment

ROOT = str(Path(__file__).parents[2])


def surroundings() -> dict[str, str]:
    """The environment of the daemon and of everything measured beside it."""
    found = {**environment(), "PYTHONPATH": ROOT}
    found.pop("LOOPX_DAEMON", None)
    return found


@contextmanager
def daemon(project: Path) -> Iterator[int]:
    """The process id of a daemon that has looked at everything once."""
    words = [sys.executable, "-m", "loopx", "daemon", "run", "--no-page", "--log", str(project / "daemon.log")]
    process = subprocess.Popen(words, cwd=project, env=surroundings())
    try:
        places = Places(project / ".loopx")
        for _ in range(6000):
            if (health(places) or {}).get("looks"):
                break
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def told(project: Path) -> dict[str, object]:
    """What the daemon says of itself."""
    return health(Places(project / ".loopx")) or {}


def footprint(pid: int) -> dict[str, int]:
    """Descriptors, resident kilobytes and living children of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory = next(int(each.split()[1]) for each in status.splitlines() if each.startswith("VmRSS"))
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    zombies = sum("Z" in Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[0] for each in children)
    return {
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "memory_kb": memory,
        "children": len(children),
        "zombies": zombies,
        "threads": len(os.listdir(f"/proc/{pid}/task")),
    }


def line(**facts: object) -> None:
    print(json.dumps(facts), flush=True)
