"""What the binding found wrong with a value, in words a person can act on: code, sentence, place, remedy.

Called by reading when a document does not bind. It turns rule names of the validation into sentences and decides
nothing.
"""

from __future__ import annotations

from difflib import get_close_matches
from enum import Enum
from typing import Any

from loopx.documents.nodes import Scalar
from loopx.documents.places import Where, dotted, find, place_of
from loopx.documents.shapes import Shape, shape_at
from loopx.documents.syntax import quoted_value
from loopx.documents.tree import Document
from loopx.documents.values import Values
from loopx.errors import Problem
from loopx.model.entities import CLASSES

_LONGEST_SHOWN = 60
_Words = tuple[str, str, str]
"""Code, message, hint."""


def complaint(document: Document, values: Values, where: Where, rule: str, message: str, value: Any) -> Problem:
    """The problem of the value at ``where`` that breaks ``rule`` (named as the validation names it)."""
    shape = shape_at(CLASSES[document.kind], where)
    code, said, hint = _words(document, where, rule, message, value, shape)
    place = place_of(document, where, values)
    return Problem(code, said, place, hint, {"field": dotted(where)})


def _words(document: Document, where: Where, rule: str, message: str, value: Any, shape: Shape | None) -> _Words:
    name = dotted(where)
    if rule == "missing":
        return _missing(document, where, name)
    if shape is None:
        return "field-value", f"`{name}`: {message}.", ""
    if isinstance(value, str) and not value.strip() and shape.base is str:
        code = "field-missing" if shape.is_required else "field-value"
        return code, f"`{name}` is empty.", "Write something, or remove the field."
    if _is_of_wanted_type(value, shape, where):
        return "field-value", *_unfit(name, rule, message, value, shape)
    return "field-type", *_mistyped(document, where, value, shape)


def _missing(document: Document, where: Where, name: str) -> _Words:
    node = find(document, where)
    if node is None:
        if where[-1] == "title" and document.root is None:
            return "field-missing", "The document has no title.", "Add a `# heading`, or a header with `title:`."
        return "field-missing", f"`{name}` is missing.", f"Add `{where[-1]}:` with a value."
    line = _line(document, node.start)
    quoted = quoted_value(line)
    hint = f"If the rest of the line is its text, quote it: {quoted}" if quoted else ""
    return "field-missing", f"`{name}` is empty.", hint


def _is_of_wanted_type(value: Any, shape: Shape, where: Where) -> bool:
    if shape.is_list and not isinstance(where[-1], int):
        return isinstance(value, list)
    if shape.nested is not None:
        return isinstance(value, dict)
    if shape.base in (bool, int, float):
        return type(value) is shape.base
    return isinstance(value, str)


def _unfit(name: str, rule: str, message: str, value: Any, shape: Shape) -> tuple[str, str]:
    if issubclass(shape.base, Enum):
        near = get_close_matches(value.lower(), [each.value for each in shape.base], 1)
        hint = f"Did you mean `{near[0]}`?" if near else ""
        return f"`{name}` is {_shown(value)}, but must be {shape.wanted}.", hint
    if rule == "string_too_long" and shape.form is not None:
        return f"`{name}` has {len(value):,} characters; at most {shape.form.at_most:,} are allowed.", "Shorten it."
    if rule == "value_error" and value not in message and repr(value) not in message:
        return f"`{name}` is {_shown(value)}, which is no real time: {message}.", f"Write {shape.wanted}."
    return f"`{name}` is {_shown(value)}, but must be {shape.wanted}.", f"Write {shape.wanted}."


def _mistyped(document: Document, where: Where, value: Any, shape: Shape) -> tuple[str, str]:
    name = dotted(where)
    wants_list = shape.is_list and not isinstance(where[-1], int)
    wanted = "a list" if wants_list else shape.wanted
    node = find(document, where)
    raw = document.source.text[node.start : node.end] if node is not None else ""
    message = f"`{name}` must be {wanted}, but {_shown(raw or value)} is {_named(value)}."
    if wants_list and isinstance(node, Scalar) and raw:
        return message, f"Write it as a list: [{raw}]"
    if shape.base is bool:
        return message, "Write true or false, without quotes."
    if isinstance(node, Scalar) and not node.style and shape.base is str:
        return message, f'If it is text, quote this: "{raw}"'
    return message, f"Write {wanted}."


def _named(value: Any) -> str:
    if value is None:
        return "nothing"
    names = {bool: "read as true or false", int: "read as a number", float: "read as a number", str: "text"}
    return names.get(type(value), "a list" if isinstance(value, list) else "a mapping")


def _shown(value: Any) -> str:
    text = " ".join(str(value).split())
    return f"`{text[: _LONGEST_SHOWN - 1]}…`" if len(text) > _LONGEST_SHOWN else f"`{text}`"


def _line(document: Document, offset: int) -> str:
    source = document.source
    return source.text[source.line_start(offset) : source.line_end(offset)].rstrip("\r\n")
