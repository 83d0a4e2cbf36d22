"""Every kind of document with every field filled in: written, found by its place, read back equal, kept in the cache.

The entities are made from the model itself, so that a field or a kind added later is covered without a line here.
"""

from __future__ import annotations

import json
import re
import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from loopx.documents import emit, read
from loopx.kernel.state import happened_at, named_by, owner_of
from loopx.model.entities import CLASSES, goal_of, identity
from loopx.model.forms import TextForm
from loopx.model.kind import Kind
from loopx.model.layout import archived, locate
from loopx.model.validation import json_schema
from loopx.workspace.rows import entity_of, row_of
from loopx.workspace.texts import new_path

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
WORDS = (
    "beta",
    "human:Ann",
    "op-aaaa1111",
    *(f"{prefix}-aaaa1111" for prefix in ("t", "g", "e", "turn", "x", "h", "p", "r", "k", "w", "run")),
    "0123456789abcdef0123456789abcdef01234567",
    "One line: with a colon, “quotes” and # a hash",
)
SPECIFIC = {"goal": "beta", "body": "First.\n\nSecond."}


def fill(hint: Any, name: str = "") -> Any:
    """A value of the type ``hint`` that keeps its rules."""
    hint = getattr(hint, "__supertype__", hint)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return text(inner[1]) if inner[0] is str and isinstance(inner[1], TextForm) else fill(inner[0], name)
    if origin in (typing.Union, types.UnionType):
        return fill(next(each for each in inner if each is not types.NoneType), name)
    if origin is dict:
        return {"Some name": ["text: # x", 1, 0.5, 1e-7, True, None, {"y": "no"}], "verification": "disabled"}
    if isinstance(hint, type) and issubclass(hint, tuple):
        return hint(*(fill(each, field) for field, each in typing.get_type_hints(hint, include_extras=True).items()))
    if origin is tuple:
        return (fill(inner[0], name),)
    if isinstance(hint, type) and is_dataclass(hint):
        return full(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return list(hint)[-1]
    return {str: f"Some {name.replace('_', ' ')}", int: 3, float: 0.5, bool: True, datetime: AT}[hint]


def text(form: TextForm) -> str:
    """A text that keeps ``form``: the first word that its pattern takes."""
    for each in reversed(WORDS) if form.pattern and "\\S" in form.pattern else WORDS:
        if form.pattern is None or re.search(form.pattern, each):
            return each
    raise AssertionError(f"no word for {form.about}")


def full(cls: Any) -> Any:
    """An entity of class ``cls`` with every field filled in."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return cls(**{each.name: SPECIFIC.get(each.name) or fill(hints[each.name], each.name) for each in fields(cls)})


def bare(cls: Any) -> Any:
    """An entity with the fields that have no default, and its Goal."""
    hints = typing.get_type_hints(cls, include_extras=True)
    needed = [each for each in fields(cls) if each.default is MISSING and each.default_factory is MISSING]
    values = {each.name: SPECIFIC.get(each.name) or fill(hints[each.name], each.name) for each in needed}
    return cls(**values, **({"goal": "beta"} if "goal" in hints else {}))


NEVER_BARE = ((Kind.CLOSURE, bare), (Kind.TRACE, bare))
"""A closure without an end and a trace segment without a line are never written: the first one makes the file."""
MADE = [(kind, make) for kind in Kind for make in (full, bare) if (kind, make) not in NEVER_BARE]


@cache
def schema(kind: Kind) -> Draft202012Validator:
    return Draft202012Validator(json_schema(kind))


@pytest.mark.parametrize(("kind", "make"), MADE, ids=lambda each: getattr(each, "__name__", str(each)))
def test_what_is_written_is_found_by_its_place_and_read_back_equal(kind: Kind, make: Any) -> None:
    entity = make(CLASSES[kind])
    path = new_path(entity)
    location = locate(path)
    assert location is not None and location.kind is kind
    assert location.goal == goal_of(entity)
    reading = read(path, emit(path, entity))
    assert reading.problems == () and reading.warnings == ()
    assert reading.entity is not None and reading.entity == entity
    assert emit(path, reading.entity) == emit(path, entity)


@pytest.mark.parametrize(("kind", "make"), MADE, ids=lambda each: getattr(each, "__name__", str(each)))
def test_the_cache_gives_back_what_it_was_given(kind: Kind, make: Any) -> None:
    entity = make(CLASSES[kind])
    row, named = row_of(entity, new_path(entity), "0" * 40)
    assert entity_of(kind, row.data) == entity
    assert (row.kind, row.id, row.goal) == (kind.value, identity(entity), goal_of(entity))
    assert row.owner == owner_of(entity)
    assert row.status == getattr(entity, "status", None)
    assert set(named) == named_by(entity)
    assert bool(row.created) == (happened_at(entity) is not None)


@pytest.mark.parametrize(("kind", "make"), MADE, ids=lambda each: getattr(each, "__name__", str(each)))
def test_the_schema_takes_what_is_written(kind: Kind, make: Any) -> None:
    entity = make(CLASSES[kind])
    written = emit(new_path(entity), entity).decode()
    header = written.split("---\n")[1] if kind.is_markdown else written
    if kind is Kind.TRACE:
        for line in header.splitlines():
            schema(kind).validate(json.loads(line))
        return
    value = json.loads(json.dumps(YAML(typ="safe").load(header), default=str))
    schema(kind).validate(value)


@pytest.mark.parametrize("kind", [Kind.TODO, Kind.GATE, Kind.COMPLETION, Kind.DECISION, Kind.LEASE, Kind.MONITOR])
def test_what_goes_into_the_archive_is_found_there(kind: Kind) -> None:
    entity = full(CLASSES[kind])
    path = archived(new_path(entity), AT)
    location = locate(path)
    assert location is not None and (location.kind, location.is_archived) == (kind, True)
    assert read(path, emit(path, entity)).entity == entity


@pytest.mark.parametrize("kind", [each for each in Kind if each.is_forward_only])
def test_a_record_in_anothers_place_is_told_of(kind: Kind) -> None:
    entity = full(CLASSES[kind])
    path = new_path(entity).replace("t-aaaa1111", "t-bbbb2222").replace("-aaaa1111.yaml", "-bbbb2222.yaml")
    path = path.replace("/beta.yaml", "/gamma.yaml")
    if kind is Kind.CLOSURE:
        path = "goals/gamma/closure.yaml"
        assert read(path, emit(path, entity)).entity is not None, "a Goal's end is found by its folder alone"
        return
    if kind is Kind.TRACE:
        found = read(path, emit(path, entity)).entity
        assert found is not None and found != entity, "a segment is found by its folder; its chain tells it from others"
        return
    reading = read(path, emit(path, entity))
    assert reading.entity is None and reading.problems != (), path
