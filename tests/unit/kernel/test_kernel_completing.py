"""Finishing Todos: guards in order, validation, what follows, and the record of it."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import (
    CancelTodo,
    CompleteTodo,
    DecideGate,
    EditGoal,
    EditTodo,
    ReopenTodo,
    SupersedeTodo,
)
from loopx.kernel.digest import validation_inputs
from loopx.kernel.support import unvalidated
from loopx.model.actor import Channel
from loopx.model.kind import Kind
from loopx.model.records import CompletionContinuation, EvidenceKind, EvidenceResult
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.model.workspace import Ownership
from tests.support.kernel import (
    ANN,
    BOT,
    E1,
    G1,
    PYTEST,
    REX,
    T1,
    T2,
    T3,
    T4,
    Desk,
    config,
    criterion,
    edited,
    evidence,
    facts,
    gate,
    goal,
    todo,
)

DONE = CompleteTodo(todo=T1)
DEPLOY = "production:goal:deploy"


def desk_with(*entities: Any) -> Desk:
    return Desk.of(goal(acceptance=(criterion(),)), *entities)


def with_result(desk: Desk, result: EvidenceResult = EvidenceResult.PASSED, **fields: Any) -> CompleteTodo:
    inputs = validation_inputs(desk.todo(), desk.goal())
    return CompleteTodo(todo=T1, evidence=evidence(result=result, inputs=inputs, **fields))


def test_done_is_recorded_with_who_when_and_what_goes_on() -> None:
    desk = desk_with(todo())
    done = desk.do(CompleteTodo(todo="t-aaaa", note="took a day"), BOT)
    assert desk.todo().status is TodoStatus.DONE
    log = desk.state.completions(T1)
    assert log is not None
    (completion,) = log.entries
    assert (completion.at, completion.by, completion.operation) == (desk.now, "agent:bot", "op-0001")
    assert completion.continuation is CompletionContinuation.GOAL_ACTIVE and not completion.validated
    assert done.headline == f'todo: done {T1} "Write the guide"'
    assert done.body == "took a day\nNot validated."
    assert facts(done) == {"id": T1, "already": False, "validated": False, "successors": []}


def test_done_twice_is_no_error_and_no_second_record() -> None:
    desk = desk_with(todo())
    desk.do(DONE, BOT)
    again = desk.do(DONE, REX)
    assert again.changes == () and facts(again)["already"] is True


@pytest.mark.parametrize("status", [TodoStatus.BLOCKED, TodoStatus.DEFERRED])
def test_what_is_put_aside_is_resumed_before_it_is_done(status: TodoStatus) -> None:
    refused = desk_with(todo(status=status)).no(DONE)
    assert refused.code == "todo-not-open" and "loopx todo resume" in refused.problem.hint


@pytest.mark.parametrize("status", [TodoStatus.SUPERSEDED, TodoStatus.CANCELLED])
def test_what_was_closed_otherwise_is_not_done(status: TodoStatus) -> None:
    refused = desk_with(todo(status=status)).no(DONE)
    assert refused.code == "todo-closed" and "reopen" in refused.problem.hint


def test_anothers_claim_and_an_exclusion_stand_in_the_way() -> None:
    assert desk_with(todo(claimed_by="rex")).no(DONE, BOT).code == "todo-claimed"
    assert desk_with(todo(claimed_by="rex")).no(DONE, ANN).code == "todo-claimed"
    assert desk_with(todo(excluded_agents=("bot",))).no(DONE, BOT).code == "agent-excluded"
    desk_with(todo(claimed_by="bot")).do(DONE, BOT)


def test_where_the_policy_asks_for_a_claim_done_needs_it() -> None:
    policy = config(ownership=Ownership.CLAIM)
    assert desk_with(policy, todo()).no(DONE, BOT).code == "claim-required"
    desk_with(policy, todo(claimed_by="bot")).do(DONE, BOT)
    desk_with(policy, todo(claimed_by="human-ann")).do(DONE, ANN)


@pytest.mark.parametrize(
    "command", [DONE, SupersedeTodo(todo=T1, by=("x",)), CancelTodo(todo=T1, reason="x")], ids=lambda each: each.name
)
def test_Q07_where_the_policy_asks_for_a_lease_nothing_passes_for_one(command: Any) -> None:
    desk = desk_with(config(ownership=Ownership.LEASE), todo(claimed_by="bot"))
    refused = desk.no(command, BOT)
    assert refused.code == "lease-required" and f"loopx lease acquire {T1}" in refused.hint


def test_where_the_policy_asks_for_a_lease_an_operator_still_cancels() -> None:
    desk_with(config(ownership=Ownership.LEASE), todo(claimed_by="bot")).do(CancelTodo(todo=T1, reason="x"), ANN)


def test_dependencies_come_first_and_are_named() -> None:
    desk = desk_with(todo(depends_on=(T2, T3)), todo(T2, "Draft", status=TodoStatus.DONE), todo(T3, "Review"))
    refused = desk.no(DONE)
    assert refused.code == "dependency-unmet" and refused.facts["unmet"] == [T3]
    desk.do(CompleteTodo(todo=T3))
    desk.do(DONE)


def test_a_replaced_dependency_is_followed_to_what_replaced_it() -> None:
    replaced = todo(T2, "Draft", status=TodoStatus.SUPERSEDED, superseded_by=(T3, T4))
    desk = desk_with(todo(depends_on=(T2,)), replaced, todo(T3, "One"), todo(T4, "Two"))
    desk.do(CompleteTodo(todo=T3))
    refused = desk.no(DONE)
    assert refused.facts["unmet"] == [T4] and f"replaced {T2}" in refused.message
    desk.do(CompleteTodo(todo=T4))
    desk.do(DONE)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (todo(T2, "Draft", status=TodoStatus.CANCELLED), "was cancelled"),
        (todo(T2, "Watch", todo_class=TodoClass.MONITOR), "standing monitor"),
        (todo(T2, "Draft", depends_on=(T1,)), "waits for this Todo"),
        (todo(T3, "Other"), "There is no Todo"),
    ],
)
def test_B14_a_dependency_that_never_comes_says_so(other: Any, said: str) -> None:
    refused = desk_with(todo(depends_on=(T2,)), other).no(DONE)
    assert refused.code == "dependency-unmet" and said in refused.message


def test_a_required_decision_must_have_been_approved() -> None:
    desk = desk_with(todo(requires=(DEPLOY,)))
    refused = desk.no(DONE)
    assert refused.code == "gate-required" and refused.facts["scope"] == DEPLOY
    assert f"loopx gate open --goal beta --scope {DEPLOY}" in refused.hint


def test_a_decision_asked_for_is_waited_for_by_name() -> None:
    desk = desk_with(todo(requires=(DEPLOY,)), gate())
    refused = desk.no(DONE)
    assert refused.code == "gate-pending" and refused.facts["gate"] == G1
    desk.do(DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.TERMINAL))
    desk.do(DONE, BOT)


def test_a_rejection_covers_nothing_and_is_named() -> None:
    desk = desk_with(todo(requires=(DEPLOY,)), gate())
    desk.do(DecideGate(gate=G1, verb="reject", reason="not yet", channel=Channel.TERMINAL))
    refused = desk.no(DONE)
    assert refused.code == "gate-required" and "It was rejected by human:Ann" in refused.message


def test_a_declared_validation_must_pass_first() -> None:
    desk = desk_with(todo(validation=PYTEST))
    refused = desk.no(DONE)
    assert refused.code == "validation-required" and "pytest -q" in refused.message
    done = desk.do(with_result(desk), BOT)
    assert facts(done)["validated"] is True and done.body == f"Validated by {E1}."
    assert desk.state.evidence(E1) is not None
    assert desk.state.completions(T1).entries[0].evidence == (E1,)  # type: ignore[union-attr]


def test_everything_else_is_refused_before_a_validation_is_asked_for() -> None:
    desk = desk_with(todo(validation=PYTEST, requires=(DEPLOY,), depends_on=(T2,)), todo(T2, "Draft"))
    assert desk.no(DONE).code == "dependency-unmet"
    assert desk.no(CompleteTodo(todo=T1, successors=("x",), no_follow_up="y")).code == "dependency-unmet"


@pytest.mark.parametrize(
    ("result", "code", "exit"),
    [
        (EvidenceResult.FAILED, "validation-failed", 5),
        (EvidenceResult.UNAVAILABLE, "validation-unavailable", 4),
        (EvidenceResult.TIMED_OUT, "validation-timed-out", 5),
        (EvidenceResult.NOTED, "validation-required", 1),
    ],
)
def test_a_validation_that_did_not_pass_finishes_nothing(result: EvidenceResult, code: str, exit: int) -> None:
    desk = desk_with(todo(validation=PYTEST))
    refused = desk.no(with_result(desk, result, summary="3 failed"))
    assert (refused.code, refused.problem.exit) == (code, exit)
    assert "3 failed" in refused.message
    assert desk.todo().status is TodoStatus.OPEN


def test_evidence_of_another_kind_is_no_validation() -> None:
    desk = desk_with(todo(validation=PYTEST))
    assert desk.no(with_result(desk, kind=EvidenceKind.OBSERVATION)).code == "validation-required"


@pytest.mark.parametrize(
    "change",
    [
        EditTodo(todo=T1, fields={"validation": {"argv": ["true"]}}),
        EditTodo(todo=T1, fields={"validation": None}),
        EditTodo(todo=T1, add={"acceptance": ("a1",)}),
        EditTodo(todo=T1, fields={"validation": {"argv": ["pytest", "-q"], "timeout_seconds": 5}}),
    ],
)
def test_what_a_validation_rests_on_may_not_change_while_it_runs(change: EditTodo) -> None:
    desk = desk_with(todo(validation=PYTEST))
    command = with_result(desk)
    desk.do(change)
    refused = desk.no(command)
    assert (refused.code, refused.problem.exit) == ("revision-conflict", 3)


def test_the_text_of_a_criterion_it_advances_counts_among_what_it_rests_on() -> None:
    desk = desk_with(todo(validation=PYTEST, acceptance=("a1",)))
    command = with_result(desk)
    desk.do(EditGoal(goal="beta", fields={"acceptance": [{"id": "a1", "text": "Everybody uses it"}]}))
    assert desk.no(command).code == "revision-conflict"


def test_typing_in_title_and_body_meanwhile_is_no_conflict() -> None:
    desk = desk_with(todo(validation=PYTEST))
    command = with_result(desk)
    desk.do(EditTodo(todo=T1, fields={"title": "Write it", "priority": "p0"}, body="notes"))
    desk.do(command)


def test_a_validation_of_another_todo_does_not_count() -> None:
    desk = desk_with(todo(validation=PYTEST))
    assert desk.no(with_result(desk, subject=T2)).code == "revision-conflict"


def test_successors_are_made_or_linked_and_take_over_priority_and_criteria() -> None:
    before = todo(priority=Priority.P0, acceptance=("a1", "gone"), requires=(), tags=("x",))
    desk = desk_with(before, todo(T2, "Draft"))
    done = desk.do(CompleteTodo(todo=T1, successors=("Translate it", T2, "translate  IT", "Draft")))
    made = next(each for each in desk.state.todos() if each.title == "Translate it")
    assert facts(done)["successors"] == [made.id, T2]
    assert (made.priority, made.acceptance, made.goal) == (Priority.P0, ("a1",), "beta")
    assert desk.todo().successors == (made.id, T2)
    assert desk.records(Kind.COMPLETION)[0].entries[0].continuation is CompletionContinuation.SUCCESSOR
    assert f"Carried on by {made.id}, {T2}." in done.body


def test_a_successor_that_is_nowhere_or_itself_is_refused() -> None:
    desk = desk_with(todo())
    assert desk.no(CompleteTodo(todo=T1, successors=("t-zzzz9999",))).code == "todo-unknown"
    assert desk.no(CompleteTodo(todo=T1, successors=(T1,))).code == "completion-contradiction"
    assert desk.no(CompleteTodo(todo=T1, successors=(" ",))).code == "field-missing"


def test_a_successor_of_the_same_title_is_another_todo() -> None:
    desk = desk_with(todo())
    done = desk.do(CompleteTodo(todo=T1, successors=("Write the guide",)))
    assert facts(done)["successors"] != [T1]


def test_that_nothing_follows_is_recorded_with_its_reason() -> None:
    desk = desk_with(todo())
    done = desk.do(CompleteTodo(todo=T1, no_follow_up="the guide is complete"))
    (log,) = desk.records(Kind.COMPLETION)
    assert log.entries[0].continuation is CompletionContinuation.NO_FOLLOWUP
    assert "Nothing follows: the guide is complete" in done.body


@pytest.mark.parametrize(
    "command",
    [
        CompleteTodo(todo=T1, successors=("x",), no_follow_up="y"),
        CompleteTodo(todo=T1, successors=("x",), goal_continues=True),
        CompleteTodo(todo=T1, no_follow_up="y", goal_continues=True),
    ],
)
def test_what_follows_is_said_in_one_way(command: CompleteTodo) -> None:
    assert desk_with(todo()).no(command).code == "completion-contradiction"


def test_nothing_follows_needs_a_reason() -> None:
    assert desk_with(todo()).no(CompleteTodo(todo=T1, no_follow_up=" ")).code == "reason-missing"


def test_a_todo_done_on_somebodys_word_is_unvalidated() -> None:
    desk = desk_with(todo(), todo(T2, "Draft", validation=PYTEST))
    assert not unvalidated(desk.state, desk.todo())
    desk.do(DONE)
    assert unvalidated(desk.state, desk.todo())
    inputs = validation_inputs(desk.todo(T2), desk.goal())
    desk.do(CompleteTodo(todo=T2, evidence=evidence(subject=T2, inputs=inputs)))
    assert not unvalidated(desk.state, desk.todo(T2))


def test_Q07_done_without_any_record_of_it_is_shown_unvalidated() -> None:
    desk = desk_with(todo(status=TodoStatus.DONE))
    assert unvalidated(desk.state, desk.todo())


def test_done_again_after_reopening_adds_a_second_record() -> None:
    desk = desk_with(todo())
    desk.do(DONE)
    desk.do(ReopenTodo(todo=T1, reason="a chapter is missing"))
    assert desk.todo().reason == "a chapter is missing"
    desk.do(DONE)
    (log,) = desk.records(Kind.COMPLETION)
    assert [each.stands for each in log.entries] == [False, True]
    assert desk.todo() == edited(todo(), status=TodoStatus.DONE, claimed_by="human-ann", claimed_at=desk.now)
