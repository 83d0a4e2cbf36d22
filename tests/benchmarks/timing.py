"""Timing whole processes: several runs after a warm-up, the median to quote, peak memory beside it."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of wall and processor time, and megabytes of memory at the peak; medians over the runs."""

    wall: float
    cpu: float
    least: float
    memory: float

    def __str__(self) -> str:
        return f"{self.wall:8.1f} ms  (least {self.least:.1f}, cpu {self.cpu:.1f})  {self.memory:5.0f} MB"


def timed(argv: Sequence[str], cwd: Path, environ: dict[str, str], runs: int = 9, warm: int = 2) -> Timed:
    """Run ``argv`` over and over. A run that fails ends the measurement with what it said."""
    walls, cpus, memories = [], [], []
    for number in range(warm + runs):
        started = time.perf_counter()
        process = subprocess.Popen(argv, cwd=cwd, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read() if process.stderr is not None else b""
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.stderr is not None:
            process.stderr.close()
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(argv)} ended with {process.returncode}: {said.decode()}")
        if number >= warm:
            walls.append(wall * 1e3)
            cpus.append((usage.ru_utime + usage.ru_stime) * 1e3)
            memories.append(usage.ru_maxrss / 1024)
    return Timed(statistics.median(walls), statistics.median(cpus), min(walls), statistics.median(memories))
