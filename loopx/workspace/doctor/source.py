"""Findings about what is committed: documents that cannot be read, and stored statuses that contradict a record.

These are faults of the source. Nothing makes them anew: the lifecycle that owns the fact mends it, by a person's hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from loopx.documents import read
from loopx.kernel.contradictions import Contradiction, contradictions
from loopx.model.kind import Kind
from loopx.model.layout import record_path
from loopx.model.workspace import SCHEMA_VERSION
from loopx.workspace.doctor.anew import Anew
from loopx.workspace.doctor.findings import Difference, Finding, Surface

_HISTORY = "the accepted history in .loopx/.git"


def version(anew: Anew) -> Iterator[Finding]:
    """Files of another schema version than this LoopX knows."""
    config = anew.state.config()
    if config is not None and config.version != SCHEMA_VERSION:
        yield _finding(
            "workspace.yaml",
            Difference.MIGRATION_DIFFERENCE,
            _HISTORY,
            f"The files are of version {config.version}; this LoopX knows version {SCHEMA_VERSION}.",
            "Use the LoopX that wrote them; this one writes nothing here.",
        )


def unreadable(anew: Anew) -> Iterator[Finding]:
    """Committed documents that cannot be read: unknown, which is not none."""
    config = anew.state.config()
    is_other = config is None or config.version != SCHEMA_VERSION
    for path in anew.state.unreadable(anew.goal):
        entry = anew.ws.store.find(str(anew.target), path)
        problems = read(path, anew.ws.store.read(entry.oid)).problems if entry is not None else ()
        first = problems[0] if problems else None
        yield _finding(
            str(first.place or path) if first else path,
            Difference.MIGRATION_DIFFERENCE if is_other else Difference.SOURCE_WRONG,
            _HISTORY,
            f"What is committed at {path} cannot be read: {first.message if first else 'it holds no document'}",
            "Mend the file on disk; the next command takes it in. `loopx rollback` puts an earlier version back.",
            (path.rpartition("/")[2].partition(".")[0],),
        )


def statuses(anew: Anew) -> Iterator[Finding]:
    """Documents whose stored status contradicts the record that owns the fact."""
    for each in contradictions(anew.state, anew.now, anew.goal):
        row = anew.cache.entity(each.kind.value, each.id)
        yield _finding(
            row.path if row is not None else each.id,
            Difference.SOURCE_WRONG,
            _owner(anew, each),
            each.why,
            each.next_step,
            (each.id,),
        )


def _owner(anew: Anew, each: Contradiction) -> str:
    row = anew.cache.entity(each.owner.value, each.goal if each.owner is Kind.CLOSURE else each.id)
    path = row.path if row is not None else record_path(each.owner, each.goal, each.id)
    return f"the record {path}" if row is not None else f"the record {path}, which is not there"


def _finding(place: str, kind: Difference, owner: str, why: str, next_step: str, ids: tuple[str, ...] = ()) -> Finding:
    return Finding(
        surface=Surface.DOCUMENTS, kind=kind, owner=owner, place=place, why=why, next_step=next_step, ids=ids
    )
