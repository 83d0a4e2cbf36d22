"""What is missing between an agent's Vision and its work, worked out from the stored state and stored nowhere as truth.

The decision turns every gap into an obligation of the agent; a later write of the state shows that it is gone. What a
Turn says of the Vision is judged in :mod:`loopx.kernel.turns.checkpoint`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.agents import participant
from loopx.kernel.judgement import criterion_status
from loopx.kernel.premises import baseline_of
from loopx.kernel.state import State
from loopx.kernel.turns.past import last_ended
from loopx.model.goal import CriterionStatus, Goal, GoalStatus, VisionNeed
from loopx.model.todo import TodoClass, TodoStatus
from loopx.model.vision import Advancement, Vision, VisionStatus

if TYPE_CHECKING:
    from loopx.model.turn import Turn


class GapCode(StrEnum):
    """What is missing."""

    CHECKPOINT_MISSING = "vision_checkpoint_missing"
    """A Turn called the Vision unchanged although nothing was on record to compare it with. Ends when a Vision is
    written (by command, by hand or in a Turn), or when the one there is ends."""
    OUTCOME_CHECKPOINT_REQUIRED = "vision_outcome_checkpoint_required"
    """A Turn that moved the objective, or changed the route, said nothing of a Vision its agent keeps or must keep.
    Ends when the Vision is written or ends, or when a later Turn calls it unchanged and may."""
    ACCEPTANCE_GAP = "vision_acceptance_gap"
    """The active Vision means to go on until the Goal is reached (``repeat_until_closed``), criteria are open, and no
    Todo but monitors is left that is not closed. Ends with new work, when the Vision ends or is written to go on as
    needed, or with the criteria."""
    SUCCESSOR_REQUIRED = "vision_successor_required"
    """The Vision was closed, its part reached, while criteria of the Goal are open. Ends when the next Vision is
    written, when this one ends as ``no_followup``, ``retired`` or ``superseded``, or with the criteria."""
    REQUIRED_VISION_MISSING = "required_vision_missing"
    """The Goal requires a Vision of this agent, and it has none, or one that was retired or superseded. Ends when one
    is written, when it ends as ``no_followup``, or when a person makes it optional."""


class VisionGap(NamedTuple):
    """One gap. ``armed_by`` is the fact it follows from and stays the same while it does."""

    code: GapCode
    agent: str
    message: str
    """One sentence."""
    armed_by: str
    discharged_by: str
    """What would end it, in words."""


_WRITE = "Write the Vision with `loopx vision set`"
_GONE = frozenset({VisionStatus.RETIRED, VisionStatus.SUPERSEDED})
_UNCLOSED = (TodoStatus.OPEN, TodoStatus.BLOCKED, TodoStatus.DEFERRED)
_A_FEW = 20


def vision_gaps(state: State, goal: Goal, agent: str, now: datetime) -> tuple[VisionGap, ...]:
    """Every gap between the Vision of ``agent`` and its work for ``goal``; none unless the Goal is active."""
    if goal.status is not GoalStatus.ACTIVE:
        return ()
    vision = state.vision(goal.id, agent)
    return (
        *_required(goal, agent, vision),
        *_left_by_turns(state, goal, agent),
        *_unreached(state, goal, vision, now),
        *_unfollowed(state, goal, vision, now),
    )


def must_keep(goal: Goal, agent: str) -> bool:
    """Whether ``goal`` requires a Vision of ``agent``."""
    found = participant(goal, agent)
    return found is not None and found.vision is VisionNeed.REQUIRED


def accounts_for_vision(state: State, goal: Goal, agent: str) -> bool:
    """Whether Turns of ``agent`` have a Vision to speak of: a required one, or one it keeps and that is active."""
    vision = state.vision(goal.id, agent)
    return must_keep(goal, agent) or (vision is not None and vision.status is VisionStatus.ACTIVE)


def left_gap(state: State, goal_id: str, agent: str) -> tuple[GapCode, str] | None:
    """The gap the agent's Turns left and nothing filled since, with the Turn that left it first.

    A Turn that says nothing of it passes it on to the next, so the newest one tells.
    """
    return gap_left_by(state, last_ended(state, goal_id, agent))


def gap_left_by(state: State, turn: Turn | None) -> tuple[GapCode, str] | None:
    """The gap that ``turn``, the newest one of its agent to end, left or passed on, while nothing filled it."""
    if turn is None or turn.checkpoint is None or turn.checkpoint.gap is None or _is_filled(state, turn):
        return None
    return GapCode(turn.checkpoint.gap), turn.checkpoint.armed_by or turn.id


def _is_filled(state: State, turn: Turn) -> bool:
    """Whether a Vision was written or ended since ``turn`` said nothing of it, or nothing that counts."""
    vision = state.vision(turn.goal, turn.agent)
    if vision is not None and vision.status is not VisionStatus.ACTIVE:
        return True
    baseline = baseline_of(state, turn.goal, turn.agent)
    assert turn.checkpoint is not None
    return baseline is not None and baseline.vision != turn.checkpoint.baseline


def _required(goal: Goal, agent: str, vision: Vision | None) -> Iterator[VisionGap]:
    if not must_keep(goal, agent) or not (vision is None or vision.status in _GONE):
        return
    has = "has none" if vision is None else f"has one that is {vision.status}"
    message = f"Goal {goal.id} requires a Vision of {agent}, which {has}."
    yield VisionGap(GapCode.REQUIRED_VISION_MISSING, agent, message, f"{goal.id}/{agent}", f"{_WRITE}.")


def _left_by_turns(state: State, goal: Goal, agent: str) -> Iterator[VisionGap]:
    left = left_gap(state, goal.id, agent)
    if left is None:
        return
    code, turn = left
    if code is GapCode.CHECKPOINT_MISSING:
        message = f"{turn} called the Vision of {agent} unchanged, and nothing was on record to compare it with."
        yield VisionGap(code, agent, message, turn, f"{_WRITE}.")
    else:
        message = f"{turn} moved the objective or changed the route and said nothing of the Vision of {agent}."
        yield VisionGap(code, agent, message, turn, f"{_WRITE}, or say in a turn why it holds.")


def _unreached(state: State, goal: Goal, vision: Vision | None, now: datetime) -> Iterator[VisionGap]:
    if vision is None or vision.status is not VisionStatus.ACTIVE:
        return
    if vision.advancement is not Advancement.REPEAT_UNTIL_CLOSED or not _is_stranded(state, goal, now):
        return
    message = f"{vision.agent} means to go on until {goal.id} is reached; criteria are open and no work is left."
    way = "Add work, or end the Vision with `loopx vision retire`."
    yield VisionGap(GapCode.ACCEPTANCE_GAP, vision.agent, message, _written_by(state, vision), way)


def _unfollowed(state: State, goal: Goal, vision: Vision | None, now: datetime) -> Iterator[VisionGap]:
    if vision is None or vision.status is not VisionStatus.CLOSED or not _has_open_criteria(state, goal, now):
        return
    message = f"The Vision of {vision.agent} is closed, and criteria of {goal.id} are open."
    way = "Write the next one with `loopx vision set`, or say with `loopx vision retire --as no_followup` why none is."
    yield VisionGap(GapCode.SUCCESSOR_REQUIRED, vision.agent, message, _written_by(state, vision), way)


def _written_by(state: State, vision: Vision) -> str:
    """The operation that wrote ``vision`` as it reads; where that is not known, whose it is."""
    baseline = baseline_of(state, vision.goal, vision.agent)
    return baseline.operation if baseline is not None else f"{vision.goal}/{vision.agent}"


def _is_stranded(state: State, goal: Goal, now: datetime) -> bool:
    return not _has_work_left(state, goal.id) and _has_open_criteria(state, goal, now)


def _has_work_left(state: State, goal_id: str) -> bool:
    """Whether a Todo of a Goal is not closed; monitors watch and do no work."""
    if any(each.todo_class is not TodoClass.MONITOR for each in state.frontier(goal_id, _A_FEW)):
        return True
    return any(each.todo_class is not TodoClass.MONITOR for each in state.todos(goal_id, _UNCLOSED))


def _has_open_criteria(state: State, goal: Goal, now: datetime) -> bool:
    return any(criterion_status(state, goal, each, now) is CriterionStatus.OPEN for each in goal.acceptance)
