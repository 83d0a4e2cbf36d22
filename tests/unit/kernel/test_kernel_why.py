"""Explanations: every rule asked about one document, with what it found."""

from __future__ import annotations

from loopx.kernel.commands import CompleteTodo, DecideGate, MeetCriterion, SupersedeTodo
from loopx.kernel.obligations.deriving import obligations
from loopx.kernel.outcome import Refused
from loopx.kernel.verdicts import RULES
from loopx.kernel.why import Explanation, Line, explain
from loopx.model.actor import Actor, Channel
from loopx.model.goal import GoalStatus
from loopx.model.monitor import MonitorLog
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.model.workspace import AgentEntry
from tests.support.kernel import BOT, G1, REX, T1, T2, Desk, config, criterion, gate, goal, todo

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


def test_a_todo_says_what_the_actor_is_told_to_do_and_whether_that_is_it() -> None:
    desk = Desk.of(goal(), config(AgentEntry(id="bot")), todo(), todo(T2, "Record", priority=Priority.P0))
    line = decision_line(told(desk, T2, BOT))
    assert (line.verdict, line.facts["mode"], line.facts["rule"]) == ("ok", "deliver", "10 work")
    other = decision_line(told(desk, T1, BOT))
    assert other.verdict == "note"
    assert f"bot is told to deliver {T2} first" in other.message
    stranger = decision_line(told(desk, T1, REX))
    assert stranger.facts == {"code": "agent-unregistered"}


def test_a_todo_and_its_goal_show_what_is_owed_because_of_them() -> None:
    watched = todo(T2, "Watch", todo_class=TodoClass.MONITOR, target="ci")
    desk = Desk.of(goal(), config(AgentEntry(id="bot")), todo(), watched)
    desk.entities.append(MonitorLog(todo=T2, polls=12, unchanged_count=12, last_polled_at=desk.now, goal="beta"))
    (owed,) = (each for each in told(desk, T2).lines if each.rule == "obligation")
    assert owed.facts["trigger"] == "monitor-unchanged"
    assert not [each for each in told(desk, T1).lines if each.rule == "obligation"]
    assert [each.facts for each in told(desk, "beta").lines if each.rule == "obligation"] == [owed.facts]


def test_an_obligation_says_what_armed_it_who_owes_it_and_what_discharges_it() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), config(AgentEntry(id="bot")))
    (owed,) = obligations(desk.state, desk.goal(), desk.now)
    for typed in (owed.id, owed.id[:6], owed.id.upper()):
        found = told(desk, typed)
        assert (found.kind, found.id, found.title) == ("obligation", owed.id, "frontier-exhausted")
        assert [each.rule for each in found.lines] == ["trigger", "armed by", "subjects", "owner", "discharged by"]
    assert "closed:0" in [each.message for each in found.lines]


def test_an_obligation_nobody_owes_and_one_of_several_are_refused() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), goal("gamma", acceptance=(criterion(),)))
    unknown = explain(desk.state, "o-zzzzzzzzzz", desk.now)
    assert isinstance(unknown, Refused) and unknown.code == "obligation-unknown"
    ambiguous = explain(desk.state, "o-", desk.now)
    assert isinstance(ambiguous, Refused) and ambiguous.code == "id-ambiguous"


def test_a_goal_named_like_an_obligation_is_still_a_goal() -> None:
    assert told(Desk.of(goal("o-ring")), "o-ring").kind == "goal"


def decision_line(found: Explanation) -> Line:
    (line,) = (each for each in found.lines if each.rule == "decision")
    return line
