"""The environment every test and every process a test starts lives in: nothing of the machine's owner reaches it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

PERSON = "Test Person"
EMAIL = "test@example.invalid"

_DROPPED_PREFIXES = ("GIT_", "LOOPX_", "XDG_", "LC_")
_COMPILED = "PYTHONDONTWRITEBYTECODE"
"""Left out, since hundreds of processes are started and each would compile all it imports."""

_DROPPED = frozenset(
    {"EDITOR", "VISUAL", "PAGER", "LANG", "LANGUAGE", "FORCE_COLOR", "CLICOLOR_FORCE", "PYTHONPATH", _COMPILED}
)
_MEMORY = "/dev/shm"
_ROOM = 1 << 30
"""Many times what a whole run needs at once, which is some fifteen megabytes."""


def temporary_root(outside: Mapping[str, str] = os.environ, memory: str = _MEMORY) -> str | None:
    """Where temporary folders are made: the place somebody chose, or a file system in memory with room, or anywhere.

    Half of a test's time would go into waiting for a disk to flush, and none of them pulls the plug.
    """
    if {"TMPDIR", "PYTEST_DEBUG_TEMPROOT"} & outside.keys():
        return outside.get("PYTEST_DEBUG_TEMPROOT")
    roomy = os.access(memory, os.W_OK | os.X_OK) and shutil.disk_usage(memory).free >= _ROOM
    return memory if roomy else None


def hermetic(home: Path, outside: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The whole environment for ``home``, which is made, with a Git configuration that names the test's person.

    Of ``outside`` only what concerns neither Git, LoopX, locale nor editors is kept (``PATH`` above all).
    """
    config = home / "gitconfig"
    home.mkdir(parents=True, exist_ok=True)
    config.write_text(f"[user]\n\tname = {PERSON}\n\temail = {EMAIL}\n[init]\n\tdefaultBranch = main\n")
    kept = {name: value for name, value in outside.items() if not _is_dropped(name)}
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "100",
    }


def _is_dropped(name: str) -> bool:
    return name in _DROPPED or name.startswith(_DROPPED_PREFIXES)
