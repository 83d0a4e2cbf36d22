"""Looking at every surface in turn: first whether one looks at what one thinks, then where surfaces disagree.

Called for ``loopx doctor``, and before and after a repair. Writes nothing: no edit is taken in, no cache follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_goal
from loopx.workspace.doctor import cache, files, history, index, pages, repairs, source
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.basis import basis
from loopx.workspace.doctor.findings import Diagnosis, Difference, Finding, Surface
from loopx.workspace.proposal import RefusedError

if TYPE_CHECKING:
    from loopx.workspace.opened import OpenWorkspace

Look = Callable[[Anew], Iterator[Finding]]

COMMITTED: tuple[tuple[Surface, Look], ...] = (
    (Surface.DOCUMENTS, source.version),
    (Surface.DOCUMENTS, source.unreadable),
    (Surface.DOCUMENTS, source.statuses),
    (Surface.HISTORY, history.lineage),
    (Surface.CLOCK, history.time),
)
"""What can be asked of any revision."""

PRESENT: tuple[tuple[Surface, Look], ...] = (
    (Surface.HISTORY, history.references),
    (Surface.JOURNAL, files.leftovers),
    (Surface.FILES, files.documents),
    (Surface.CACHE, cache.cache),
    (Surface.INDEX, index.index),
    (Surface.PAGES, pages.pages),
    (Surface.SCHEMAS, pages.schemas),
    (Surface.REPAIRS, repairs.too_often),
)
"""What only the present has."""

_OF_HISTORY = frozenset({"repository-broken", "repository-owner", "git-failed", "git-missing"})
"""What says that history itself cannot be read, whichever surface was to be compared with it."""


def examine(ws: OpenWorkspace, *, goal: str | None = None, at: str | None = None) -> Diagnosis:
    """Everything found now, or in what was committed at a revision, of one Goal or all. Raises ``revision-unknown`` and
    :class:`RefusedError` for a Goal that is not there.
    """
    anew = Anew.of(ws, goal, at)
    try:
        if goal is not None:
            anew.goal = _known(anew, goal)
        looks = COMMITTED if anew.is_past else (*PRESENT, *COMMITTED)
        found = [finding for surface, look in looks for finding in _guarded(surface, look, anew)]
        looked_at = tuple(dict.fromkeys(surface.value for surface, _ in looks))
        return Diagnosis(basis=basis(anew), findings=tuple(dict.fromkeys(found)), looked_at=looked_at)
    finally:
        anew.close()


def _known(anew: Anew, typed: str) -> str:
    found = find_goal(anew.state, typed)
    if isinstance(found, Refused):
        raise RefusedError(found)
    return found.id


def _guarded(surface: Surface, look: Look, anew: Anew) -> Iterator[Finding]:
    """What a look finds, where a surface that cannot be looked at is a finding too and keeps no other from its turn."""
    try:
        yield from look(anew)
    except LoopxError as error:
        if error.code in _OF_HISTORY and surface is not Surface.INDEX:
            yield _unseen(Surface.HISTORY, ".loopx/.git", str(error), error.problem.hint)
        else:
            yield _unseen(surface, str(error.problem.place or surface.value), str(error), error.problem.hint)
    except OSError as error:
        place = str(error.filename or surface.value)
        yield _unseen(surface, place, error.strerror or str(error), "Look at the permissions and the disk.")


def _unseen(surface: Surface, place: str, said: str, step: str) -> Finding:
    return Finding(
        surface=surface,
        kind=Difference.READ_FAILED,
        owner="nobody can say while it cannot be read",
        place=place,
        why=f"It could not be looked at: {said.rstrip('.')}.",
        next_step=step,
    )
