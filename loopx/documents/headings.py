"""The first heading of a body, which names a hand-made document that has no title in its header.

Called when a document is bound or its body is edited. Only ``# text`` at the margin counts, outside code and comments.
"""

from __future__ import annotations

import re

from loopx.model.kind import Kind

HEADLINES = {Kind.GOAL: "title", Kind.TODO: "title", Kind.GATE: "question", Kind.PROPOSAL: "title"}
"""The field a heading stands in for, by kind."""

_HEADING = re.compile(r" {0,3}#(?=[ \t])")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")


def first_heading(body: str) -> tuple[str, int] | None:
    """The text of the first level-one heading in ``body`` and its line from 0; ``None`` when there is none."""
    fence = ""
    in_comment = False
    for number, line in enumerate(body.split("\n")):
        if in_comment:
            in_comment = "-->" not in line
        elif fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif opening := _FENCE.match(line):
            fence = opening["mark"]
        elif (heading := _HEADING.match(line)) and (text := _without_closing(line[heading.end() :])):
            return text, number
        else:
            in_comment = "<!--" in line and "-->" not in line.rpartition("<!--")[2]
    return None


def _without_closing(text: str) -> str:
    """A heading's text without blanks around it and without the row of ``#`` some people close it with."""
    words = text.strip(" \t\r")
    bare = words.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else words
