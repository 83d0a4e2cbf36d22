"""Data made inert: texts people typed, put into Markdown, Mermaid or a script block without being obeyed there.

Every page takes titles, questions and messages through here. HTML itself is escaped by the template engine.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any
from urllib.parse import quote

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Control characters, and everything some viewer takes for the end of a line."""

_BIDI = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Embeddings and overrides: left open, they turn the rest of the line around. Marks such as U+200F stay."""

_ACTIVE = re.compile(r"[\\`*\[\]<|~$@]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""What Markdown may obey anywhere in a line: emphasis, code, links, tags, cells, formulas, mentions, bare addresses."""

_OPENING = re.compile(r"^(?:[-+#=>]|\d+(?=[.)]))")
"""What Markdown may obey at the start of a block: lists, headings, quotes, rules."""

_MERMAID_ACTIVE = re.compile(r"[\x00-\x7f](?<![A-Za-z0-9 .,_/?!:'()+-])")

_SCRIPT_ACTIVE = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})


class Raw(str):
    """Markdown that is already made; templates put it out as it stands."""

    __slots__ = ()


def one_line(text: str) -> str:
    """``text`` on one line, without control characters or anything that turns the reading direction around."""
    return _BIDI.sub("", _BREAKS.sub(" ", text)).strip()


def cut(text: str, limit: int) -> str:
    """``text`` on one line, of at most ``limit`` characters; what was cut shows as ``…`` and splits no character."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    end = limit - 1
    while end > 1 and _belongs_to_previous(line, end):
        end -= 1
    return line[:end].rstrip() + "…"


def _belongs_to_previous(text: str, index: int) -> bool:
    joined = "\u200d" in (text[index], text[index - 1])
    return joined or unicodedata.category(text[index]) in ("Mn", "Me", "Mc", "Sk")


def markdown(text: str) -> Raw:
    """``text`` as one line of Markdown that reads as typed: in a paragraph, a list, a heading or a table's cell."""
    line = one_line(text)
    inert = _ACTIVE.sub(lambda found: "\\" + found[0], line)
    opening = _OPENING.match(inert)
    if opening is None:
        return Raw(inert)
    mark = opening[0]
    return Raw(f"{mark}\\{inert[len(mark) :]}" if mark.isdigit() else f"\\{inert}")


def code(text: str) -> Raw:
    """``text`` as a Markdown code span; plain text where a span could not hold it inside a table."""
    line = one_line(text)
    return Raw(f"`{line}`") if line and not set("`|") & set(line) else markdown(line)


def link(text: str, address: str) -> Raw:
    """A Markdown link. ``address`` must come from :func:`address`; without one the text stands alone.

    A text of which nothing can be seen gives way to the name of the file.
    """
    shown = markdown(text)
    return Raw(f"[{shown or markdown(address.rpartition('/')[2])}]({address})") if address else shown


def address(path: str) -> str:
    """A relative path as a link's target in Markdown and HTML."""
    return quote(joined_surrogates(path), safe="/.")


def mermaid(text: str) -> str:
    """``text`` for a quoted Mermaid label: everything Mermaid could obey becomes a character code."""
    return _MERMAID_ACTIVE.sub(lambda found: f"#{ord(found[0])};", one_line(text))


def script_json(value: Any) -> str:
    """``value`` as JSON that cannot end the script block it stands in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_SCRIPT_ACTIVE)


def joined_surrogates(text: str) -> str:
    """``text`` as it can be encoded: pairs of surrogates joined, lone ones replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
