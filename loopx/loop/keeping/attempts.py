"""What this machine knows of executions whose end may not be on record: read by the actors and when a run is resumed.

Each is a file that :mod:`loopx.loop.keeping.attempting` writes. Nothing here decides what an end means for a step.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopx.loop.keeping.attempting import Record, boot, end_group, process_started, stat_row

_PATIENCE_SECONDS = 2.0
_LOOK_SECONDS = 0.005
_JUDGE = ".judge"


@dataclass(frozen=True, slots=True)
class AttemptFile:
    """What is on file of one execution: that it began, and how it ended once it has."""

    attempt: str
    pid: int
    """Of the command, and of its process group and session."""
    boot: str
    process_started: str
    keeper: int
    """Of the program that keeps the record."""
    keeper_started: str
    not_started: str | None = None
    """Why the command could not be started."""
    exit_status: int | None = None
    """Negative for a signal; ``None`` while its end is not on file."""
    output_digest: str | None = None
    output_size: int = 0
    output: str = ""
    """The end of it, secrets masked."""
    errors: str = ""
    """The end of its error stream, where that was kept apart."""
    folder: Path | None = field(default=None, compare=False)
    """Where it was read."""

    @property
    def has_ended(self) -> bool:
        return self.not_started is not None or self.exit_status is not None


def attempt_path(folder: Path, attempt: str) -> Path:
    """Where the execution ``attempt`` is on file."""
    return folder / f"{attempt.replace('/', '+')}.json"


def read_attempt(folder: Path, attempt: str) -> AttemptFile | None:
    """What is on file of ``attempt``; ``None`` when nothing is, or nothing that can be read."""
    try:
        found = AttemptFile(**_facts(attempt_path(folder, attempt)), folder=folder)
    except (OSError, ValueError, TypeError):
        return None
    return found if found.attempt == attempt else None


def _facts(path: Path) -> dict[str, Any]:
    """What the whole lines of a file say; a machine that stopped may have left its last one cut off."""
    found: dict[str, Any] = {}
    for line in path.read_bytes().splitlines():
        try:
            found.update(json.loads(line))
        except ValueError:
            break
    return found


def note_judge(folder: Path, run: str, pid: int) -> Path:
    """Note that process ``pid``, which leads a group of its own, judges, probes or plans for ``run``; where that
    stands. Whoever starts it takes the note away."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run}+{pid}{_JUDGE}"
    facts = {"attempt": run, "pid": pid, "boot": boot(), "process_started": process_started(pid)}
    record = Record(str(path), is_durable=False)
    record.write({**facts, "keeper": 0, "keeper_started": ""})
    record.close()
    return path


def end_judges(folder: Path, run: str) -> None:
    """End what still judges, probes or plans for ``run`` though whoever started it was killed: all of that is asked
    again."""
    for path in folder.glob(f"{run}+*{_JUDGE}"):
        try:
            file = AttemptFile(**_facts(path))
        except (OSError, ValueError, TypeError):
            file = None
        if file is not None:
            end(file)
        path.unlink(missing_ok=True)


def forget_attempt(folder: Path, attempt: str) -> None:
    """Drop the file, once its end is on record elsewhere."""
    attempt_path(folder, attempt).unlink(missing_ok=True)


def forget_run(folder: Path, run: str) -> None:
    """Drop the files of every execution of a run that has ended."""
    for path in folder.glob(f"{run}+*"):
        path.unlink(missing_ok=True)


def is_alive(file: AttemptFile) -> bool:
    """Whether the command, or something it left in its process group, still runs. Another process that was given the
    same number since is told apart by when it was started."""
    if file.not_started is not None or file.boot != boot():
        return False
    if _is_same(file.pid, file.process_started):
        return True
    return any(True for _ in _members(file.pid))


def is_kept(file: AttemptFile) -> bool:
    """Whether the end is still to be put on file, by a program that runs. A keeper that has done so may run on: it
    waits for another execution."""
    if file.has_ended or file.boot != boot() or not _is_same(file.keeper, file.keeper_started):
        return False
    if file.folder is None:
        return True
    now = read_attempt(file.folder, file.attempt)
    return now is not None and not now.has_ended


def end(file: AttemptFile, seconds: float = _PATIENCE_SECONDS) -> bool:
    """Kill the command with all of its group, and wait until it is gone and its keeper has put that on file; false when
    it outlived ``seconds``."""
    waiting = threading.Event()
    for _ in range(max(int(seconds / _LOOK_SECONDS), 1)):
        if is_alive(file):
            end_group(file.pid, signal.SIGKILL)
        elif not is_kept(file):
            return True
        waiting.wait(_LOOK_SECONDS)
    return not is_alive(file)


def _is_same(pid: int, started: str) -> bool:
    return bool(started) and process_started(pid) == started


def _members(group: int) -> Iterator[int]:
    """Living processes of a group whose leader has ended. Where the system does not list them, nobody is found."""
    if stat_row(group) is not None and process_started(group):
        return  # the number is somebody else's now, and so would be its group
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit():
            row = stat_row(int(name))
            if row is not None and row[0] not in "ZX" and row[2] == row[3] == str(group):
                yield int(name)
