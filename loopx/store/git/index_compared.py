"""How Git's index differs from a commit, as Git itself tells it. Writes nothing, not even refreshed times."""

from __future__ import annotations

from loopx.store.git.programs import Programs
from loopx.store.protocol import Oid, PathChange

_ABSENT = "0"


def differences(programs: Programs, commit: Oid) -> list[PathChange]:
    """Lines of the index that are not what ``commit`` holds: ``before`` in the commit, ``after`` in the index.

    An unmerged line counts as absent. Raises ``git-failed`` and kin when the index cannot be read.
    """
    answer = programs.run(
        "compare the index",
        "diff-index", "--cached", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules", "-z", commit, "--",
    )  # fmt: skip
    pieces = answer.output.decode("utf-8", "surrogateescape").split("\0")
    return [_change(head, path) for head, path in zip(pieces[::2], pieces[1::2], strict=False)]


def _change(head: str, path: str) -> PathChange:
    """One record, such as ``:100644 100644 OLD NEW M`` and its path."""
    _, _, before, after, _ = head.removeprefix(":").split(" ")
    return PathChange(path, _present(before), _present(after))


def _present(oid: str) -> Oid | None:
    return oid if oid.strip(_ABSENT) else None
