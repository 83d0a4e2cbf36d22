"""Texts as people type them: what each says, or where and why it cannot be read. Named after their cases."""

from __future__ import annotations

import pytest

from loopx.documents import edit, read
from loopx.errors import LoopxError
from loopx.model.todo import Priority, TodoStatus
from tests.unit.documents.pages import (
    GATE,
    GOAL,
    TODO,
    VISION,
    WORKSPACE,
    codes,
    only_problem,
    page,
    read_todo,
    todo,
    told,
)


def test_P01_colon_in_title_is_located_and_the_hint_quotes_it() -> None:
    problem = only_problem(TODO, todo("title: Parser: keep going"))
    assert told(problem) == ("document-syntax", 3, 14)
    assert 'title: "Parser: keep going"' in problem.hint


@pytest.mark.parametrize(
    ("value", "column"),
    [("[draft] intro", 16), ("@ops ping", 8), ("*later", 8), ("- dash", 8), ("'it's ok'", 12), ("%x", 8), ("`x`", 8)],
)
def test_P02_title_starting_with_an_indicator_is_located(value: str, column: int) -> None:
    problem = only_problem(TODO, todo(f"title: {value}"))
    assert told(problem) == ("document-syntax", 3, column)
    assert f'"{value}"' in problem.hint


@pytest.mark.parametrize("value", ["#1 priority", "&soon", "!urgent"])
def test_P02_title_that_yaml_reads_as_nothing_is_missing_not_empty_or_none(value: str) -> None:
    problem = only_problem(TODO, todo(f"title: {value}"))
    assert problem.code == "field-missing"
    assert problem.place is not None
    assert problem.place.line == 3
    assert f'title: "{value}"' in problem.hint


@pytest.mark.parametrize(("value", "said"), [("&soon later", "anchor"), ("!urgent later", "tag")])
def test_P02_title_that_loses_its_first_word_to_yaml_is_refused(value: str, said: str) -> None:
    problem = only_problem(TODO, todo(f"title: {value}"))
    assert told(problem) == ("field-type", 3, 8)
    assert said in problem.message
    assert f'"{value}"' in problem.hint


def test_P02_reason_that_yaml_reads_as_nothing_is_told_of_too() -> None:
    assert told(only_problem(TODO, todo("title: x\nreason: !urgent"))) == ("field-type", 4, 9)


def test_P03_title_cut_by_a_number_sign_is_read_short_with_a_warning_and_kept() -> None:
    text = todo("title: Close bug #42 today\npriority: p1")
    reading = read(TODO, text)
    assert read_todo(text).title == "Close bug"
    assert [told(each) for each in reading.warnings] == [("field-cut", 3, 18)]
    assert 'title: "Close bug #42 today"' in reading.warnings[0].hint
    changed = edit(TODO, text, {"priority": Priority.P2})
    assert changed == text.replace(b"p1", b"p2")


@pytest.mark.parametrize(
    "line", ["title: Write it  # a remark", "status: open # a remark", "title: A#b", "# title: a #b"]
)
def test_P03_comments_people_mean_raise_no_warning(line: str) -> None:
    header = line if "title: " in line.split("#")[0] else f"title: x\n{line}"
    assert read(TODO, todo(header)).warnings == ()


def test_P03_list_item_and_nested_text_cut_short_are_warned_of() -> None:
    text = page('id: "beta"\ntitle: x\ntags: [a]\nacceptance:\n  - text: Fix #9\n  - Fix #10')
    assert [told(each)[:2] for each in read(GOAL, text).warnings] == [("field-cut", 6), ("field-cut", 7)]


def test_P04_rules_in_the_body_open_and_close_nothing() -> None:
    body = "intro\n\n---\nstatus: done\n---\n\noutro\n"
    text = todo("title: x", body)
    assert read_todo(text).status is TodoStatus.OPEN
    assert edit(TODO, text, {"priority": Priority.P0}).endswith(b"---\n" + body.encode())


def test_P05_only_a_whole_line_at_the_margin_closes_the_header() -> None:
    text = todo("title: x\nnote: ---not a fence\nx-more: |\n  ---\n  text\n---x: y")
    assert read(TODO, text).problems == ()
    assert read_todo(text).body == "Body."


