"""How a Goal ends: on a clean audit, given up by a person, and taken up again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loopx.kernel.commands import (
    AddProposal,
    AddTodo,
    CancelTodo,
    CloseGoal,
    Command,
    CompleteTodo,
    CreateHandoff,
    EditGoal,
    MeetCriterion,
    NewGoal,
    OpenEffect,
    OpenGate,
    OpenTurn,
    ReleaseLease,
    ReopenGoal,
    ReopenTodo,
    SetGoalStatus,
    SettleEffect,
    SetVision,
    VoidTurn,
    WaiveCriterion,
)
from loopx.kernel.ending import standing_closure
from loopx.kernel.rollback import mark_rolled_back
from loopx.model.closure import Closure, ClosureLog
from loopx.model.effect import EffectStatus
from loopx.model.goal import GoalOutcome, GoalStatus
from loopx.model.kind import Kind
from loopx.model.todo import Priority, TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, BOT, G1, T1, T2, Desk, config, criterion, edited, facts, gate, goal, todo
from tests.unit.kernel.endings import effect, handoff, lease, monitor, polled, turn

ACHIEVED = CloseGoal(goal="beta", outcome="achieved")
NO_FOLLOWUP = CloseGoal(goal="beta", outcome="no_followup", reason="The trial showed that nobody wants it")
ABANDONED = CloseGoal(goal="beta", outcome="abandoned", reason="The budget went elsewhere")
REOPEN = ReopenGoal(goal="beta", reason="A customer came back")
EFFECT = effect(EffectStatus.UNKNOWN, "The listing is public", readback="shop status")


def finished(*more: Any) -> Desk:
    """A Goal whose one criterion a person saw met, and whose one Todo is done."""
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(), *more)
    desk.do(CompleteTodo(todo=T1))
    desk.do(MeetCriterion(goal="beta", criterion="a1", evidence=("I counted them",)))
    return desk


def closure(desk: Desk) -> Closure:
    [log] = desk.records(Kind.CLOSURE)
    assert isinstance(log, ClosureLog)
    return log.entries[-1]


# achieved, and nothing to follow -------------------------------------------------------------------


@pytest.mark.parametrize("actor", [ANN, BOT])
def test_a_goal_whose_audit_is_clean_is_closed_by_a_person_or_an_agent(actor: Any) -> None:
    desk = finished()
    done = desk.do(ACHIEVED, actor, op="op-end")
    ended = desk.goal()
    assert (ended.status, ended.outcome) == (GoalStatus.CLOSED, GoalOutcome.ACHIEVED)
    found = closure(desk)
    assert (found.outcome, found.by, found.operation, found.at) == ("achieved", str(actor), "op-end", desk.now)
    assert [each.count for each in found.basis] == [0] * 15
    assert found.basis[0].name == "open_todos"
    assert done.headline == 'goal: close beta "Ship the beta"'
    assert facts(done)["outcome"] == "achieved"
    assert standing_closure(desk.state, "beta") == found


def test_a_refusal_to_close_names_every_line_in_the_way_and_the_first_next_step() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo(), todo(T2, "Record the demo"), gate())
    refused = desk.no(ACHIEVED)
    assert refused.code == "goal-not-closable"
    assert "open todos 2 (t-aaaa1111); unresolved blocking gates 1 (g-aaaa1111)" in refused.message
    assert refused.facts["failing"] == {"open_todos": 2, "unresolved_blocking_gates": 1, "acceptance_gaps": 1}
    assert f"loopx todo done {T1}" in refused.hint and "loopx goal audit beta" in refused.hint
    assert desk.goal().status is GoalStatus.ACTIVE and desk.records(Kind.CLOSURE) == []


def test_a_refusal_stays_small_however_much_is_in_the_way() -> None:
    long = "x" * 900
    everything = [todo(f"t-{number:08}", f"{long}{number}") for number in range(500)]
    outside = (effect(EffectStatus.UNKNOWN, long, long), turn(), handoff(), lease(), monitor(T2))
    desk = Desk.of(goal(acceptance=(criterion(text=long),)), *everything, *outside, gate(question=long))
    refused = desk.no(ACHIEVED)  # the desk measures it
    assert refused.code == "goal-not-closable" and "open todos 500" in refused.message


def test_nothing_to_follow_needs_a_reason_and_keeps_it() -> None:
    desk = finished()
    assert desk.no(CloseGoal(goal="beta", outcome="no_followup")).code == "reason-missing"
    desk.do(NO_FOLLOWUP)
    assert desk.goal().outcome is GoalOutcome.NO_FOLLOWUP
    assert closure(desk).reason == desk.goal().reason == NO_FOLLOWUP.reason


def test_nothing_to_follow_is_no_way_round_the_audit() -> None:
    assert Desk.of(goal(), todo()).no(NO_FOLLOWUP).code == "goal-not-closable"


def test_a_goal_nobody_gave_criteria_is_not_achieved_by_an_empty_list() -> None:
    desk = Desk.of(goal(), todo())
    desk.do(CompleteTodo(todo=T1))
    refused = desk.no(ACHIEVED)
    assert refused.code == "goal-not-achieved" and "no acceptance criteria" in refused.message
    desk.do(NO_FOLLOWUP)


def test_waiving_every_criterion_is_no_achievement() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)))
    desk.do(WaiveCriterion(goal="beta", criterion="a1", reason="no need"))
    assert "all its criteria are waived" in desk.no(ACHIEVED).message
    desk.do(NO_FOLLOWUP)


def test_Q08_many_small_completions_do_not_hide_an_unmet_goal() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), *(todo(f"t-aaaa111{number}", f"W {number}") for number in range(6)))
    for number in range(6):
        desk.do(CompleteTodo(todo=f"t-aaaa111{number}"), BOT)
    assert desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=("It is there",)), BOT).code == (
        "criterion-evidence-insufficient"
    )
    refused = desk.no(ACHIEVED, BOT)
    assert refused.facts["failing"] == {"acceptance_gaps": 1, "replan_obligations": 1}


@pytest.mark.parametrize("status", [GoalStatus.DRAFT, GoalStatus.PAUSED, GoalStatus.STOPPED])
@pytest.mark.parametrize("command", [ACHIEVED, NO_FOLLOWUP])
def test_pausing_or_stopping_is_no_completion(status: GoalStatus, command: CloseGoal) -> None:
    refused = Desk.of(goal(status=status)).no(command)
    assert refused.code == "transition-illegal" and "which is no end" in refused.message
    assert "loopx goal activate beta" in refused.hint


def test_an_end_nobody_knows_is_refused() -> None:
    refused = Desk.of(goal()).no(CloseGoal(goal="beta", outcome="finished"))
    assert refused.code == "field-value" and "no_followup" in refused.hint


def test_closing_ends_the_monitors_that_only_watch_and_no_other() -> None:
    watching = (monitor(T2, watch_only=True), replace(polled(), todo=T2))
    desk = finished(*watching)
    done = desk.do(ACHIEVED, BOT)
    assert facts(done)["retired"] == [T2]
    assert desk.todo(T2).status is TodoStatus.CANCELLED
    assert desk.todo(T2).reason == "Watching ended with the Goal, which was closed as achieved."


def test_saying_again_that_it_ended_changes_nothing_and_another_end_is_refused() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    again = desk.do(ACHIEVED)
    assert again.changes == () and facts(again)["already"] is True
    assert desk.no(NO_FOLLOWUP).code == "transition-illegal"
    assert desk.no(ABANDONED).code == "transition-illegal"


def test_a_closed_goal_takes_no_work_and_no_judgement() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    assert desk.no(MeetCriterion(goal="beta", criterion="a1", evidence=("again",))).code == "goal-closed"
    assert desk.no(ReopenTodo(todo=T1, reason="not done")).code == "goal-closed"
    assert desk.no(SetGoalStatus(goal="beta", verb="activate", to=GoalStatus.ACTIVE)).code == "transition-illegal"


@pytest.mark.parametrize(
    "command",
    [
        AddTodo(goal="beta", title="More"),
        OpenGate(goal="beta", scope="other:goal:x", question="May it?"),
        OpenEffect(goal="beta", summary="Post it"),
        CreateHandoff(goal="beta", next_action="Go on"),
        AddProposal(goal="beta", title="Another way"),
        OpenTurn(goal="beta", todo=T1),
        SetVision(goal="beta", agent="bot", summary="On we go"),
        EditGoal(goal="beta", add_acceptance=("It is quick",)),
        ReopenTodo(todo=T1, reason="not done"),
    ],
    ids=lambda each: each.name,
)
def test_nothing_is_opened_in_a_goal_that_has_ended(command: Command) -> None:
    desk = finished()
    desk.do(ACHIEVED)
    before = list(desk.entities)
    assert desk.no(command).code in ("goal-closed", "effect-not-now")
    assert desk.entities == before


def test_the_words_of_a_goal_that_has_ended_may_still_be_mended() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    desk.do(EditGoal(goal="beta", fields={"title": "Ship the beta, at last"}))
    more = (*desk.goal().acceptance, criterion("a2", "It is quick"))
    assert desk.mistyped(desk.goal(), edited(desk.goal(), acceptance=more)).code == "goal-closed"


def test_what_was_done_outside_is_still_settled_after_a_goal_was_given_up() -> None:
    desk = Desk.of(goal(), goal("gamma"), EFFECT, turn(), lease(), todo())
    desk.do(replace(ABANDONED, compensations=("Take the listing down",), compensate_in="gamma"))
    desk.do(SettleEffect(effect="x-aaaa1111", status="confirmed", evidence=("It is listed",)))
    desk.do(SettleEffect(effect="x-aaaa1111", status="compensated", evidence=("It was taken down",)))
    desk.do(VoidTurn(turn="turn-aaaa1111", reason="the Goal was given up"))
    desk.do(ReleaseLease(todo=T1, reason="the Goal was given up"))
    desk.do(CancelTodo(todo=T1, reason="the Goal was given up"))


def test_only_a_goal_that_is_given_up_leaves_anything_to_others() -> None:
    desk = finished(goal("gamma"))
    refused = desk.no(replace(ACHIEVED, compensations=("Look",), compensate_in="gamma"))
    assert refused.code == "field-value" and refused.facts["field"] == "compensations"


# given up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [each for each in GoalStatus if each is not GoalStatus.CLOSED])
def test_a_person_gives_a_goal_up_wherever_it_stands_and_what_stays_open_is_listed(status: GoalStatus) -> None:
    desk = Desk.of(goal(status=status, acceptance=(criterion(),)), todo(), gate(), lease())
    done = desk.do(ABANDONED)
    assert (desk.goal().status, desk.goal().outcome) == (GoalStatus.CLOSED, GoalOutcome.ABANDONED)
    found = closure(desk)
    assert found.reason == ABANDONED.reason
    named = ("t-aaaa1111 Write the guide", "g-aaaa1111 May it go live?", "a1 Ten people use it")
    assert found.left_open[:3] == named
    assert {each.name: each.count for each in found.basis if each.count} == {
        "open_todos": 1,
        "unresolved_blocking_gates": 1,
        "acceptance_gaps": 1,
        "live_leases": 1,
    }
    assert desk.todo().status is TodoStatus.OPEN
    assert facts(done)["left_open"] == len(found.left_open)


def test_an_agent_never_gives_a_goal_up() -> None:
    assert Desk.of(goal()).no(ABANDONED, BOT).code == "actor-not-permitted"
    assert Desk.of(goal(), config(operators=["Ben"])).no(ABANDONED, ANN).code == "operator-required"
    Desk.of(goal(), config(operators=["Ben"])).do(ABANDONED, BEN)


def test_giving_up_needs_a_reason() -> None:
    assert Desk.of(goal()).no(replace(ABANDONED, reason=None)).code == "reason-missing"


@pytest.mark.parametrize("unsettled", [EFFECT, effect(EffectStatus.CONFIRMED, "The listing is public")])
def test_a_goal_with_unsettled_effects_is_given_up_only_with_somebody_to_make_them_good(unsettled: Any) -> None:
    desk = Desk.of(goal(), goal("gamma"), unsettled)
    refused = desk.no(ABANDONED)
    assert refused.code == "compensation-required" and refused.facts["effects"] == ["x-aaaa1111"]
    done = desk.do(replace(ABANDONED, compensations=("Take the listing down",), compensate_in="gamma"))
    [made] = list(desk.state.todos("gamma"))
    assert (made.title, made.priority) == ("Take the listing down", Priority.P1)
    assert "x-aaaa1111 Publish" in made.body and "re-read: The listing is public" in made.body
    assert "Accepted by: human:Ann" in made.body
    assert facts(done)["compensations"] == [made.id] == list(closure(desk).compensations)
    assert {each.split(" ")[0] for each in closure(desk).left_open} <= {"x-aaaa1111", "x-aaaa1111#1"}
    after = desk.state.effect("x-aaaa1111")
    assert after is not None and after.compensation == made.id
    assert after.status is unsettled.status  # what happened stays as it is known


@pytest.mark.parametrize(
    "settled",
    [effect(EffectStatus.ABSENT, "x"), effect(EffectStatus.COMPENSATED, "x"), effect(EffectStatus.CONFIRMED)],
)
def test_settled_effects_are_in_nobodys_way(settled: Any) -> None:
    Desk.of(goal(), settled).do(ABANDONED)


def test_what_makes_good_goes_to_another_goal_that_takes_work() -> None:
    desk = Desk.of(goal(), goal("gamma", status=GoalStatus.STOPPED), EFFECT)
    for where, code in [
        (None, "field-missing"),
        ("beta", "field-value"),
        ("gamma", "goal-closed"),
        ("x", "goal-unknown"),
    ]:
        assert desk.no(replace(ABANDONED, compensations=("Look",), compensate_in=where)).code == code
    assert desk.no(replace(ABANDONED, compensations=(" ",), compensate_in="beta")).code == "field-missing"


def test_a_person_may_add_what_makes_good_although_nothing_is_unsettled() -> None:
    desk = Desk.of(goal(), goal("gamma"), effect(EffectStatus.CONFIRMED))
    desk.do(replace(ABANDONED, compensations=("Tell the press", "Tell the press "), compensate_in="gamma"))
    [made] = desk.state.todos("gamma")
    assert "x-aaaa1111 Publish (confirmed)" in made.body


def test_giving_up_ends_monitors_that_only_watch_and_does_not_list_them() -> None:
    desk = Desk.of(goal(), monitor(watch_only=True), monitor(T2, title="Watch for orders"))
    desk.do(ABANDONED)
    assert desk.todo(T1).status is TodoStatus.CANCELLED and desk.todo(T2).status is TodoStatus.OPEN
    assert [each.split(" ")[0] for each in closure(desk).left_open] == [T2]


# taken up again --------------------------------------------------------------------------------------


def test_reopening_is_a_persons_decision_with_a_reason_and_the_entry_stays() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    assert desk.no(REOPEN, BOT).code == "actor-not-permitted"
    assert desk.no(replace(REOPEN, reason=" ")).code == "reason-missing"
    desk.wait(days=3)
    desk.do(REOPEN)
    assert (desk.goal().status, desk.goal().outcome, desk.goal().reason) == (GoalStatus.ACTIVE, None, None)
    found = closure(desk)
    assert (found.reopened_at, found.reopened_by, found.reopen_reason) == (desk.now, "human:Ann", REOPEN.reason)
    assert not found.stands and standing_closure(desk.state, "beta") is None
    again = desk.do(REOPEN)
    assert facts(again)["already"] is True and again.changes == ()


def test_every_end_of_a_goal_is_kept() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    desk.do(REOPEN)
    desk.do(NO_FOLLOWUP)
    [log] = desk.records(Kind.CLOSURE)
    assert [(each.outcome, each.stands) for each in log.entries] == [("achieved", False), ("no_followup", True)]


@pytest.mark.parametrize("status", [GoalStatus.DRAFT, GoalStatus.PAUSED, GoalStatus.STOPPED])
def test_only_what_is_closed_is_reopened(status: GoalStatus) -> None:
    assert Desk.of(goal(status=status)).no(REOPEN).code == "transition-illegal"


def test_a_goal_that_reads_closed_and_has_no_record_can_be_reopened() -> None:
    desk = Desk.of(goal(status=GoalStatus.CLOSED, outcome=GoalOutcome.ACHIEVED))
    desk.do(REOPEN)
    assert desk.goal().status is GoalStatus.ACTIVE


# by hand, and by a rollback ----------------------------------------------------------------------------


def test_Q02_an_end_typed_by_hand_ends_nothing() -> None:
    desk = finished()
    before = desk.goal()
    refused = desk.mistyped(before, edited(before, status=GoalStatus.CLOSED))
    assert (refused.code, refused.hint) == ("field-by-command", "Use `loopx goal close beta`.")
    refused = desk.mistyped(before, edited(before, outcome=GoalOutcome.ACHIEVED))
    assert refused.code == "field-machine-owned"
    assert desk.mistyped(None, goal("gamma", status=GoalStatus.CLOSED)).code == "transition-illegal"


def test_a_closed_goal_is_not_reopened_by_hand() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    before = desk.goal()
    refused = desk.mistyped(before, edited(before, status=GoalStatus.ACTIVE))
    assert (refused.code, refused.hint) == ("field-by-command", "Use `loopx goal reopen beta`.")


def test_a_goal_that_ended_is_not_deleted() -> None:
    desk = Desk.of(goal())
    desk.do(NO_FOLLOWUP)
    assert desk.mistyped(desk.goal(), None).code == "document-closed"


def test_a_rollback_marks_the_ends_made_since() -> None:
    desk = finished()
    desk.do(ACHIEVED)
    [log] = desk.records(Kind.CLOSURE)
    marked = mark_rolled_back(log, since=START, at=desk.now, operation="op-back")
    assert not marked.entries[0].stands and marked.entries[0].rolled_back_by == "op-back"
    kept = mark_rolled_back(log, since=START, at=desk.now, operation="op-back", kept={log.entries[0].operation})
    assert kept == log


def test_a_draft_an_agent_proposed_can_be_given_up() -> None:
    desk = Desk.of()
    desk.do(NewGoal(goal="beta", title="Ship", draft=True), BOT)
    desk.do(ABANDONED)
    assert desk.goal().status is GoalStatus.CLOSED


def test_cancelling_all_work_leaves_the_acceptance_open() -> None:
    desk = Desk.of(goal(acceptance=(criterion(),)), todo())
    desk.do(CancelTodo(todo=T1, reason="to look finished"))
    assert desk.no(NO_FOLLOWUP).facts["failing"] == {"acceptance_gaps": 1, "replan_obligations": 1}


def test_the_gate_in_the_way_is_named() -> None:
    assert G1 in finished(gate()).no(ACHIEVED).message
