"""From bytes to a document: decoded text and the mapping of its header, or a located refusal.

Called by reading and editing. It knows YAML and fences; what a field means it leaves to :mod:`loopx.documents.values`.
"""

from __future__ import annotations

import re

from loopx.documents.nodes import Mapping, Node
from loopx.documents.quick import read_plainly
from loopx.documents.source import Source, open_source
from loopx.errors import LoopxError
from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.layout import Location, locate

_OURS = re.compile(r"^<{7}(?:[ \t](?P<label>[^\r\n]*))?\r?$", re.MULTILINE)
_BETWEEN = re.compile(r"^={7}[ \t]*\r?$", re.MULTILINE)
_THEIRS = re.compile(r"^>{7}(?:[ \t](?P<label>[^\r\n]*))?\r?$", re.MULTILINE)
_CODE_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """A document that could be parsed. ``root`` is ``None`` where there is no header, or one without fields."""

    source: Source
    location: Location
    root: Mapping | None

    @property
    def kind(self) -> Kind:
        return self.location.kind

    @property
    def names(self) -> list[str]:
        """The names of its fields, in the order they are written."""
        return [entry.key.value for entry in self.root.entries] if self.root else []


def location_of(path: str) -> Location:
    """What belongs at ``path``; raises :class:`ValueError` where no document does (``layout.locate`` tells before)."""
    found = locate(path)
    if found is None:
        raise ValueError(f"no document belongs at {path!r}")
    return found


def parse(path: str, data: bytes) -> Document:
    """The document in ``data``. Raises a located :class:`LoopxError` for a text that cannot be read."""
    location = location_of(path)
    source = open_source(path, data, is_markdown=location.kind.is_markdown)
    if "<<<<<<<" in source.text:
        _refuse_merge_markers(source)
    if source.header is None:
        return Document(source, location, None)
    return Document(source, location, _root(source))


def _root(source: Source) -> Mapping | None:
    assert source.header is not None
    root: Node | None = read_plainly(source.text, *source.header)
    if root is None:
        from loopx.documents.compose import compose

        root = compose(source)
    if root is None:
        return None
    if not isinstance(root, Mapping):
        raise LoopxError(
            "document-root", "The fields are not written as `name: value` lines.", place=source.place(root.start)
        )
    return root


def _refuse_merge_markers(source: Source) -> None:
    ours = _OURS.search(source.text)
    between = _BETWEEN.search(source.text, ours.end()) if ours else None
    theirs = _THEIRS.search(source.text, between.end()) if between else None
    if ours is None or theirs is None or _is_quoted_in_code(source, ours.start()):
        return
    sides = [(each["label"] or "").strip() or name for each, name in ((ours, "one side"), (theirs, "the other"))]
    raise LoopxError(
        "document-merge-markers",
        f"An unresolved merge of `{sides[0]}` and `{sides[1]}` starts here.",
        place=source.place(ours.start()),
        facts={"sides": sides},
    )


def _is_quoted_in_code(source: Source, offset: int) -> bool:
    """Whether ``offset`` lies in a fenced code block of the body: there, markers are somebody's example."""
    return offset >= source.body_start and len(_CODE_FENCE.findall(source.text, source.body_start, offset)) % 2 == 1
