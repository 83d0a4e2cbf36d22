"""How the kernel puts things, and what its changes do to entities in memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopx.kernel.apply import apply_changes, updated
from loopx.kernel.commands import AddTodo, CancelTodo, Command, EditTodo, MeetCriterion, NewGoal, OpenGate, SetVision
from loopx.kernel.outcome import Archive, Create, Delete, Record, Update
from loopx.kernel.wording import cut, listed, quoted, refuse
from loopx.model.kind import Kind
from loopx.model.records import CompletionLog, CriterionLog
from loopx.model.todo import Priority
from loopx.model.vision import Vision
from loopx.model.workspace import Policies
from tests.support.clock import START
from tests.support.kernel import REFUSAL_LIMIT, T1, T2, Desk, config, criterion, edited, goal, todo

HUGE = "字" * 5000


def test_quotes_are_one_short_line() -> None:
    assert quoted("a\n b\tc") == '"a b c"'
    assert quoted("a" * 50) == f'"{"a" * 39}…"'
    assert cut("abc", 3) == "abc" and cut("abcd", 3) == "ab…"


def test_what_no_terminal_shows_is_marked_and_joined_emoji_stay_whole() -> None:
    assert cut("a\x1b[31mb\x7f\ud800", 20) == "a\ufffd[31mb\ufffd\ufffd"
    assert cut("👩\u200d🔬 字", 20) == "👩\u200d🔬 字"


def test_lists_are_cut_to_a_few() -> None:
    assert listed([]) == "" and listed("ab") == "a, b"
    assert listed("abcdefg") == "a, b, c, d, e and 2 more"


@pytest.mark.parametrize("text", ["x" * 5000, HUGE, "😀" * 5000, "\x00" * 5000, '"\\' * 3000])
def test_a_refusal_stays_small_whatever_it_quotes(text: str) -> None:
    found = refuse("todo-unknown", text, text, field="title", typed=text, many=[text] * 50)
    size = len(json.dumps(found.problem.at("goals/beta/todos/file.md", 1, 1).as_json(), ensure_ascii=False).encode())
    assert size <= REFUSAL_LIMIT and found.facts["field"] == "title"


@pytest.mark.parametrize("text", ["x" * 5000, HUGE, "\x00" * 5000])
@pytest.mark.parametrize(
    "make",
    [
        lambda text: AddTodo(goal=text, title="x"),
        lambda text: AddTodo(goal="beta", title=text),
        lambda text: AddTodo(goal="beta", title="x", depends_on=(text,)),
        lambda text: AddTodo(goal="beta", title="x", requires=(text,)),
        lambda text: AddTodo(goal="beta", title="x", acceptance=(text,)),
        lambda text: NewGoal(goal=text, title="x"),
        lambda text: EditTodo(todo=T1, fields={text: 1}),
        lambda text: EditTodo(todo=T1, fields={"priority": text}),
        lambda text: CancelTodo(todo=text, reason="x"),
        lambda text: OpenGate(goal="beta", scope="other:goal:x", question="x", deadline=text),
        lambda text: SetVision(goal="beta", agent=text, summary="x"),
        lambda text: SetVision(goal="beta", agent="bot", summary=text),
        lambda text: MeetCriterion(goal="beta", criterion=text),
    ],
)
def test_no_input_makes_a_refusal_large(make: Any, text: str) -> None:
    command: Command = make(text)
    Desk.of(goal(acceptance=(criterion(),)), todo()).no(command)


def test_changes_are_applied_one_after_the_other() -> None:
    log = CompletionLog(todo=T1, goal="beta")
    made = apply_changes(
        [goal(), todo()],
        [
            Update(Kind.TODO, "beta", T1, {"title": "New", "priority": Priority.P0}),
            Create(todo(T2, "Draft")),
            Record(log),
            Archive(Kind.TODO, "beta", T1, START),
            Delete(Kind.TODO, "beta", T2),
        ],
    )
    assert made == [goal(), todo(title="New", priority=Priority.P0), log]


def test_none_puts_a_fields_default_back() -> None:
    before = todo(tags=("a",), priority=Priority.P0, claimed_by="bot")
    change = Update(Kind.TODO, "beta", T1, {"tags": None, "priority": None, "claimed_by": None})
    assert updated(before, change) == todo()
    strict = config(hook_timeout_seconds=5)
    assert updated(strict, Update(Kind.WORKSPACE, "", "w-1", {"policies": None})).policies == Policies()


def test_visions_and_criteria_are_told_apart_by_their_goal() -> None:
    one = Vision(agent="bot", summary="x", goal="beta")
    other = edited(one, goal="gamma")
    logs = [CriterionLog(criterion="a1", goal="beta"), CriterionLog(criterion="a1", goal="gamma")]
    made = apply_changes([one, other, *logs], [Update(Kind.VISION, "gamma", "bot", {"summary": "y"})])
    assert made == [one, edited(other, summary="y"), *logs]


def test_a_change_of_what_is_not_there_is_our_bug() -> None:
    with pytest.raises(KeyError):
        apply_changes([], [Update(Kind.TODO, "beta", T1, {"title": "x"})])
