"""Files that were exchanged for newer ones: kept two seconds, looked at again, and then dropped or taken for an edit.

An editor that had the file open may still have been writing into it. The journal of the write, kept beside them, says
which document each belongs to and what it held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from loopx.errors import LoopxError, Place, Problem
from loopx.model.defining import dataclass
from loopx.store.protocol import Store
from loopx.workspace import journal as journals
from loopx.workspace.journal import Step
from loopx.workspace.materialise import displaced_files, kept_names
from loopx.workspace.places import Places
from loopx.workspace.settle import ADOPTION_SECONDS


@dataclass(frozen=True, slots=True)
class Leftover:
    """A displaced file that was changed after it came out. ``base`` is what it held then."""

    file: Path
    step: Step
    content: bytes
    base: bytes

    def drop(self) -> None:
        """It is in history now."""
        self.file.unlink(missing_ok=True)


def due(places: Places, store: Store, now: datetime, is_in_history: Callable[[str, bytes], bool]) -> Iterator[Leftover]:
    """Displaced files old enough for their second look that hold something new; the others are dropped on the way."""
    before = (now - timedelta(seconds=ADOPTION_SECONDS)).timestamp()
    kept = None
    for manifest, write in journals.displaced(places, before):
        kept = kept_names(places) if kept is None else kept
        left = 0
        for step, file in displaced_files(places, write, kept):
            content = file.read_bytes()
            if step.before is None or store.hash(content) == step.before or is_in_history(step.path, content):
                file.unlink(missing_ok=True)
                continue
            left += 1
            yield Leftover(file, step, content, _base(store, step.before))
        if not left:
            manifest.unlink(missing_ok=True)


def displaced_problem(label: str, leftover: Leftover, why: list[Problem]) -> Problem:
    """What a person is told about a leftover that cannot be merged."""
    reason = why[0].message if why else "it cannot be merged"
    return Problem(
        "edit-displaced",
        f"text typed into {leftover.step.path} while it was being replaced is kept in {label}: {reason}",
        Place(label),
        facts={"document": leftover.step.path},
    )


def _base(store: Store, oid: str) -> bytes:
    try:
        return store.read(oid)
    except LoopxError:
        return b""
