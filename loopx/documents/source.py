"""A document as text: decoded, with the places of its header and body, and with line and column for any offset.

Called by every other module of this room. It never looks inside the header; that is :mod:`loopx.documents.tree`.
Offsets are characters of :attr:`Source.text`, which holds no byte order mark; decoding is strict UTF-8, so a splice of
characters is a splice of bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from loopx.errors import LoopxError, Place
from loopx.model.defining import dataclass

SIZE_LIMIT = 1024 * 1024
"""Bytes a document may have."""

BOM = b"\xef\xbb\xbf"
Splice = tuple[int, int, str]
"""Replace the characters from the first offset up to the second by the text."""

_OPENING = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_BLANK_LINES = re.compile(r"(?:[ \t]*\r?\n)*")
_BLANKS = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Source:
    """A decoded document. ``header`` spans the YAML between the fences; ``None`` where a text has no header."""

    path: str
    text: str
    has_bom: bool
    header: tuple[int, int] | None
    body_start: int

    def place(self, offset: int) -> Place:
        """Line and column (from 1, in characters) of ``offset``."""
        start = self.text.rfind("\n", 0, offset) + 1
        return Place(self.path, self.text.count("\n", 0, offset) + 1, offset - start + 1)

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Where the line of ``offset`` ends, its line break included."""
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found + 1

    def newline_near(self, offset: int) -> str:
        """The line break used at ``offset``'s line, or the document's first where that line has none."""
        found = self.text.find("\n", offset)
        if found < 0:
            found = self.text.find("\n")
        return "\r\n" if found > 0 and self.text[found - 1] == "\r" else "\n"

    @property
    def body_span(self) -> tuple[int, int]:
        """The body without the blank lines around it."""
        blank = _BLANK_LINES.match(self.text, self.body_start)
        start = blank.end() if blank else self.body_start
        end = len(self.text.rstrip(_BLANKS))
        return (start, end) if end > start else (len(self.text), len(self.text))

    @property
    def body(self) -> str:
        """The text below the header, as :func:`normal_body` makes it."""
        start, end = self.body_span
        return self.text[start:end].replace("\r\n", "\n")

    def spliced(self, splices: Iterable[Splice]) -> bytes:
        """The document's bytes with ``splices`` made; those at one offset are made in the order given."""
        parts: list[str] = []
        at = 0
        for start, end, text in sorted(splices, key=lambda each: each[:2]):
            parts += (self.text[at:start], text)
            at = max(at, end)
        parts.append(self.text[at:])
        return (BOM if self.has_bom else b"") + "".join(parts).encode()


def normal_body(text: str) -> str:
    """A body as it is read: line ends LF, no blank lines before it, no white space after it."""
    lines = text.replace("\r\n", "\n")
    blank = _BLANK_LINES.match(lines)
    return lines[blank.end() if blank else 0 :].rstrip(_BLANKS)


def open_source(path: str, data: bytes, *, is_markdown: bool) -> Source:
    """``data`` as a :class:`Source`.

    Raises ``document-too-large``, ``document-encoding`` or ``document-fence-open``, each with its place.
    """
    if len(data) > SIZE_LIMIT:
        raise LoopxError("document-too-large", f"The document has {len(data):,} bytes.", place=Place(path))
    has_bom = data.startswith(BOM)
    text = _decoded(path, data[len(BOM) :] if has_bom else data)
    if not is_markdown:
        return Source(path, text, has_bom, (0, len(text)), len(text))
    opening = _OPENING.match(text)
    if opening is None:
        return Source(path, text, has_bom, None, 0)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise LoopxError(
            "document-fence-open", "The header starts with `---` on line 1 but never ends.", place=Place(path, 1, 1)
        )
    body_start = min(closing.end() + 1, len(text))
    return Source(path, text, has_bom, (opening.end(), closing.start()), body_start)


def _decoded(path: str, data: bytes) -> str:
    nul = data.find(b"\0")
    if nul >= 0 and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _undecodable(path, data, nul, "The document holds a NUL byte.", "Remove it; text files hold none.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"The byte 0x{data[error.start]:02X} is not UTF-8."
        raise _undecodable(path, data, error.start, message, "Save the file as UTF-8.") from error


def _undecodable(path: str, data: bytes, at: int, message: str, hint: str) -> LoopxError:
    start = data.rfind(b"\n", 0, at) + 1
    column = len(data[start:at].decode("utf-8", "replace")) + 1
    place = Place(path, data.count(b"\n", 0, at) + 1, column)
    return LoopxError("document-encoding", message, place=place, hint=hint)
