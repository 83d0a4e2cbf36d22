"""From what was typed to the one document meant."""

from __future__ import annotations

import pytest

from loopx.kernel.outcome import Refused
from loopx.kernel.resolve import find_gate, find_goal, find_todo, resolve
from loopx.model.gate import Gate
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.todo import Todo
from tests.support.kernel import E1, G1, Desk, evidence, gate, goal, todo

DESK = Desk.of(
    goal(),
    goal("beta-two"),
    todo("t-k0k1aaaa"),
    todo("t-k0k1bbbb", "Draft"),
    todo("t-mmmm0000", "Review"),
    gate(),
    evidence(),
)


@pytest.mark.parametrize(
    ("kind", "typed", "expected"),
    [
        (Kind.TODO, "t-mmmm0000", "t-mmmm0000"),
        (Kind.TODO, " T-MMMM ", "t-mmmm0000"),
        (Kind.TODO, "ｔ－ｍｍ", "t-mmmm0000"),
        (Kind.TODO, "t-m", "t-mmmm0000"),
        (Kind.TODO, "mmmm", "t-mmmm0000"),
        (Kind.TODO, "t-koklaaaa", "t-k0k1aaaa"),
        (Kind.TODO, "T-KOKIA", "t-k0k1aaaa"),
        (Kind.GATE, "G-AAAA", G1),
        (Kind.EVIDENCE, "e-aaaa", E1),
        (Kind.GOAL, "BETA", "beta"),
        (Kind.GOAL, "beta-t", "beta-two"),
    ],
)
def test_B09_one_folding_and_any_unambiguous_beginning_find_it(kind: Kind, typed: str, expected: str) -> None:
    assert resolve(DESK.state, kind, typed) == expected


@pytest.mark.parametrize("typed", ["t-k0k1", "k0k1", "t-", "T"])
def test_what_fits_several_is_ambiguous_and_names_them(typed: str) -> None:
    found = resolve(DESK.state, Kind.TODO, typed)
    assert isinstance(found, Refused) and found.code == "id-ambiguous"
    assert {"t-k0k1aaaa", "t-k0k1bbbb"} <= set(found.facts["candidates"])


@pytest.mark.parametrize(
    ("kind", "typed", "code", "nearest"),
    [
        (Kind.TODO, "t-mmmm1111", "todo-unknown", "t-mmmm0000"),
        (Kind.TODO, "t-zzzz", "todo-unknown", None),
        (Kind.TODO, "", "todo-unknown", None),
        (Kind.TODO, "../../x", "todo-unknown", None),
        (Kind.GOAL, "betta", "goal-unknown", "beta"),
        (Kind.GOAL, "zulu", "goal-unknown", None),
        (Kind.GATE, "g-zzzz", "gate-unknown", None),
        (Kind.EVIDENCE, "e-zzzz", "evidence-unknown", None),
    ],
)
def test_what_fits_nothing_is_unknown_and_the_nearest_is_named(
    kind: Kind, typed: str, code: str, nearest: str | None
) -> None:
    found = resolve(DESK.state, kind, typed)
    assert isinstance(found, Refused)
    assert (found.code, found.facts.get("nearest")) == (code, nearest)
    assert nearest is None or nearest in found.hint


def test_documents_are_found_by_kind() -> None:
    assert isinstance(find_goal(DESK.state, "beta"), Goal)
    assert isinstance(find_todo(DESK.state, "t-m"), Todo)
    assert isinstance(find_gate(DESK.state, "g-a"), Gate)
