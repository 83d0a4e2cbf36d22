"""Many threads of one process writing through one workspace: what waits together is flushed and published together."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopx.kernel.commands import AddTodo
from loopx.model.actor import Actor
from loopx.workspace import Workspace

ANN = Actor.parse("human:Ann")
THREADS, WRITES = 8, 50


def commits_a_second(root: Path) -> float:
    """Commits a second of ``THREADS`` threads adding ``WRITES`` Todos each."""
    with Workspace.find(root, environ={"LOOPX_PAGES": "off"}) as ws:

        def work(thread: int) -> None:
            for number in range(WRITES):
                ws.submit(AddTodo(goal="goal-000", title=f"Thread {thread} {number} {time.time_ns()}"), actor=ANN)

        started = time.perf_counter()
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(work, range(THREADS)))
        return THREADS * WRITES / (time.perf_counter() - started)
