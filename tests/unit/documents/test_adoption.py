"""Taking in hand-made files: what they lack is put at the top, and nothing else moves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from loopx.documents import adopt, read
from loopx.errors import LoopxError
from loopx.model.goal import Goal
from tests.unit.documents.pages import GOAL, TODO, VISION, WORKSPACE, page, read_todo, told

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
GIVEN = {"id": "t-4k9x2m7q", "rev": "r-4k9x2m7q", "created_at": AT}
LINES = 'id: "t-4k9x2m7q"\nrev: "r-4k9x2m7q"\ncreated_at: "2026-01-02T03:04:05Z"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: x\n---\nB\n", f"---\n{LINES}title: x\n---\nB\n"),
        ("# The title\n\nB", f"---\n{LINES}---\n# The title\n\nB"),
        ("---\n---\n# The title\n", f"---\n{LINES}---\n# The title\n"),
        ("---\n# only a note\n---\n# The title\n", f"---\n# only a note\n{LINES}---\n# The title\n"),
        ("---\n# about the title\ntitle: x\n---\n", f"---\n{LINES}# about the title\ntitle: x\n---\n"),
        ("---\n# a note\n\ntitle: x\n---\n", f"---\n# a note\n\n{LINES}title: x\n---\n"),
        (
            "---\n# yaml-language-server: $schema=s\n# mine\ntitle: x\n---\n",
            f"---\n# yaml-language-server: $schema=s\n{LINES}# mine\ntitle: x\n---\n",
        ),
        ("---\ntitle: x\nreason: |\n  long\n---", f"---\n{LINES}title: x\nreason: |\n  long\n---"),
    ],
)
def test_what_is_missing_goes_to_the_top_and_the_rest_stays(before: str, after: str) -> None:
    assert adopt(TODO, before.encode(), GIVEN) == after.encode()


def test_line_ends_and_the_byte_order_mark_are_kept() -> None:
    before = b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nB\n"
    inserted = LINES.replace("\n", "\r\n").encode()
    assert adopt(TODO, before, GIVEN) == before.replace(b"---\r\ntitle", b"---\r\n" + inserted + b"title")
    assert adopt(TODO, b"\xef\xbb\xbf# T\r\nB", {"id": "t-4k9x2m7q"}) == (
        b'\xef\xbb\xbf---\r\nid: "t-4k9x2m7q"\r\n---\r\n# T\r\nB'
    )


def test_what_is_there_already_is_left_alone() -> None:
    text = page("title: x\nid: t-aaaaaaaa")
    assert adopt(TODO, text, {"id": "t-4k9x2m7q"}) is text
    assert adopt(TODO, text, GIVEN) == text.replace(b"title", LINES.split("\n", 1)[1].encode() + b"title")


def test_a_name_without_a_value_gets_it_where_it_stands() -> None:
    assert adopt(TODO, page("title: x\nid: # later"), {"id": "t-4k9x2m7q"}) == page(
        'title: x\nid: "t-4k9x2m7q" # later'
    )


def test_a_header_in_braces_gets_it_inside_them() -> None:
    after = adopt(TODO, page('{"title": "x"}'), {"id": "t-4k9x2m7q", "rev": "r-4k9x2m7q"})
    assert after == page('{id: "t-4k9x2m7q", rev: "r-4k9x2m7q", "title": "x"}')


def test_an_indented_header_gets_it_at_its_own_indentation() -> None:
    assert adopt(TODO, page("  title: x"), {"id": "t-4k9x2m7q"}) == page('  id: "t-4k9x2m7q"\n  title: x')


def test_the_adopted_document_says_what_it_said() -> None:
    before = read(TODO, page("priority: p1\ntags: [a]", "# The title\n"))
    after = read_todo(adopt(TODO, page("priority: p1\ntags: [a]", "# The title\n"), GIVEN))
    assert before.provisional is not None
    assert (after.id, after.rev, after.created_at, after.title, after.tags) == (*GIVEN.values(), "The title", ("a",))


def test_goals_visions_and_the_workspace_are_adopted_too() -> None:
    goal = read(GOAL, adopt(GOAL, page("title: x"), {"id": "beta"})).entity
    assert isinstance(goal, Goal)
    assert adopt(VISION, page("summary: s"), {"agent": "codex-1"}) == page('agent: "codex-1"\nsummary: s')
    text = b"---\n# mine\n\ntitle: x\n"
    assert adopt(WORKSPACE, text, {"version": 1, "id": "w-4k9x2m7q"}) == (
        b'---\n# mine\n\nversion: 1\nid: "w-4k9x2m7q"\ntitle: x\n'
    )


def test_a_document_that_cannot_be_read_is_not_adopted() -> None:
    with pytest.raises(LoopxError) as caught:
        adopt(TODO, page("title: x\npriority: p9"), GIVEN)
    assert told(caught.value.problem) == ("field-value", 3, 11)
