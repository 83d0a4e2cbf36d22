"""What a field's type annotation means to somebody who types the value."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from loopx.model.fields import file_keys
from loopx.model.forms import InstantForm, TextForm

_PLAIN = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`"}


def form(hint: Any) -> str:
    """The form in words: ``one line of text``, ``list of …``, the values of a closed set."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return form(next(each for each in inner if each is not types.NoneType))
    if origin is typing.Annotated:
        return _annotated(inner[0], inner[1:])
    if origin is dict:
        return "any `name: value` pairs"
    if isinstance(hint, type) and issubclass(hint, tuple):
        return "line of JSON"
    if origin is tuple:
        return f"list: {form(inner[0])}"
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return " · ".join(f"`{each.value}`" for each in hint)
    if is_dataclass(hint):
        return "fields of its own, below"
    return _PLAIN[getattr(hint, "__supertype__", hint)]


def nested(cls: type) -> Iterator[tuple[str, type]]:
    """Every mapping inside ``cls``, depth first: the way to it by file keys, and its class."""
    keys = file_keys(cls)
    hints = typing.get_type_hints(cls)
    for field in fields(cls):
        inner = _dataclass_in(hints[field.name])
        if inner is not None:
            way = keys[field.name] + ("[]" if typing.get_origin(hints[field.name]) is tuple else "")
            yield way, inner
            yield from ((f"{way}.{deeper}", each) for deeper, each in nested(inner))


def _annotated(base: Any, rules: tuple[Any, ...]) -> str:
    about = next((rule.about for rule in rules if isinstance(rule, (TextForm, InstantForm))), None)
    return about or form(base)


def _dataclass_in(hint: Any) -> type | None:
    for each in (hint, *typing.get_args(hint)):
        if isinstance(each, type) and is_dataclass(each):
            return each
    return None
