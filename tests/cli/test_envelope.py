"""The JSON envelope: its shape, and the size of a refusal."""

from __future__ import annotations

import json

from loopx.cli import envelope
from loopx.cli.answer import Answer
from loopx.errors import Place, Problem


def test_a_request_carried_out_has_data_and_no_error() -> None:
    found = envelope.of_answer(Answer({"count": 2}, lambda _screen: [], "3f2a1bc"))
    assert found == {"schema": "loopx/1", "ok": True, "data": {"count": 2}, "revision": "3f2a1bc", "warnings": []}


def test_warnings_come_with_place_and_hint() -> None:
    warning = Problem("field-unknown", "prioritty is no field.", Place("goals/beta/goal.md", 3, 1))
    found = envelope.of_answer(Answer({}, lambda _screen: [], warnings=(warning,)))
    assert found["ok"] is True
    assert found["warnings"] == [
        {
            "code": "field-unknown",
            "message": "prioritty is no field.",
            "hint": "Correct its spelling, or prefix it with `x-` to say it is yours.",
            "place": {"path": "goals/beta/goal.md", "line": 3, "column": 1},
        }
    ]


def test_facts_are_worked_out_only_when_they_are_wanted() -> None:
    made: list[int] = []
    answer = Answer(lambda: made.append(1) or {"made": True}, lambda _screen: [])
    assert made == []
    assert envelope.of_answer(answer)["data"] == {"made": True}


def test_a_look_that_found_problems_has_data_and_says_so() -> None:
    found = envelope.of_answer(Answer({"n": 1}, lambda _screen: [], problem=Problem("problems-found", "1 problem.")))
    assert (found["ok"], found["data"], found["error"]["code"]) == (False, {"n": 1}, "problems-found")


def test_a_refusal_takes_at_most_1_kb_whatever_was_typed() -> None:
    facts = {"typed": "标" * 2000, "candidates": ["t-4k9x2m7q"] * 40, "kind": "todo"}
    refused = Problem("id-ambiguous", "语" * 900, Place("goals/" + "x" * 200), "h" * 900, facts)
    text = envelope.written(envelope.of_problem(refused))
    assert len(text.encode()) <= 1024
    assert json.loads(text)["error"]["code"] == "id-ambiguous"
    assert json.loads(text)["error"]["facts"] == {"kind": "todo", "truncated": True}


def test_a_refusal_that_fits_keeps_everything() -> None:
    refused = Problem("todo-unknown", "There is no todo.", facts={"typed": "t-9", "operation": "op-1"})
    assert envelope.of_problem(refused)["error"]["facts"] == {"typed": "t-9", "operation": "op-1"}


def test_the_output_of_a_failed_validation_is_not_cut() -> None:
    failed = Problem("validation-failed", "make ended with status 2.", facts={"output": "x" * 4096})
    assert len(envelope.of_problem(failed)["error"]["facts"]["output"]) == 4096


def test_what_is_no_text_in_any_encoding_is_still_json() -> None:
    text = envelope.written(envelope.of_answer(Answer({"title": "half \ud83d pair"}, lambda _screen: [])))
    assert json.loads(text.encode("utf-8", "backslashreplace"))["data"]["title"] == "half \ud83d pair"
