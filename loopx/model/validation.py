"""The door: fields as read from a file become an entity, or a list of what is wrong with each.

The one place that imports pydantic. Strict: nothing is coerced (``true`` is no number, ``5`` no date), so that what a
person typed is either understood or refused, never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from loopx.model.defining import dataclass
from loopx.model.entities import CLASSES, Entity
from loopx.model.fields import Owner, attributes, file_keys, marks
from loopx.model.kind import Kind
from loopx.model.run import LINE, TraceEntry

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field. ``where`` is the way to it by file keys and list positions."""

    where: tuple[str | int, ...]
    rule: str
    """pydantic's name for the rule broken, such as ``int_type`` or ``enum``."""
    message: str
    value: Any = None


class Unbound(Exception):
    """Fields that make no entity, with every problem found."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, p.where))}: {p.message}" for p in problems))
        self.problems = problems


def bind(kind: Kind, values: Mapping[str, Any], **placed: str) -> Entity:
    """The entity of ``kind`` that ``values`` (by file key, JSON values) describe.

    ``placed`` holds what the path and the text give: ``goal`` and ``body``. Unknown keys must have been taken out
    before. Raises :class:`Unbound`.
    """
    cls = CLASSES[kind]
    named = {**_renamed(cls, values), **placed}
    try:
        return _adapter(kind).validate_json(json.dumps(named), strict=True)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise Unbound([_problem(cls, each) for each in error.errors(include_url=False)]) from error


def known_keys(kind: Kind) -> frozenset[str]:
    """Every key a document of ``kind`` may have, as written in the file."""
    return frozenset(_keys(CLASSES[kind]))


def _keys(cls: type) -> list[str]:
    return list(file_keys(cls).values())


def json_schema(kind: Kind) -> dict[str, Any]:
    """The JSON Schema of a document of ``kind`` (for a Markdown document: of its header).

    Machine-owned fields are ``readOnly``; unknown keys are allowed, since LoopX keeps them.
    """
    if kind is Kind.TRACE:
        return _line_schema()
    cls: type = CLASSES[kind]
    schema = _adapter(kind).json_schema(ref_template="#/$defs/{model}")
    _describe(schema, cls)
    within = _nested_classes(cls)
    for name, definition in schema.get("$defs", {}).items():
        nested = within.get(name)
        if nested is not None:
            _describe(definition, nested)
    schema["title"] = f"LoopX {kind.value}"
    schema["description"] = (cls.__doc__ or "").strip().splitlines()[0]
    return {"$schema": SCHEMA_DIALECT, **schema}


@cache
def json_schema_text(kind: Kind) -> str:
    """:func:`json_schema` as it is written to files. Putting one together takes long, and none ever changes."""
    return json.dumps(json_schema(kind), indent=2, ensure_ascii=False) + "\n"


def _line_schema() -> dict[str, Any]:
    """The schema of one line of a trace segment."""
    from typing import get_type_hints

    hints = get_type_hints(TraceEntry, include_extras=True)
    properties = {
        name: {**TypeAdapter(hint).json_schema(), "description": LINE[name], "readOnly": True}
        for name, hint in hints.items()
    }
    return {
        "$schema": SCHEMA_DIALECT,
        "type": "object",
        "properties": properties,
        "required": ["number", "at", "entity", "after", "role", "hash"],
        "additionalProperties": False,
        "title": f"LoopX {Kind.TRACE}",
        "description": (TraceEntry.__doc__ or "").strip().splitlines()[0],
    }


@cache
def _adapter(kind: Kind) -> TypeAdapter[Any]:
    return TypeAdapter(CLASSES[kind])


def _renamed(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    names = attributes(cls)
    return {names.get(key, key): value for key, value in values.items()}


def _problem(cls: type, error: Any) -> FieldProblem:
    where = error["loc"]
    if where and isinstance(where[0], str):
        where = (file_keys(cls).get(where[0], where[0]), *where[1:])
    message = error["msg"].removeprefix("Value error, ")
    return FieldProblem(tuple(where), error["type"], message, error.get("input"))


def _describe(schema: dict[str, Any], cls: type) -> None:
    properties: dict[str, Any] = {}
    found = schema.get("properties", {})
    for name, mark in marks(cls).items():
        entry = dict(found.get(name, {}))
        entry.pop("title", None)
        entry["description"] = mark.about
        if mark.owner is Owner.MACHINE:
            entry["readOnly"] = True
        properties[mark.key or name] = entry
    schema["properties"] = properties
    keys = file_keys(cls)
    # A hand-made file may leave every machine-owned field out: LoopX puts them in.
    schema["required"] = [
        keys[name]
        for name in schema.get("required", [])
        if name in keys and marks(cls)[name].owner is not Owner.MACHINE
    ]
    schema["additionalProperties"] = True
    schema.pop("title", None)
    schema.pop("description", None)


def _nested_classes(cls: type) -> dict[str, type]:
    import typing

    found: dict[str, type] = {}

    def visit(hint: Any) -> None:
        for inner in typing.get_args(hint):
            visit(inner)
        if isinstance(hint, type) and is_dataclass(hint) and hint.__name__ not in found:
            found[hint.__name__] = hint
            for each in typing.get_type_hints(hint).values():
                visit(each)

    hints = typing.get_type_hints(cls)
    for each in fields(cls):
        visit(hints[each.name])
    return found
