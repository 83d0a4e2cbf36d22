"""A hand edit meets what was accepted since: both are kept where they can be, and a person is asked where not."""

from __future__ import annotations

import pytest

from loopx.documents import Merged, merge, read
from loopx.model.goal import Goal
from loopx.model.todo import Priority, Todo, TodoStatus, Validation
from tests.unit.documents.pages import GATE, GOAL, TODO, page, read_todo, todo, told

BASE = """---
id: "t-4k9x2m7q"
rev: "r-aaaaaaaa"
title: Write it
status: open
priority: p2
tags: [a, b]
created_at: "2026-01-02T03:04:05Z"
---

one
two
three
"""


def ours(*changes: tuple[str, str]) -> str:
    """The accepted version: the base with changes, under a new revision."""
    return changed(("r-aaaaaaaa", "r-bbbbbbbb"), *changes)


def changed(*changes: tuple[str, str]) -> str:
    text = BASE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def merged(theirs: str, accepted: str, base: str = BASE) -> Merged:
    return merge(TODO, base.encode(), accepted.encode(), theirs.encode())


def clean(result: Merged) -> str:
    """The merged text of a merge in which nothing was in the way."""
    assert (result.conflicts, result.machine) == ((), ())
    assert result.data is not None
    return result.data.decode()


def test_fields_changed_on_different_sides_are_both_changed() -> None:
    result = clean(merged(changed(("Write it", "Write that")), ours(("p2", "p1"), ("open", "blocked"))))
    assert result == ours(("Write it", "Write that"), ("p2", "p1"), ("open", "blocked"))


def test_the_hand_s_formatting_stays() -> None:
    theirs = changed(("title: Write it", "# why\ntitle:   'Write that'  # mine"), ("tags: [a, b]", "tags: [ a,  b ]"))
    result = clean(merged(theirs, ours(("p2", "p1"))))
    assert result == theirs.replace("r-aaaaaaaa", "r-bbbbbbbb").replace("p2", "p1")


def test_nothing_accepted_since_leaves_the_edit_as_typed() -> None:
    theirs = changed(("Write it", "Write that"), ("two\n", "two\nand\n"), ("tags", "x-own: 1\ntags"))
    assert clean(merged(theirs, BASE)) == theirs


def test_an_edit_that_equals_a_side_is_the_accepted_version() -> None:
    accepted = ours(("p2", "p1"))
    assert clean(merged(BASE, accepted)) == accepted
    assert clean(merged(accepted, accepted)) == accepted


def test_the_same_change_on_both_sides_is_made_once() -> None:
    change = (("Write it", "Write that"), ("two\n", "two\nand\n"), ("[a, b]", "[a, b, c]"))
    assert clean(merged(changed(*change), ours(*change))) == ours(*change)


@pytest.mark.parametrize(
    ("mine", "accepted", "result"),
    [
        ("[a, b, t]", "[a, b, o]", {"a", "b", "t", "o"}),
        ("[b]", "[a, b, o]", {"b", "o"}),
        ("[b, t]", "[a]", {"t"}),
        ("[]", "[b, a, o]", {"o"}),
        ("\n  - a\n  - t # new", "[b]", {"t"}),
    ],
)
def test_sets_are_merged_as_sets(mine: str, accepted: str, result: set[str]) -> None:
    text = clean(merged(changed(("[a, b]", mine)), ours(("[a, b]", accepted))))
    assert set(read_todo(text.encode()).tags) == result


def test_both_sides_adding_the_same_set_field_is_no_conflict() -> None:
    text = clean(
        merged(
            changed(("priority", "depends_on: [t-aaaaaaaa]\npriority")),
            ours(("created_at", "depends_on:\n  - t-bbbbbbbb\ncreated_at")),
        )
    )
    assert set(read_todo(text.encode()).depends_on) == {"t-aaaaaaaa", "t-bbbbbbbb"}


def test_a_field_changed_differently_is_a_conflict_that_names_both_sides() -> None:
    result = merged(changed(("Write it", "Write that")), ours(("Write it", "Write this")))
    assert result.data is None
    assert [told(each) for each in result.conflicts] == [("merge-conflict", 4, 8)]
    assert "`Write this`" in result.conflicts[0].message
    assert "`Write that`" in result.conflicts[0].message
    assert result.conflicts[0].facts == {
        "field": "title",
        "base": "Write it",
        "accepted": "Write this",
        "edited": "Write that",
    }


