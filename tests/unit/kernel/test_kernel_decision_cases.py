"""Failures that users of such tools reported, tried on the decision: ends, fairness, honest reasons, bounded size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from loopx.kernel.commands import CloseGoal, CompleteTodo, MeetCriterion, OpenTurn, PollMonitor, ReopenGoal, SettleTurn
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.plain import decision_facts, envelope_facts, size_of
from loopx.kernel.decision.record import Decision, Mode
from loopx.kernel.decision.watching import LOOKS_IN_A_ROW
from loopx.model.goal import Boundary, GoalPolicies, GoalStatus
from loopx.model.todo import Priority, TodoStatus
from loopx.model.turn import DeliveryOutcome, Scale
from tests.support.kernel import ANN, BOT, PYTEST, T1, T2, Desk, criterion, edited, evidence, gate
from tests.unit.kernel.deciding import (
    M1,
    beta,
    decided,
    desk,
    effect,
    hours,
    looked_at,
    monitor,
    on,
    settled,
    turn,
    work,
)

NO_FLOOR = GoalPolicies(outcome_floor_turns=0, replan_after_turns=0, replan_after_unchanged_polls=0)


def test_Q01_a_finished_goal_calls_nobody_any_more_until_it_is_reopened() -> None:
    here = desk(beta(), work())
    here.do(CompleteTodo(todo=T1, no_follow_up="that was all"), ANN)
    here.do(MeetCriterion(goal="beta", criterion="a1", evidence=("I saw ten of them",)), ANN)
    assert on(here).mode is Mode.CLOSE_OUT
    here.do(CloseGoal(goal="beta", outcome="achieved"), BOT)
    for _ in range(20):
        found = on(here)
        assert (found.mode, found.channel.must_attempt, found.cli.spend_allowed) == (Mode.TERMINAL, False, False)
        assert found.cli.commands == () and not found.user.notify
        here.wait(hours=7)
    here.do(ReopenGoal(goal="beta", reason="a customer came back"), ANN)
    assert on(here).mode is not Mode.TERMINAL


def test_Q02_a_goal_typed_closed_is_refused_and_one_that_reads_closed_without_an_end_is_a_contradiction() -> None:
    here = desk(beta(), work())
    here.mistyped(here.goal(), edited(here.goal(), status=GoalStatus.CLOSED))
    assert on(here).mode is Mode.DELIVER
    found = decided(beta(status=GoalStatus.CLOSED), work())
    assert (found.mode, found.reason) == (Mode.SELF_REPAIR, "closure-missing")


def ticks(here: Desk, count: int) -> Iterator[str]:
    """What bot is told at each of so many ticks a minute apart, doing it each time."""
    for _ in range(count):
        found = on(here)
        assert found.selected is not None
        yield found.mode.value
        if found.mode is Mode.OBSERVE:
            here.do(PollMonitor(todo=found.selected.id, target="https://example.org/ci", seen="green"), BOT)
        elif found.selected.kind == "todo":
            here.do(OpenTurn(goal="beta", todo=found.selected.id), BOT)
        else:
            said = {"scale": Scale.TEST_ONLY, "outcome": DeliveryOutcome.SURFACE_ONLY}
            here.do(SettleTurn(goal="beta", turn=found.selected.id, **said), BOT)
        here.wait(minutes=1)


@pytest.mark.parametrize("cadence", ["1m", "10m", "1h"])
def test_Q03_many_due_monitors_leave_room_for_work_within_a_stated_bound(cadence: str) -> None:
    watched = [monitor(f"t-m{number:05}x", priority=Priority.P0, cadence=cadence) for number in range(18)]
    here = desk(beta(policies=NO_FLOOR), work(), work(T2), *watched, now=hours(48))
    modes = list(ticks(here, 30))
    looks = "".join("o" if each == "observe" else "w" for each in modes)
    assert max(map(len, looks.split("w"))) == LOOKS_IN_A_ROW
    assert looks.count("w") >= 30 // (LOOKS_IN_A_ROW + 2)


def test_Q03_work_leaves_room_for_due_monitors_too() -> None:
    here = desk(beta(policies=NO_FLOOR), work(), monitor(priority=Priority.P0, cadence="1m"), now=hours(48))
    modes = list(ticks(here, 12))
    assert "observe" in modes and "deliver" in modes


def test_Q04_blocked_work_is_never_told_as_if_only_monitors_were_left() -> None:
    blocked = work(status=TodoStatus.BLOCKED, reason="legal has not answered")
    found = decided(beta(), blocked, monitor(acceptance=("a1",)), looked_at())
    assert (found.mode, found.reason) == (Mode.ASK_USER, "work-blocked")
    assert "1 blocked, 1 monitor not due" in found.message
    assert "legal has not answered" in found.message
    assert found.counts["blocked"] == 1 and found.counts["monitors"] == 1


LONG = "字" * 200


def crowded() -> list[Any]:
    """A Goal of 500 Todos and 20 Gates, all with long texts, and more in the way than is ever shown."""
    goal = beta(title=LONG, acceptance=tuple(criterion(f"a{number}", LONG) for number in range(1, 9)))
    todos = [
        work(f"t-w{number:05}x", title=f"{number} {LONG}", acceptance=(f"a{number % 8 + 1}",)) for number in range(500)
    ]
    gates = [
        gate(f"g-g{number:05}x", f"production:goal:key-{number}", question=f"{number} {LONG}?", options=(LONG, LONG))
        for number in range(20)
    ]
    effects = [effect(id=f"x-x{number:05}x", agent="rex", summary=LONG, readback=LONG) for number in range(10)]
    return [goal, *todos, *gates, *effects]


STATES: dict[str, list[Any]] = {
    "work": [],
    "replan": [settled(number, hours(number)) for number in range(1, 7)],
    "reconcile": [effect(summary=LONG, readback=LONG)],
    "turn": [turn(todo="t-w00001x")],
    "monitor": [monitor(title=LONG, target=f"https://example.org/{LONG}{LONG}", priority=Priority.P0)],
}


@pytest.mark.parametrize("more", STATES.values(), ids=STATES.keys())
def test_a_decision_on_500_todos_and_20_gates_takes_four_kilobytes_at_most_and_says_what_it_left_out(
    more: list[Any],
) -> None:
    full = [each for each in crowded() if getattr(each, "id", "") != "beta"]
    found = decided(crowded()[0], *full, *more, now=hours(12))
    facts = decision_facts(found)
    assert size_of(facts) <= 4000
    assert facts["counts"]["gates"] == 20
    assert facts["counts"]["open"] == 500
    assert len(facts["gates"]) + facts["left_out"]["gates"] == 20
    assert len(facts["obligations"]) + facts["left_out"].get("obligations", 0) == len(found.obligations)
    assert facts["interaction_contract"]["cli_channel"]["commands"] == list(found.cli.commands)


def test_the_unreadable_and_the_closed_are_small_too() -> None:
    broken = [f"goals/beta/todos/{LONG}-{number}.md" for number in range(300)]
    found = decided(*crowded(), unreadable=broken)
    assert found.mode is Mode.SELF_REPAIR
    facts = decision_facts(found)
    assert size_of(facts) <= 4000
    assert facts["counts"]["unreadable"] == 300


def test_Q12_figures_are_counted_over_the_whole_goal_and_never_over_what_is_shown() -> None:
    todos = [work(f"t-w{number:05}x") for number in range(200)]
    found = decided(beta(policies=GoalPolicies(replan_above_open_todos=0)), *todos)
    assert found.counts["open"] == 200
    assert decision_facts(found)["counts"]["open"] == 200


def test_the_keys_are_those_of_the_specification() -> None:
    facts = decision_facts(decided(beta(), work(), gate()))
    assert set(facts["interaction_contract"]) == {"user_channel", "agent_channel", "cli_channel"}
    assert set(facts["scheduler_hint"]) == {"after_seconds", "look_again_at", "why", "ended_by", "owner"}
    assert facts["basis"] == {"revision": "0123456789abcdef", "at": "2026-03-02T09:00:00Z"}
    assert "trace" not in facts
    assert json.loads(json.dumps(facts)) == facts


def test_the_trace_is_told_only_where_it_is_asked_for() -> None:
    found = decided(beta(), work())
    trace = decision_facts(found, explain=True)["trace"]
    assert [each["verdict"] for each in trace].count("match") == 1
    assert {"rule": "11.7 close out", "verdict": "not asked", "facts": {}} in trace


def test_the_envelope_of_a_turn_carries_boundary_validation_and_writeback() -> None:
    goal = beta(boundary=Boundary(write_scopes=("docs/**",), private_paths=("secrets/**",)))
    todo = work(validation=PYTEST, write_scopes=("docs/guide.md",))
    here = desk(goal, todo)
    here.do(OpenTurn(goal="beta", todo=T1), BOT)
    (opened,) = here.state.open_turns("beta")
    found = next_action(here.state, "beta", BOT, here.now)
    assert isinstance(found, Decision)
    facts = envelope_facts(found, opened, goal=goal, todo=todo)
    assert facts["turn"] == opened.id
    assert facts["boundary"] == {
        "write_scopes": ["docs/**"],
        "private_paths": ["secrets/**"],
        "todo_write_scopes": ["docs/guide.md"],
    }
    assert facts["validation"] == {"argv": ["pytest", "-q"]}
    assert all(opened.id in each for each in facts["writeback"])
    assert facts["interaction_contract"]["agent_channel"]["must_attempt"] is True
    assert size_of(facts) <= 4096


def test_a_target_too_long_to_be_shown_is_read_from_the_monitor_first() -> None:
    found = decided(beta(), work(claimed_by="rex"), monitor(target="u" * 500))
    assert found.cli.commands == (
        f"loopx monitor show {M1}",
        f"loopx monitor poll {M1} --target … --seen … --actor agent:bot",
    )


def test_evidence_that_nothing_cites_changes_no_decision() -> None:
    before, after = decided(beta(), work()), decided(beta(), work(), evidence())
    assert (before.mode, before.selected, before.trace) == (after.mode, after.selected, after.trace)
