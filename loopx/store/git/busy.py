"""Which operation of Git a person has begun and not finished.

Called before every write. It reads the traces Git leaves in its folder and changes none.
"""

from __future__ import annotations

import os
from pathlib import Path

from loopx.store.git.references import ADMITTED, MAIN, References

_TRACES = {
    "MERGE_HEAD": "a merge is in progress",
    "rebase-merge": "a rebase is in progress",
    "rebase-apply": "a rebase or an application of patches is in progress",
    "CHERRY_PICK_HEAD": "a cherry-pick is in progress",
    "REVERT_HEAD": "a revert is in progress",
    "sequencer": "a series of cherry-picks or reverts is in progress",
    "BISECT_LOG": "a bisection is in progress",
}


def foreign_operation(git_dir: Path, references: References) -> str | None:
    """The operation in progress, in words; ``None`` when main may be moved."""
    if _in_hook_of(git_dir):
        return "a Git command is at work in it and waits for the hook that called this one"
    found = _TRACES.keys() & os.listdir(git_dir)
    for name, words in _TRACES.items():
        if name in found:
            return words
    target = references.target()
    if target is None:
        return "HEAD is detached"
    if target != MAIN:
        return f"HEAD is on the branch {target.removeprefix('refs/heads/')}, not on main"
    if references.read(MAIN) is None and references.read(ADMITTED) is not None:
        return "the branch main is gone"
    return None


def _in_hook_of(git_dir: Path) -> bool:
    """Whether a hook of a person's `git commit` in this very repository started us: it has read the index already.

    Git tells its hooks which index it works with, as seen from the folder the hook runs in.
    """
    index = os.environ.get("GIT_INDEX_FILE")
    return bool(index) and Path(os.path.realpath(str(index))).is_relative_to(git_dir)
