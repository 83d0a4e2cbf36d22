"""Lists and nested fields: items that stay are not touched, whatever form they are written in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loopx.documents import edit, read
from loopx.errors import LoopxError
from loopx.model.gate import Gate
from loopx.model.goal import Boundary, Criterion, Goal, Participant, Readback
from loopx.model.todo import Todo, Validation
from tests.unit.documents.pages import GATE, GOAL, TODO, page, read_todo, todo, told

CRITERIA = """title: x
id: beta
acceptance:
  - Tests pass  # plain
  # the second
  - id: a2
    text: 'two'  # kept
    x-extra: 1

  - {id: a3, text: three}
# the end
status: active"""


def goal(text: bytes) -> Goal:
    entity = read(GOAL, text).entity
    assert isinstance(entity, Goal)
    return entity


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("[a, b]", ("a", "b", "c"), "[a, b, c]"),
        ("[ a , b ]", ("a", "c"), "[ a, c ]"),
        ("[a, b]", ("b",), "[b]"),
        ("[a, b]", ("a",), "[a]"),
        ("[a, b, c]", ("b",), "[b]"),
        ("[a, b, c, d]", ("a", "d"), "[a, d]"),
        ("[a, b]", (), "[]"),
        ("[a, b,]", (), "[]"),
        ("[a, b,]", ("a", "b", "c"), "[a, b, c,]"),
        ("[]", ("a", "b"), "[a, b]"),
        ("[a]", ("b",), "[b]"),
        ("[a] # c", ("a", "b: c, d"), '[a, "b: c, d"] # c'),
        ("[\n  a,  # one\n  b\n  ]", ("a", "b", "c"), "[\n  a,  # one\n  b, c\n  ]"),
        ("['a', \"b\"]", ("b", "z"), '["b", z]'),
    ],
)
def test_a_list_in_brackets_is_changed_between_its_commas(old: str, value: tuple[str, ...], new: str) -> None:
    text = todo(f"title: x\ntags: {old}\npriority: p2")
    after = edit(TODO, text, {"tags": value})
    assert after == todo(f"title: x\ntags: {new}\npriority: p2")
    assert set(read_todo(after).tags) == set(value)


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (("a", "b", "c", "d"), "  - a\n  - 'b'  # bee\n  - c\n  - d\n"),
        (("b",), "  - 'b'  # bee\n"),
        (("x", "b", "c"), "  - 'b'  # bee\n  - c\n  - x\n"),
        (("x",), "  - x\n"),
    ],
)
def test_a_list_of_lines_is_changed_line_by_line(value: tuple[str, ...], items: str) -> None:
    text = todo("title: x\ntags:\n  - a\n  - 'b'  # bee\n  - c\npriority: p2")
    assert edit(TODO, text, {"tags": value}) == todo(f"title: x\ntags:\n{items}priority: p2")


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (("yes", "later", "no"), '  - "yes"\n  - later\n  - "no"  # n\n'),
        (("no", "maybe"), '  - "no"  # n\n  - maybe\n'),
        (("maybe", "yes", "no"), '  - maybe\n  - "yes"\n  - "no"  # n\n'),
    ],
)
def test_a_list_whose_order_counts_gets_items_in_their_places(value: tuple[str, ...], items: str) -> None:
    text = page('id: g-4k9x2m7q\nscope: production:goal:*\nquestion: q\noptions:\n  - "yes"\n  - "no"  # n')
    after = edit(GATE, text, {"options": value})
    assert after == page(f"id: g-4k9x2m7q\nscope: production:goal:*\nquestion: q\noptions:\n{items}".rstrip("\n"))
    entity = read(GATE, after).entity
    assert isinstance(entity, Gate)
    assert entity.options == value


def test_one_criterion_changes_in_its_own_form() -> None:
    text = page(CRITERIA)
    first, second, third = goal(text).acceptance
    after = edit(GOAL, text, {"acceptance": (first, replace(second, text="zwei"), replace(third, check=("a", "b c")))})
    expected = CRITERIA.replace("'two'", "'zwei'").replace("three}", "three, check: [a, b c]}")
    assert after == page(expected)


def test_a_plain_criterion_becomes_a_mapping_when_it_must() -> None:
    text = page(CRITERIA)
    first, *rest = goal(text).acceptance
    after = edit(GOAL, text, {"acceptance": (replace(first, text="All tests pass"), *rest)})
    assert after == page(CRITERIA.replace("- Tests pass  #", '- id: "tests-pass"\n    text: All tests pass  #'))


def test_a_criterion_is_added_and_removed_with_its_lines_alone() -> None:
    text = page(CRITERIA)
    first, second, third = goal(text).acceptance
    added = Criterion(id="a4", text="four", readback=Readback(source="s", fresh_for="6h"))
    with_four = edit(GOAL, text, {"acceptance": (first, second, third, added)})
    lines = '  - id: "a4"\n    text: four\n    readback:\n      source: s\n      fresh_for: "6h"\n'
    assert with_four == page(CRITERIA.replace("three}\n", f"three}}\n{lines}"))
    without = edit(GOAL, text, {"acceptance": (first, third)})
    assert without == page(CRITERIA.replace("  - id: a2\n    text: 'two'  # kept\n    x-extra: 1\n", ""))


def test_moving_an_item_with_names_of_its_own_is_refused_rather_than_losing_them() -> None:
    text = page("title: x\nid: beta\nagents:\n  - id: b\n    x-a: 1\n  - id: a\n    x-b: 2")
    one, two = goal(text).agents
    with pytest.raises(LoopxError) as caught:
        edit(GOAL, text, {"agents": (two, one)})
    assert caught.value.code == "field-not-editable"
    assert "`x-" in str(caught.value)


def test_items_without_names_of_their_own_can_be_moved() -> None:
    text = page("title: x\nid: beta\nagents:\n  - id: b\n  - id: a\n    mode: active")
    one, two = goal(text).agents
    after = edit(GOAL, text, {"agents": (two, one)})
    assert goal(after).agents == (two, one)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("validation: {argv: [a]}", "validation: {argv: [a], label: L, timeout_seconds: 5}"),
        ("validation:\n  argv: [a]\n  x-y: 1", "validation:\n  argv: [a]\n  label: L\n  timeout_seconds: 5\n  x-y: 1"),
        ("validation:\n    timeout_seconds: 9 # s\n    argv:\n    - a", None),
    ],
)
def test_a_nested_field_changes_name_by_name(old: str, new: str | None) -> None:
    text = todo(f"title: x\n{old}\npriority: p2")
    wanted = Validation(argv=("a",), label="L", timeout_seconds=5)
    after = edit(TODO, text, {"validation": wanted})
    if new is None:
        new = "validation:\n    timeout_seconds: 5 # s\n    argv:\n    - a\n    label: L"
    assert after == todo(f"title: x\n{new}\npriority: p2")
    assert read_todo(after).validation == wanted


def test_a_nested_list_is_emptied_and_filled() -> None:
    text = page("title: x\nid: beta\nboundary:\n  repositories:\n    - r # one\n  private_paths: [p]")
    after = edit(GOAL, text, {"boundary": Boundary(private_paths=("p", "q"), write_scopes=("src/**",))})
    assert after == page(
        "title: x\nid: beta\nboundary:\n  repositories: []\n  write_scopes:\n    - src/**\n  private_paths: [p, q]"
    )


def test_nested_text_is_removed_with_its_line() -> None:
    text = page("title: x\nid: beta\nagents:\n  - id: a\n    role_scope: why\n    mode: active")
    after = edit(GOAL, text, {"agents": (Participant(id="a"),)})
    assert after == page("title: x\nid: beta\nagents:\n  - id: a\n    mode: active")


@pytest.mark.parametrize("typed", ["", " ~", " null", " # why"])
def test_a_field_without_a_value_gets_one_on_its_line(typed: str) -> None:
    text = todo(f"tags:{typed}\ntitle: x\nreason:{typed}\nvalidation:{typed}")
    wanted = {"tags": ("a", "b"), "reason": "r", "validation": Validation(argv=("c",))}
    after = edit(TODO, text, wanted)
    remark = typed if "#" in typed else ""
    assert after == todo(f"tags: [a, b]{remark}\ntitle: x\nreason: r{remark}\nvalidation: {{argv: [c]}}{remark}")


def test_a_list_item_that_shares_its_line_is_refused() -> None:
    text = page("title: x\nid: g-4k9x2m7q\nscope: a\nquestion: q\noptions:\n  -\n    one\n  - two")
    with pytest.raises(LoopxError) as caught:
        edit(GATE, text, {"options": ("two",)})
    assert told(caught.value.problem) == ("field-not-editable", 8, 5)


def test_unknown_kinds_of_value_do_not_stop_an_edit_elsewhere() -> None:
    entity = read_todo(todo("title: x\nx-odd: !tag {a: !!binary aGk=}\nx-set: !!set {a, b}\npriority: p2"))
    assert isinstance(entity, Todo)
    after = edit(TODO, todo("title: x\nx-odd: !tag {a: !!binary aGk=}"), {"reason": "r"})
    assert after == todo("title: x\nreason: r\nx-odd: !tag {a: !!binary aGk=}")
