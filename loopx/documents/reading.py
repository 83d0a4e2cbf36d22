"""Reading a document: its entity, or everything that is wrong with it, each thing with its place and a remedy.

Called by the workspace for every text a person or a program wrote. Never raises on bad input and never changes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

from loopx.documents.complaints import complaint
from loopx.documents.headings import HEADLINES
from loopx.documents.oddities import oddities
from loopx.documents.places import Where, dotted, find, place_of
from loopx.documents.remarks import remarks
from loopx.documents.tree import Document, location_of, parse
from loopx.documents.values import Values, expected_identity, values_in
from loopx.errors import LoopxError, Place, Problem
from loopx.model.defining import dataclass
from loopx.model.entities import CLASSES, Entity
from loopx.model.kind import Kind
from loopx.model.layout import Location, is_goal_slug

TOLD_LIMIT = 100
"""Problems (and warnings) told of in one document; whoever has more has one mistake many times."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document says.

    ``entity`` is there when nothing is wrong and nothing is missing. ``problems`` stop it from being used, ``warnings``
    do not. ``missing`` names (by file key) the machine-owned fields a hand-made document lacks and adoption inserts;
    with only these lacking, ``provisional`` is the entity under a placeholder identity, so that it can be judged.
    ``values`` holds the known fields as typed: file key to JSON value.
    """

    path: str
    location: Location
    entity: Entity | None = None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    missing: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    provisional: Entity | None = None
    document: Document | None = field(default=None, repr=False, compare=False)
    """The parsed text, for this room alone."""

    @property
    def kind(self) -> Kind:
        return self.location.kind

    @property
    def bound(self) -> Entity | None:
        """The entity, or the provisional one."""
        return self.entity if self.entity is not None else self.provisional

    def place_of_key(self, key: str) -> Place:
        """Where the field ``key`` (its name in the file; ``body`` too) is written; without a line if it is not."""
        document = self.document
        if document is None:
            return Place(self.path)
        if key == "body":
            return document.source.place(document.source.body_span[0])
        node = find(document, (key,))
        if node is not None:
            return document.source.place(node.start)
        values = values_in(document)
        is_headline = values.heading is not None and key == HEADLINES.get(self.kind)
        return place_of(document, (key,), values) if is_headline else Place(self.path)


def read(path: str, data: bytes) -> Reading:
    """Read the document ``data`` at ``path`` (below ``.loopx/``, ``/`` between its parts).

    Raises :class:`ValueError` only for a path at which no document belongs (``layout.locate`` says so before).
    """
    location = location_of(path)
    if location.kind is Kind.TRACE:
        return _segment(path, location, data)
    try:
        document = parse(path, data)
    except LoopxError as error:
        return Reading(path, location, problems=(error.problem,))
    return bound(document)


def _segment(path: str, location: Location, data: bytes) -> Reading:
    """A trace segment: lines of JSON, not YAML."""
    from loopx.documents.segments import read_segment

    entity, problems = read_segment(path, location, data)
    return Reading(path, location, entity=entity, problems=tuple(problems[:TOLD_LIMIT]))


def bound(document: Document, defaults: Mapping[str, Any] = MappingProxyType({})) -> Reading:
    """The reading of a text that could be parsed. ``defaults`` (file keys to JSON values) stand for what it leaves
    out."""
    values = values_in(document)
    if defaults:
        values = replace(values, bindable={**defaults, **values.bindable})
    warnings = tuple(islice(remarks(document), TOLD_LIMIT))
    problems = _problems(document, values)
    entity: Entity | None = None
    if not problems:
        entity, problems = _entity(document, values)
    return Reading(
        document.source.path,
        document.location,
        entity=None if values.missing else entity,
        problems=tuple(sorted(problems, key=_line)),
        warnings=warnings,
        missing=values.missing,
        values=values.typed,
        provisional=entity if values.missing else None,
        document=document,
    )


def _entity(
    document: Document, values: Values, seen: frozenset[Where] = frozenset()
) -> tuple[Entity | None, list[Problem]]:
    """The entity; or the problems of each value that breaks a rule, but for those in ``seen``."""
    from loopx.model.validation import Unbound, bind

    try:
        return bind(document.kind, values.bindable, **values.placed), []
    except Unbound as error:
        found = [each for each in error.problems if each.where not in seen]
        return None, [complaint(document, values, p.where, p.rule, p.message, p.value) for p in found[:TOLD_LIMIT]]


def _problems(document: Document, values: Values) -> list[Problem]:
    """What is wrong before any field is judged by itself."""
    if nothing := _nothing(document, values):
        return [nothing]
    odd = dict(islice(oddities(document), TOLD_LIMIT))
    found = [*_misplaced(document, values), *odd.values()]
    if odd:
        # Other mistakes are told of in the same breath, so that nobody has to save five times.
        found += _entity(document, values, frozenset(odd))[1]
    return found


def _nothing(document: Document, values: Values) -> Problem | None:
    if document.root is not None or values.heading is not None:
        return None
    source = document.source
    if source.header is None and source.body:
        return None
    message = "The document is empty." if not source.text.strip() else "The header holds no fields."
    return Problem("document-empty", message, Place(source.path, 1, 1))


def _misplaced(document: Document, values: Values) -> Iterator[Problem]:
    """Where the path and the text contradict each other."""
    location, path = document.location, document.source.path
    if location.kind is not Kind.WORKSPACE and not is_goal_slug(location.goal):
        message = f"The folder `{location.goal}` is not a goal's name."
        hint = "Rename the folder: lower-case letters, digits and dashes."
        yield Problem("field-value", message, Place(path), hint, {"field": "goal"})
        return
    for key, expected in expected_identity(location):
        if (said := values.bindable.get(key)) is not None and said != expected:
            yield _contradiction(document, key, said, expected)
    if "goal" in CLASSES[location.kind].__dataclass_fields__ and document.root is not None:
        entry = document.root.find("goal")
        said = getattr(entry.value, "value", "") if entry else location.goal
        if said != location.goal:
            yield _contradiction(document, "goal", said, location.goal)


def _contradiction(document: Document, key: str, said: Any, expected: str) -> Problem:
    message = f"`{key}` is `{said}`, but the file's place says `{expected}`."
    hint = f"Write `{key}: {expected}`, or move the file."
    return Problem("field-value", message, place_of(document, (key,)), hint, {"field": dotted((key,))})


def _line(problem: Problem) -> tuple[int, int]:
    place = problem.place
    return (place.line or 0, place.column or 0) if place else (0, 0)
