"""What the YAML library says when it cannot read on, put as a located problem with a remedy.

Called by :mod:`loopx.documents.compose`. The library's words are kept as the reason; the hint is ours.
"""

from __future__ import annotations

import re
from typing import Any

from loopx.documents.source import Source
from loopx.errors import LoopxError

_FIELD = re.compile(r"\s*(?:-\s+)?(?P<key>[\w.-]+):\s+(?P<value>\S.*)")

_OPENERS = ("'", '"', "[", "{")


def explained(source: Source, error: Exception, shift: int, reached: int) -> LoopxError:
    """``error`` as ``document-syntax`` (or ``document-encoding`` for a character YAML forbids) at its place.

    ``shift`` is the header's offset in the document, ``reached`` how far into the header the library came.
    """
    if isinstance(error, LoopxError):
        return error
    character = getattr(error, "character", None)
    if character is not None:
        place = source.place(getattr(error, "position", reached) + shift)
        message = f"The header holds the control character U+{_number(character):04X}."
        return LoopxError("document-encoding", message, place=place, hint="Remove the character.")
    offset = min(_index(error, reached) + shift, len(source.text))
    reason = getattr(error, "problem", None) or str(error)
    if source.text[offset : offset + 1] in _OPENERS and _is_unclosed(error):
        reason = f"the {source.text[offset]} here is never closed"
    message = f"The YAML cannot be read: {' '.join(str(reason).split())}."
    return LoopxError("document-syntax", message, place=source.place(offset), hint=_hint(source, offset, str(reason)))


def quoted_value(line: str) -> str | None:
    """The value of a `name: value` line with double quotes around it, if that is a thing to suggest."""
    match = _FIELD.match(line.rstrip())
    if match is None or match["value"][0] in '"|>{':
        return None
    value = match["value"].replace("\\", "\\\\").replace('"', '\\"')
    return f'{match["key"]}: "{value}"'


def _index(error: Exception, reached: int) -> int:
    """Where it went wrong; for a quote or bracket that swallowed the lines below it, where that was opened."""
    problem, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if context is not None and (problem is None or (_is_unclosed(error) and context.line != problem.line)):
        return int(context.index)
    return int(problem.index) if problem is not None else reached


def _is_unclosed(error: Exception) -> bool:
    said = getattr(error, "context", None) or ""
    return said.startswith(("while scanning a quoted scalar", "while parsing a flow"))


def _hint(source: Source, offset: int, reason: str) -> str:
    line = source.text[source.line_start(offset) : source.line_end(offset)]
    if "\t" in line and "\\t" in reason:
        return "Use blanks instead of the tab: YAML allows no tabs there."
    quoted = quoted_value(line.rstrip("\r\n"))
    return f"If it is text, quote it: {quoted}" if quoted and len(quoted) <= 200 else ""


def _number(character: Any) -> int:
    return character if isinstance(character, int) else ord(character)
