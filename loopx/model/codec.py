"""Entities as plain JSON values and back, for the cache and for ``--json``.

:func:`decode` trusts its input (it was made by :func:`encode`), so it checks nothing and imports no pydantic. Texts
that people or programs wrote go through :mod:`loopx.model.validation` instead.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from loopx.model.times import format_instant, parse_instant

E = TypeVar("E")
_Convert = Callable[[Any], Any]


def encode(entity: Any) -> dict[str, Any]:
    """``entity`` as JSON values by attribute name, leaving out fields that hold their default."""
    found: dict[str, Any] = {}
    for each in fields(entity):
        value = getattr(entity, each.name)
        if each.default is not MISSING and value == each.default:
            continue
        if each.default_factory is not MISSING and value == each.default_factory():
            continue
        found[each.name] = plain(value)
    return found


def plain(value: Any) -> Any:
    """A field's value as JSON values: enums by value, instants as text, tuples as lists, entities as mappings."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return encode(value)
    return value


def decode(cls: type[E], values: dict[str, Any]) -> E:
    """The entity of class ``cls`` that :func:`encode` turned into ``values``."""
    converters = _converters(cls)  # type: ignore[arg-type]
    return cls(**{name: _apply(converters[name], value) for name, value in values.items()})


def _apply(convert: _Convert | None, value: Any) -> Any:
    return value if convert is None or value is None else convert(value)


PLAIN = frozenset(
    f"{name}{ending}"
    for name in (
        "str", "int", "bool", "Line", "Text", "GoalId", "TodoId", "GateId", "EvidenceId", "TurnId", "EffectId",
        "HandoffId", "ProposalId", "Rev", "AgentId", "ExecutionKey", "CriterionId", "OperationId", "ActorName",
        "ArtifactRevision", "ProviderRevision",
    )
    for ending in ("", " | None")
)  # fmt: skip
"""Annotations, as they are written, whose values are in JSON what they are here."""


class _Converters(dict[str, "_Convert | None"]):
    """Field name to what turns its JSON value back, worked out when a field is first met: most hold their default."""

    def __init__(self, cls: type) -> None:
        self._written = {each.name: str(each.type) for each in fields(cls)}
        self._known = vars(sys.modules[cls.__module__])

    def __missing__(self, name: str) -> _Convert | None:
        written = self._written[name]
        found = None if written in PLAIN else _converter(eval(written, self._known))
        self[name] = found
        return found


@cache
def _converters(cls: type) -> _Converters:
    return _Converters(cls)


def _converter(hint: Any) -> _Convert | None:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [each for each in typing.get_args(hint) if each is not types.NoneType]
        return _converter(inner[0]) if len(inner) == 1 else None
    if origin is typing.Annotated:
        return _converter(typing.get_args(hint)[0])
    if origin is tuple:
        item = _converter(typing.get_args(hint)[0])
        return tuple if item is None else lambda values: tuple(item(each) for each in values)
    if isinstance(hint, type):
        if issubclass(hint, tuple):
            return _line_converter(hint)
        if issubclass(hint, Enum):
            return hint
        if hint is datetime:
            return parse_instant
        if is_dataclass(hint):
            return lambda values: decode(hint, values)
    return None


def _line_converter(hint: type) -> _Convert:
    """How a list of values becomes the named tuple ``hint``."""
    hints = typing.get_type_hints(hint)
    converters = [_converter(each) for each in hints.values()]

    def convert(values: Any) -> Any:
        return hint(*(_apply(each, value) for each, value in zip(converters, values, strict=True)))

    return convert
