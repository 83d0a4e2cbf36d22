"""Explanations: every rule asked about one document, with what it found."""

from __future__ import annotations

from loopx.kernel.commands import CompleteTodo, DecideGate, MeetCriterion, SupersedeTodo
from loopx.kernel.outcome import Refused
from loopx.kernel.verdicts import RULES
from loopx.kernel.why import Explanation, explain
from loopx.model.actor import Actor, Channel
from loopx.model.goal import GoalStatus
from loopx.model.todo import TodoStatus
from tests.support.kernel import BOT, G1, REX, T1, T2, Desk, criterion, gate, goal, todo

DEPLOY = "production:goal:deploy"


def told(desk: Desk, typed: str, actor: Actor | None = None) -> Explanation:
    found = explain(desk.state, typed, desk.now, actor)
    assert isinstance(found, Explanation), found
    return found


def test_a_runnable_todo_shows_that_every_rule_was_asked() -> None:
    found = told(Desk.of(goal(), todo()), "t-aaaa")
    assert found.summary == "It can be worked on now."
    assert [each.rule for each in found.lines] == list(RULES)
    assert {each.verdict for each in found.lines} == {"ok"}


def test_what_keeps_a_todo_back_is_said_first_and_every_reason_listed() -> None:
    desk = Desk.of(goal(), todo(requires=(DEPLOY,), claimed_by="bot"), gate())
    found = told(desk, T1, REX)
    assert "waits for a person" in found.summary
    refusing = {each.rule: each.facts["code"] for each in found.lines if each.verdict == "no"}
    assert refusing == {"decisions": "gate-pending", "claim": "claimed-by-other"}


def test_finished_work_shows_by_whom_and_on_what() -> None:
    desk = Desk.of(goal(), todo())
    desk.do(CompleteTodo(todo=T1), BOT)
    completion, validation = told(desk, T1).lines
    assert "agent:bot" in completion.message and completion.verdict == "ok"
    assert validation.verdict == "no" and "Only the word" in validation.message


def test_work_that_only_says_done_shows_that_nothing_stands_behind_it() -> None:
    (line,) = told(Desk.of(goal(), todo(status=TodoStatus.DONE)), T1).lines
    assert line.verdict == "no" and "No completion" in line.message


def test_replaced_work_shows_by_what() -> None:
    desk = Desk.of(goal(), todo(), todo(T2, "Draft"))
    desk.do(SupersedeTodo(todo=T1, by=(T2,)))
    (line,) = told(desk, T1).lines
    assert T2 in line.message


def test_a_gate_shows_its_answer_and_who_needs_it() -> None:
    desk = Desk.of(goal(), todo(requires=(DEPLOY,)), todo(T2, "Draft", requires=("nonsense",)), gate())
    found = told(desk, "g-aaaa")
    assert found.summary == "A person has to answer it."
    assert {each.rule: each.verdict for each in found.lines} == {"answer": "no", "needed by": "note"}
    desk.do(DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.PAGE))
    found = told(desk, G1)
    assert [each.verdict for each in found.lines] == ["ok", "note", "note"]
    assert found.lines[1].message == "human:Ann: fine" and found.lines[2].facts == {"todos": [T1]}


def test_a_gate_of_a_scope_nobody_can_read_is_needed_by_nobody() -> None:
    found = told(Desk.of(goal(), gate(scope="x")), G1)
    assert found.lines[-1].message == "No open Todo requires it."


def test_a_goal_shows_its_criteria_and_its_todos() -> None:
    desk = Desk.of(
        goal(acceptance=(criterion(), criterion("a2", "It is safe"))), todo(), todo(T2, status=TodoStatus.DONE)
    )
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=("I saw it",)))
    found = told(desk, "beta")
    assert [(each.rule, each.verdict) for each in found.lines] == [
        ("criterion a1", "ok"),
        ("criterion a2", "no"),
        ("todos", "note"),
    ]
    assert found.lines[-1].facts == {"open": 1, "done": 1}
    paused = told(Desk.of(goal(status=GoalStatus.PAUSED)), "BETA")
    assert "paused" in paused.summary and paused.lines[-1].message == "Todos: none."


def test_a_goal_whose_name_looks_like_an_id_is_found_first() -> None:
    desk = Desk.of(goal("g-force"), goal("t-rex"))
    assert told(desk, "g-force").kind == "goal" and told(desk, "t-rex").kind == "goal"


def test_what_is_not_there_is_unknown() -> None:
    desk = Desk.of(goal(), todo())
    codes = [
        found.code
        for each in ("t-zzzz", "g-zzzz", "zulu")
        if isinstance(found := explain(desk.state, each, desk.now), Refused)
    ]
    assert codes == ["todo-unknown", "gate-unknown", "goal-unknown"]
    assert told(desk, "aaaa1111").id == T1
