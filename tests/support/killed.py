"""A ``loopx`` that is killed in mid-write: at a named point the process ends by SIGKILL, with nothing flushed.

Run as ``python -m tests.support.killed POINT NUMBER ARGUMENT…``; the kill comes when the point is reached for the
``NUMBER``-th time. A process that never reaches it ends as ``loopx`` does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from loopx.cli.app import start
from loopx.workspace import crashpoints

ROOT = Path(__file__).parents[2]


def run_killed(point: str, *arguments: str, cwd: Path, number: int = 1) -> int:
    """Run ``loopx`` in ``cwd`` until it kills itself at ``point``; how it ended (``-9``: it did)."""
    argv = [sys.executable, "-m", "tests.support.killed", point, str(number), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LOOPX_PAGES": "off"}
    return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, timeout=60).returncode


def main(point: str, number: int, arguments: list[str]) -> int:
    left = number

    def hook(reached: str) -> None:
        nonlocal left
        left -= reached == point
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    crashpoints.hook = hook
    return start(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
