"""Taking a hand-made document in: the machine-owned fields it lacks are put at the top of its header.

Called once for each new hand-made file. Everything typed stays byte for byte, above all the order and the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loopx.documents.changes import mapping_splices
from loopx.documents.editing import entity_of, finished, new_header, top_of
from loopx.documents.lines import column, inserted
from loopx.documents.notation import entry_lines
from loopx.documents.shapes import Shape, shapes
from loopx.documents.source import Splice
from loopx.documents.tree import Document, parse
from loopx.documents.values import values_in
from loopx.model.entities import CLASSES


def adopt(path: str, data: bytes, values: Mapping[str, Any]) -> bytes:
    """``data`` with ``values`` (attribute names to values as the entity holds them) put in where they are missing.

    A field that is there already is left alone. Raises as :func:`loopx.documents.editing.edit` does.
    """
    document = parse(path, data)
    said = values_in(document)
    before = entity_of(document, said)
    known = shapes(CLASSES[document.kind])
    wanted = [(shape, values[name]) for name, shape in known.items() if name in values and shape.key not in said.typed]
    if not wanted:
        return data
    after = replace(before, **{shape.name: value for shape, value in wanted})
    return finished(document, said, _splices(document, wanted), after)


def _splices(document: Document, wanted: list[tuple[Shape, Any]]) -> list[Splice]:
    root, source = document.root, document.source
    absent = [(shape, value) for shape, value in wanted if root is None or root.find(shape.key) is None]
    if root is not None and (root.is_flow or len(absent) < len(wanted)):
        # A name without a value gets it where it stands; a header in braces takes new names inside them.
        changes = [(shape, None, value) for shape, value in wanted]
        return list(mapping_splices(source, root, changes, [shape.key for shape, _ in wanted], top_of(document)))
    indent = " " * column(source, root.entries[0].start) if root is not None else ""
    lines = [line for shape, value in absent for line in entry_lines(value, shape, indent)]
    if source.header is None:
        return [new_header(document, lines)]
    return [inserted(source, top_of(document), lines)]
