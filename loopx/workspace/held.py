"""Why a file is left as it was typed: the words for each reason, with its place.

Taking in notes these beside the path; nothing here decides.
"""

from __future__ import annotations

from loopx.errors import Place, Problem


def linked(folder: str) -> Problem:
    return Problem(
        "document-link", f"{folder} is a symbolic link; nothing is read or written through it", Place(folder)
    )


def late(path: str) -> Problem:
    return Problem("file-failed", f"the system did not let {path} be replaced, so it is behind history", Place(path))


def settling(path: str) -> Problem:
    return Problem("edit-settling", f"{path} was saved a moment ago and is not taken in yet", Place(path))


def duplicate(path: str, home: str) -> Problem:
    return Problem(
        "id-duplicate",
        f"{path} has the id of {home}",
        Place(path),
        hint="Delete the `id:` line of the newer file; it gets one of its own.",
        facts={"other": home},
    )


def absent(path: str) -> Problem:
    return Problem("document-absent", f"{path} is gone; it counts as deleted when it stays gone", Place(path))


def mass(path: str, missing: int, total: int) -> Problem:
    return Problem(
        "mass-deletion", f"{missing} of {total} documents are missing at once, {path} among them", Place(path)
    )