def test_every_conflict_is_told_of_at_once() -> None:
    result = merged(
        changed(("Write it", "A"), ("p2", "p0"), ("two", "2"), ("open", "blocked")),
        ours(("Write it", "B"), ("p2", "p1"), ("two", "zwei"), ("open", "done")),
    )
    assert [each.facts["field"] for each in result.conflicts] == ["title", "status", "priority", "body"]
    assert told(result.conflicts[3]) == ("merge-conflict", 12, 1)


def test_a_removed_field_against_a_changed_one_is_a_conflict() -> None:
    base = changed(("tags", "reason: why\ntags"))
    accepted = base.replace("why", "because").replace("r-aaaaaaaa", "r-bbbbbbbb")
    result = merged(BASE, accepted, base)
    assert [each.facts["edited"] for each in result.conflicts] == [None]


def test_lines_of_the_body_are_merged() -> None:
    theirs = changed(("one\n", "ONE\n"), ("three\n", "three\nfour\n"))
    result = clean(merged(theirs, ours(("two\n", "TWO\n"), ("p2", "p1"))))
    assert result.endswith("---\n\nONE\nTWO\nthree\nfour\n")


def test_a_longer_insertion_that_holds_the_other_is_taken() -> None:
    accepted = ours(("two\n", "two\n- a\n- c\n"))
    theirs = changed(("two\n", "two\n- a\n- b\n- c\n"))
    assert clean(merged(theirs, accepted)).endswith("two\n- a\n- b\n- c\nthree\n")
    assert clean(merged(changed(("two\n", "two\n- c\n")), accepted)).endswith("two\n- a\n- c\nthree\n")


def test_different_insertions_at_one_place_of_the_body_are_a_conflict() -> None:
    result = merged(changed(("two\n", "two\nx\n")), ours(("two\n", "two\ny\n")))
    assert [told(each) for each in result.conflicts] == [("merge-conflict", 13, 1)]


def test_the_revision_is_always_the_accepted_one() -> None:
    for theirs in (
        changed(("Write it", "W")),
        changed(("Write it", "W"), ("r-aaaaaaaa", "r-cccccccc")),
        changed(("Write it", "W"), ('rev: "r-aaaaaaaa"\n', "")),
    ):
        assert clean(merged(theirs, ours(("p2", "p1")))) == ours(("Write it", "W"), ("p2", "p1"))


def test_machine_owned_fields_that_are_gone_are_put_back() -> None:
    theirs = "---\ntitle: Write that\ntags: [a, b]\n---\none\ntwo\nthree\n"
    text = clean(merged(theirs, ours(("p2", "p1"))))
    found = read_todo(text.encode())
    assert text.startswith('---\nid: "t-4k9x2m7q"\nrev: "r-bbbbbbbb"\n')
    assert found.created_at is not None
    assert (found.title, found.priority) == ("Write that", Priority.P1)
    assert text.endswith("---\none\ntwo\nthree\n")


def test_a_goal_s_id_that_is_gone_is_put_back_though_its_folder_says_it() -> None:
    base = page('id: "beta"\nrev: "r-aaaaaaaa"\ntitle: x')
    accepted = page('id: "beta"\nrev: "r-bbbbbbbb"\ntitle: x\nreason: why')
    result = merge(GOAL, base, accepted, page("title: y"))
    assert result.data is not None
    goal = read(GOAL, result.data).entity
    assert isinstance(goal, Goal)
    assert (goal.id, goal.rev, goal.title, goal.reason) == ("beta", "r-bbbbbbbb", "y", "why")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("t-4k9x2m7q", "t-aaaaaaaa"), ("id",)),
        (("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"), ("created_at",)),
        (("tags", "successors: [t-aaaaaaaa]\ntags"), ("successors",)),
    ],
)
def test_a_changed_machine_owned_field_is_named(change: tuple[str, str], named: tuple[str, ...]) -> None:
    result = merged(changed(change, ("Write it", "W")), ours(("p2", "p1")))
    assert result.data is None
    assert result.machine == named


