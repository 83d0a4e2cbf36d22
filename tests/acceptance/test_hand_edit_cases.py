"""What people type into a Todo's file, from the save to what every command then says. Named after the cases.

What each text reads as, and where exactly it is wrong, is shown with the documents room; here it is the whole way.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.two_todos import TITLE_LINE, TwoTodos, two_todos


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[TwoTodos]:
    with two_todos(tmp_path / "lab") as made:
        yield made


def test_P01_a_colon_in_a_title_is_told_of_everywhere_and_never_drops_the_todo(scene: TwoTodos) -> None:
    typed = scene.type("title: Parser: keep going")
    said = scene.assert_held(typed, "document-syntax", TITLE_LINE, 14, state="unreadable")
    assert 'title: "Parser: keep going"' in said.out
    scene.save(typed.replace(b"title: Parser: keep going", b'title: "Parser: keep going"'))
    assert scene.todo(scene.first)["title"] == "Parser: keep going"
    assert scene.problems(0) == []


@pytest.mark.parametrize("title", ["[draft] intro", "@ops ping", "*later", "- dash", "'it's ok'"])
def test_P02_a_title_that_starts_with_an_indicator_is_a_located_error(scene: TwoTodos, title: str) -> None:
    typed = scene.type(f"title: {title}")
    said = scene.assert_held(typed, "document-syntax", TITLE_LINE, state="unreadable")
    assert f'"{title}"' in said.out


@pytest.mark.parametrize("title", ["#1 priority", "&soon", "!urgent"])
def test_P02_a_title_yaml_reads_as_nothing_is_missing_and_no_empty_one_is_written(scene: TwoTodos, title: str) -> None:
    typed = scene.type(f"title: {title}")
    scene.assert_held(typed, "field-missing", TITLE_LINE, state="unreadable")
    assert scene.todo(scene.first)["title"] == "Write the guide"
    assert "None" not in scene.ask("todo", "list").out


def test_P03_a_title_cut_short_is_warned_of_and_its_bytes_survive_a_command(scene: TwoTodos) -> None:
    scene.assert_taken_in(scene.type("title: Close bug #42 today"))
    assert scene.todo(scene.first)["title"] == "Close bug"
    checked = scene.ask("check").expect()
    assert f"{scene.path}:{TITLE_LINE}:" in checked.text
    assert "field-cut" in checked.text
    assert scene.command("--priority", "p0") == ["-priority: p2", "+priority: p0"]
    assert b"title: Close bug #42 today\n" in scene.typed


def test_P04_rules_in_a_body_change_no_field_and_survive_a_command(scene: TwoTodos) -> None:
    body = "\nintro\n\n---\n\nstatus: done\n\n---\n\noutro\n"
    scene.assert_taken_in(scene.type("title: Rules", body=body))
    assert scene.todo(scene.first)["status"] == "open"
    assert scene.command("--priority", "p0") == ["-priority: p2", "+priority: p0"]
    assert scene.typed.endswith(body.encode())


def test_P05_dashes_that_are_no_whole_line_close_nothing(scene: TwoTodos) -> None:
    header = ("title: Dashes", "x-note: ---not a fence", "x-more: |", "  before", "  ---", "  after")
    scene.assert_taken_in(scene.type(*header, body="Body.\n"))
    assert scene.todo(scene.first)["body"] == "Body."
    assert scene.command("--priority", "p0") == ["-priority: p2", "+priority: p0"]


def test_P06_a_missing_closing_fence_leaves_the_file_and_the_last_good_version(scene: TwoTodos) -> None:
    body = "\nNotes that must not be read as fields: here.\n"
    typed = scene.save(scene.accepted.removesuffix(b"---\n") + body.encode())
    scene.assert_held(typed, "document-fence-open", 1, 1, state="unreadable")
    shown = scene.ask("todo", "show", scene.first).expect()
    assert "Write the guide" in shown.out
    assert "document-fence-open" in shown.err


def test_P06_a_command_on_that_very_todo_commits_and_leaves_the_file_to_the_person(scene: TwoTodos) -> None:
    typed = scene.save(scene.accepted.removesuffix(b"---\n") + b"\nHalf saved.\n")
    said = scene.ask("todo", "edit", scene.first, "--priority", "p0").expect()
    assert "edit-waits" in said.err
    assert scene.typed == typed
    scene.save(scene.accepted + b"\nHalf saved, then whole.\n")
    found = scene.todo(scene.first)
    assert (found["priority"], found["body"]) == ("p0", "Half saved, then whole.")


def test_P07_a_byte_order_mark_is_read_through_and_kept(scene: TwoTodos) -> None:
    scene.assert_taken_in(scene.save(b"\xef\xbb\xbf" + scene.accepted.replace(b"priority: p2", b"priority: p1")))
    assert scene.todo(scene.first)["priority"] == "p1"
    assert scene.command("--priority", "p0") == ["-priority: p1", "+priority: p0"]
    assert scene.typed.startswith(b"\xef\xbb\xbf---\n")


@pytest.mark.parametrize(("fence", "other"), [(b"--- \n", b"---\t\n"), (b"---\r\n", b"---\r\n")])
def test_P08_blanks_and_carriage_returns_behind_fences_are_recognised_and_kept(
    scene: TwoTodos, fence: bytes, other: bytes
) -> None:
    inner = scene.accepted.removeprefix(b"---\n").removesuffix(b"---\n")
    scene.assert_taken_in(scene.save(fence + inner + other + b"Body.\n"))
    assert scene.command("--priority", "p0") == ["-priority: p2", "+priority: p0"]
    assert scene.typed.startswith(fence)
    assert scene.typed.endswith(other + b"Body.\n")


@pytest.mark.parametrize("line", ["claimed_by: 007", "reason: 61e9540", "claimed_by: 1e5"])
def test_P09_an_identifier_yaml_takes_for_a_number_is_refused_with_quote_this(scene: TwoTodos, line: str) -> None:
    typed = scene.type("title: Write the guide", line)
    said = scene.assert_held(typed, "field-type", TITLE_LINE + 1, state="unreadable")
    assert f'quote this: "{line.split()[-1]}"' in said.out


def test_P09_ids_and_revisions_are_always_written_in_quotes(scene: TwoTodos) -> None:
    scene.ask("todo", "edit", scene.first, "--set", f"depends_on={scene.second}").expect()
    lines = scene.typed.decode().splitlines()
    assert f'id: "{scene.first}"' in lines
    assert any(line.startswith('rev: "r-') for line in lines)
    assert f'"{scene.second}"' in scene.typed.decode()


def test_P10_yes_no_on_and_off_stay_text_in_file_command_and_json(scene: TwoTodos) -> None:
    scene.assert_taken_in(scene.type("title: no", "tags: [on, y]"))
    found = scene.todo(scene.first)
    assert (found["title"], found["tags"]) == ("no", ["on", "y"])
    assert scene.command("--title", "yes") == ["-title: no", '+title: "yes"']


def test_P10_a_yes_or_no_field_takes_one_set_of_words_in_file_and_command(scene: TwoTodos) -> None:
    typed = scene.type("title: Write the guide", "watch_only: off")
    scene.assert_held(typed, "field-type", TITLE_LINE + 1, state="unreadable")
    scene.save(scene.accepted)
    refused = scene.ask("todo", "edit", scene.first, "--set", "watch_only=off")
    assert refused.code in (1, 2)
    assert "true or false" in refused.err
    scene.ask("todo", "edit", scene.first, "--set", "watch_only=true").expect()
    assert scene.todo(scene.first)["watch_only"] is True


def test_P11_misspelt_keys_are_reported_with_the_nearest_and_survive_a_command(scene: TwoTodos) -> None:
    scene.assert_taken_in(scene.type("title: Write the guide", "prioritty: p0", "x-team: blue"))
    checked = scene.ask("check").expect()
    assert f"{scene.path}:{TITLE_LINE + 1}:1" in checked.text
    assert "Did you mean `priority`?" in checked.text
    assert "x-team" not in checked.text
    assert scene.command("--priority", "p1") == ["-priority: p2", "+priority: p1"]
    assert b"prioritty: p0\nx-team: blue\n" in scene.typed


@pytest.mark.parametrize(
    ("line", "field"),
    [("priority: true", "priority"), ("expires_at: 5", "expires_at"), ("tags: urgent", "tags"),
     ("tags: [ok, 1, null]", "tags[2]"), ("validation: {argv: [a], timeout_seconds: 3.0}", "validation.timeout_seconds")],
)  # fmt: skip
def test_P12_a_value_of_another_type_is_refused_by_field_and_shown_nowhere(
    scene: TwoTodos, line: str, field: str
) -> None:
    base = scene.accepted.replace(b"priority: p2\n", b"") if line.startswith("priority") else scene.accepted
    typed = scene.save(base.replace(b"title: Write the guide", f"title: Write the guide\n{line}".encode()))
    scene.assert_held(typed, "field-type", TITLE_LINE + 1, state="unreadable")
    [told, *_] = scene.ask("check", "--json").json["data"]["problems"]
    assert told["facts"]["field"] == field
    scene.ask("status", "--render")
    assert "1970" not in (scene.lab.root / "status" / "status.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "document-empty"), (b"---\n# note\n---\n", "document-empty"),
     (b"---\n- a\n---\n", "document-root"), (b"---\nhello\n---\n", "document-root")],
)  # fmt: skip
def test_P13_a_file_with_nothing_in_it_is_an_error_and_no_deletion(scene: TwoTodos, content: bytes, code: str) -> None:
    typed = scene.save(content)
    scene.lab.clock.wait(60)
    [(found, line, column)] = scene.problems()
    assert found == code
    scene.assert_held(typed, code, line or 1, column, state="unreadable")


def test_P18_merge_markers_are_called_that_with_both_sides(scene: TwoTodos) -> None:
    header = ("title: Write the guide", "<<<<<<< HEAD", "x-level: 1", "=======", "x-level: 2", ">>>>>>> feature")
    said = scene.assert_held(scene.type(*header), "document-merge-markers", TITLE_LINE + 1, 1, state="unreadable")
    assert "`HEAD`" in said.out
    assert "`feature`" in said.out


def test_P19_a_duplicate_key_names_both_lines(scene: TwoTodos) -> None:
    typed = scene.type("status: done", "title: Write the guide")
    said = scene.assert_held(typed, "document-duplicate-key", TITLE_LINE + 2, 1, state="unreadable")
    assert f"line {TITLE_LINE} " in said.out
    assert f"line {TITLE_LINE + 2}" in said.out
    assert scene.todo(scene.first)["status"] == "open"


def test_P20_an_alias_bomb_is_refused_at_once_and_harms_nobody(scene: TwoTodos) -> None:
    levels = ["x-0: &l0 [lol]"] + [
        f"x-{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9)
    ]  # fmt: skip
    typed = scene.type("title: Write the guide", *levels)
    started = time.perf_counter()
    scene.ask("status", "--json").expect(1)
    scene.ask("status", "--render").expect(1)
    assert time.perf_counter() - started < 2
    assert (scene.lab.root / "status" / "status.json").stat().st_size < 20_000
    [(code, line, column)] = scene.problems()
    assert code == "document-too-complex"
    scene.assert_held(typed, code, line or 0, column, state="unreadable")
