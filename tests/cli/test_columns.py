"""Aligned columns: widths as a screen counts them, titles cut to fit, and nothing a title could do to the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.cli.columns import cut, shown, table, width_of
from loopx.cli.screen import Screen

WIDE = "写用户指南并发布"


@pytest.mark.parametrize(
    ("text", "width"), [("guide", 5), (WIDE, 16), ("e\u0301te\u0301", 3), ("ｆｕｌｌ", 8), ("🚀", 2), ("a\u200db", 2)]
)
def test_width_is_counted_in_columns(text: str, width: int) -> None:
    assert width_of(text) == width


@pytest.mark.parametrize(("text", "fits"), [(WIDE, "写用户指…"), ("x" * 40, "x" * 9 + "…"), ("short", "short")])
def test_a_long_text_is_cut_to_the_columns_it_has(text: str, fits: str) -> None:
    assert cut(text, 10) == fits


@given(st.text(max_size=60), st.integers(min_value=1, max_value=40))
def test_a_cut_text_never_takes_more_columns_than_it_has(text: str, width: int) -> None:
    assert width_of(cut(text, width)) <= width


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\rb\tc\x00", "a\\rb\\tc\\x00"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("half \ud83d pair", "half \\ud83d pair"),
        ("写\u3000字", "写\u3000字"),
    ],
)
def test_a_title_cannot_command_the_terminal(hostile: str, harmless: str) -> None:
    assert shown(hostile) == harmless


@given(st.text(max_size=60))
def test_whatever_is_typed_is_shown_on_one_line(text: str) -> None:
    assert len(shown(text).splitlines()) <= 1


def test_columns_line_up_whatever_the_script() -> None:
    rows = [("t-1", WIDE, "end"), ("t-22", "plain", "end")]
    lines = table(("ID", "TITLE", "X"), rows, Screen())
    assert lines == ["ID    TITLE             X", f"t-1   {WIDE}  end", "t-22  plain             end"]


def test_only_the_flexible_column_gives_way_to_a_narrow_screen() -> None:
    lines = table(("ID", "TITLE"), [("t-4k9x2m7q", "A title that is rather long")], Screen(width=30))
    assert lines == ["ID          TITLE", "t-4k9x2m7q  A title that is r…"]
    assert max(map(width_of, lines)) == 30


def test_a_screen_too_narrow_for_anything_still_shows_the_ids() -> None:
    lines = table(("ID", "TITLE"), [("t-4k9x2m7q", "A title that is rather long")], Screen(width=8))
    assert lines[1] == "t-4k9x2m7q  A title tha…"


def test_a_file_or_pipe_gets_titles_whole() -> None:
    assert table(("ID", "TITLE"), [("t-1", "x" * 500)], Screen())[1].endswith("x" * 500)


def test_no_rows_are_no_lines() -> None:
    assert table(("ID",), [], Screen(width=80)) == []