def test_P05_a_line_of_four_dashes_is_no_fence() -> None:
    assert told(only_problem(TODO, b"---\ntitle: x\n----\nbody\n")) == ("document-fence-open", 1, 1)


def test_P06_missing_closing_fence_is_located_at_the_opening_one() -> None:
    problem = only_problem(TODO, b"---\ntitle: x\n\nThe body, half saved\n")
    assert told(problem) == ("document-fence-open", 1, 1)
    assert "exactly `---`" in problem.hint


def test_P06_a_fence_alone_is_an_open_header() -> None:
    assert told(only_problem(TODO, b"---")) == ("document-fence-open", 1, 1)


def test_P07_byte_order_mark_is_read_through_and_kept() -> None:
    text = b"\xef\xbb\xbf" + todo("title: x\npriority: p1")
    assert read_todo(text).title == "x"
    assert edit(TODO, text, {"priority": Priority.P2}) == text.replace(b"p1", b"p2")


def test_P07_columns_do_not_count_the_byte_order_mark() -> None:
    assert told(only_problem("workspace.yaml", b"\xef\xbb\xbftitle: a: b\n")) == ("document-syntax", 1, 9)


@pytest.mark.parametrize("opening", ["--- \n", "---\t \n", "---\r\n"])
@pytest.mark.parametrize("closing", ["---  \n", "---\r\n", "---"])
def test_P08_blanks_and_carriage_returns_behind_a_fence_are_allowed_and_kept(opening: str, closing: str) -> None:
    text = f'{opening}id: "t-4k9x2m7q"\ntitle: x\npriority: p1\n{closing}'.encode()
    assert read_todo(text).title == "x"
    assert edit(TODO, text, {"priority": Priority.P2}) == text.replace(b"p1", b"p2")


@pytest.mark.parametrize(
    ("line", "column", "quoted"),
    [
        ("rev: 61e9540", 6, '"61e9540"'),
        ("claimed_by: 007", 13, '"007"'),
        ("claimed_by: 1e5", 13, '"1e5"'),
        ("reason: 0x1F", 9, '"0x1F"'),
        ("reason: .inf", 9, '".inf"'),
        ("reason: .nan", 9, '".nan"'),
        ("reason: -5", 9, '"-5"'),
        ("depends_on: [123]", 14, '"123"'),
    ],
)
def test_P09_identifiers_that_yaml_reads_as_numbers_are_refused_with_quote_this(
    line: str, column: int, quoted: str
) -> None:
    problem = only_problem(TODO, todo(f"title: x\n{line}"))
    assert told(problem) == ("field-type", 4, column)
    assert f"quote this: {quoted}" in problem.hint


def test_P09_an_id_that_is_a_number_is_refused() -> None:
    assert told(only_problem(TODO, page("id: 1e5\ntitle: x"))) == ("field-type", 2, 5)


def test_P10_yes_no_on_off_stay_text() -> None:
    found = read_todo(todo("title: no\ntags: [on, y, OFF]\nreason: Yes"))
    assert (found.title, found.tags, found.reason) == ("no", ("on", "y", "OFF"), "Yes")


@pytest.mark.parametrize(("word", "meant"), [("true", True), ("True", True), ("FALSE", False)])
def test_P10_a_yes_or_no_field_takes_true_and_false(word: str, meant: bool) -> None:
    assert read_todo(todo(f"title: x\nwatch_only: {word}")).watch_only is meant


@pytest.mark.parametrize("word", ["yes", "off", '"true"', "1"])
def test_P10_a_yes_or_no_field_takes_nothing_else(word: str) -> None:
    problem = only_problem(TODO, todo(f"title: x\nwatch_only: {word}"))
    assert told(problem) == ("field-type", 4, 13)
    assert "true or false" in problem.hint


def test_P11_misspelt_names_are_reported_with_the_nearest_known_one_and_kept() -> None:
    text = todo("title: x\nprioritty: 9\nx-team: blue\nzzz: 1\npriority: p1")
    found = read(TODO, text).warnings
    assert [told(each) for each in found] == [("field-unknown", 4, 1), ("field-unknown", 6, 1)]
    assert found[0].hint == "Did you mean `priority`?"
    assert found[0].facts == {"field": "prioritty", "nearest": "priority"}
    assert "x-" in found[1].hint
    assert edit(TODO, text, {"priority": Priority.P2}) == text.replace(b"p1", b"p2")


