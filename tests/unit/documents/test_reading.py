"""What a reading tells: the entity or the problems, what is missing, what was typed, and where things are."""

from __future__ import annotations

import pytest

from loopx.documents import read
from loopx.model.gate import Gate
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.records import CompletionLog
from loopx.model.todo import Priority, Todo
from loopx.model.vision import Vision
from loopx.model.workspace import WorkspaceConfig
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


def test_a_reading_holds_the_entity_and_what_was_typed() -> None:
    reading = read(
        TODO, todo("title: x\npriority: p1\nwatch_only: true\nx-own: 1\ntags:\nvalidation: {argv: [a], x: 1}")
    )
    assert isinstance(reading.entity, Todo)
    assert (reading.path, reading.kind, reading.location.goal) == (TODO, Kind.TODO, "beta")
    assert reading.values == {
        "id": "t-4k9x2m7q",
        "title": "x",
        "priority": "p1",
        "watch_only": True,
        "validation": {"argv": ["a"]},
    }
    assert (reading.missing, reading.problems) == ((), ())
    assert reading.entity.goal == "beta"
    assert reading.entity.body == "Body."


def test_a_file_of_only_a_title_misses_its_id_and_can_be_judged() -> None:
    reading = read(TODO, page("title: Write the guide"))
    assert (reading.entity, reading.problems, reading.missing) == (None, (), ("id",))
    assert isinstance(reading.provisional, Todo)
    assert reading.provisional.title == "Write the guide"
    assert reading.provisional.priority is Priority.P2


@pytest.mark.parametrize(
    ("path", "data", "missing", "kind"),
    [
        (GOAL, page("title: x"), ("id",), Goal),
        (GATE, page("scope: a:b:c\nquestion: q"), ("id",), Gate),
        (VISION, page("summary: s"), ("agent",), Vision),
        (WORKSPACE, b"title: x\n", ("version", "id"), WorkspaceConfig),
    ],
)
def test_each_kind_names_the_machine_owned_fields_it_misses(
    path: str, data: bytes, missing: tuple[str, ...], kind: type
) -> None:
    reading = read(path, data)
    assert reading.missing == missing
    assert isinstance(reading.provisional, kind)


def test_identity_given_by_the_place_is_used_for_judging() -> None:
    goal, vision = read(GOAL, page("title: x")).provisional, read(VISION, page("summary: s")).provisional
    assert isinstance(goal, Goal)
    assert isinstance(vision, Vision)
    assert (goal.id, vision.agent) == ("beta", "codex-1")


def test_a_record_must_have_all_its_fields() -> None:
    path = "goals/beta/completions/t-4k9x2m7q.yaml"
    assert told(only_problem(path, b"entries: []\n")) == ("field-missing", 1, 1)
    entity = read(path, b'todo: "t-4k9x2m7q"\n').entity
    assert entity == CompletionLog(todo="t-4k9x2m7q", goal="beta")


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# The title\n\nText\n", "The title"),
        ("\n\nSome text first\n\n#   The title  ##  \n", "The title"),
        ("```\n# not me\n```\n# The title", "The title"),
        ("<!-- # not me\n# nor me -->\n# The title", "The title"),
        ("## Not me\n#nor me\n# The # title", "The # title"),
        ("~~~sh\n# no\n```\n# no\n~~~\n\n # 标题\n", "标题"),
    ],
)
def test_the_first_heading_is_the_title_where_no_header_has_one(body: str, title: str) -> None:
    assert read_todo(body.encode()).title == title
    assert read_todo(page("priority: p1", body)).title == title


def test_a_title_in_the_header_wins_over_a_heading() -> None:
    assert read_todo(page("title: From the header", "# From the body\n")).title == "From the header"


def test_an_empty_title_is_not_replaced_by_a_heading() -> None:
    assert told(only_problem(TODO, page("title: #1 fix", "# Heading\n"))) == ("field-missing", 2, 7)


def test_a_heading_too_long_for_a_title_is_told_of_at_the_heading() -> None:
    text = b"\r\nintro\r\n\r\n# " + b"x" * 1001
    problem = only_problem(TODO, text)
    assert told(problem) == ("field-value", 4, 1)
    assert "1,001" in problem.message


def test_a_gate_s_question_may_be_a_heading() -> None:
    entity = read(GATE, page("id: g-4k9x2m7q\nscope: production:goal:*", "# May we?\n")).entity
    assert isinstance(entity, Gate)
    assert entity.question == "May we?"


def test_the_body_is_read_without_the_blank_lines_around_it() -> None:
    assert read_todo(todo("title: x", "\n  \n    code\r\nmore  \n\n \n")).body == "    code\nmore"
    assert read_todo(todo("title: x", "")).body == ""


