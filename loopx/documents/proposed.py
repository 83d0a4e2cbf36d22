"""Texts that are to become documents and have no place yet: read as if they lay where they will, told of by
another name.

Called for plans that are proposed by command. Nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loopx.documents.adoption import adopt
from loopx.documents.emission import MODELINE
from loopx.documents.nodes import value_of
from loopx.documents.places import Where, place_of
from loopx.documents.reading import Reading, bound, read
from loopx.documents.shapes import shapes
from loopx.documents.tree import parse
from loopx.errors import LoopxError, Place, Problem
from loopx.model.entities import kind_of
from loopx.model.fields import Owner
from loopx.model.layout import locate, schema_reference


def read_proposed(path: str, data: bytes, name: str, defaults: Mapping[str, Any]) -> Reading:
    """The reading of ``data`` as the document at ``path``; its problems are at places in ``name``, which is how whoever
    proposes it knows it. ``defaults`` stand for what it leaves out."""
    try:
        found = bound(parse(path, data), defaults)
    except LoopxError as error:
        location = locate(path)
        assert location is not None
        return Reading(path, location, problems=(renamed(error.problem, name),))
    problems = tuple(renamed(each, name) for each in found.problems)
    return replace(found, problems=problems, warnings=tuple(renamed(each, name) for each in found.warnings))


def place_in(reading: Reading, where: Where, name: str) -> Place:
    """Where the value ``where`` leads to is written, or the nearest thing around it; in ``name``."""
    if reading.document is None:
        return Place(name)
    return replace(place_of(reading.document, where), path=name)


def plain_values(path: str, data: bytes, name: str) -> Any:
    """Everything a YAML (or JSON) text says, known fields or not. Raises a located :class:`LoopxError`."""
    try:
        root = parse(path, data).root
    except LoopxError as error:
        raise LoopxError.of(renamed(error.problem, name)) from error
    return {} if root is None else value_of(root)


def as_typed(path: str, entity: Any, text: str) -> bytes | None:
    """``text`` as the document of ``entity`` at ``path``, with what it leaves out and LoopX writes put in; ``None``
    where it says something else."""
    wanted = {
        each.name: getattr(entity, each.name)
        for each in shapes(type(entity)).values()
        if (each.is_required or each.mark.owner is Owner.MACHINE) and getattr(entity, each.name) != each.default
    }
    if MODELINE not in text:
        text = f"{MODELINE}{schema_reference(path, kind_of(entity))}\n{text}"
    try:
        data = adopt(path, text.encode("utf-8", "surrogatepass"), wanted)
    except LoopxError:
        return None
    return data if read(path, data).entity == entity else None


def renamed(problem: Problem, name: str) -> Problem:
    """``problem`` at its place in ``name``."""
    return problem if problem.place is None else replace(problem, place=replace(problem.place, path=name))
