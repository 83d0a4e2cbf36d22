"""``schemas/`` says what the model says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from docs.generate import schemas
from loopx.model.entities import CLASSES
from loopx.model.fields import Owner, marks
from loopx.model.kind import Kind
from loopx.model.run import LINE
from tests.support.source import ROOT


def schema(kind: Kind) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / f"schemas/{kind}.schema.json").read_text(encoding="utf-8"))
    return found


def test_the_folder_holds_exactly_what_the_generator_makes() -> None:
    on_disk = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "schemas").iterdir()}
    assert on_disk == schemas.texts(), "run `python -m docs.generate`"


@pytest.mark.parametrize("kind", Kind)
def test_a_schema_is_a_valid_one(kind: Kind) -> None:
    Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("kind", Kind)
def test_exactly_the_machine_owned_fields_are_read_only(kind: Kind) -> None:
    read_only = {key for key, entry in schema(kind)["properties"].items() if entry.get("readOnly")}
    owned = {mark.key or name for name, mark in marks(CLASSES[kind]).items() if mark.owner is Owner.MACHINE}
    owned = set(LINE) if kind is Kind.TRACE else owned  # its schema is that of one line
    assert read_only == owned


@pytest.mark.parametrize("kind", Kind)
def test_every_field_is_explained(kind: Kind) -> None:
    properties = schema(kind)["properties"]
    assert {key for key, entry in properties.items() if not entry.get("description")} == set()


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        (Kind.TODO, {"title": "Write the guide"}),
        (Kind.TODO, {"title": "Write the guide", "x-team": "blue", "priority": "p0"}),
        (Kind.GOAL, {"title": "Ship the beta", "acceptance": [{"id": "a1", "text": "It installs"}]}),
        (Kind.GATE, {"scope": "direction:goal:beta", "question": "Ship it?"}),
        (Kind.VISION, {"summary": "Small steps"}),
    ],
)
def test_what_a_person_would_type_is_valid(kind: Kind, typed: dict[str, Any]) -> None:
    Draft202012Validator(schema(kind)).validate(typed)


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        (Kind.TODO, {}),
        (Kind.TODO, {"title": "two\nlines"}),
        (Kind.TODO, {"title": "x", "priority": "urgent"}),
        (Kind.TODO, {"title": "x", "depends_on": "t-4k9x2m7q"}),
        (Kind.GOAL, {"title": "x", "acceptance": [{"text": "no id"}]}),
    ],
)
def test_an_editor_is_told_of_a_mistake(kind: Kind, typed: dict[str, Any]) -> None:
    assert not Draft202012Validator(schema(kind)).is_valid(typed)
