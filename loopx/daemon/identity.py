"""Whether the process in a note is the one that wrote it. Pure but for what is asked of the system in one place.

A number is given again to another program after a restart of the machine or simply later; so a process is known by its
number, the instant it began, and the boot of the machine it belongs to.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopx.model.defining import dataclass

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Identity:
    """One process. ``started`` and ``boot`` are opaque; ``""`` where the system does not tell."""

    pid: int
    started: str = ""
    boot: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"pid": self.pid, "started": self.started, "boot": self.boot}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Identity:
        """Raises :class:`KeyError`, :class:`TypeError` or :class:`ValueError` for what is no identity."""
        return cls(int(found["pid"]), str(found["started"]), str(found["boot"]))


def is_same(noted: Identity, seen: Identity | None) -> bool:
    """Whether the process ``seen`` under that number now is the one that was noted; ``None``: there is none."""
    if seen is None or noted.pid != seen.pid or noted.boot != seen.boot:
        return False
    return noted.started == seen.started


def current() -> Identity:
    """This process."""
    found = process(os.getpid())
    return found or Identity(os.getpid(), boot=_boot())


def process(pid: int) -> Identity | None:
    """The process that has the number ``pid`` now; ``None`` when none has, or one that has ended already."""
    try:
        # The name, in brackets, may hold anything; state and start follow it.
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return None if fields[0] == "Z" else Identity(pid, fields[19], _boot())
    except (OSError, IndexError):
        return None if Path("/proc/self/stat").exists() else _told_by_ps(pid)


def _told_by_ps(pid: int) -> Identity | None:
    """Where there is no ``/proc``."""
    asked = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        said = subprocess.run(asked, capture_output=True, encoding="utf-8", check=False, timeout=5).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Identity(pid, said, _boot()) if said else None


def _boot() -> str:
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""
