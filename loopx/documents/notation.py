"""How a value is written as YAML: quoting, escapes, flow and block forms. Entities' values in, text out.

Called to write new documents and to splice values into existing ones. What it writes means the same to readers of YAML
1.1 and 1.2; when in doubt it quotes. It imports neither the YAML nor the validation library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from loopx.documents.shapes import Shape, shapes
from loopx.model.times import format_instant

# A letter first, then nothing that YAML of any version could take for more than text. What may follow where is narrower
# than YAML's own rules on purpose.
_PLAIN = re.compile(r"[^\W\d_](?:[^\W_]|[ _./()+;~^$<=?!@%&*|'\"`\\-]|[,\[\]{}]|:(?=[^ \t])|(?<=[^ \t])#)*")
_FLOW_UNSAFE = re.compile(r"[,\[\]{}:#?]")
_READ_AS_MORE = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_ESCAPED = re.compile(r'["\\]|[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def scalar_text(value: Any, shape: Shape, *, style: str = "", in_flow: bool = False) -> str:
    """A single value on one line. ``style`` is the quoting to keep where the value allows: ``""``, ``'`` or ``"``."""
    if isinstance(value, dict):
        return free_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return double_quoted(format_instant(value))
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, int):
        return str(value)
    text = value.value if isinstance(value, Enum) else str(value)
    if shape.is_id or style == '"':
        return double_quoted(text)
    if style == "'" and text and not _ESCAPED.search(text.replace('"', "").replace("\\", "")):
        return "'" + text.replace("'", "''") + "'"
    return text if is_plain(text, in_flow=in_flow) else double_quoted(text)


def free_text(value: Any) -> str:
    """A JSON value of no particular form on one line, every text in it quoted."""
    match value:
        case dict():
            return "{" + ", ".join(f"{double_quoted(key)}: {free_text(part)}" for key, part in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(free_text(each) for each in value) + "]"
        case bool():
            return "true" if value else "false"
        case float():
            return _float_text(value)
        case None:
            return "null"
        case int():
            return str(value)
        case _:
            return double_quoted(str(value))


def double_quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def is_plain(text: str, *, in_flow: bool = False) -> bool:
    """Whether every reader takes ``text`` without quotes for exactly that text."""
    if text.lower() in _READ_AS_MORE or _PLAIN.fullmatch(text) is None or text[-1:] in (" ", ":"):
        return False
    return not (in_flow and _FLOW_UNSAFE.search(text))


def flow_text(value: Any, shape: Shape, *, style: str = "") -> str:
    """Any value on one line, lists in brackets and mappings in braces."""
    if isinstance(value, tuple):
        return "[" + ", ".join(flow_text(each, shape) for each in value) + "]"
    if is_dataclass(value):
        inner = (f"{each.key}: {flow_text(part, each)}" for each, part in said_fields(value))
        return "{" + ", ".join(inner) + "}"
    return scalar_text(value, shape, style=style, in_flow=True)


def entry_lines(value: Any, shape: Shape, indent: str) -> list[str]:
    """A field as lines of block form, without line breaks: ``name: value``, or the name and its value below."""
    name = f"{indent}{shape.key}:"
    if isinstance(value, tuple):
        items = [line for each in value for line in item_lines(each, shape, f"{indent}  - ")]
        return [name, *items] if items else [f"{name} []"]
    if is_dataclass(value):
        inner = [line for each, part in said_fields(value) for line in entry_lines(part, each, indent + "  ")]
        return [name, *inner] if inner else [f"{name} {{}}"]
    if isinstance(value, str) and "\n" in value and can_be_literal(value):
        return [f"{name} {literal_mark(value)}", *literal_lines(value, indent + "  ")]
    return [f"{name} {scalar_text(value, shape)}"]


def item_lines(value: Any, shape: Shape, prefix: str) -> list[str]:
    """An item of a block list; ``prefix`` is the indentation with the dash, such as two blanks and ``- ``."""
    if not is_dataclass(value):
        return [prefix + scalar_text(value, shape)]
    indent = " " * len(prefix)
    lines = [line for each, part in said_fields(value) for line in entry_lines(part, each, indent)]
    return [prefix + lines[0][len(indent) :], *lines[1:]] if lines else [prefix + "{}"]


def said_fields(value: Any) -> Iterator[tuple[Shape, Any]]:
    """The fields of ``value`` worth writing: those that say more than their absence would."""
    for name, shape in shapes(type(value)).items():
        part = getattr(value, name)
        if part is not None and (shape.default is MISSING or part != shape.default):
            yield shape, part


def can_be_literal(text: str) -> bool:
    """Whether ``text`` can stand in a literal block (``|``) as it is."""
    lines = text.removesuffix("\n").split("\n")
    is_framed = bool(lines[0].strip()) and bool(lines[-1].strip()) and lines[0][0] not in " \t"
    return is_framed and not any(_ESCAPED.search(each.replace('"', "").replace("\\", "")) for each in lines)


def literal_mark(text: str, *, style: str = "|") -> str:
    return style if text.endswith("\n") else f"{style}-"


def literal_lines(text: str, indent: str) -> list[str]:
    return [indent + line if line else "" for line in text.removesuffix("\n").split("\n")]


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in _SHORT:
        return _SHORT[character]
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _float_text(value: float) -> str:
    """A number every reader takes for one: YAML 1.1 wants a dot, and a sign after the ``e``."""
    mantissa, e, exponent = repr(value).partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}e{exponent if exponent[0] in '+-' else '+' + exponent}" if e else mantissa
