"""Vision checkpoints: what a turn says of its agent's Vision, and the gaps that follow from what it leaves unsaid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loopx.kernel.checkpoints import GapCode, vision_gaps
from loopx.kernel.commands import (
    AddTodo,
    EditGoal,
    MeetCriterion,
    RetireVision,
    SetGoalStatus,
    SetVision,
    VoidTurn,
    WaiveCriterion,
)
from loopx.kernel.premises import vision_digest
from loopx.model.goal import Goal, GoalStatus, Participant, VisionNeed
from loopx.model.records import CompletionLog
from loopx.model.todo import TodoClass, TodoStatus
from loopx.model.turn import Checkpoint, CheckpointResult, PathDelta, PathOutcome, Turn
from loopx.model.vision import Vision
from tests.support.kernel import ANN, BOT, T1, T2, Desk, criterion, edited, goal
from tests.support.kernel import todo as a_todo
from tests.unit.kernel.turning import PROGRESS, desk_of, opens, refused, settles

PLAN = SetVision(goal="beta", agent="bot", summary="Guide first")
NEED = (Participant(id="bot", vision=VisionNeed.REQUIRED), Participant(id="rex"))
REQUIRED = goal(agents=NEED)
OPEN_CRITERION = goal(acceptance=(criterion(),))
MISSING, REQUIRED_ONE = GapCode.CHECKPOINT_MISSING, GapCode.OUTCOME_CHECKPOINT_REQUIRED
UNCHANGED = {"unchanged_reason": "the route holds"}
TURNING = PathDelta(outcome=PathOutcome.REPLAN, observed_reality="the parser is slow")


def with_vision(*entities: Any, of: Goal | None = None) -> Desk:
    desk = desk_of(*entities, of=of)
    desk.do(PLAN, BOT)
    return desk


def gaps(desk: Desk, agent: str = "bot") -> list[str]:
    return [each.code.value for each in vision_gaps(desk.state, desk.goal(), agent, desk.now)]


def said(found: Turn) -> Checkpoint:
    assert found.checkpoint is not None
    return found.checkpoint


def progress(desk: Desk, **asked: Any) -> Turn:
    """A turn that finishes T1 and claims progress by it."""
    return settles(desk, **{"todo": T1, "outcome": PROGRESS, "became": {"done": True}, "evidence": ("done",), **asked})


def vision(desk: Desk) -> Vision:
    found = desk.state.vision("beta", "bot")
    assert found is not None
    return found


# what a turn says ----------------------------------------------------------------------------------


def test_a_patched_vision_is_the_checkpoint() -> None:
    desk = with_vision()
    found = progress(desk, vision={"last_patch": "the guide is done"})
    assert (said(found).result, said(found).gap) == (CheckpointResult.PATCHED, None)
    assert said(found).baseline == vision_digest(vision(desk)) != found.baseline
    assert "vision:patched:bot" in found.delta and gaps(desk) == []


def test_unchanged_is_supported_by_a_vision_from_before_the_turn() -> None:
    desk = with_vision()
    found = progress(desk, vision=UNCHANGED)
    assert said(found) == Checkpoint(
        result=CheckpointResult.UNCHANGED, baseline=found.baseline, reason="the route holds"
    )
    assert found.baseline == vision_digest(vision(desk))
    assert "vision:unchanged:bot" in found.delta and gaps(desk) == []


def test_unchanged_is_supported_by_a_vision_typed_into_a_file() -> None:
    desk = desk_of()
    desk.typed(None, Vision(agent="bot", summary="Go on", goal="beta"))
    assert said(progress(desk, vision=UNCHANGED)).result is CheckpointResult.UNCHANGED


def test_Q08_unchanged_without_a_baseline_is_recorded_as_missing_and_the_gap_stays() -> None:
    """Six small completions, each said to leave a Vision unchanged that nobody ever wrote."""
    names = [f"t-aaaa222{number}" for number in range(6)]
    desk = desk_of(*(a_todo(name, f"Part {number}") for number, name in enumerate(names)), of=OPEN_CRITERION)
    turns = []
    for name in names:
        desk.wait(minutes=1)
        turns.append(progress(desk, todo=name, vision=UNCHANGED))
        assert gaps(desk) == ["vision_checkpoint_missing"]
    assert {said(each).result for each in turns} == {CheckpointResult.MISSING}
    [gap] = vision_gaps(desk.state, desk.goal(), "bot", desk.now)
    assert gap.armed_by == turns[0].id and "loopx vision set" in gap.discharged_by
    assert desk.goal().status is GoalStatus.ACTIVE
    from loopx.kernel.closure.audit import audit

    assert not audit(desk.state, desk.goal(), desk.now).is_clean


def test_a_vision_that_was_deleted_is_no_baseline() -> None:
    desk = with_vision()
    desk.typed(vision(desk), None)
    found = progress(desk, vision=UNCHANGED)
    assert (said(found).result, said(found).baseline) == (CheckpointResult.MISSING, None)
    assert gaps(desk) == ["vision_checkpoint_missing"]


def test_a_vision_written_after_the_turn_opened_is_no_baseline_of_it_and_answers_for_it() -> None:
    desk = desk_of()
    opens(desk)
    desk.do(PLAN, BOT)
    found = progress(desk, vision=UNCHANGED)
    assert found.baseline is None and said(found).result is CheckpointResult.PATCHED
    assert "vision:patched:bot" in found.delta and gaps(desk) == []


def test_a_vision_rewritten_while_the_turn_was_open_is_not_called_unchanged() -> None:
    desk = with_vision()
    opens(desk)
    desk.typed(vision(desk), edited(vision(desk), summary="Ship at once"))
    assert said(progress(desk, vision=UNCHANGED)).result is CheckpointResult.PATCHED


@pytest.mark.parametrize(
    ("happens", "named"),
    [
        (EditGoal(goal="beta", add_acceptance=("It is cheap",)), "acceptance"),
        (WaiveCriterion(goal="beta", criterion="a1", reason="not now"), "acceptance"),
        (EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["src/**"]}}), "boundary"),
    ],
)
def test_unchanged_is_refused_once_a_premise_changed(happens: Any, named: str) -> None:
    desk = with_vision(of=OPEN_CRITERION)
    opens(desk)
    desk.do(happens, ANN)
    asked = {"todo": T1, "became": {"done": True}, "evidence": ("done",), "outcome": PROGRESS}
    refusal = refused(desk, vision=UNCHANGED, **asked)
    assert (refusal.code, refusal.facts["changed"]) == ("vision-premise-changed", [named])
    found = settles(desk, vision={"last_patch": "for the new premises"}, **asked)
    assert said(found).result is CheckpointResult.PATCHED
    assert said(settles(desk_after(desk), todo=T2, vision=UNCHANGED)).result is CheckpointResult.UNCHANGED


def desk_after(desk: Desk) -> Desk:
    desk.do(AddTodo(goal="beta", title="Print it"), ANN)
    [added] = [each for each in desk.state.todos("beta") if each.title == "Print it"]
    desk.entities[desk.entities.index(added)] = edited(added, id=T2)
    return desk


def test_unchanged_is_refused_while_a_replan_is_due() -> None:
    """Five turns in a row that moved nothing arm a replan; the Vision is not what it was after that."""
    desk = with_vision()
    for _ in range(5):
        settles(desk, todo=T1, spend=0)
        desk.wait(minutes=1)
    refusal = refused(desk, todo=T1, vision=UNCHANGED, evidence=("seen",))
    assert refusal.code == "vision-premise-changed" and refusal.facts["obligation"].startswith("o-")
    settles(desk, todo=T1, vision={"last_patch": "another route"}, evidence=("seen",))
    assert said(settles(desk, todo=T1, vision=UNCHANGED)).result is CheckpointResult.UNCHANGED


def test_a_vision_that_ends_in_the_turn_is_the_checkpoint() -> None:
    desk = with_vision()
    found = progress(desk, vision={"retired_reason": "Rex does it"})
    assert (said(found).result, said(found).reason) == (CheckpointResult.RETIRED, "Rex does it")
    assert "vision:retired:bot" in found.delta and gaps(desk) == []


@pytest.mark.parametrize("end", ["retired", "superseded", "no_followup", "closed"])
def test_a_vision_that_has_ended_needs_no_checkpoint(end: str) -> None:
    desk = with_vision()
    desk.do(RetireVision(goal="beta", agent="bot", to=end, reason="over"), BOT)
    desk.do(EditGoal(goal="beta", fields={"boundary": {"write_scopes": ["src/**"]}}))
    found = progress(desk, vision=UNCHANGED)
    assert (said(found).result, said(found).gap) == (CheckpointResult.NOT_REQUIRED, None)


def test_a_role_that_keeps_no_vision_needs_no_checkpoint() -> None:
    desk = desk_of()
    assert said(progress(desk)) == Checkpoint(result=CheckpointResult.NOT_REQUIRED)
    assert gaps(desk) == []


# when one is required -------------------------------------------------------------------------------


def test_a_material_outcome_that_says_nothing_of_the_vision_leaves_a_gap() -> None:
    desk = with_vision()
    found = progress(desk)
    assert (said(found).result, said(found).gap) == (CheckpointResult.MISSING, REQUIRED_ONE.value)
    [gap] = vision_gaps(desk.state, desk.goal(), "bot", desk.now)
    assert (gap.code, gap.armed_by, gap.agent) == (REQUIRED_ONE, found.id, "bot")


def test_a_changed_route_asks_for_a_word_even_where_nothing_moved() -> None:
    desk = with_vision()
    assert said(settles(desk, todo=T1, path_delta=TURNING)).gap == REQUIRED_ONE.value


@pytest.mark.parametrize("outcome", [PathOutcome.CONTINUE, PathOutcome.NO_CHANGE, PathOutcome.WAIT])
def test_a_route_that_stays_asks_for_nothing(outcome: PathOutcome) -> None:
    desk = with_vision()
    assert said(settles(desk, todo=T1, path_delta=PathDelta(outcome=outcome))).gap is None
    turned = PathDelta(outcome=outcome, changed=("cache first",))
    assert said(settles(desk, todo=T1, path_delta=turned)).gap == REQUIRED_ONE.value


def test_going_on_with_the_same_open_todo_asks_for_nothing() -> None:
    desk = with_vision()
    found = settles(desk, todo=T1, outcome=PROGRESS, became={"successors": ("Then print",)}, evidence=("half",))
    assert (found.outcome, said(found).result) == (PROGRESS, CheckpointResult.NOT_REQUIRED)


def test_a_criterion_that_was_met_asks_for_a_word_on_the_way() -> None:
    desk = desk_of(of=OPEN_CRITERION)
    desk.do(SetVision(goal="beta", agent="human-ann", summary="Look myself"), ANN)
    found = settles(desk, ANN, todo=T1, outcome=PROGRESS, meets=("a1",), evidence=("I saw it",))
    assert said(found).gap == REQUIRED_ONE.value


@pytest.mark.parametrize("fill", [PLAN, RetireVision(goal="beta", agent="bot", reason="over")])
def test_the_gap_of_an_outcome_ends_when_the_vision_is_written_or_ends(fill: Any) -> None:
    desk = with_vision()
    progress(desk)
    if fill is PLAN:
        desk.do(fill, BOT)
        assert gaps(desk) == [REQUIRED_ONE.value], "the same text again is no account"
        fill = edited(PLAN, last_patch="The guide is done")
    desk.do(fill, BOT)
    assert gaps(desk) == []


def test_the_gap_of_an_outcome_ends_with_a_later_turn_that_says_why_the_vision_holds() -> None:
    desk = with_vision(a_todo(T2, "Print it"))
    progress(desk)
    settles(desk, todo=T2, vision=UNCHANGED)
    assert gaps(desk) == []


@pytest.mark.parametrize(
    "between",
    [
        lambda desk: settles(desk, todo=T2),
        lambda desk: desk.do(VoidTurn(turn=opens(desk, todo=T2), reason="lost its way"), BOT),
    ],
    ids=["a turn that says nothing", "a turn that was voided"],
)
def test_a_gap_is_passed_on_until_it_is_filled(between: Callable[[Desk], object]) -> None:
    desk = with_vision(a_todo(T2, "Print it"))
    first = progress(desk)
    for _ in range(3):
        between(desk)  # all within one second: order is told by what each turn names before it
        [gap] = vision_gaps(desk.state, desk.goal(), "bot", desk.now)
        assert gap.armed_by == first.id
    desk.do(edited(PLAN, summary="Another route"), BOT)
    assert gaps(desk) == []
    settles(desk, todo=T2)
    assert gaps(desk) == []


def test_a_claim_without_a_baseline_weighs_more_than_silence() -> None:
    desk = desk_of(a_todo(T2, "Print it"), of=REQUIRED)
    first = progress(desk, vision=UNCHANGED)
    settles(desk, todo=T2, outcome=PROGRESS, became={"done": True}, evidence=("printed",))
    left = [each for each in vision_gaps(desk.state, desk.goal(), "bot", desk.now) if each.code is MISSING]
    assert [each.armed_by for each in left] == [first.id]
    desk.do(PLAN, BOT)
    assert gaps(desk) == []


# the other gaps ------------------------------------------------------------------------------------


def test_a_required_vision_is_missed_until_it_is_written() -> None:
    desk = desk_of(of=REQUIRED)
    assert gaps(desk) == ["required_vision_missing"] and gaps(desk, "rex") == []
    desk.do(PLAN, BOT)
    assert gaps(desk) == []


@pytest.mark.parametrize("end", ["retired", "superseded"])
def test_a_required_vision_that_no_longer_holds_is_missed_as_well(end: str) -> None:
    desk = with_vision(of=REQUIRED)
    desk.do(RetireVision(goal="beta", agent="bot", to=end), BOT)
    assert gaps(desk) == ["required_vision_missing"]
    desk.do(RetireVision(goal="beta", agent="bot", to="no_followup", reason="Rex does it"), BOT)
    assert gaps(desk) == []


def test_a_required_vision_is_no_longer_missed_once_a_person_makes_it_optional() -> None:
    desk = desk_of(of=REQUIRED)
    desk.do(EditGoal(goal="beta", fields={"agents": [{"id": "bot"}, {"id": "rex"}]}), ANN)
    assert gaps(desk) == []


def closed_desk() -> Desk:
    desk = with_vision(of=OPEN_CRITERION)
    desk.do(RetireVision(goal="beta", agent="bot", to="closed", reason="my part is done"), BOT)
    return desk


@pytest.mark.parametrize(
    "end",
    [
        edited(PLAN, summary="The next part"),
        RetireVision(goal="beta", agent="bot", to="no_followup", reason="the rest is Rex's"),
        RetireVision(goal="beta", agent="bot", to="superseded"),
        MeetCriterion(goal="beta", criterion="a1", evidence=("I saw it",)),
        WaiveCriterion(goal="beta", criterion="a1", reason="not now"),
    ],
)
def test_a_closed_vision_asks_for_the_next_one_while_criteria_are_open(end: Any) -> None:
    desk = closed_desk()
    assert gaps(desk) == ["vision_successor_required"]
    [gap] = vision_gaps(desk.state, desk.goal(), "bot", desk.now)
    assert gap.armed_by == "op-0001"
    desk.do(end, ANN)
    assert gaps(desk) == []


def stranded() -> Desk:
    """A Vision that goes on until the Goal is reached, an open criterion, and nothing left but a monitor."""
    desk = with_vision(
        a_todo(status=TodoStatus.DONE),
        a_todo(T2, "Watch it", todo_class=TodoClass.MONITOR),
        CompletionLog(todo=T1, goal="beta"),
        of=OPEN_CRITERION,
    )
    assert gaps(desk) == [], "a Vision that goes on as needed waits for work"
    desk.do(edited(PLAN, advancement="repeat_until_closed"), BOT)
    return desk


@pytest.mark.parametrize(
    "end",
    [
        AddTodo(goal="beta", title="Ask ten people"),
        edited(PLAN, advancement="as_needed"),
        RetireVision(goal="beta", agent="bot", to="no_followup", reason="out of ideas"),
        MeetCriterion(goal="beta", criterion="a1", evidence=("I saw it",)),
    ],
)
def test_a_vision_that_goes_on_until_closed_is_not_left_without_work(end: Any) -> None:
    desk = stranded()
    assert gaps(desk) == ["vision_acceptance_gap"]
    desk.do(end, ANN)
    assert gaps(desk) == []


@pytest.mark.parametrize("status", [TodoStatus.BLOCKED, TodoStatus.DEFERRED])
def test_work_that_waits_is_work_that_is_left(status: TodoStatus) -> None:
    desk = with_vision(a_todo(status=status), of=OPEN_CRITERION)
    desk.do(edited(PLAN, advancement="repeat_until_closed"), BOT)
    assert gaps(desk) == []


def test_a_goal_that_is_not_active_has_no_gaps() -> None:
    desk = desk_of(of=REQUIRED)
    desk.do(SetGoalStatus(goal="beta", verb="pause", to=GoalStatus.PAUSED))
    assert gaps(desk) == []


def test_a_patch_that_changes_nothing_says_nothing() -> None:
    desk = with_vision()
    found = progress(desk, vision={"summary": "Guide first"})
    assert said(found).result is CheckpointResult.MISSING and gaps(desk) == [REQUIRED_ONE.value]
