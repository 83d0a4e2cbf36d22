"""What is told plainly right without the door is what the door would have said."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.model.entities import CLASSES
from loopx.model.kind import Kind
from loopx.model.plain_values import NotPlain, plain_values
from loopx.model.validation import Unbound, bind

REQUIRED: dict[Kind, dict[str, Any]] = {
    Kind.TODO: {"id": "t-abcd1234", "title": "Title"},
    Kind.GOAL: {"id": "beta", "title": "Title"},
    Kind.GATE: {"id": "g-abcd1234", "scope": "other:goal:x", "question": "Yes?"},
    Kind.VISION: {"agent": "bot", "summary": "On we go"},
}
NAMES = {kind: sorted({each.name for each in fields(CLASSES[kind])} - {"goal"}) for kind in REQUIRED}
WORDS = [
    "",
    " ",
    "x",
    "a b",
    "p0",
    "done",
    "advancement",
    "t-abcd1234",
    "t-abcd1234\n",
    "true",
    "human",
    "\x1c",
    "\u3000",
    "é",
    "中文 🎉",
]
texts = st.sampled_from(WORDS) | st.text(max_size=20) | st.just("x" * 1001)
scalars = texts | st.booleans() | st.integers() | st.none() | st.floats(allow_nan=False)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(texts, scalars, max_size=2)


@given(st.data())
@settings(max_examples=400)
def test_what_is_told_plainly_is_what_the_door_says(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(REQUIRED)))
    name = data.draw(st.sampled_from(NAMES[kind]))
    value = data.draw(values)
    try:
        told = plain_values(CLASSES[kind], {name: value})
    except NotPlain:
        return
    wanted = {**REQUIRED[kind], name: value}
    if value is None:
        del wanted[name]
    try:
        entity = bind(kind, wanted)
    except Unbound as error:
        raise AssertionError(f"{name}={value!r} was told plainly right, and the door says: {error}") from error
    assert getattr(entity, name) == told[name]


def test_everyday_values_are_told_without_the_door() -> None:
    everyday = {
        "title": "Ship it 🎉",
        "priority": "p0",
        "tags": ["a", "b"],
        "watch_only": True,
        "todo_class": "monitor",
    }
    told = plain_values(CLASSES[Kind.TODO], {**everyday, "repository": None, "depends_on": ["t-abcd1234"]})
    assert (told["priority"], told["tags"], told["repository"]) == ("p0", ("a", "b"), None)
