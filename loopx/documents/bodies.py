"""A body's new text, spliced in below the header. Lines that stay keep their bytes, whatever ends them.

Called by editing. Blank lines around the body are not part of it and stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from loopx.documents.source import Source, Splice, normal_body


def body_splices(source: Source, text: str) -> Iterator[Splice]:
    """Make the body of ``source`` say ``text`` (line ends LF; blank lines around it do not count)."""
    new = normal_body(text)
    if new == source.body:
        return
    start, end = source.body_span
    newline = source.newline_near(source.body_start)
    if start == end:
        yield end, end, _first_body(source, new, newline)
    elif not new:
        yield source.body_start, len(source.text), ""
    elif "\r\n" in source.text[start:end] or newline == "\r\n":
        yield start, end, _relined(source.text[start:end], new, newline)
    else:
        yield start, end, new


def _first_body(source: Source, new: str, newline: str) -> str:
    lead = "" if source.text.endswith("\n") or not source.text else newline
    blank = newline if source.body_start == len(source.text) and source.header is not None else ""
    return lead + blank + new.replace("\n", newline) + newline


def _relined(old: str, new: str, newline: str) -> str:
    """``new`` with the line ends of ``old`` wherever a line stays; a new line ends as the one before it."""
    from difflib import SequenceMatcher

    before = [(line.removesuffix("\r"), "\r\n" if line.endswith("\r") else "\n") for line in old.split("\n")]
    after = new.split("\n")
    before[-1] = (before[-1][0], newline)
    known: dict[int, str] = {}
    for i, j, size in SequenceMatcher(None, [line for line, _ in before], after, autojunk=False).get_matching_blocks():
        known.update(zip(range(j, j + size), (end for _, end in before[i : i + size]), strict=True))
    parts: list[str] = []
    for number, line in enumerate(after):
        newline = known.get(number, newline)
        parts += (line, newline)
    return "".join(parts[:-1])