def test_a_machine_owned_field_as_accepted_meanwhile_is_no_change_of_it() -> None:
    accepted = ours(("tags", 'successors: ["t-aaaaaaaa"]\ntags'))
    theirs = changed(("tags", "successors: [t-aaaaaaaa]\ntags"), ("Write it", "W"))
    assert read_todo(clean(merged(theirs, accepted)).encode()).successors == ("t-aaaaaaaa",)


def test_a_gate_s_outcome_cannot_be_typed() -> None:
    base = page("id: g-4k9x2m7q\nscope: production:goal:*\nquestion: q\nstatus: open")
    result = merge(GATE, base, base, base.replace(b"open", b"approved"))
    assert result.machine == ("status",)


def test_a_base_typed_before_adoption_is_merged_with_what_adoption_made() -> None:
    typed = "---\ntitle: Write it\n---\none\n"
    accepted = '---\nid: "t-4k9x2m7q"\nrev: "r-bbbbbbbb"\ntitle: Write it\npriority: p1\n---\none\n'
    result = clean(merged("---\ntitle: Write that\n---\none\ntwo\n", accepted, typed))
    assert result == accepted.replace("Write it", "Write that") + "two\n"


def test_a_title_in_a_heading_is_merged_too() -> None:
    accepted = '---\nid: "t-4k9x2m7q"\npriority: p1\n---\n# Write it\n\none\n'
    result = clean(merged("# Write that\n\none\n", accepted, "# Write it\n\none\n"))
    assert result == accepted.replace("Write it", "Write that")


def test_nested_fields_are_merged_name_by_name() -> None:
    base = changed(("tags", "validation:\n  argv: [a]\n  label: l\ntags"))
    accepted = base.replace("label: l", "label: m").replace("r-aaaaaaaa", "r-bbbbbbbb")
    theirs = base.replace("[a]", "[a, b]")
    assert read_todo(clean(merged(theirs, accepted, base)).encode()).validation == Validation(
        argv=("a", "b"), label="m"
    )
    result = merged(base.replace("label: l", "label: n"), accepted, base)
    assert [(each.facts["field"], told(each)[1]) for each in result.conflicts] == [("validation.label", 9)]


CRITERIA = "id: beta\ntitle: x\nacceptance:\n  - id: a1\n    text: one\n  - id: a2\n    text: two"


def criteria(result: Merged) -> list[tuple[str, str]]:
    assert result.data is not None
    goal = read(GOAL, result.data).entity
    assert isinstance(goal, Goal)
    return [(each.id, each.text) for each in goal.acceptance]


@pytest.mark.parametrize(
    ("accepted", "theirs", "merged_criteria"),
    [
        (("one", "eins"), ("two", "zwei"), [("a1", "eins"), ("a2", "zwei")]),
        (
            ("two", "two\n  - id: a3\n    text: three"),
            ("one", "eins"),
            [("a1", "eins"), ("a2", "two"), ("a3", "three")],
        ),
        (("\n  - id: a2\n    text: two", ""), ("one", "eins"), [("a1", "eins")]),
        (("one", "eins"), ("\n  - id: a2\n    text: two", "\n  - Plain"), [("a1", "eins"), ("plain", "Plain")]),
        (
            ("two", "two\n  - id: a3\n    text: three"),
            ("two", "two\n  - id: a4\n    text: four"),
            [("a1", "one"), ("a2", "two"), ("a4", "four"), ("a3", "three")],
        ),
    ],
)
def test_keyed_lists_are_merged_item_by_item(
    accepted: tuple[str, str], theirs: tuple[str, str], merged_criteria: list[tuple[str, str]]
) -> None:
    result = merge(GOAL, page(CRITERIA), page(CRITERIA.replace(*accepted)), page(CRITERIA.replace(*theirs)))
    assert result.conflicts == ()
    assert criteria(result) == merged_criteria


