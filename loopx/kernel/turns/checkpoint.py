"""What a turn says of its agent's Vision, and what that is worth: written, unchanged, ended, missing, or not required.

"Unchanged" needs something to compare with: a Vision that was on record before the turn opened, none of whose premises
changed since, while no replan is due. What a turn leaves unsaid is passed on to the next as a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.checkpoints import GapCode, accounts_for_vision, gap_left_by, must_keep
from loopx.kernel.commands import RetireVision, SetVision
from loopx.kernel.context import Context
from loopx.kernel.outcome import Accepted, Refused
from loopx.kernel.premises import baseline_of, changed_premises
from loopx.kernel.state import State
from loopx.kernel.texts import bad_reason
from loopx.kernel.turns.owing import armed_replan
from loopx.kernel.turns.scratch import Scratch
from loopx.kernel.visions import written
from loopx.kernel.wording import listed, refuse
from loopx.model.turn import Checkpoint, CheckpointResult, PathOutcome
from loopx.model.vision import VisionStatus

if TYPE_CHECKING:
    from loopx.kernel.commands.turns import VisionSettlement
    from loopx.kernel.obligations.record import Obligation
    from loopx.model.goal import Goal
    from loopx.model.turn import PathDelta, Turn

_STAYING = frozenset({PathOutcome.CONTINUE, PathOutcome.NO_CHANGE, PathOutcome.WAIT})


class Course(NamedTuple):
    """How the turn went, as far as it bears on what must be said of the Vision."""

    moved: bool
    """The recorded outcome moves the objective."""
    is_continued: bool
    """Its Todo stays open, and the next turn goes on with it."""
    met: bool
    """A criterion was met."""
    path: PathDelta | None = None
    last: Turn | None = None
    """The agent's turn that ended before this one."""

    @property
    def is_turning(self) -> bool:
        """Whether the route changed, as the agent itself tells it."""
        path = self.path
        return path is not None and (path.outcome not in _STAYING or bool(path.changed or path.stopped))

    @property
    def asks_for_a_word(self) -> bool:
        """Whether the Vision must be spoken of: the route changed, a criterion was met, or the objective moved and the
        turn is not one of several on a Todo that is still open."""
        return self.is_turning or self.met or (self.moved and not self.is_continued)


def write(scratch: Scratch, goal: Goal, turn: Turn, said: VisionSettlement) -> str | Refused | None:
    """Carry out what is said of the Vision: ``patched`` or ``retired`` once that changed something."""
    ways = {"patched": bool(said.patch), "unchanged": said.unchanged_reason is not None}
    ways["retired"] = said.retired_reason is not None
    chosen = [name for name, is_said in ways.items() if is_said]
    if len(chosen) > 1:
        return refuse("settlement-contradiction", f"The Vision cannot be {listed(chosen)} at once.")
    if said.patch:
        patch = SetVision(goal=goal.id, agent=turn.agent, **said.patch)
        answer = scratch.ask(patch, lambda state, _, context: written(state, patch, context, turn.id))
        return _unless_idle(answer, "patched")
    if said.retired_reason is not None:
        end = RetireVision(goal=goal.id, agent=turn.agent, reason=said.retired_reason)
        return bad_reason(said.retired_reason) or _unless_idle(scratch.ask(end), "retired")
    return None


def unsupported(
    state: State, goal: Goal, turn: Turn, said: VisionSettlement, armed: Sequence[Obligation], context: Context
) -> Refused | None:
    """The refusal of a Vision called unchanged that cannot be: a premise changed, or a replan is due."""
    if said.unchanged_reason is None:
        return None
    if refused := bad_reason(said.unchanged_reason):
        return refused
    if not _is_comparable(state, turn) or _has_ended(state, goal, turn.agent):
        return None
    changed = changed_premises(state, goal, turn.agent, context.now)
    if changed:
        message = f"Since {turn.agent} wrote its Vision, this changed: {listed(changed)}."
        return refuse("vision-premise-changed", message, agent=turn.agent, changed=list(changed))
    replan = armed_replan(armed)
    if replan is None:
        return None
    message = f"{turn.agent} owes a replan ({replan.trigger}), so its Vision is not unchanged."
    return refuse("vision-premise-changed", message, agent=turn.agent, obligation=replan.id)


