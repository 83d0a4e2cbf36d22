"""Changing one field changes that span and nothing else. Named after the cases; each text is compared byte for byte."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from loopx.documents import edit, emit, read
from loopx.errors import LoopxError
from loopx.model.goal import Goal, Quota
from loopx.model.todo import Priority, Todo
from loopx.model.workspace import Hooks, Policies
from tests.unit.documents.pages import GOAL, TODO, WORKSPACE, page, read_todo, todo, told


def changed(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """The lines only ``before`` has and the lines only ``after`` has, with their ends; everything else is in place."""
    old, new = before.split(b"\n"), after.split(b"\n")
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


def to_p1(text: bytes) -> bytes:
    """``text`` with the priority changed to p1, after a look that nothing but ``p2`` was replaced."""
    after = edit(TODO, text, {"priority": Priority.P1})
    assert after == text.replace(b"priority: p2", b"priority: p1")
    assert after != text
    return after


def test_R01_adding_one_tag_adds_one_line_and_leaves_the_spelling_of_the_id() -> None:
    path = "goals/beta/todos/My Old File.md"
    text = page("id: T-4K9X2M7Q\ntitle: x\ntags:\n  - b")
    after = edit(path, text, {"tags": ("b", "x")})
    assert changed(text, after) == ([], [b"  - x"])
    assert read_todo(after, path).id == "t-4k9x2m7q"


def test_R02_long_values_are_not_wrapped() -> None:
    long = "word " * 60
    flow = "{a: " + ", b: ".join(["x" * 20] * 2) + "}"
    to_p1(todo(f"title: {long}end\nx-url: https://example.org/{'a' * 200}\nx-map: {flow}\npriority: p2"))


@pytest.mark.parametrize("lists", ["tags:\n    - a\n    - b", "tags:\n- a\n- b", "tags:\n  - a\nx-more:\n- b\n-   c"])
def test_R03_lists_keep_their_indentation(lists: str) -> None:
    to_p1(todo(f"title: x\n{lists}\npriority: p2"))


@pytest.mark.parametrize(
    ("lists", "line"), [("tags:\n    - a", b"    - z"), ("tags:\n- a", b"- z"), ("tags:\n  -   a", b"  -   z")]
)
def test_R03_a_new_item_is_indented_as_its_neighbours(lists: str, line: bytes) -> None:
    text = todo(f"title: x\n{lists}\npriority: p2")
    assert changed(text, edit(TODO, text, {"tags": ("a", "z")})) == ([], [line])


def test_R04_quotes_of_other_fields_stay() -> None:
    to_p1(todo("title: 'x'\nreason: \"y\"\nx-c: z\npriority: p2\nx-d: \"0123\"\nx-e: 'it''s'"))


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("'x'", "y", "'y'"),
        ("'x'", "it's", "'it''s'"),
        ('"x"', "y", '"y"'),
        ('"x"', 'say "hi"', '"say \\"hi\\""'),
        ("x", "y z", "y z"),
        ("x", "a: b", '"a: b"'),
        ("x", "yes", '"yes"'),
        ("x", "a #b", '"a #b"'),
        ("x", "12", '"12"'),
        ("x", "[a]", '"[a]"'),
        ("'x'", "a\u2028b", '"a\\u2028b"'),
        ("x  # kept", "z", "z  # kept"),
        ("'x' # kept", "y", "'y' # kept"),
        ("x\n  and more\n  lines", "z", "z"),
        ('"x\n  and more"', "y", '"y"'),
        ("|\n  x", "y", "|-\n  y"),
        (">-   # kept\n    x\n    y", "z", ">-   # kept\n    z"),
    ],
)
def test_R04_a_changed_value_keeps_its_quotes_where_it_can(old: str, value: str, new: str) -> None:
    text = todo(f"id2: 1\nreason: {old}\ntitle: t")
    after = edit(TODO, text, {"reason": value})
    assert after == text.replace(f"reason: {old}".encode(), f"reason: {new}".encode())
    assert read_todo(after).reason == value


def test_R05_a_removed_field_takes_its_own_comment_and_no_other() -> None:
    text = todo("# the title\ntitle: x\n\n# the reason\n# at length\nreason: y  # here\n\n# the priority\npriority: p2")
    after = edit(TODO, text, {"reason": None})
    assert after == text.replace(b"# the reason\n# at length\nreason: y  # here\n", b"")


def test_R05_a_comment_that_belongs_to_the_field_before_stays() -> None:
    text = todo("title: x\ntags:\n  - a\n  # - b\nreason: y\npriority: p2")
    assert edit(TODO, text, {"reason": None}) == text.replace(b"reason: y\n", b"")


def test_R05_the_modeline_is_no_field_s_comment() -> None:
    text = b"---\n# yaml-language-server: $schema=x\nreason: y\nid: t-4k9x2m7q\ntitle: x\n---\n"
    assert edit(TODO, text, {"reason": None}) == text.replace(b"reason: y\n", b"")


def test_R05_a_removed_field_of_many_lines_goes_whole() -> None:
    text = todo("title: x\nvalidation:\n  argv:\n    - a\n  # limit\n  timeout_seconds: 5\n# next\npriority: p2")
    after = edit(TODO, text, {"validation": None})
    assert after == todo("title: x\n# next\npriority: p2")


def test_R06_a_new_item_goes_right_behind_the_last_one() -> None:
    text = todo("title: x\ntags:\n  - a  # one\n  - b\n\n# next section\npriority: p2")
    after = edit(TODO, text, {"tags": ("a", "b", "c")})
    assert after == text.replace(b"  - b\n", b"  - b\n  - c\n")


def test_R06_a_removed_item_takes_only_its_line() -> None:
    text = todo("title: x\ntags:\n  # first\n  - a\n  # second\n  - b  # here\n  - c\npriority: p2")
    assert edit(TODO, text, {"tags": ("a", "c")}) == text.replace(b"  - b  # here\n", b"")


def test_R07_a_header_of_comments_keeps_them_and_no_null_appears() -> None:
    text = b"---\n# one\n# two\n---\n# The title\n"
    assert edit(TODO, text, {"priority": Priority.P1}) == b"---\n# one\n# two\npriority: p1\n---\n# The title\n"


def test_R07_clearing_the_last_optional_field_leaves_no_null() -> None:
    text = b"---\n# mine\n\nreason: x\n---\n# The title\n"
    assert edit(TODO, text, {"reason": None}) == b"---\n# mine\n\n---\n# The title\n"


def test_R07_an_emptied_list_says_so() -> None:
    text = todo("title: x\ntags: # mine\n  - a\n  - b\npriority: p2")
    assert edit(TODO, text, {"tags": ()}) == todo("title: x\ntags: [] # mine\npriority: p2")


def test_R08_comments_on_empty_items_stay_where_they_are() -> None:
    text = todo("title: x\nx-list:\n- # one\n- # two\n- x\npriority: p2")
    assert edit(TODO, to_p1(text), {"priority": Priority.P2}) == text


def test_R09_document_marks_trailing_blanks_and_the_missing_last_newline_stay() -> None:
    text = b"---\nversion: 1   \nid: w-4k9x2m7q  \ntitle: x  \npolicies:\n  hooks: run  \n...  "
    after = edit(WORKSPACE, text, {"policies": Policies(hooks=Hooks.SKIP)})
    assert after == text.replace(b"run", b"skip")


def test_R09_a_field_added_last_keeps_the_newline_missing() -> None:
    text = b"version: 1\nid: w-4k9x2m7q\ntitle: x"
    assert edit(WORKSPACE, text, {"operators": ("ann",)}) == text + b"\noperators:\n  - ann"


def test_R09_a_field_removed_last_keeps_the_newline_missing() -> None:
    text = b"version: 1\r\nid: w-4k9x2m7q\r\ntitle: x\r\noperators: [ann]"
    assert edit(WORKSPACE, text, {"operators": None}) == b"version: 1\r\nid: w-4k9x2m7q\r\ntitle: x"


def test_R10_every_line_keeps_its_own_end() -> None:
    text = page('id: "t-4k9x2m7q"\ntitle: x\npriority: p2', newline="\r\n")
    to_p1(text)
    mixed = text.replace(b"title: x\r\n", b"title: x\n")
    to_p1(mixed)


def test_R10_added_lines_end_as_the_line_before_them() -> None:
    text = page('id: "t-4k9x2m7q"\ntitle: x\ntags:\n  - a', newline="\r\n")
    after = edit(TODO, text, {"tags": ("a", "b"), "reason": "y"})
    assert after == text.replace(b"  - a\r\n", b'  - a\r\n  - b\r\nreason: "y"\r\n')


def test_R11_times_of_other_fields_stay_as_typed_and_compare_as_instants() -> None:
    text = todo(
        "title: x\nexpires_at: 2026-01-02 03:04:05Z\nx-at2: 2026-01-02T03:04:05.123456789Z\n"
        "created_at: 2026-01-02T03:04:05+05:30\npriority: p2"
    )
    found = read_todo(to_p1(text))
    assert found.expires_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert found.created_at == datetime(2026, 1, 1, 21, 34, 5, tzinfo=UTC)


def test_R11_a_changed_time_is_written_in_utc_and_quoted() -> None:
    text = todo("title: x\nexpires_at: 2026-01-02T03:04:05+05:30")
    after = edit(TODO, text, {"expires_at": datetime(2026, 5, 6, 7, 8, 9, 123, tzinfo=UTC)})
    assert after == todo('title: x\nexpires_at: "2026-05-06T07:08:09Z"')


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ('"a\u2028b"', "a\u2028b"),
        ('"a\u0085b"', "a\u0085b"),
        ("a\u2029b", "a\u2029b"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
    ],
)
def test_R12_unicode_edges_read_as_typed_and_survive_an_edit(typed: str, meant: str) -> None:
    text = todo(f"title: {typed}\npriority: p2")
    assert read_todo(text).title == meant
    assert read_todo(to_p1(text)).title == meant
    written = edit(TODO, todo("title: x"), {"title": meant})
    assert read_todo(written).title == meant


@pytest.mark.parametrize("escape", ["\\ud83d", "\\ude00\\ud83d"])
def test_R12_half_a_surrogate_pair_is_a_located_refusal(escape: str) -> None:
    problem = read(TODO, todo(f'title: "{escape}"')).problems[0]
    assert told(problem) == ("document-encoding", 3, 8)


def test_R12_private_use_characters_are_not_taken_for_anything_else() -> None:
    assert read_todo(todo('title: "a\u2028\ue085\ue028\ue029"')).title.endswith("\ue085\ue028\ue029")
    assert read_todo(todo('title: "\ue085"\nreason: |-\n  x')).title == "\ue085"


def test_R13_private_fields_stay_in_order_with_their_comments() -> None:
    private = "# mine\nx-b:\n  c: {d: [1, 2]}\n  e: ~\n"
    to_p1(todo(f"x-a: 1\ntitle: x\n{private}priority: p2 # p\nx-f: >\n  text\nx-g: &g 1\nx-h: *g"))


@pytest.mark.parametrize("header", ["x-m:\n  <<: *base\n  a: 1", "x-m:\n  <<: *base\n  <<: *base", "<<: *base"])
def test_R14_merge_keys_are_refused_up_front_with_the_reason(header: str) -> None:
    problem = read(TODO, todo(f"title: x\nx-base: &base {{a: 1}}\n{header}")).problems[0]
    assert problem.code == "document-merge-key"
    assert "<<" in problem.message


def test_R14_a_quoted_merge_key_is_a_name_like_any_other() -> None:
    assert read(TODO, todo('title: x\nx-m: {"<<": 1}')).problems == ()


def test_R15_folded_blocks_keep_their_lines() -> None:
    to_p1(todo(f"title: x\nreason: >-\n  {'long ' * 32}\n  short\npriority: p2\nx-more: |+\n  a  \n\n"))


def test_R16_an_edit_to_the_same_value_returns_the_same_bytes() -> None:
    text = todo(
        "title: 'x'\npriority: p1\ntags: [ b,a ]\nexpires_at: 2026-01-02 03:04:05Z\nwatch_only: False", "\n\nB\n\n"
    )
    found = read_todo(text)
    same = {name: getattr(found, name) for name in ("title", "priority", "tags", "expires_at", "watch_only", "body")}
    assert edit(TODO, text, same) is text
    assert edit(TODO, text, {"tags": ("a", "b"), "reason": None, "depends_on": ()}) is text


def test_R17_bodies_are_never_written_anew() -> None:
    body = (
        "- [ ] open\n- [x] done\n\n```\n- [ ] code\n```\n<!-- - [ ] hidden\n-->\n> - [ ] quoted\n\n    - [ ] nested\n"
        "two blanks  \n\ttab | a | b |\n1. [ ] not a box\n* * *\n\n\n"
    )
    text = todo("title: x\npriority: p2", body)
    assert to_p1(text).endswith(b"---\n" + body.encode())


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_R17_a_changed_body_keeps_the_lines_that_stay(newline: str) -> None:
    text = page('id: "t-4k9x2m7q"\ntitle: x', "\n\none\ntwo  \n\nthree\n\n\n", newline=newline)
    after = edit(TODO, text, {"body": "one\ntwo  \nand\n\nthree"})
    assert after == text.replace(f"two  {newline}".encode(), f"two  {newline}and{newline}".encode())


def test_R17_lines_of_a_body_keep_their_own_ends() -> None:
    text = todo("title: x", "one\r\ntwo\nthree\r\n")
    assert edit(TODO, text, {"body": "one\ntwo\n3\nthree"}) == todo("title: x", "one\r\ntwo\n3\nthree\r\n")


def test_a_body_is_added_and_removed() -> None:
    text = b"---\nid: t-4k9x2m7q\ntitle: x\n---"
    with_body = edit(TODO, text, {"body": "Some text\n"})
    assert with_body == text + b"\n\nSome text\n"
    assert edit(TODO, with_body, {"body": None}) == text + b"\n"


def test_every_field_of_a_new_document_is_found_again_after_an_edit() -> None:
    goal = Goal(id="beta", title="x", tags=("a",), quota=Quota(compute=3))
    after = edit(GOAL, emit(GOAL, goal), {"quota": Quota(compute=3, slot_minutes=5), "title": "y: z"})
    assert read(GOAL, after).entity == Goal(
        id="beta", title="y: z", tags=("a",), quota=Quota(compute=3, slot_minutes=5)
    )


@pytest.mark.parametrize(
    ("header", "field", "value", "line"),
    [
        ("title: &t x\nreason: *t", "title", "y", 3),
        ("title: &t x\nreason: *t", "reason", "y", 4),
        ("title: !!str x", "title", "y", 3),
        ("title: x\ntags: [&a one]\nx-a: *a", "tags", ("one", "two"), 4),
        ("title: x\nx-t: &t [a]\ntags: *t", "tags", ("a", "b"), 5),
    ],
)
def test_what_is_tied_to_something_else_is_refused_where_it_stands(
    header: str, field: str, value: object, line: int
) -> None:
    with pytest.raises(LoopxError) as caught:
        edit(TODO, todo(header), {field: value})
    assert told(caught.value.problem)[:2] == ("field-not-editable", line)


def test_untied_fields_of_such_a_document_can_be_changed() -> None:
    to_p1(todo("title: &t x\nreason: *t\npriority: p2"))


def test_a_required_field_cannot_be_removed() -> None:
    with pytest.raises(LoopxError) as caught:
        edit(TODO, todo("title: x"), {"title": None})
    assert told(caught.value.problem)[:2] == ("field-not-editable", 3)


def test_a_name_the_kind_does_not_have_is_the_caller_s_mistake() -> None:
    with pytest.raises(ValueError, match="no field of a todo"):
        edit(TODO, todo("title: x"), {"colour": "red"})


def test_a_new_field_goes_behind_the_nearest_one_before_it_in_canonical_order() -> None:
    text = todo("title: x\npriority: p2\ncreated_at: 2026-01-02T03:04:05Z")
    after = edit(TODO, text, {"tags": ("a",), "rev": "r-4k9x2m7q", "reason": "why"})
    assert after == page(
        'id: "t-4k9x2m7q"\nrev: "r-4k9x2m7q"\ntitle: x\npriority: p2\ntags:\n  - a\nreason: why\n'
        "created_at: 2026-01-02T03:04:05Z"
    )


def test_the_order_of_a_hand_s_fields_is_kept_when_one_is_added() -> None:
    text = todo("priority: p2\ntitle: x\n\n# comment of tags\ntags: [a]")
    after = edit(TODO, text, {"reason": "why", "status": read_todo(text).status})
    assert after == todo("priority: p2\ntitle: x\n\n# comment of tags\ntags: [a]\nreason: why")


def test_a_field_in_a_flow_mapping_is_changed_added_and_removed_there() -> None:
    text = b'---\n{"id": "t-4k9x2m7q", "title": "x", "tags": ["a", "b"], "reason": "y"}\n---\n'
    after = edit(TODO, text, {"tags": ("b", "c"), "reason": None, "priority": Priority.P1})
    assert after == b'---\n{"id": "t-4k9x2m7q", "title": "x", priority: p1, "tags": ["b", c]}\n---\n'


def test_a_heading_is_kept_when_the_title_gets_a_field() -> None:
    text = b"# Old title\n\nText\n"
    after = edit(TODO, text, {"title": "New title"})
    assert after == b"---\ntitle: New title\n---\n# Old title\n\nText\n"
    assert read_todo(after).title == "New title"


def test_a_title_given_by_a_heading_survives_the_loss_of_the_heading() -> None:
    after = edit(TODO, b"# The title\n\nText\n", {"body": "Other text"})
    assert after == b"---\ntitle: The title\n---\nOther text\n"


def test_a_body_that_keeps_the_heading_needs_no_title_field() -> None:
    assert edit(TODO, b"# The title\n", {"body": "# The title\n\nMore"}) == b"# The title\n\nMore\n"


def test_a_created_todo_equals_itself_after_a_round_trip() -> None:
    entity = Todo(id="t-4k9x2m7q", title="x", goal="beta", body="a\n\nb")
    assert read_todo(emit(TODO, entity)) == entity
