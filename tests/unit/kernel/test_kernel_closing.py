"""Superseding, cancelling, reopening: no way out of open is a way round its guards."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import CancelTodo, CompleteTodo, ReopenTodo, SupersedeTodo
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.todo import Priority, TodoStatus
from tests.support.kernel import ANN, BEN, BOT, PYTEST, REX, T1, T2, T3, Desk, config, criterion, facts, goal, todo

DEPLOY = "production:goal:deploy"
CANCEL = CancelTodo(todo=T1, reason="not needed")


def desk_with(*entities: Any) -> Desk:
    return Desk.of(goal(acceptance=(criterion(),)), *entities)


def test_superseding_links_both_ways() -> None:
    desk = desk_with(todo(), todo(T2, "Draft"))
    done = desk.do(SupersedeTodo(todo=T1, by=(T2,), reason="better plan"), BOT)
    assert (desk.todo().status, desk.todo().superseded_by) == (TodoStatus.SUPERSEDED, (T2,))
    assert desk.todo(T2).supersedes == (T1,) and desk.todo().reason == "better plan"
    assert facts(done)["by"] == [T2] and done.headline.startswith(f"todo: supersede {T1} ")


def test_Q07_what_it_required_passes_on_to_every_heir() -> None:
    desk = desk_with(todo(requires=(DEPLOY,)), todo(T2, "Draft", requires=("other:goal:x",)))
    desk.do(SupersedeTodo(todo=T1, by=(T2, "Another way")), BOT)
    assert desk.todo(T2).requires == ("other:goal:x", DEPLOY)
    (made,) = [each for each in desk.state.todos() if each.title == "Another way"]
    assert made.requires == (DEPLOY,) and made.supersedes == (T1,)
    assert desk.no(CompleteTodo(todo=T2), BOT).code == "gate-required"


def test_Q07_a_new_heir_takes_over_everything_that_guarded_it() -> None:
    guarded = todo(
        validation=PYTEST, depends_on=(T2,), excluded_agents=("rex",), priority=Priority.P0, acceptance=("a1",)
    )
    desk = desk_with(guarded, todo(T2, "Draft"))
    desk.do(SupersedeTodo(todo=T1, by=("Another way",)), BOT)
    (made,) = [each for each in desk.state.todos() if each.title == "Another way"]
    assert (made.validation, made.depends_on, made.excluded_agents) == (PYTEST, (T2,), ("rex",))
    assert (made.priority, made.acceptance) == (Priority.P0, ("a1",))


@pytest.mark.parametrize("status", [TodoStatus.DONE, TodoStatus.CANCELLED])
def test_Q07_closed_work_replaces_nothing(status: TodoStatus) -> None:
    desk = desk_with(todo(requires=(DEPLOY,)), todo(T2, "Draft", status=status))
    assert desk.no(SupersedeTodo(todo=T1, by=(T2,)), BOT).code == "todo-closed"


def test_a_replacement_that_leads_back_is_refused_and_named() -> None:
    desk = desk_with(todo(), todo(T2, "Draft", depends_on=(T3,)), todo(T3, "Review", depends_on=(T1,)))
    refused = desk.no(SupersedeTodo(todo=T1, by=(T2,)))
    assert refused.code == "supersede-cycle" and refused.facts["cycle"] == [T1, T2, T3, T1]
    assert desk.no(SupersedeTodo(todo=T1, by=(T1,))).code == "supersede-cycle"


def test_superseding_needs_something_that_replaces() -> None:
    desk = desk_with(todo())
    assert desk.no(SupersedeTodo(todo=T1, by=())).code == "field-missing"
    assert desk.no(SupersedeTodo(todo=T1, by=("t-zzzz9999",))).code == "todo-unknown"
    assert desk.no(SupersedeTodo(todo=T1, by=("x",), reason="a\nb")).code == "field-value"


def test_Q07_a_claim_or_an_exclusion_fences_every_way_out() -> None:
    held = todo(claimed_by="rex", validation=PYTEST)
    for command in (CompleteTodo(todo=T1), SupersedeTodo(todo=T1, by=("x",)), CANCEL):
        assert desk_with(held).no(command, BOT).code == "todo-claimed"
        assert desk_with(todo(excluded_agents=("bot",))).no(command, BOT).code == "agent-excluded"


def test_cancelling_needs_a_reason() -> None:
    assert desk_with(todo()).no(CancelTodo(todo=T1, reason="")).code == "reason-missing"


def test_an_agent_cancels_what_it_holds_or_nobody_does() -> None:
    desk_with(todo()).do(CANCEL, BOT)
    desk_with(todo(claimed_by="bot")).do(CANCEL, BOT)
    assert desk_with(todo(claimed_by="bot")).no(CANCEL, REX).code == "todo-claimed"


def test_an_operator_always_may_cancel() -> None:
    held = todo(claimed_by="rex", status=TodoStatus.BLOCKED, validation=PYTEST, requires=(DEPLOY,))
    desk_with(held).do(CANCEL, ANN)
    named = desk_with(config(operators=["Ben"]), held)
    assert named.no(CANCEL, ANN).code == "todo-claimed"
    named.do(CANCEL, BEN)
    assert named.todo().status is TodoStatus.CANCELLED and named.todo().reason == "not needed"


def test_cancelling_twice_changes_nothing_and_closed_work_is_not_cancelled() -> None:
    desk = desk_with(todo())
    desk.do(CANCEL)
    assert desk.do(CANCEL).changes == ()
    assert desk_with(todo(status=TodoStatus.DONE)).no(CANCEL).code == "todo-closed"


def test_who_waits_for_cancelled_work_is_named() -> None:
    desk = desk_with(todo(), todo(T2, "Draft", depends_on=(T1,)))
    done = desk.do(CANCEL)
    assert [each.code for each in done.notices] == ["dependency-dead"] and T2 in done.notices[0].message


@pytest.mark.parametrize("actor", [BOT, REX])
def test_only_a_person_reopens(actor: Any) -> None:
    desk = desk_with(todo(status=TodoStatus.DONE))
    assert desk.no(ReopenTodo(todo=T1, reason="x"), actor).code == "actor-not-permitted"


def test_reopening_marks_the_completion_as_undone() -> None:
    desk = desk_with(todo())
    desk.do(CompleteTodo(todo=T1))
    desk.wait(hours=1)
    desk.do(ReopenTodo(todo=T1, reason="a chapter is missing"))
    (log,) = desk.records(Kind.COMPLETION)
    assert log.entries[0].reopened_at == desk.now and not log.entries[0].stands
    assert desk.todo().status is TodoStatus.OPEN


def test_reopening_needs_a_reason_and_something_closed() -> None:
    desk = desk_with(todo(), todo(T2, "Draft", status=TodoStatus.BLOCKED))
    assert desk.no(ReopenTodo(todo=T1, reason=" ")).code == "reason-missing"
    assert desk.do(ReopenTodo(todo=T1, reason="x")).changes == ()
    desk.no(ReopenTodo(todo=T2, reason="x"))


def test_nothing_is_reopened_in_a_closed_goal() -> None:
    desk = Desk.of(goal(status=GoalStatus.CLOSED), todo(status=TodoStatus.DONE))
    assert desk.no(ReopenTodo(todo=T1, reason="x")).code == "goal-closed"


def test_reopening_replaced_work_unlinks_it() -> None:
    desk = desk_with(todo(requires=(DEPLOY,)), todo(T2, "Draft"))
    desk.do(SupersedeTodo(todo=T1, by=(T2,)))
    desk.do(ReopenTodo(todo=T1, reason="both are needed"))
    assert desk.todo().superseded_by == () and desk.todo(T2).supersedes == ()
    assert desk.todo(T2).requires == (DEPLOY,)


def test_reopening_that_would_close_a_circle_is_refused() -> None:
    replaced = todo(status=TodoStatus.SUPERSEDED, superseded_by=(T3,), depends_on=(T2,))
    desk = desk_with(replaced, todo(T2, "Draft", depends_on=(T1,)), todo(T3, "Review"))
    assert desk.no(ReopenTodo(todo=T1, reason="x")).code == "dependency-cycle"
