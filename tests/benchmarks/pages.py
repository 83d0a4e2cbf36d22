"""Every page made anew in a process that stays: what a background render costs, and what it grows with."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from loopx.workspace import Workspace


def page_render(root: Path, count: int = 5) -> float:
    """Median milliseconds of processor time of one render of every page, the first left out."""
    took: list[float] = []
    with Workspace.find(root, environ={"LOOPX_PAGES": "off"}) as ws:
        ws.read()
        for _ in range(count + 1):
            started = time.process_time()
            ws.pages.render()
            took.append(time.process_time() - started)
    return statistics.median(took[1:]) * 1e3
