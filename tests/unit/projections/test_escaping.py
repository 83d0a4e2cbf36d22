"""Texts people type, in Markdown, Mermaid and script blocks."""

from __future__ import annotations

import json

import pytest

from loopx.projections.escape import (
    address,
    code,
    cut,
    joined_surrogates,
    link,
    markdown,
    mermaid,
    one_line,
    script_json,
)
from tests.unit.projections.reading import links, tokens
from tests.unit.projections.sample import HOSTILE


@pytest.mark.parametrize("title", HOSTILE)
def test_a_title_reads_in_markdown_as_it_was_typed_and_does_nothing(title: str) -> None:
    found = list(tokens(joined_surrogates(markdown(title))))
    assert {each.type for each in found} <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
    text = "".join(each.content for each in found if each.type in ("text", "text_special"))
    assert text == joined_surrogates(one_line(title))


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        ("snake_case_name", "snake_case_name"),
        ("_emphasis_", r"\_emphasis\_"),
        ("a * b", r"a \* b"),
        ("- item", r"\- item"),
        ("10) item", r"10\) item"),
        ("2026 is a year", "2026 is a year"),
        ("a | b", r"a \| b"),
        ("AT&T", "AT&T"),
        ("&copy;", r"\&copy;"),
        ("see http://x", r"see http\://x"),
        ("me@x", r"me\@x"),
        ("$x$", r"\$x\$"),
        ("(plain), text: here!", "(plain), text: here!"),
    ],
)
def test_only_what_markdown_could_obey_is_escaped(typed: str, made: str) -> None:
    assert markdown(typed) == made


def test_a_code_span_holds_what_it_can_and_leaves_the_rest_to_plain_text() -> None:
    assert code("t-k0000001") == "`t-k0000001`"
    assert code("a|b") == r"a\|b"
    assert code("a`b") == r"a\`b"
    assert code("") == ""


def test_a_link_keeps_its_text_apart_from_its_target() -> None:
    made = link("a](x) [b", address("goals/a b/(c)|d.md"))
    assert links(made) == ["goals/a%20b/%28c%29%7Cd.md"]
    assert link("only text", "") == "only text"
    assert link("\u2028", "../goals/a/goal.md") == "[goal.md](../goals/a/goal.md)"


def test_a_cut_text_shows_that_it_was_cut_and_splits_no_character() -> None:
    assert cut("short", 10) == "short"
    assert cut("a" * 11, 10) == "a" * 9 + "…"
    assert cut("abc👩\u200d👩\u200d👧 family", 6) == "abc…"
    assert cut("naïve e\u0301clair", 8) == "naïve…"


def test_mermaid_labels_hold_no_character_that_ends_or_starts_anything() -> None:
    made = mermaid('"a" %%{init: {}}%% [x] `y` <b> #1; & ~ \n end')
    assert not set(made) & set('"%{}[]`<>&~\n')
    assert mermaid("Plain, with 中文 (and more)!") == "Plain, with 中文 (and more)!"
    assert mermaid('"') == "#34;"


def test_script_data_cannot_end_its_block_and_is_still_the_same_data() -> None:
    for title in HOSTILE:
        made = script_json([title])
        assert not set(made) & set("<>&\u2028\u2029")
        assert json.loads(made) == [title]


def test_R12_separators_become_blanks_and_surrogates_can_be_encoded() -> None:
    assert one_line("a\u2028b\x85c\r\nd\x00e") == "a b c d e"
    assert one_line("a\u202eb\u2066c") == "abc"
    assert joined_surrogates("\ud83d\ude00 \ud800").encode() == "😀 \ufffd".encode()
