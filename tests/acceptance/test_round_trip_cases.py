"""Files in a person's own hand, taken in and then changed by command: only what was asked for moves. Named after the cases.

How single spans are spliced is shown with the documents room; here each file goes the whole way, into history and back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.two_todos import TITLE, TwoTodos, changed_lines, two_todos

TO_P0 = ["-priority: p2", "+priority: p0"]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[TwoTodos]:
    with two_todos(tmp_path / "lab") as made:
        yield made


def assert_only_priority_moves(scene: TwoTodos, *header: str, body: str = "") -> None:
    """The typed header is committed as it is, and a change of the priority changes that line and no other."""
    scene.assert_taken_in(scene.type(*header, body=body))
    assert scene.command("--priority", "p0") == TO_P0


def test_R01_adding_a_tag_changes_one_line_and_neither_the_file_name_nor_the_spelling_of_the_id(
    scene: TwoTodos,
) -> None:
    old, scene.path = scene.path, "goals/beta/todos/My first Guide.md"
    os.rename(scene.lab.root / old, scene.lab.root / scene.path)
    typed = scene.accepted.replace(f'"{scene.first}"'.encode(), scene.first.upper().encode())
    scene.assert_taken_in(scene.save(typed.replace(TITLE.encode(), b"title: Guide\ntags:\n  - docs")))
    assert scene.command("--add", "tags=x") == ["+  - x"]
    assert f"id: {scene.first.upper()}\n".encode() in scene.typed
    assert not (scene.lab.root / old).exists()
    assert scene.lab.git("ls-files", "goals/beta/todos").count("My first Guide.md") == 1


def test_R02_long_values_are_not_wrapped(scene: TwoTodos) -> None:
    long = "word " * 39 + "word"
    flow = "{one: " + "x" * 50 + ", two: " + "y" * 50 + "}"
    assert_only_priority_moves(scene, f"title: {long}", f"x-link: https://example.org/{'a' * 150}", f"x-map: {flow}")
    assert scene.todo(scene.first)["title"] == long


@pytest.mark.parametrize(
    "lists", [("tags:", "    - a", "    - b"), ("tags:", "- a", "- b"), ("tags:", "  - a", "x-more:", "- b", "-   c")]
)
def test_R03_lists_keep_their_indentation(scene: TwoTodos, lists: tuple[str, ...]) -> None:
    assert_only_priority_moves(scene, TITLE, *lists)


def test_R04_quotes_stay_as_they_were_typed(scene: TwoTodos) -> None:
    assert_only_priority_moves(scene, "title: 'Write it'", 'reason: "y"', "x-c: z", 'x-d: "0123"', "x-e: 'it''s'")


def test_R05_a_cleared_field_takes_its_own_comment_and_no_other(scene: TwoTodos) -> None:
    above, own, below = ("# what to do", TITLE), ("# why it waits", "reason: paper"), ("# labels", "tags: [a]")
    scene.assert_taken_in(scene.type(*above, "", *own, "", *below))
    gone = scene.command("--set", "reason=")
    assert sorted(gone) in (sorted(["-# why it waits", "-reason: paper", "-"]), ["-# why it waits", "-reason: paper"])
    assert b"# what to do\n" in scene.typed
    assert b"# labels\ntags: [a]\n" in scene.typed


def test_R06_an_item_added_by_command_goes_right_behind_the_last(scene: TwoTodos) -> None:
    scene.assert_taken_in(scene.type(TITLE, "tags:", "  - a  # one", "  - b", "", "# next section", "reason: r"))
    assert scene.command("--add", "tags=c") == ["+  - c"]
    assert b"  - b\n  - c\n\n# next section\n" in scene.typed


def test_R07_a_header_of_comments_gets_an_id_and_no_null(scene: TwoTodos) -> None:
    path = "goals/beta/todos/comments.md"
    scene.lab.save(path, "---\n# one\n# two\n---\n# Only a heading\n")
    scene.ask("todo", "list").expect()
    taken = scene.lab.read(path).decode()
    assert taken == scene.lab.at_head(path).decode()
    assert taken.startswith("---\n# one\n# two\n")
    assert taken.endswith("---\n# Only a heading\n")
    assert "null" not in taken
    assert "..." not in taken


def test_R08_a_file_changed_back_and_forth_ends_as_it_began(scene: TwoTodos) -> None:
    typed = scene.type(TITLE, "x-list:", "  - # one", "  - # two", "  - x")
    scene.assert_taken_in(typed)
    for priority in ("p0", "p2", "p0", "p2"):
        scene.command("--priority", priority)
    assert changed_lines(typed, scene.typed) == []


def test_R09_trailing_blanks_document_marks_and_a_missing_last_newline_stay(scene: TwoTodos) -> None:
    config = scene.lab.read("workspace.yaml")
    typed = b"---   \n" + config.replace(b"title: Lab", b"title: Lab   ").rstrip(b"\n") + b"\n..."
    scene.lab.save("workspace.yaml", typed)
    scene.ask("todo", "list").expect()
    scene.ask("edit", "list").expect()
    assert scene.lab.read("workspace.yaml") == scene.lab.at_head("workspace.yaml") == typed
    assert_only_priority_moves(scene, TITLE + "   ", "x-a: 1  ", body="\nno newline at the end   ")
    assert scene.typed.endswith(b"at the end   ")


@pytest.mark.parametrize("every", [1, 2])
def test_R10_every_line_keeps_its_own_end(scene: TwoTodos, every: int) -> None:
    lines = (scene.accepted + b"one\ntwo\nthree\n").split(b"\n")
    typed = b"".join(
        line + (b"\r\n" if number % every == 0 else b"\n") for number, line in enumerate(lines[:-1])
    )  # fmt: skip
    scene.assert_taken_in(scene.save(typed))
    end = b"\r\n" if b"priority: p2\r\n" in typed else b"\n"
    scene.ask("todo", "edit", scene.first, "--priority", "p0").expect()
    without_rev = [each for each in scene.typed.splitlines(keepends=True) if not each.startswith(b"rev:")]
    expected = typed.replace(b"priority: p2" + end, b"priority: p0" + end).splitlines(keepends=True)
    assert without_rev == [each for each in expected if not each.startswith(b"rev:")]
    assert scene.typed.count(b"\r\n") == typed.count(b"\r\n")


def test_R11_times_stay_as_they_were_typed(scene: TwoTodos) -> None:
    times = ("x-at: 2026-01-02 03:04:05Z", "x-at2: 2026-01-02T03:04:05.123456789Z")
    assert_only_priority_moves(scene, TITLE, *times, 'expires_at: "2027-01-02T03:04:05+05:30"')
    assert scene.todo(scene.first)["expires_at"] == "2027-01-01T21:34:05Z"


def test_R12_odd_characters_survive_file_command_page_and_json(scene: TwoTodos) -> None:
    typed = scene.type('title: "Odd \U0001f600"', 'tags: ["\\ud83d\\ude00"]', 'x-raw: "e\u2028f"', 'x-nel: "c\u0085d"')
    scene.assert_taken_in(typed)
    assert scene.todo(scene.first)["tags"] == ["\U0001f600"]
    assert scene.command("--priority", "p0") == TO_P0
    scene.ask("status", "--render").expect()
    assert "Odd \U0001f600" in (scene.lab.root / "status" / "status.json").read_text("utf-8")


@pytest.mark.parametrize("separator", ["\u2028", "\u0085"])
def test_R12_a_pasted_line_separator_in_a_title_is_the_same_after_a_command_and_breaks_no_line(
    scene: TwoTodos, separator: str
) -> None:
    scene.assert_taken_in(scene.type(f'title: "a{separator}b"'))
    assert scene.todo(scene.first)["title"] == f"a{separator}b"
    assert scene.command("--priority", "p0") == TO_P0
    assert scene.todo(scene.first)["title"] == f"a{separator}b"
    assert separator not in scene.ask("todo", "list").expect().out


def test_R12_half_a_surrogate_pair_is_a_located_refusal(scene: TwoTodos) -> None:
    typed = scene.type('title: "half \\ud83d"')
    [(code, line, column)] = scene.problems()
    scene.assert_held(typed, code, line or 0, column, state="unreadable")
    assert line == 5


def test_R13_private_fields_stay_in_place_with_their_comments(scene: TwoTodos) -> None:
    private = ("x-one: 1", "# mine", "x-two: [a, b]", "x-map:", "  inner:", "    deep: yes", "x-three: ''", "x-four: ~")
    assert_only_priority_moves(scene, *private[:2], TITLE, *private[2:])


@pytest.mark.parametrize("header", [("x-base: &b {a: 1}", "x-use:", "  <<: *b"), ("<<: {reason: r}", "<<: {tags: []}")])
def test_R14_merge_keys_are_refused_up_front_with_the_reason(scene: TwoTodos, header: tuple[str, ...]) -> None:
    typed = scene.type(TITLE, *header)
    [(code, line, column), *_] = scene.problems()
    assert code in ("document-merge-key", "document-duplicate-key")
    scene.assert_held(typed, code, line or 0, column, state="unreadable")


def test_R15_folded_blocks_keep_their_lines(scene: TwoTodos) -> None:
    block = ("x-note: >", "  " + "long " * 32, "  short", "", "  last  ")
    assert_only_priority_moves(scene, TITLE, *block)


def test_R16_a_change_to_the_same_value_writes_nothing(scene: TwoTodos) -> None:
    file = scene.lab.root / scene.path
    before, head = (file.stat().st_mtime_ns, file.stat().st_ino), scene.lab.git("rev-parse", "HEAD")
    for _ in range(2):
        said = scene.ask("todo", "edit", scene.first, "--priority", "p2").expect()
        assert "needed no change" in said.out
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
    assert scene.lab.git("rev-parse", "HEAD") == head


def test_R16_saving_a_file_unchanged_makes_no_commit(scene: TwoTodos) -> None:
    head = scene.lab.git("rev-parse", "HEAD")
    for _ in range(3):
        scene.save(scene.accepted)
        scene.ask("todo", "list").expect()
        scene.ask("check").expect()
    assert scene.lab.git("rev-parse", "HEAD") == head


def test_R17_a_body_is_never_written_anew(scene: TwoTodos) -> None:
    body = "\n- [x] ticked\n* [ ] open  \n\n| a | b |\n|---|---|\n\ttab\n<!-- note -->\n1) one\n\\[x\\]\n  \n\n"
    assert_only_priority_moves(scene, TITLE, body=body)
    assert scene.typed.endswith(body.encode())
    scene.ask("todo", "done", scene.first).expect()
    assert scene.typed.endswith(body.encode())