@pytest.mark.parametrize(
    ("accepted", "theirs", "field"),
    [
        (("one", "eins"), ("one", "uno"), "acceptance[1].text"),
        (("one", "eins"), ("  - id: a1\n    text: one\n", ""), "acceptance"),
        (("  - id: a1\n    text: one\n", ""), ("one", "uno"), "acceptance[1]"),
        (
            ("two", "two\n  - id: a3\n    text: three"),
            ("two", "two\n  - id: a3\n    text: drei"),
            "acceptance[3]",
        ),
    ],
)
def test_one_item_changed_differently_is_a_conflict(
    accepted: tuple[str, str], theirs: tuple[str, str], field: str
) -> None:
    result = merge(GOAL, page(CRITERIA), page(CRITERIA.replace(*accepted)), page(CRITERIA.replace(*theirs)))
    assert [each.facts["field"] for each in result.conflicts] == [field]


def test_names_of_one_s_own_and_comments_of_both_sides_are_kept() -> None:
    accepted = ours(("title", "x-theirs: 1\n# accepted remark\ntitle"), ("tags: [a, b]", "tags: [a, b, o]"))
    theirs = changed(("priority: p2", "priority: p2  # typed remark\nx-mine: 2"), ("[a, b]", "[a, b, t]"))
    result = clean(merged(theirs, accepted))
    for line in (
        "x-theirs: 1\n# accepted remark\n",
        "priority: p2  # typed remark\nx-mine: 2\n",
        "tags: [a, b, t, o]\n",
    ):
        assert line in result


def test_names_of_one_s_own_changed_differently_are_a_conflict() -> None:
    base = changed(("tags", "x-own: 1\ntags"))
    accepted = base.replace("x-own: 1", "x-own: 2").replace("r-aaaaaaaa", "r-bbbbbbbb")
    result = merged(base.replace("x-own: 1", "x-own: 3"), accepted, base)
    assert [each.facts["field"] for each in result.conflicts] == ["x-own"]
    removed = merged(base.replace("x-own: 1\n", ""), accepted, base)
    assert [each.facts["field"] for each in removed.conflicts] == ["x-own"]


def test_line_ends_of_the_edit_win() -> None:
    theirs = changed(("Write it", "Write that")).replace("\n", "\r\n")
    result = clean(merged(theirs, ours(("p2", "p1"), ("two\n", "TWO\n"))))
    assert result == ours(("Write it", "Write that"), ("p2", "p1"), ("two\n", "TWO\n")).replace("\n", "\r\n")


def test_a_byte_order_mark_an_editor_added_is_kept() -> None:
    result = merge(
        TODO, BASE.encode(), ours(("p2", "p1")).encode(), b"\xef\xbb\xbf" + BASE.replace("Write", "W").encode()
    )
    assert result.data == b"\xef\xbb\xbf" + ours(("p2", "p1"), ("Write", "W")).encode()


@pytest.mark.parametrize("broken", ["theirs", "base"])
def test_a_side_that_cannot_be_read_is_told_of(broken: str) -> None:
    bad = BASE.replace("title: ", "title: a: ")
    sides = {"base": BASE, "ours": ours(("p2", "p1")), "theirs": changed(("Write", "W")), broken: bad}
    result = merge(TODO, *(each.encode() for each in sides.values()))
    assert result.data is None
    assert [told(each)[:2] for each in result.conflicts] == [("document-syntax", 4)]


def test_what_cannot_be_spliced_is_told_of_and_not_lost() -> None:
    theirs = changed(("priority: p2", "priority: &p p2\nx-p: *p"), ("title", "# x\ntitle"))
    result = merged(theirs, ours(("p2", "p1")))
    assert result.data is None
    assert [each.code for each in result.conflicts] == ["field-not-editable"]


def test_a_hand_s_lifecycle_change_is_merged_like_any_field() -> None:
    found = read_todo(clean(merged(changed(("open", "done")), ours(("p2", "p1")))).encode())
    assert (found.status, found.priority) == (TodoStatus.DONE, Priority.P1)


def test_an_entity_s_identity_is_untouched_by_a_merge() -> None:
    found = read_todo(clean(merged(changed(("Write it", "W")), ours(("p2", "p1")))).encode())
    assert isinstance(found, Todo)
    assert (found.id, found.rev) == ("t-4k9x2m7q", "r-bbbbbbbb")
    assert read_todo(todo("title: x")).id == found.id
