"""Telling a plainly right value without pydantic, whose loading costs as much as the rest of a cold ``todo edit``.

Everyday values only: printable text within its form, members of closed sets, lists of these, true and false. Of
anything else nothing is said, and the door (:mod:`loopx.model.validation`) decides; nothing is ever refused here.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from typing import Any

from loopx.model.forms import TextForm


class NotPlain(Exception):
    """The door has to look at it."""


def plain_values(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` (JSON values by attribute name; ``None`` clears) as the entity of class ``cls`` holds them.

    Raises :class:`NotPlain` unless every one of them is plainly right.
    """
    hints = _hints(cls)
    defaults = {each.name: each.default for each in fields(cls)}
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name not in defaults:
            raise NotPlain(name)
        if value is None:
            if defaults[name] is MISSING:
                raise NotPlain(name)
            found[name] = defaults[name]
        else:
            found[name] = _taken(hints[name], value)
    return found


def _taken(hint: Any, value: Any) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _taken(next(each for each in inner if each is not types.NoneType), value)
    if origin is typing.Annotated:
        return _text(inner, value)
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(_taken(inner[0], each) for each in value)
    if hint is bool and isinstance(value, bool):
        return value
    if isinstance(hint, type) and issubclass(hint, Enum) and value in [each.value for each in hint]:
        return hint(value)
    raise NotPlain(str(hint))


def _text(inner: tuple[Any, ...], value: Any) -> str:
    form = inner[1]
    # Printable text only: there Python's idea of white space and the door's are the same.
    if inner[0] is not str or not isinstance(form, TextForm) or type(value) is not str or not value.isprintable():
        raise NotPlain(str(inner))
    is_short = form.at_most is None or len(value) <= form.at_most
    if not is_short or len(value) < form.at_least or (form.pattern and not _pattern(form.pattern).search(value)):
        raise NotPlain(value)
    return value


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("$", r"\Z"))


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls, include_extras=True)
