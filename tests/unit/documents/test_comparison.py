"""What differs between two versions."""

from __future__ import annotations

import pytest

from loopx.documents import compare
from loopx.model.gate import Gate
from loopx.model.todo import Priority, Todo


def test_two_versions_are_compared_field_by_field() -> None:
    one = Todo(id="t-4k9x2m7q", title="x", goal="beta", body="a")
    other = Todo(id="t-4k9x2m7q", title="y", priority=Priority.P1, goal="gamma", body="b")
    assert compare(one, other) == {
        "title": ("x", "y"),
        "priority": (Priority.P2, Priority.P1),
        "body": ("a", "b"),
    }
    assert compare(one, one) == {}
    with pytest.raises(TypeError):
        compare(one, Gate(id="g-4k9x2m7q", scope="a", question="q"))
