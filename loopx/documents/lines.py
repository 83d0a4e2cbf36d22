"""Splices of whole lines: putting lines in, taking a field's or an item's lines out.

Called by :mod:`loopx.documents.changes` for everything written in block form. Line breaks follow the neighbouring line;
a missing break at the end of the file stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Items

from loopx.documents.emission import MODELINE
from loopx.documents.nodes import Entry
from loopx.documents.source import Source, Splice

_COMMENT = re.compile(r"([ \t]*)#")


def inserted(source: Source, offset: int, lines: Items[str]) -> Splice:
    """``lines`` put in at ``offset``, the start of a line or the end of the text."""
    newline = source.newline_near(max(offset - 1, 0))
    text = newline.join(lines)
    if offset and source.text[offset - 1] != "\n":
        return offset, offset, newline + text
    return offset, offset, text + newline


def removed(source: Source, start: int, end: int) -> Splice:
    """The lines from that of ``start`` to that of ``end`` taken out."""
    first, last = source.line_start(start), source.line_end(end)
    if last == len(source.text) and source.text[-1:] != "\n" and first > 0:
        first -= 2 if source.text[first - 2 : first] == "\r\n" else 1
    return first, last, ""


def column(source: Source, offset: int) -> int:
    return offset - source.line_start(offset)


def comments_above(source: Source, entry: Entry) -> int:
    """Where the comment lines that stand directly above ``entry``, at its column, begin: they go where it goes.

    The editor's modeline belongs to the document and to no field.
    """
    start = source.line_start(entry.start)
    indent = source.text[start : entry.start]
    floor = source.header[0] if source.header else 0
    while start > floor:
        above = source.line_start(start - 1)
        line = source.text[above:start]
        match = _COMMENT.match(line)
        if match is None or match[1] != indent or line.lstrip().startswith(MODELINE.split("$")[0]):
            break
        start = above
    return start
