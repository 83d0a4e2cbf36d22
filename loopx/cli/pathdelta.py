"""Reading how the route changed from what was typed: option by option, or as one JSON object, given or in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopx.cli.usage import usage
from loopx.model.turn import PathDelta, PathOutcome

_OPTION = "--path-delta"
_LISTS = ("retained", "changed", "stopped", "open_questions", "evidence")
_TEXTS = ("prior_assumption", "observed_reality")
_KNOWN = ("outcome", *_TEXTS, *_LISTS)
_LARGEST = 64 * 1024


def path_delta(given: Mapping[str, Any]) -> PathDelta | None:
    """What the options ``path_delta`` and ``path_delta_…`` of ``given`` say; ``None`` when they say nothing."""
    typed = {name: given[f"path_delta_{name}"] for name in _KNOWN}
    typed = {name: value for name, value in typed.items() if value not in (None, ())}
    if given["path_delta"] is None:
        return _delta(typed, f"{_OPTION}-outcome") if typed else None
    if typed:
        raise usage(f"{_OPTION} and {_OPTION}-{next(iter(typed)).replace('_', '-')} exclude each other.", _OPTION)
    return _delta(_read(given["path_delta"]), _OPTION)


def _read(text: str) -> dict[str, Any]:
    if text.startswith("@"):
        text = _content(Path(text[1:]))
    try:
        found = json.loads(text)
    except ValueError as error:
        raise usage(f"The path delta is not JSON: {error}.", _OPTION) from error
    if not isinstance(found, dict):
        raise usage("The path delta is a JSON object.", _OPTION)
    return found


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise usage(f"{path} is larger than {_LARGEST // 1024} KB.", _OPTION)
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise usage(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.", _OPTION) from error


def _delta(said: Mapping[str, Any], option: str) -> PathDelta:
    unknown = [name for name in said if name not in _KNOWN]
    if unknown:
        raise usage(f"A path delta has no {unknown[0]!r}; it has {', '.join(_KNOWN)}.", option)
    if said.get("outcome") not in set(PathOutcome):
        raise usage(f"A path delta says what the route does: {', '.join(PathOutcome)}.", option)
    texts: dict[str, Any] = {name: _text(said.get(name), name, option) for name in _TEXTS}
    lists: dict[str, Any] = {name: _list(said.get(name, ()), name, option) for name in _LISTS}
    return PathDelta(outcome=PathOutcome(said["outcome"]), **texts, **lists)


def _text(value: Any, name: str, option: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise usage(f"{name} of a path delta is a text.", option)


def _list(value: Any, name: str, option: str) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise usage(f"{name} of a path delta is a list of texts.", option)
