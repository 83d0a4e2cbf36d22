"""Encodings, ids and times at the door: nothing depends on the locale, nothing unsafe gets in, nothing is guessed."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from loopx.documents import edit, emit, read
from loopx.model.todo import Todo
from tests.unit.documents.pages import GOAL, TODO, WORKSPACE, codes, only_problem, page, read_todo, todo, told


@pytest.mark.parametrize(
    "value",
    [
        "../../app",
        "/etc/x",
        "..",
        "t-../../x",
        '"t-aaaa\\0"',
        '"t-aaaa\\nb"',
        "t-aaaa/b",
        "t-AAAA/../b",
        "T 1",
        "g-4k9x2m7q",
    ],
)
def test_X03_an_unsafe_id_is_refused_where_it_stands(value: str) -> None:
    assert told(only_problem(TODO, page(f"title: x\nid: {value}"))) == ("field-value", 3, 5)


@pytest.mark.parametrize("value", ["../../app", "/etc/x", "..", '"beta\\0"', '"beta\\n"', "beta/../x"])
def test_X03_an_unsafe_goal_is_refused_where_it_stands(value: str) -> None:
    assert told(only_problem(TODO, todo(f"title: x\ngoal: {value}"))) == ("field-value", 4, 7)
    assert told(only_problem(GOAL, page(f"title: x\nid: {value}"))) == ("field-value", 3, 5)


@pytest.mark.parametrize(
    "field", ["depends_on: [../x]", "depends_on: ['t-aaaa b']", "claimed_by: ../x", "claimed_by: A/B"]
)
def test_X03_references_are_held_to_the_same_rule(field: str) -> None:
    assert codes(read(TODO, todo(f"title: x\n{field}"))) == ["field-value"]


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_X05_texts_are_utf_8_whatever_the_locale(locale: str) -> None:
    script = (
        "from loopx.documents import edit, emit, read\n"
        "from loopx.model.todo import Todo\n"
        "path = 'goals/beta/todos/x.md'\n"
        "data = emit(path, Todo(id='t-4k9x2m7q', title='\\u6d4b\\u8bd5 \\xe9', goal='beta', body='\\u6587'))\n"
        "data = edit(path, data, {'reason': '\\u6587'})\n"
        "assert '\\u6d4b\\u8bd5 \\xe9'.encode('utf-8') in data and read(path, data).entity.reason == '\\u6587'\n"
    )
    environment = {**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (b"---\ntitle: caf\xe9\n---\n", (2, 11), "0xE9"),
        ("---\ntitle: 测试\n---\n文".encode() + b"\xff\n", (4, 2), "0xFF"),
        ("title: x".encode("utf-16"), (1, 1), "0xFF"),
        (b"---\ntitle: a\x00b\n---\n", (2, 9), "NUL"),
        (b"---\ntitle: x\n---\nbody\n\x00", (5, 1), "NUL"),
        (b"\xed\xa0\xbd", (1, 1), "0xED"),
    ],
)
def test_X05_bytes_that_are_no_utf_8_text_are_located(data: bytes, place: tuple[int, int], said: str) -> None:
    problem = only_problem(TODO, data)
    assert told(problem) == ("document-encoding", *place)
    assert said in problem.message


def test_X05_control_characters_in_the_header_are_located() -> None:
    assert told(only_problem(TODO, todo("title: a\x07b"))) == ("document-encoding", 3, 9)
    assert told(only_problem(WORKSPACE, "title: ß\x1b".encode())) == ("document-encoding", 1, 9)


@pytest.mark.parametrize("typed", ["T-4K9X2M7Q", '" t-4k9x2m7q "', "ｔ-４k9x2m7q", "t-4K9X2M7q"])
def test_B09_an_id_is_read_in_its_one_spelling_and_left_as_typed(typed: str) -> None:
    text = page(f"id: {typed}\ntitle: x\ndepends_on: [T-AAAAAAAO]\nclaimed_by: Codex-1")
    found = read_todo(text)
    assert (found.id, found.depends_on, found.claimed_by) == ("t-4k9x2m7q", ("t-aaaaaaa0",), "codex-1")
    after = edit(TODO, text, {"depends_on": ("t-aaaaaaa0", "t-bbbbbbbb")})
    assert after == text.replace(b"[T-AAAAAAAO]", b'[T-AAAAAAAO, "t-bbbbbbbb"]')


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("2026-01-02T03:04:05", "field-value"),
        ("2026-01-02", "field-value"),
        ("2026-13-01T00:00:00Z", "field-value"),
        ("tomorrow", "field-value"),
        ("1767323045", "field-type"),
        ("2026", "field-type"),
        ("true", "field-type"),
        ("[2026-01-02T03:04:05Z]", "field-type"),
    ],
)
def test_L11_a_time_without_an_offset_is_refused_where_it_stands(typed: str, code: str) -> None:
    problem = only_problem(TODO, todo(f"title: x\nexpires_at: {typed}"))
    assert told(problem) == (code, 4, 13)
    assert "2026-01-02T03:04:05Z" in problem.hint


def test_L11_times_with_offsets_are_ordered_as_instants() -> None:
    stamps = ["2026-01-02T03:04:05+05:30", "2026-01-01T23:00:00-02:00", "2026-01-02 01:00:01Z"]
    found = [read_todo(todo(f"title: x\nexpires_at: {each}")).expires_at for each in stamps]
    assert found == sorted(each for each in found if each)
    assert found[0] == datetime(2026, 1, 1, 21, 34, 5, tzinfo=UTC)


def test_writing_needs_neither_the_yaml_nor_the_validation_library() -> None:
    script = (
        "import sys\n"
        "from loopx.documents import adopt, edit, emit\n"
        "from loopx.model.todo import Priority, Todo\n"
        "path = 'goals/beta/todos/x.md'\n"
        "data = emit(path, Todo(id='t-4k9x2m7q', title='x', tags=('a',), goal='beta'))\n"
        "edit(path, data, {'priority': Priority.P1, 'tags': ('a', 'b')})\n"
        "adopt(path, b'# Title', {'id': 't-4k9x2m7q'})\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('pydantic', 'pydantic_core', 'ruamel')))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_emitted_document_is_utf_8_with_unix_line_ends() -> None:
    data = emit(TODO, Todo(id="t-4k9x2m7q", title="é", goal="beta", body="a\r\nb"))
    assert "title: é\n".encode() in data
    assert data.endswith(b"---\n\na\nb\n")
