"""Changed files as candidates for taking in: parsed, paired by id, and matched with the document they are about."""

from __future__ import annotations

from loopx.documents import Reading, read
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.entities import Entity, identity
from loopx.model.kind import Kind
from loopx.workspace.work import Work


@dataclass(slots=True)
class Candidate:
    """One file as typed. ``home`` is the path of the accepted document it is about, ``None`` for a new one."""

    path: str
    content: bytes
    reading: Reading
    actor: Actor
    origin: Origin
    home: str | None = None
    modified_ns: int = 0

    @property
    def is_move(self) -> bool:
        return self.home is not None and self.home != self.path


def parse(path: str, content: bytes, actor: Actor, origin: Origin, modified_ns: int = 0) -> Candidate:
    """The candidate in a changed file."""
    return Candidate(path, content, read(path, content), actor, origin, None, modified_ns)


def match(work: Work, candidates: list[Candidate], absent: set[str]) -> dict[str, str]:
    """Find each candidate's home. Returns newcomers whose id is taken by a document that is still there.

    One gone and one new with the same id is a move; a file at the old path of an archived document edits the archived
    one; both present is a duplicate, and the newcomer is the one refused.
    """
    duplicates: dict[str, str] = {}
    homes: set[str] = set()
    for each in candidates:
        if work.cache.entity_at(each.path) is not None:
            each.home = each.path
            homes.add(each.path)
    for each in candidates:
        entity = each.reading.entity
        if each.home is not None or entity is None:
            continue
        home = _home_of(work, each.reading.kind, entity)
        if home is None:
            continue
        if home in homes or (home not in absent and not _is_archived_twin(home, each.path)):
            duplicates[each.path] = home
            continue
        each.home = home
        homes.add(home)
    return duplicates


def _home_of(work: Work, kind: Kind, entity: Entity) -> str | None:
    goal = getattr(entity, "goal", "") if kind.is_per_goal else ""
    return work.path_of(kind.value, identity(entity), goal)


def _is_archived_twin(home: str, path: str) -> bool:
    """Whether ``home`` is where the document at ``path`` was archived to."""
    return "/archive/" in home and "/archive/" not in path and home.rpartition("/")[2] == path.rpartition("/")[2]