def test_P11_misspelt_names_inside_a_field_are_reported_too() -> None:
    text = page("title: x\nacceptance:\n  - id: a1\n    text: t\n    chek: [x]\nquota: {computte: 3}")
    assert [(told(each), each.facts["field"]) for each in read(GOAL, text).warnings] == [
        (("field-unknown", 6, 5), "acceptance[1].chek"),
        (("field-unknown", 7, 9), "quota.computte"),
    ]


@pytest.mark.parametrize(
    ("line", "place", "said"),
    [
        ("priority: true", (4, 11), "one of p0"),
        ("priority: 1", (4, 11), "one of p0"),
        ("expires_at: 5", (4, 13), "offset"),
        ("tags: urgent", (4, 7), "a list"),
        ("tags: {a: b}", (4, 7), "a list"),
        ("title: [a]", (3, 8), "text"),
        ("title: {a: b}", (3, 8), "text"),
        ("validation: pytest", (4, 13), "name: value"),
        ("validation: [pytest]", (4, 13), "name: value"),
        ("validation: {argv: [a], timeout_seconds: 3.0}", (4, 42), "a whole number"),
        ("validation: {argv: [a], timeout_seconds: true}", (4, 42), "a whole number"),
        ("validation:\n  argv: pytest -q", (5, 9), "a list"),
    ],
)
def test_P12_values_of_the_wrong_type_are_refused_where_they_stand(
    line: str, place: tuple[int, int], said: str
) -> None:
    header = line if line.startswith("title") else f"title: x\n{line}"
    problem = only_problem(TODO, todo(header))
    assert told(problem) == ("field-type", *place)
    assert said in problem.message


def test_P12_every_wrong_item_of_a_list_is_told_of() -> None:
    found = read(TODO, todo("title: x\ntags: [1, ok, null]")).problems
    assert [told(each) for each in found] == [("field-type", 4, 8), ("field-type", 4, 15)]
    assert [each.facts["field"] for each in found] == ["tags[1]", "tags[3]"]


def test_P12_all_mistakes_of_a_document_are_told_of_at_once() -> None:
    text = todo("title: &lost x\npriority: p9\nreason: 61e9540\nstatus: opne")
    assert [told(each) for each in read(TODO, text).problems] == [
        ("field-type", 3, 8),
        ("field-value", 4, 11),
        ("field-type", 5, 9),
        ("field-value", 6, 9),
    ]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "document-empty"),
        (b" \n\n", "document-empty"),
        (b"---\n# note\n---\n", "document-empty"),
        (b"---\n---\n", "document-empty"),
        (b"---\n- a\n---\n", "document-root"),
        (b"---\nhello\n---\n", "document-root"),
        (b"---\n[a, b]\n---\n", "document-root"),
        (b"Just words, no heading.\n", "field-missing"),
    ],
)
def test_P13_degenerate_documents_are_located_errors(data: bytes, code: str) -> None:
    problem = only_problem(TODO, data)
    assert problem.code == code
    assert problem.place is not None
    assert problem.place.line in (1, 2)


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "document-empty"), (b"# only\n", "document-empty"), (b"- a\n", "document-root")]
)
def test_P13_degenerate_yaml_files_are_located_errors(data: bytes, code: str) -> None:
    assert told(only_problem(WORKSPACE, data)) == (code, 1, 1)


def test_P18_merge_markers_are_called_that_and_name_both_sides() -> None:
    text = todo("title: x\n<<<<<<< HEAD\npriority: p1\n=======\npriority: p2\n>>>>>>> feature/new parser")
    problem = only_problem(TODO, text)
    assert told(problem) == ("document-merge-markers", 4, 1)
    assert problem.facts["sides"] == ["HEAD", "feature/new parser"]
    assert "`HEAD`" in problem.message
    assert "`feature/new parser`" in problem.message


