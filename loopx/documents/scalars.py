"""What an unquoted scalar means: the core rules of YAML 1.2, and nothing more.

``yes``, ``on`` and dates are text. The YAML library's own resolution is never asked, so that every reader of this room
agrees whichever way a header was parsed.
"""

from __future__ import annotations

import re

_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})
_LONGEST_NUMBER = 300
"""Characters; anything longer is text that happens to be digits."""


def resolve(text: str) -> bool | int | float | str | None:
    """The JSON value of the unquoted scalar ``text``."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS or len(text) > _LONGEST_NUMBER:
        return text
    return _number(text)


def _number(text: str) -> int | float | str:
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _INFINITE.fullmatch(text):
        return float("-inf" if text.startswith("-") else "inf")
    return float("nan") if text in _NOT_A_NUMBER else text
