"""What LoopX wrote for itself comes back as it was."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from loopx.model.codec import PLAIN, _converter, decode, encode
from loopx.model.entities import CLASSES
from loopx.model.kind import Kind
from loopx.model.todo import Priority, Todo, Validation


def test_an_entity_comes_back_with_the_classes_of_its_values() -> None:
    todo = Todo(
        id="t-aaaa1111", title="Write", priority=Priority.P0, validation=Validation(argv=("true",)), tags=("a",)
    )
    again = decode(Todo, encode(todo))
    assert again == todo
    assert (type(again.priority), type(again.tags), type(again.validation)) == (Priority, tuple, Validation)


@pytest.mark.parametrize("kind", Kind)
def test_an_annotation_that_is_taken_for_plain_needs_no_conversion(kind: Kind) -> None:
    hints: dict[str, Any] = get_type_hints(CLASSES[kind])
    plain = [each for each in fields(CLASSES[kind]) if str(each.type) in PLAIN]
    assert plain
    assert [each.name for each in plain if _converter(hints[each.name]) is not None] == []


def test_a_value_no_field_is_named_for_is_an_error() -> None:
    with pytest.raises(KeyError):
        decode(Todo, {"id": "t-aaaa1111", "title": "Write", "colour": "blue"})