def test_plain_criteria_get_ids_from_their_words() -> None:
    text = page(
        "title: x\nacceptance:\n- Tests pass\n- 测试\n- Tests pass\n- {text: Tests pass}\n- {id: a, text: b}\n- 1x"
    )
    goal = read(GOAL, text).provisional
    assert isinstance(goal, Goal)
    ids = [each.id for each in goal.acceptance]
    assert ids == ["tests-pass", ids[1], "tests-pass-2", "tests-pass-3", "a", "1x"]
    assert ids[1].startswith("c-")
    assert goal.acceptance[1].text == "测试"


def test_a_plain_criterion_keeps_its_id_when_lines_move() -> None:
    one = read(GOAL, page("title: x\nacceptance: [测试, 文档]")).provisional
    other = read(GOAL, page("title: x\nacceptance: [文档, 测试]")).provisional
    assert isinstance(one, Goal)
    assert isinstance(other, Goal)
    assert {each.id: each.text for each in one.acceptance} == {each.id: each.text for each in other.acceptance}


@pytest.mark.parametrize(
    "header", ["acceptance: Tests", "acceptance: [1]", "acceptance: [[a]]", "acceptance: [{id: a}]"]
)
def test_criteria_that_are_none_are_refused(header: str) -> None:
    assert codes(read(GOAL, page(f"title: x\n{header}")))[0] in ("field-type", "field-missing")


@pytest.mark.parametrize(
    ("path", "header", "place"),
    [
        (TODO, "title: x\ngoal: other", (3, 7)),
        (GOAL, "id: other\ntitle: x", (2, 5)),
        (VISION, "agent: other\nsummary: s", (2, 8)),
    ],
)
def test_what_contradicts_the_file_s_place_is_refused(path: str, header: str, place: tuple[int, int]) -> None:
    problem = only_problem(path, page(header))
    assert told(problem) == ("field-value", *place)
    assert "other" in problem.message


def test_the_goal_s_name_may_be_repeated_in_a_document() -> None:
    reading = read(TODO, todo("title: x\ngoal: beta"))
    assert (reading.problems, reading.warnings) == ((), ())


@pytest.mark.parametrize("folder", ["Bad Name", "UPPER", "-x", "ünï"])
def test_a_goal_s_folder_that_is_no_slug_is_refused(folder: str) -> None:
    for path in (f"goals/{folder}/goal.md", f"goals/{folder}/todos/x.md"):
        problem = only_problem(path, page("title: x"))
        assert problem.code == "field-value"
        assert folder in problem.message


def test_missing_fields_are_told_of_by_name() -> None:
    found = read(GATE, page("id: g-4k9x2m7q\nscope:\nvalid_until: never")).problems
    assert [(each.code, each.facts["field"]) for each in found] == [
        ("field-missing", "question"),
        ("field-missing", "scope"),
        ("field-value", "valid_until"),
    ]
    assert told(found[1]) == ("field-missing", 3, 7)


def test_a_missing_field_inside_another_is_told_of_at_that_other() -> None:
    problem = only_problem(TODO, todo("title: x\nvalidation:\n  label: l"))
    assert told(problem) == ("field-missing", 5, 3)
    assert problem.facts["field"] == "validation.argv"


@pytest.mark.parametrize(("typed", "near"), [("P1", "p1"), ("p11", "p1")])
def test_a_wrong_choice_names_the_choices_and_the_nearest(typed: str, near: str) -> None:
    problem = only_problem(TODO, todo(f"title: x\npriority: {typed}"))
    assert "p0, p1, p2, p3, p4" in problem.message
    assert near in problem.hint


@pytest.mark.parametrize("title", ['""', '"  "', "' '"])
def test_a_blank_title_is_missing(title: str) -> None:
    assert told(only_problem(TODO, todo(f"title: {title}"))) == ("field-missing", 3, 8)


def test_a_title_of_two_lines_is_refused() -> None:
    assert told(only_problem(TODO, todo("title: |-\n  a\n  b"))) == ("field-value", 3, 8)


def test_a_reading_knows_where_each_field_is_written() -> None:
    reading = read(TODO, todo("title: x\ntags:\n  - a", "\n\nBody"))
    assert [str(reading.place_of_key(key)).removeprefix(TODO) for key in ("title", "tags", "body", "reason")] == [
        ":3:8",
        ":5:3",
        ":9:1",
        "",
    ]
    assert str(read(TODO, b"\n# Title\n").place_of_key("title")) == f"{TODO}:2:1"
    assert str(read(TODO, b"---\n").place_of_key("title")) == TODO


def test_a_path_without_a_document_is_the_caller_s_mistake() -> None:
    with pytest.raises(ValueError, match="no document belongs"):
        read("notes/x.md", b"")


def test_names_a_person_calls_their_own_raise_no_warning() -> None:
    assert read(TODO, todo("title: x\nx-anything: {priorty: 1}")).warnings == ()