def judged(
    scratch: Scratch, goal: Goal, turn: Turn, said: VisionSettlement, became: str | None, course: Course
) -> Checkpoint:
    """The checkpoint of a settled turn. ``became`` is what :func:`write` did."""
    state, before = scratch.state, scratch.before
    baseline = baseline_of(state, goal.id, turn.agent)
    now = baseline.vision if baseline is not None else None
    reason = said.unchanged_reason or said.retired_reason
    if became == "retired":
        return Checkpoint(result=CheckpointResult.RETIRED, baseline=now, reason=reason, path_delta=course.path)
    if became == "patched" or (now is not None and now != turn.baseline):
        return Checkpoint(result=CheckpointResult.PATCHED, baseline=now, reason=reason, path_delta=course.path)
    if _has_ended(state, goal, turn.agent):
        found = replace(_passed_on(before, course.last), reason=reason or "its Vision ended")
    elif said.unchanged_reason is not None:
        found = _unchanged(before, turn, reason, course)
    elif course.asks_for_a_word and accounts_for_vision(state, goal, turn.agent):
        found = _missing(before, now, course)
    else:
        found = _passed_on(before, course.last)
    return replace(found, path_delta=course.path)


def passed_on(state: State, last: Turn | None) -> Checkpoint | None:
    """What a turn that delivers nothing passes on: the gap that ``last``, the one before it, left, if it left one."""
    found = _passed_on(state, last)
    return found if found.gap is not None else None


def _unless_idle(answer: Accepted | Refused, word: str) -> str | Refused | None:
    if isinstance(answer, Refused):
        return answer
    return None if answer.receipt.result["already"] else word


def _is_comparable(state: State, turn: Turn) -> bool:
    """Whether the Vision reads as it did, on record, when the turn opened."""
    baseline = baseline_of(state, turn.goal, turn.agent)
    return baseline is not None and baseline.vision == turn.baseline


def _has_ended(state: State, goal: Goal, agent: str) -> bool:
    """Whether the agent's Vision is over, and the Goal does not ask for another."""
    vision = state.vision(goal.id, agent)
    if vision is None or vision.status is VisionStatus.ACTIVE:
        return False
    return vision.status is VisionStatus.NO_FOLLOWUP or not must_keep(goal, agent)


def _unchanged(before: State, turn: Turn, reason: str | None, course: Course) -> Checkpoint:
    if _is_comparable(before, turn):
        return Checkpoint(result=CheckpointResult.UNCHANGED, baseline=turn.baseline, reason=reason)
    return _gap(before, GapCode.CHECKPOINT_MISSING, course, reason=reason)


def _missing(before: State, now: str | None, course: Course) -> Checkpoint:
    """Nothing was said although it had to be. A claim without a baseline that was made before weighs more and stays."""
    left = gap_left_by(before, course.last)
    if left is not None and left[0] is GapCode.CHECKPOINT_MISSING:
        return replace(_passed_on(before, course.last), result=CheckpointResult.MISSING)
    return _gap(before, GapCode.OUTCOME_CHECKPOINT_REQUIRED, course, baseline=now)


def _gap(
    before: State, code: GapCode, course: Course, *, baseline: str | None = None, reason: str | None = None
) -> Checkpoint:
    """A gap; the earlier turn that left the same one, while nothing filled it, stays the one that armed it."""
    left = gap_left_by(before, course.last)
    armed_by = left[1] if left is not None and left[0] is code else None
    return Checkpoint(
        result=CheckpointResult.MISSING, baseline=baseline, reason=reason, gap=code.value, armed_by=armed_by
    )


def _passed_on(before: State, last: Turn | None) -> Checkpoint:
    """A checkpoint that was not required, with the gap that earlier turns left."""
    left = gap_left_by(before, last)
    if left is None or last is None or last.checkpoint is None:
        return Checkpoint(result=CheckpointResult.NOT_REQUIRED)
    return Checkpoint(
        result=CheckpointResult.NOT_REQUIRED,
        baseline=last.checkpoint.baseline,
        gap=left[0].value,
        armed_by=left[1],
    )
