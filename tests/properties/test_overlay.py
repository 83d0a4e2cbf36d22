"""An overlay answers every question as memory does once the changes are applied: nothing sees between the two."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.kernel.apply import apply_changes
from loopx.kernel.outcome import Change, Create, Delete, Record, Update
from loopx.kernel.overlay import Overlay, merged, overlaid
from loopx.kernel.state import MemorySource, State
from loopx.model.entities import goal_of, identity, kind_of
from loopx.model.kind import Kind
from loopx.model.todo import TodoStatus
from tests.properties.test_sources_agree import MAKERS, QUESTIONS, anything, key

_CHANGED = {
    Kind.TODO: {"status": TodoStatus.DONE, "title": "Else", "claimed_by": "rex"},
    Kind.GATE: {"question": "Else"},
    Kind.VISION: {"summary": "Else"},
}


@st.composite
def _worlds(draw: st.DrawFn) -> tuple[list[Any], list[Change]]:
    """Entities, and changes that follow from one another: made, recorded, updated and, now and then, deleted."""
    entities: list[Any] = draw(st.lists(anything, max_size=12, unique_by=key))
    changes: list[Change] = []
    for each in draw(st.lists(anything, max_size=5, unique_by=key)):
        known = {key(found): found for found in apply_changes(entities, changes)}
        if key(each) not in known:
            changes.append(Create(each))
        elif draw(st.booleans()):
            changes.append(Record(each))
        found = known.get(key(each), each)
        fields = _CHANGED.get(kind_of(each))
        if fields and draw(st.booleans()):
            changes.append(Update(kind_of(each), goal_of(found), identity(each), fields))
        elif kind_of(each) is not Kind.WORKSPACE and draw(st.integers(0, 9)) == 0:
            changes.append(Delete(kind_of(each), goal_of(found), identity(each)))
    return entities, changes


@settings(max_examples=40)
@given(_worlds())
def test_an_overlay_answers_as_the_changed_state_does(world: tuple[list[Any], list[Change]]) -> None:
    entities, changes = world
    below = MemorySource(entities)
    over = Overlay(below, changes)
    after = MemorySource(apply_changes(entities, changes), known_ids=[identity(each) for each in entities])
    made = [each.entity for each in changes if isinstance(each, Create | Record)]
    for name, asked in QUESTIONS.items():
        if name in ("last_change", "unreadable", "receipt", "receipts_after", "matching"):
            continue
        if name == "is_known_id" and any(isinstance(each, Delete) for each in changes):
            continue
        for number, ask in enumerate(asked):
            assert ask(over) == ask(after), f"{name} #{number} {made}"


@settings(max_examples=60)
@given(_worlds())
def test_changes_brought_together_come_to_the_same(world: tuple[list[Any], list[Change]]) -> None:
    entities, changes = world
    together = merged(changes)
    named = [
        (kind_of(each.entity), identity(each.entity), goal_of(each.entity))
        if isinstance(each, Create | Record)
        else (each.kind, each.id, each.goal)
        for each in together
    ]
    assert len(named) == len(set(named))
    if not any(isinstance(each, Delete) for each in changes):
        assert {key(each): each for each in apply_changes(entities, together)} == {
            key(each): each for each in apply_changes(entities, changes)
        }


def test_a_state_without_changes_is_the_state_itself() -> None:
    state = State(MemorySource())
    assert overlaid(state, ()) is state
    assert set(MAKERS) == set(Kind)