def test_P18_merge_markers_in_the_body_and_around_a_whole_file_count_too() -> None:
    conflict = "<<<<<<< HEAD\none\n||||||| base\nnone\n=======\ntwo\n>>>>>>> other\n"
    assert told(only_problem(TODO, todo("title: x", conflict))) == ("document-merge-markers", 5, 1)
    around = b"<<<<<<< HEAD\r\n---\r\ntitle: x\r\n---\r\n=======\r\n>>>>>>> other\r\n"
    assert told(only_problem(TODO, around)) == ("document-merge-markers", 1, 1)


@pytest.mark.parametrize(
    "body",
    [
        "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n",
        "Heading\n=======\n\n> quote\n",
        "    <<<<<<< HEAD\n    =======\n    >>>>>>> x\n",
        "<<<<<<< only the first line\n",
    ],
)
def test_P18_texts_about_merges_are_no_merges(body: str) -> None:
    assert read(TODO, todo("title: x", body)).problems == ()


def test_P19_duplicate_key_names_both_lines() -> None:
    problem = only_problem(TODO, todo("title: x\nstatus: open\npriority: p1\nstatus: done"))
    assert told(problem) == ("document-duplicate-key", 6, 1)
    assert problem.facts["lines"] == [4, 6]
    assert "line 4" in problem.message
    assert "line 6" in problem.message


@pytest.mark.parametrize(
    "header", ['title: x\n"title": y', "title: x\nx-a: {b: 1, b: 2}", "title: x\nx-a:\n- b: 1\n  b: 2"]
)
def test_P19_duplicates_are_found_however_and_wherever_they_are_written(header: str) -> None:
    assert codes(read(TODO, todo(header))) == ["document-duplicate-key"]


def test_P19_the_names_1_and_true_are_two_texts_and_do_not_collide() -> None:
    reading = read(TODO, todo("title: x\n1: a\ntrue: b"))
    assert reading.problems == ()
    assert [each.facts["field"] for each in reading.warnings] == ["1", "true"]


@pytest.mark.parametrize(
    ("path", "data", "code", "line"),
    [
        (TODO, todo("title: x\nstatus: paused"), "field-value", 4),
        (GOAL, page("title: x\nstatus: archived"), "field-value", 3),
        (GATE, page("scope: a:b:c\nquestion: q\nstatus: maybe"), "field-value", 4),
        (VISION, page("summary: s\nadvancement: never"), "field-value", 3),
        (WORKSPACE, b"title: x\npolicies: {hooks: sometimes}\n", "field-value", 2),
    ],
)
def test_a_value_from_a_newer_version_is_refused_where_it_stands(path: str, data: bytes, code: str, line: int) -> None:
    assert told(only_problem(path, data))[:2] == (code, line)


@pytest.mark.parametrize(
    "header", ["title: [a, b", 'title: "abc\nstatus: open', "title: 'abc", "x-a: {b: [c}\ntitle: x"]
)
def test_an_unclosed_quote_or_bracket_is_told_of_where_it_opens(header: str) -> None:
    problem = only_problem(TODO, todo(header))
    assert problem.code == "document-syntax"
    assert problem.place is not None
    assert problem.place.line == 3


def test_tabs_are_told_of_as_tabs() -> None:
    problem = only_problem(TODO, todo("title: x\nvalidation:\n\targv: [a]"))
    assert told(problem) == ("document-syntax", 5, 1)
    assert "tabs" in problem.hint


@pytest.mark.parametrize("header", ["title: x\n? [a]\n: b", "title: x\n: b", "title: x\n...\nreason: y", "%YAML 1.1"])
def test_yaml_nobody_writes_by_hand_is_refused_not_half_read(header: str) -> None:
    assert codes(read(TODO, todo(header))) == ["document-syntax"]


def test_a_document_that_cannot_be_read_cannot_be_edited() -> None:
    with pytest.raises(LoopxError) as caught:
        edit(TODO, todo("title: Parser: keep going"), {"priority": Priority.P1})
    assert caught.value.code == "document-syntax"
    with pytest.raises(LoopxError) as caught:
        edit(TODO, todo("title: x\nstatus: opne"), {"priority": Priority.P1})
    assert caught.value.code == "field-value"
