"""Obligations: what arms each, whose it is, an id that nothing unrelated rotates, and what counts after a discharge."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from loopx.kernel.commands import EditGoal, SetVision
from loopx.kernel.obligations.deriving import obligations
from loopx.kernel.obligations.discharging import entry_of
from loopx.kernel.obligations.record import OPERATORS, Obligation, ObligationKind
from loopx.kernel.state import MemorySource, State
from loopx.model.goal import AgentMode, GoalPolicies, GoalStatus, Participant, VisionNeed
from loopx.model.records import Completion, CompletionContinuation, CompletionLog, CriterionStatus
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, E1, G1, T1, T2, T3, criterion, edited, evidence, gate, goal
from tests.unit.kernel.deciding import (
    AGENTS,
    X1,
    beta,
    desk,
    effect,
    hours,
    looked_at,
    met,
    monitor,
    poll,
    settled,
    turn,
    work,
)

KIND = ObligationKind
SEEN = [evidence("e-zzzz9999", "t-zzzz9999"), settled(7, hours(0.5), "outcome_progress", agent="rex")]
UNRELATED = [work("t-zzzz9999", title="Something else", acceptance=()), *SEEN]


def owed(*entities: Any, now: datetime = START, owner: str | None = None, **more: Any) -> tuple[Obligation, ...]:
    """What is owed to beta."""
    state = State(MemorySource([AGENTS, *entities], **more))
    found = state.goal("beta")
    assert found is not None
    return obligations(state, found, now, owner)


def triggers(found: Sequence[Obligation]) -> list[str]:
    return [each.trigger for each in found]


def one(*entities: Any, trigger: str, **more: Any) -> Obligation:
    """The one obligation of this trigger."""
    (found,) = (each for each in owed(*entities, **more) if each.trigger == trigger)
    return found


def finished(
    todo: str = T1, operation: str = "op-d1", at: datetime = START, by: str = "agent:bot", **fields: Any
) -> list[Any]:
    """A Todo that advances a1 and was finished, with its record."""
    entry = Completion(**{"at": at, "by": by, "operation": operation, "validated": True, **fields})
    return [work(todo, status=TodoStatus.DONE), CompletionLog(todo=todo, entries=(entry,), goal="beta")]


def idle(count: int, outcome: str = "surface_only", first: int = 1, **fields: Any) -> list[Any]:
    """So many settled Turns of bot, an hour apart, that moved nothing."""
    return [settled(number, hours(number), outcome, **fields) for number in range(first, first + count)]


def unchanged(count: int, polls: int | None = None, **fields: Any) -> Any:
    """The log of M1 after so many looks in a row that found nothing new."""
    number = polls or count
    recent = (poll(number, hours(number)),)
    return looked_at(polls=number, unchanged_count=count, last_polled_at=hours(number), recent=recent, **fields)


WATCHED = [beta(), work(), monitor()]
TRIGGERS: list[tuple[str, ObligationKind, str, list[Any], dict[str, Any]]] = [
    ("document-unreadable", KIND.REPAIR, OPERATORS, [beta(), work()], {"unreadable": ["goals/beta/todos/x.md"]}),
    ("effect-unknown", KIND.RECONCILE, "bot", [beta(), work(), effect()], {}),
    (
        "evidence-contradicted",
        KIND.REPLAN,
        "bot",
        [beta(), work(), met(status=CriterionStatus.MET, by="agent:bot", evidence=(E1,))],
        {},
    ),
    ("successor-missing", KIND.SUCCESSOR, "bot", [beta(), *finished()], {}),
    ("frontier-exhausted", KIND.REPLAN, "bot", [beta()], {}),
    (
        "todos-piling-up",
        KIND.REPLAN,
        "bot",
        [beta(policies=GoalPolicies(replan_above_open_todos=1)), work(), work(T2)],
        {},
    ),
    ("monitor-unchanged", KIND.REPLAN, "bot", [*WATCHED, unchanged(12)], {}),
    ("monitor-dead", KIND.REPLAN, "bot", [*WATCHED, looked_at(polls=3, dead_count=3)], {}),
    ("no-progress", KIND.REPLAN, "bot", [beta(), work(), *idle(5, "outcome_gap")], {"now": hours(9)}),
    ("outcome-floor", KIND.OUTCOME_FLOOR, "bot", [beta(), work(), *idle(3)], {"now": hours(9)}),
    (
        "required_vision_missing",
        KIND.CHECKPOINT,
        "bot",
        [beta(agents=(Participant(id="bot", vision=VisionNeed.REQUIRED), Participant(id="rex"))), work()],
        {},
    ),
]


@pytest.mark.parametrize(("trigger", "kind", "owner", "entities", "more"), TRIGGERS, ids=[each[0] for each in TRIGGERS])
def test_each_trigger_arms_an_obligation_that_unrelated_writes_do_not_rotate(
    trigger: str, kind: ObligationKind, owner: str, entities: list[Any], more: dict[str, Any]
) -> None:
    (found,) = owed(*entities, **more)
    assert (found.trigger, found.kind, found.owner) == (trigger, kind, owner)
    assert found.id.startswith("o-")
    assert found.message.endswith(".")
    assert found.discharged_by
    besides = SEEN if trigger == "frontier-exhausted" else UNRELATED  # any Todo is related to a frontier
    again = [each for each in owed(*entities, *besides, **more) if each.trigger == trigger]
    assert [each.id for each in again] == [found.id]


@pytest.mark.parametrize(
    "quiet",
    [
        [beta(), work(), *idle(2)],
        [beta(), work(), *idle(4, "outcome_gap")],
        [*WATCHED, unchanged(11)],
        [*WATCHED, looked_at(polls=2, dead_count=2)],
        [beta(), work(), monitor(watch_only=True), unchanged(40)],
        [beta(policies=GoalPolicies(replan_above_open_todos=2)), work(), work(T2)],
        [beta(), met(), *finished()],
        [beta(), *finished(), work(T2)],
        [beta(), *finished(), work(T2, status=TodoStatus.BLOCKED, reason="legal")],
        [beta(), *finished(continuation=CompletionContinuation.NO_FOLLOWUP), gate()],
        [beta(), gate()],
        [beta(), monitor(acceptance=("a1",))],
        [goal()],
    ],
)
def test_nothing_is_owed_below_the_thresholds_or_where_something_leads_on(quiet: list[Any]) -> None:
    assert owed(*quiet, now=hours(9)) == ()


@pytest.mark.parametrize("field", list(GoalPolicies.__dataclass_fields__)[2:7])
def test_a_threshold_of_zero_switches_its_trigger_off(field: str) -> None:
    policies = GoalPolicies(**{field: 0})  # type: ignore[arg-type]
    everything = [beta(policies=policies), work(), *idle(6), monitor(), unchanged(12, dead_count=3)]
    everything += [work(f"t-w{number:05}x") for number in range(201)]
    armed = set(triggers(owed(*everything, now=hours(9))))
    every = {"outcome-floor", "no-progress", "monitor-unchanged", "monitor-dead", "todos-piling-up"}
    assert len(every - armed) == 1


@pytest.mark.parametrize("status", [each for each in GoalStatus if each is not GoalStatus.ACTIVE])
def test_a_goal_at_rest_is_owed_read_backs_and_repairs_only(status: GoalStatus) -> None:
    found = owed(beta(status=status), *idle(6), effect(), now=hours(9), unreadable=["goals/beta/x.md"])
    assert triggers(found) == ["document-unreadable", "effect-unknown"]


# whose it is ------------------------------------------------------------------------------------------


def test_what_an_agent_owed_that_is_gone_passes_to_the_operators() -> None:
    only_rex = beta(agents=(Participant(id="rex"),))
    assert one(only_rex, work(), effect(), trigger="effect-unknown").owner == OPERATORS
    assert one(only_rex, *finished(), trigger="successor-missing").owner == OPERATORS
    assert owed(only_rex, work(), effect(), owner="bot") == ()
    assert triggers(owed(only_rex, work(), effect(), owner=OPERATORS)) == ["effect-unknown"]


def test_the_turns_of_an_agent_that_is_gone_are_answered_for_while_it_left_a_turn_open() -> None:
    gone = [beta(agents=(Participant(id="rex"),)), work(), *idle(3), turn(opened_at=hours(5))]
    assert one(*gone, trigger="outcome-floor", now=hours(9)).owner == OPERATORS


def test_what_is_nobodys_in_particular_is_owed_by_whoever_worked_last_else_by_the_first_that_takes_part() -> None:
    assert one(beta(), trigger="frontier-exhausted").owner == "bot"
    rex_last = settled(1, hours(1), "outcome_progress", agent="rex")
    assert one(beta(), rex_last, trigger="frontier-exhausted").owner == "rex"
    watching = (Participant(id="bot", mode=AgentMode.MONITOR_ONLY), Participant(id="rex"))
    assert one(beta(agents=watching), trigger="frontier-exhausted").owner == "rex"
    assert one(beta(agents=watching[:1]), trigger="frontier-exhausted").owner == OPERATORS


def test_a_persons_own_turns_stay_theirs() -> None:
    found = owed(beta(), work(), *idle(3, agent="human-ann"), now=hours(9), owner="human-ann")
    assert [(each.trigger, each.owner) for each in found] == [("outcome-floor", "human-ann")]


# second occurrences and discharges ---------------------------------------------------------------------


def discharging(found: Obligation, at: datetime, *delta: str, number: int = 9) -> Any:
    """The settled Turn that discharged an obligation."""
    shown = delta or ("vision:patched:bot",)
    return settled(
        number, at, "outcome_gap", todo=None, obligation=found.id, delta=shown, discharges=(entry_of(found),)
    )


def test_turns_in_a_row_are_counted_from_their_beginning_so_that_the_id_stays_while_the_row_grows() -> None:
    three = one(beta(), work(), *idle(3), trigger="outcome-floor", now=hours(20))
    four = one(beta(), work(), *idle(4), trigger="outcome-floor", now=hours(20))
    assert three.id == four.id
    assert three.armed_by == idle(3)[2].id


def test_after_a_discharge_only_later_turns_count_and_arm_anew() -> None:
    first = one(beta(), work(), *idle(3), trigger="outcome-floor", now=hours(20))
    done = discharging(first, hours(4))
    assert "outcome-floor" not in triggers(owed(beta(), work(), *idle(3), done, *idle(2, first=15), now=hours(20)))
    again = one(beta(), work(), *idle(3), done, *idle(3, first=15), trigger="outcome-floor", now=hours(20))
    assert again.id != first.id


def test_a_turn_that_made_progress_ends_the_row() -> None:
    better = settled(9, hours(4), "outcome_progress")
    assert owed(beta(), work(), *idle(3), better, *idle(2, first=15), now=hours(20)) == ()


def test_a_monitor_arms_once_until_it_is_discharged_and_again_after_as_many_looks() -> None:
    at_twelve = one(*WATCHED, unchanged(12), trigger="monitor-unchanged")
    at_twenty = one(*WATCHED, unchanged(20), trigger="monitor-unchanged")
    assert at_twelve.id == at_twenty.id
    assert (at_twelve.seen, at_twenty.seen) == ("12", "20")
    done = discharging(at_twenty, hours(20))
    assert owed(*WATCHED, done, unchanged(31), now=hours(40)) == ()
    again = one(*WATCHED, done, unchanged(32), trigger="monitor-unchanged", now=hours(40))
    assert again.id != at_twelve.id


def test_a_monitor_that_saw_something_new_in_between_arms_anew() -> None:
    before = one(*WATCHED, unchanged(12), trigger="monitor-unchanged")
    later = one(*WATCHED, unchanged(12, polls=30), trigger="monitor-unchanged")
    assert before.id != later.id


def test_a_frontier_that_runs_dry_a_second_time_arms_anew() -> None:
    first = one(beta(), *finished(continuation=CompletionContinuation.NO_FOLLOWUP), trigger="frontier-exhausted")
    done = discharging(first, hours(1), "end:no_followup:beta")
    dry = [beta(), *finished(continuation=CompletionContinuation.NO_FOLLOWUP), done]
    assert owed(*dry, now=hours(9)) == ()
    more = finished(T2, "op-d2", hours(3), continuation=CompletionContinuation.NO_FOLLOWUP)
    assert one(*dry, *more, trigger="frontier-exhausted", now=hours(9)).id != first.id


def test_support_that_is_lost_a_second_time_arms_anew() -> None:
    lost = met(status=CriterionStatus.MET, evidence=(E1,))
    first = one(beta(), work(), lost, trigger="evidence-contradicted")
    done = discharging(first, hours(1))
    assert owed(beta(), work(), lost, done, now=hours(9)) == ()
    again = met(status=CriterionStatus.MET, evidence=(E1,), operation="op-c2")
    assert one(beta(), work(), again, done, trigger="evidence-contradicted", now=hours(9)).id != first.id


def test_a_goal_that_is_full_arms_anew_only_once_as_many_todos_were_added_again() -> None:
    full = [beta(policies=GoalPolicies(replan_above_open_todos=2)), *(work(f"t-aaaa111{n}") for n in range(1, 4))]
    first = one(*full, trigger="todos-piling-up")
    done = discharging(first, hours(1))
    added = [work(f"t-bbbb222{n}") for n in range(1, 4)]
    assert owed(*full, done, *added[:2], now=hours(9)) == ()
    assert one(*full, done, *added, trigger="todos-piling-up", now=hours(9)).id != first.id


def test_changed_acceptance_is_owed_by_the_agent_whose_vision_rests_on_the_old_one() -> None:
    here = desk(goal(acceptance=(criterion(),)), work())
    here.do(SetVision(goal="beta", agent="bot", summary="Straight on"), ANN)
    assert owed_on(here) == []
    here.wait(hours=1)
    here.do(EditGoal(goal="beta", add_acceptance=("It is quick",)), ANN)
    first = next(each for each in armed_on(here) if each.trigger == "acceptance-changed")
    assert (first.owner, first.seen) == ("bot", first.armed_by.rpartition(":")[2])
    here.entities.append(discharging(first, here.now, "todo:added:t-x"))
    assert "acceptance-changed" not in owed_on(here)
    here.wait(hours=1)
    here.do(EditGoal(goal="beta", add_acceptance=("It is kind",)), ANN)
    second = next(each for each in armed_on(here) if each.trigger == "acceptance-changed")
    assert second.id != first.id
    here.do(SetVision(goal="beta", agent="bot", summary="Another way"), ANN)
    assert owed_on(here) == []


def test_a_successor_is_owed_until_something_leads_on_to_that_very_criterion() -> None:
    first = one(beta(), *finished(), trigger="successor-missing")
    other = work(T2, acceptance=())
    elsewhere = discharging(first, hours(1), f"todo:added:{T2}")
    assert one(beta(), *finished(), other, elsewhere, trigger="successor-missing", now=hours(9)).id == first.id
    said = discharging(first, hours(1), f"end:no_followup:{T1}")
    assert owed(beta(), *finished(), other, said, now=hours(9)) == ()
    assert owed(beta(), *finished(), work(T2), now=hours(9)) == ()


def test_the_newest_completion_tells_whether_a_successor_is_owed() -> None:
    last_word = finished(T2, "op-d2", hours(1), continuation=CompletionContinuation.NO_FOLLOWUP)
    assert "successor-missing" not in triggers(owed(beta(), *finished(), *last_word, now=hours(9)))
    went_on = finished(T3, "op-d3", hours(2))
    found = one(beta(), *finished(), *last_word, *went_on, trigger="successor-missing", now=hours(9))
    assert found.armed_by == "op-d3"


def test_a_completion_that_was_undone_owes_no_successor() -> None:
    undone = finished(reopened_at=hours(1))
    assert "successor-missing" not in triggers(owed(beta(), *undone, now=hours(9)))


def owed_on(here: Any) -> list[str]:
    return sorted(triggers([each for each in armed_on(here) if each.kind is KIND.REPLAN]))


def armed_on(here: Any) -> tuple[Obligation, ...]:
    return obligations(here.state, here.goal(), here.now)


def test_voided_turns_discharge_nothing_and_break_no_row_however_many_they_are() -> None:
    voided = [edited(each, status="voided", outcome=None) for each in idle(9, first=15)]
    found = one(beta(), work(), *idle(3), *voided, trigger="outcome-floor", now=hours(40))
    assert found.armed_by == idle(3)[2].id


def test_an_effect_is_owed_until_its_outcome_is_recorded() -> None:
    found = one(beta(), work(), effect(), trigger="effect-unknown")
    assert (found.subjects, found.armed_by) == ((X1,), "op-x1")


def test_a_waiting_gate_keeps_the_frontier_from_being_exhausted_and_its_answer_ends_that() -> None:
    assert owed(beta(), gate(G1)) == ()
    assert triggers(owed(beta(), edited(gate(G1), status="rejected"))) == ["frontier-exhausted"]


def test_a_monitor_nobody_looks_at_any_more_keeps_no_frontier_open() -> None:
    watched = monitor(acceptance=("a1",), expires_at=hours(1))
    assert owed(beta(), watched) == ()
    assert triggers(owed(beta(), watched, now=hours(2))) == ["frontier-exhausted"]
