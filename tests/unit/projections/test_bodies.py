"""Bodies in Markdown: as HTML on the board, quoted on a Goal's page."""

from __future__ import annotations

import pytest

from loopx.projections.links import moved
from loopx.projections.markdown import BODY_LIMIT, html, quotation
from tests.unit.projections.reading import Document, links, tokens

SOURCE, BOARD, PAGE = "goals/reader/todos/t-1.md", "board.html", "goals/reader.md"


def test_markdown_becomes_html_below_the_headings_of_the_page() -> None:
    made = html("# One\n\n**b** and\n\n- x\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", SOURCE, BOARD)
    assert "<h4>One</h4>" in made
    assert "<strong>b</strong>" in made
    assert "<td>1</td>" in made


@pytest.mark.parametrize(
    "body",
    [
        "<script>x</script>",
        "a <img src=x onerror=alert(1)> b",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,hi)",
        "[x](vbscript:x)",
        "[x](file:///etc/passwd)",
        "[x](//example.invalid/)",
        "<javascript:alert(1)>",
        "[a]: javascript:alert(1)\n\n[a]",
    ],
)
def test_no_html_and_no_dangerous_link_comes_through(body: str) -> None:
    shown = Document(html(body, SOURCE, BOARD))
    assert set(shown.tags) == {"p"}
    assert shown.attributes == set()
    quoted = quotation(body, SOURCE, PAGE)
    assert links(quoted) == []
    assert not [each for each in tokens(quoted) if each.type in ("html_inline", "html_block")]


def test_pictures_are_named_and_never_fetched() -> None:
    made = html("![a plane](https://example.invalid/p.png) ![](local.png)", SOURCE, BOARD)
    assert "<img" not in made
    assert "picture: a plane" in made
    assert "picture: local.png" in made


@pytest.mark.parametrize(
    ("href", "from_board", "from_page"),
    [
        ("../notes.md", "../goals/reader/notes.md", "../../goals/reader/notes.md"),
        ("t-2.md#part", "../goals/reader/todos/t-2.md#part", "../../goals/reader/todos/t-2.md#part"),
        ("../../../../src/x.py", "../../src/x.py", "../../../src/x.py"),
        ("https://example.invalid/a", "https://example.invalid/a", "https://example.invalid/a"),
        ("mailto:a@example.invalid", "mailto:a@example.invalid", "mailto:a@example.invalid"),
        ("#part", "#part", "#part"),
    ],
)
def test_links_lead_from_a_page_to_where_they_led_from_the_file(href: str, from_board: str, from_page: str) -> None:
    assert moved(href, SOURCE, BOARD) == from_board
    assert f'href="{from_board}"' in html(f"[x]({href})", SOURCE, BOARD)
    assert links(quotation(f"[x]({href})", SOURCE, PAGE)) == [from_page]
    assert links(quotation(f"[x][r]\n\n[r]: {href}\n", SOURCE, PAGE)) == [from_page]


@pytest.mark.parametrize("typed", ["../笔记.md", "<../a b.md>", "../%E7%AC%94.md"])
def test_links_with_characters_that_need_encoding_are_turned_too(typed: str) -> None:
    [href] = links(quotation(f"[x]({typed})", SOURCE, PAGE))
    assert href.startswith("../../goals/reader/")
    assert f'href="{href[3:]}"' in html(f"[x]({typed})", SOURCE, BOARD)


def test_links_to_elsewhere_tell_the_other_side_nothing() -> None:
    assert 'rel="noopener noreferrer"' in html("<https://example.invalid/>", SOURCE, BOARD)


def test_what_a_body_leaves_open_ends_with_its_quotation() -> None:
    page = quotation("```\nnever closed\n\n# heading", SOURCE, PAGE) + "\n\n## After\n"
    assert [each.tag for each in tokens(page) if each.type == "heading_open"] == ["h2"]


def test_a_quotation_holds_the_body_line_by_line() -> None:
    assert quotation("one\r\n\r\ntwo\n", SOURCE, PAGE) == "> one\n>\n> two"
    assert quotation("", SOURCE, PAGE) == ""


def test_R12_a_body_with_lone_surrogates_and_controls_can_be_shown() -> None:
    made = html("[a\ud800](x\ud800.md) \ud83d\ude00 \u202e\x00", SOURCE, BOARD)
    made.encode()
    assert "😀" in made


def test_an_overlong_body_is_cut_and_says_so() -> None:
    assert html("x" * (BODY_LIMIT + 1), SOURCE, BOARD).strip().endswith("<p>…</p>")
