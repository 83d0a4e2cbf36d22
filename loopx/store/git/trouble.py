"""Git's own words about what went wrong, as one of our codes.

Called when a Git program ended badly. Git is run with ``LC_ALL=C``, so its words are the English ones matched here.
"""

from __future__ import annotations

import re

from loopx.errors import LoopxError

_TAIL = 600

_SIGNS: tuple[tuple[str, str, str], ...] = (
    ("repository-owner", r"dubious ownership", "The repository of this workspace belongs to another user."),
    ("disk-full", r"No space left on device|Disk quota exceeded", "Git found no room left on the disk."),
    ("disk-refused", r"Permission denied|Read-only file system", "Git may not write to the repository."),
    (
        "repository-broken",
        r"not a git repository|unable to read (?:tree|sha1|object)|bad object|loose object .* corrupt"
        r"|object file .* is empty|unable to parse object|invalid object|bad index file|index file corrupt"
        r"|bad (?:config|tree)|unable to unpack|inflate: data stream error|nonexistent object",
        "Git cannot read the repository of this workspace.",
    ),
)


def explained(doing: str, words: str) -> LoopxError:
    """The error for a Git program that failed while ``doing`` something and said ``words`` about it."""
    tail = tail_of(words)
    for code, sign, sentence in _SIGNS:
        if re.search(sign, words):
            return LoopxError(code, sentence, facts={"git": tail})
    said = tail.splitlines()[-1] if tail else "it gave no reason"
    return LoopxError("git-failed", f"Git failed to {doing}: {said}", facts={"git": tail})


def tail_of(words: str) -> str:
    """The last few hundred characters of what a program said."""
    return words.strip()[-_TAIL:]
