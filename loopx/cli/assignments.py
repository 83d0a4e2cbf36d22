"""``--set field=value``, ``--add field=item`` and ``--remove field=item``, read by the type the field has in the model.

Lists are written with commas, nested values as JSON, and an empty value clears the field. Whether the change is allowed
is the kernel's business; here it is only understood.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from loopx.cli.usage import usage
from loopx.model.fields import attributes


def assigned(cls: type, texts: Iterable[str]) -> dict[str, Any]:
    """Attribute names of entity class ``cls`` to JSON values, for every ``field=value``."""
    found: dict[str, Any] = {}
    for text in texts:
        name, value = _split(cls, text, "--set")
        found[name] = _value(cls, name, value)
    return found


def items(cls: type, texts: Iterable[str], option: str) -> dict[str, tuple[str, ...]]:
    """Attribute names of list fields to the items named by every ``field=item`` of ``option``."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, item = _split(cls, text, option)
        if not _is_plain_list(cls, name):
            raise usage(f"{name} is not a list of items; use --set.", option)
        found.setdefault(name, []).append(item)
    return {name: tuple(each) for name, each in found.items()}


def _split(cls: type, text: str, option: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise usage(f"{text!r} is not field=value.", option)
    names = attributes(cls)
    name = names.get(key) or (key if key in names.values() else None)
    if name is None:
        raise usage(_unknown(key, names, cls.__name__), option)
    return name, value


def _unknown(key: str, names: Iterable[str], noun: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, list(names), 1)
    known = f"did you mean {near[0]}?" if near else f"it has {', '.join(names)}."
    return f"A {noun} has no field {key!r}; {known}"


def _value(cls: type, name: str, text: str) -> Any:
    if not text:
        return None
    shape = _shape(cls, name)
    if _is_plain_list(cls, name):
        return [each.strip() for each in text.split(",") if each.strip()]
    if shape is bool:
        return _truth(name, text)
    if shape is int or shape is float or shape is tuple or is_dataclass(shape):
        return _json(name, text)
    return text


def _truth(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise usage(f"{name} is true or false, not {text!r}.", "--set")
    return text == "true"


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise usage(f"{name} is written as JSON: {error}.", "--set") from error


def _is_plain_list(cls: type, name: str) -> bool:
    hint = _hint(cls, name)
    return typing.get_origin(hint) is tuple and not is_dataclass(_bare(typing.get_args(hint)[0]))


def _shape(cls: type, name: str) -> Any:
    hint = _hint(cls, name)
    return typing.get_origin(hint) or hint


def _hint(cls: type, name: str) -> Any:
    return _bare(typing.get_type_hints(cls)[name])


def _bare(hint: Any) -> Any:
    """A type without its ``None``."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(each for each in typing.get_args(hint) if each is not types.NoneType)
    return hint
