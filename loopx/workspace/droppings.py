"""Which names are not documents: what editors, systems and we ourselves leave beside them."""

from __future__ import annotations

import re

from loopx.workspace.places import TEMP_SUFFIX

_DROPPING = re.compile(
    r"""
    \..*            # hidden: .x.md.swp, .#x, .DS_Store, .env, our own temp files
    | .*~           # backups
    | \#.*\#        # Emacs autosave
    | 4913          # Vim's probe
    | .*\.(?:swp|swo|swx|bak|orig|rej|tmp|part|crdownload)
    | ___jb_(?:tmp|old)___.* | .*___jb_(?:tmp|old)___
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_dropping(name: str) -> bool:
    """Whether a file or folder of this name is never a document."""
    return _DROPPING.fullmatch(name) is not None


def is_temp(name: str) -> bool:
    """Whether it is a temp file of ours: only the lock's holder makes them, so any that it finds is dead."""
    return name.startswith(".") and name.endswith(TEMP_SUFFIX)


def is_conflict_copy(name: str) -> bool:
    """Whether a synchronising tool made it to keep two versions of one file."""
    return re.search(r"\((?:.*conflict.*|\d+)\)|\.sync-conflict-", name, re.IGNORECASE) is not None
