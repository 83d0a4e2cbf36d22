"""Entities as the JSON values ``--json`` shows: every field by its name in the file, defaults included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from loopx.errors import Problem
from loopx.model.actor import Actor
from loopx.model.codec import plain
from loopx.model.entities import goal_of
from loopx.model.fields import file_keys


def document(entity: Any, *, body: bool = False) -> dict[str, Any]:
    """``entity`` with its Goal, and with its body where wanted."""
    found = _fields(entity)
    goal = goal_of(entity)
    if goal and "goal" not in found:
        found["goal"] = goal
    if body and hasattr(entity, "body"):
        found["body"] = entity.body
    return found


def values(entity: Any) -> dict[str, Any]:
    """Every field of any of our dataclasses as JSON values, under the attribute's own name."""
    return {each.name: _value(getattr(entity, each.name)) for each in fields(entity)}


def _fields(entity: object) -> dict[str, Any]:
    return {key: _value(getattr(entity, name)) for name, key in _keys(type(entity)).items()}


def _value(value: Any) -> Any:
    if isinstance(value, Problem):
        return value.as_json()
    if isinstance(value, Actor):
        return str(value)
    if isinstance(value, tuple | list):
        return [_value(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value) or values(value)
    if isinstance(value, Mapping):
        return {str(name): _value(each) for name, each in value.items()}
    return plain(value)


def _keys(kind: type) -> dict[str, str]:
    return file_keys(kind)
