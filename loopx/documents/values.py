"""What a document says, field by field: as typed, and as it is bound.

Called by reading (which then has every rule checked) and by editing (which trusts what was checked when it was
accepted, and so needs no validation library). Names are file keys, values are JSON values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from loopx.documents.criteria import normal_criteria
from loopx.documents.headings import HEADLINES, first_heading
from loopx.documents.nodes import Alias, Node, Sequence, value_of
from loopx.documents.nodes import Mapping as MappingNode
from loopx.documents.shapes import Shape, by_key
from loopx.documents.tree import Document
from loopx.model import ids
from loopx.model.codec import decode
from loopx.model.defining import dataclass
from loopx.model.entities import CLASSES, Entity
from loopx.model.fields import Owner
from loopx.model.kind import Kind
from loopx.model.layout import Location, is_goal_slug
from loopx.model.workspace import SCHEMA_VERSION

UNKNOWN_GOAL = "unknown"
"""Stands for the Goal of a document whose folder is none, so that the rest of it can still be judged."""

_PLACEHOLDERS: dict[tuple[Kind, str], Any] = {
    (Kind.TODO, "id"): f"{ids.TODO}-00000000x",
    (Kind.GATE, "id"): f"{ids.GATE}-00000000x",
    (Kind.PROPOSAL, "id"): f"{ids.PROPOSAL}-00000000x",
    (Kind.WORKSPACE, "id"): f"{ids.WORKSPACE}-00000000x",
    (Kind.WORKSPACE, "version"): SCHEMA_VERSION,
}


@dataclass(frozen=True, slots=True)
class Values:
    """A document's fields. ``typed``: known names only, as written. ``bindable``: with ids folded, plain criteria
    identified, the title taken from a heading where the header has none, and placeholders for ``missing`` fields.
    ``placed``: what path and text give (``goal``, ``body``). ``heading``: offset of the heading that gave the title.
    """

    typed: Mapping[str, Any]
    bindable: Mapping[str, Any]
    placed: Mapping[str, str]
    missing: tuple[str, ...]
    heading: int | None


def values_in(document: Document) -> Values:
    """Everything ``document`` says about the fields of its kind. Never raises."""
    cls = CLASSES[document.kind]
    typed = _known(document.root, cls) if document.root else {}
    bindable = {key: _normal(value, by_key(cls)[key]) for key, value in typed.items()}
    if document.kind is Kind.GOAL and "acceptance" in bindable:
        bindable["acceptance"] = normal_criteria(bindable["acceptance"])
    heading = _take_heading(document, bindable)
    missing = _missing(document.kind, typed)
    bindable.update({key: _placeholder(document.location, key) for key in missing})
    return Values(typed, bindable, _placed(document), missing, heading)


def trusted_entity(document: Document, values: Values) -> Entity:
    """The entity ``values`` describe, checked no further than that it can be built at all.

    For texts that were checked before. Raises :class:`TypeError` or :class:`ValueError` where it cannot be built.
    """
    cls = CLASSES[document.kind]
    shapes = by_key(cls)
    named = {shapes[key].name: value for key, value in values.bindable.items()}
    found: Entity = decode(cls, {**named, **values.placed})
    return found


def expected_identity(location: Location) -> tuple[tuple[str, str], ...]:
    """The fields whose values the path gives, with these values; none where the file name is not the identity."""
    names = {
        Kind.VISION: "agent",
        Kind.COMPLETION: "todo",
        Kind.DECISION: "gate",
        Kind.CRITERION: "criterion",
        Kind.LEASE: "todo",
        Kind.MONITOR: "todo",
        Kind.BASELINE: "agent",
    }
    if location.kind is Kind.GOAL:
        return (("id", location.goal),)
    if location.kind in (Kind.EVIDENCE, Kind.TURN, Kind.EFFECT, Kind.HANDOFF):
        return (("id", location.name),)
    if location.todo:
        return _expected_of_run(location)
    return ((names[location.kind], location.name),) if location.kind in names else ()


def _expected_of_run(location: Location) -> tuple[tuple[str, str], ...]:
    """What the folders of a run say: its Todo, the run itself, and of a step's record the step."""
    run, _, part = location.name.partition("/")
    itself = ("id" if location.kind is Kind.RUN else "run", run)
    return (("todo", location.todo), itself, *((("step", part),) if location.kind is Kind.STEP else ()))


def _known(node: MappingNode, cls: type[Any]) -> dict[str, Any]:
    """The fields of ``cls`` in ``node``; a field without a value (`reason:`) counts as absent."""
    shapes = by_key(cls)
    found: dict[str, Any] = {}
    for entry in node.entries:
        shape = shapes.get(entry.key.value)
        if shape is not None:
            value = _value(entry.value, shape)
            if value is not None:
                found[shape.key] = value
    return found


def _value(node: Node, shape: Shape) -> Any:
    if shape.nested is None:
        return value_of(node)
    if isinstance(node, Alias):
        node = node.target
    if isinstance(node, Sequence):
        return [_value(item, shape) for item in node.items]
    return _known(node, shape.nested) if isinstance(node, MappingNode) else value_of(node)


def _normal(value: Any, shape: Shape) -> Any:
    """``value`` with every id in it in the one spelling ids are compared in."""
    if shape.nested is not None:
        inner = by_key(shape.nested)
        if isinstance(value, dict):
            return {key: _normal(each, inner[key]) for key, each in value.items()}
        return [_normal(each, shape) for each in value] if isinstance(value, list) else value
    if not shape.is_id or shape.form is None or shape.form.pattern is None:
        return value
    if isinstance(value, list):
        return [_folded(each, shape.form.pattern) for each in value]
    return _folded(value, shape.form.pattern)


def _folded(value: Any, pattern: str) -> Any:
    if not isinstance(value, str) or re.search(pattern, value):
        return value
    other = ids.folded(value)
    return other if re.search(pattern, other) else value


def _take_heading(document: Document, bindable: dict[str, Any]) -> int | None:
    name = HEADLINES.get(document.kind)
    if name is None or name in bindable or (document.root is not None and document.root.find(name)):
        return None
    found = first_heading(document.source.body)
    if found is None:
        return None
    bindable[name] = found[0]
    start = document.source.body_span[0]
    for _ in range(found[1]):
        start = document.source.line_end(start)
    return start


def _missing(kind: Kind, typed: Mapping[str, Any]) -> tuple[str, ...]:
    if kind.is_forward_only:
        return ()
    return tuple(
        shape.key
        for shape in by_key(CLASSES[kind]).values()
        if shape.is_required and shape.mark.owner is Owner.MACHINE and shape.key not in typed
    )


def _placeholder(location: Location, key: str) -> Any:
    if location.todo:
        return dict(_expected_of_run(location))[key]
    if location.kind is Kind.GOAL:
        return location.goal if is_goal_slug(location.goal) else UNKNOWN_GOAL
    return location.name if location.kind is Kind.VISION else _PLACEHOLDERS[location.kind, key]


def _placed(document: Document) -> dict[str, str]:
    placed: dict[str, str] = {}
    location = document.location
    if location.kind not in (Kind.GOAL, Kind.WORKSPACE):
        placed["goal"] = location.goal if is_goal_slug(location.goal) else UNKNOWN_GOAL
    if location.kind.is_markdown:
        placed["body"] = document.source.body
    return placed
