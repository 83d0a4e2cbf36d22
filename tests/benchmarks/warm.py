"""One write in a process that stays: the workspace open, folders watched, nothing to start."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from loopx.daemon.watch import FolderWatch
from loopx.kernel.commands import AddTodo
from loopx.model.actor import Actor
from loopx.workspace import Workspace

ANN = Actor.parse("human:Ann")


def warm_write(root: Path, count: int = 120) -> float:
    """Median milliseconds of one committed ``todo add``, flushed to disk."""
    watch = FolderWatch(root / ".loopx")
    took: list[float] = []
    try:
        with Workspace.find(root, environ={"LOOPX_PAGES": "off"}, watch=watch) as ws:
            ws.read()
            for number in range(count):
                command = AddTodo(goal="goal-000", title=f"Warm {time.time_ns()} {number}")
                started = time.perf_counter()
                ws.submit(command, actor=ANN)
                took.append(time.perf_counter() - started)
    finally:
        watch.stop()
    return statistics.median(took[count // 6 :]) * 1e3
