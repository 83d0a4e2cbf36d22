"""The environment every test and every process a test starts lives in: nothing of the machine's owner reaches it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

PERSON = "Test Person"
EMAIL = "test@example.invalid"

_DROPPED_PREFIXES = ("GIT_", "LOOPX_", "XDG_", "LC_")
_DROPPED = frozenset({"EDITOR", "VISUAL", "PAGER", "LANG", "LANGUAGE", "FORCE_COLOR", "CLICOLOR_FORCE", "PYTHONPATH"})


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
