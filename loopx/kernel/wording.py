"""How the kernel puts things: short quotes of what people typed, lists cut to a few, refusals that stay small.

Every module of the kernel refuses through :func:`refuse`. Nothing here decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loopx.kernel.refusal import Refused

REFUSAL_BYTES = 900
"""What a refusal may take as JSON before its place is added; with one it stays below 1 KB."""

_ITEMS = 5
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def quoted(text: str, limit: int = 40) -> str:
    """``text`` in double quotes on one line, cut to ``limit`` characters."""
    return f'"{cut(text, limit)}"'


def cut(text: str, limit: int) -> str:
    """``text`` on one line, at most ``limit`` characters, with an ellipsis where something was left out.

    What no terminal can show (control characters, half surrogates) becomes ``\ufffd``.
    """
    line = " ".join(text.split())
    return _UNSHOWN.sub("\ufffd", line if len(line) <= limit else f"{line[: limit - 1]}…")


def listed(items: Iterable[str], limit: int = _ITEMS) -> str:
    """Items as a sentence part: ``a, b, c and 4 more``."""
    every = list(items)
    shown = ", ".join(cut(each, 40) for each in every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def refuse(code: str, message: str, hint: str = "", *, field: str | None = None, **facts: Any) -> Refused:
    """A refusal whose texts and facts are cut so that it stays small.

    ``field`` is the attribute it is about: a hand edit finds the line from it.
    """
    if field is not None:
        facts["field"] = field
    return _fitted(Refused(code, cut(message, 300), cut(hint, 300), None, _bounded(facts)))


def _bounded(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _short(value) for name, value in facts.items() if value is not None}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value, 60)
    if isinstance(value, Sequence):
        return [_short(each) for each in value[:_ITEMS]]
    return value


def _fitted(refused: Refused) -> Refused:
    """``refused`` made to fit: first its facts go, then its sentences are cut, since code and next step matter most."""
    if _size(refused) <= REFUSAL_BYTES:
        return refused
    kept = {name: value for name, value in refused.facts.items() if name == "field"}
    bare = Refused(refused.code, refused.message, refused.hint, None, kept)
    if _size(bare) <= REFUSAL_BYTES:
        return bare
    return Refused(refused.code, cut(refused.message, 100), cut(refused.hint, 100), None, kept)


def _size(refused: Refused) -> int:
    import json

    return len(json.dumps(refused.problem.as_json(), ensure_ascii=False).encode("utf-8", "replace"))
