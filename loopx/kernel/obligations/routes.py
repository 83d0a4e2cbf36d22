"""Triggers that lie in one agent's own way: Turns that moved nothing, changed acceptance, gaps of its Vision."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from loopx.kernel.agents import participant
from loopx.kernel.obligations.arming import Armed, Scene, obligation
from loopx.kernel.obligations.discharging import discharged_by, key_of, last_discharge
from loopx.kernel.obligations.record import ObligationKind

if TYPE_CHECKING:
    from loopx.model.turn import Turn

_SURFACE = frozenset({"surface_only"})
_IDLE = frozenset({"surface_only", "outcome_gap"})
_MOST = 1000
"""Turns in a row that a threshold may ask for."""
_A_FEW = 4
"""Turns looked at beyond a threshold at first, since some may have been voided."""
_LONGER = 32
"""How many Turns beyond those that count are looked at for the beginning of a row. In one that is longer still, the
Turn named as the one that armed it moves on with the row."""


def outcome_floor(scene: Scene, agent: str) -> Armed:
    """Turns in a row that produced something and moved no criterion."""
    kind, threshold = ObligationKind.OUTCOME_FLOOR, scene.policies.outcome_floor_turns
    arming = _row(scene, agent, kind, threshold, _SURFACE)
    if arming is not None:
        message = f"{threshold} turns of {agent} in a row moved no criterion."
        yield obligation(kind, "outcome-floor", _subjects(agent), arming, scene.owner(agent), message)


def no_progress(scene: Scene, agent: str) -> Armed:
    """Turns in a row after which no criterion was closer."""
    kind, threshold = ObligationKind.REPLAN, scene.policies.replan_after_turns
    arming = _row(scene, agent, kind, threshold, _IDLE)
    if arming is not None:
        message = f"{threshold} turns of {agent} in a row brought no criterion closer: the route has to change."
        yield obligation(kind, "no-progress", _subjects(agent), arming, scene.owner(agent), message)


def acceptance_changed(scene: Scene, agent: str) -> Armed:
    """Criteria that are others than when the agent wrote its Vision, or since it last took a change into account."""
    if scene.state.baselines(scene.goal.id, agent) is None:
        return
    from loopx.kernel.premises import acceptance_digest, baseline_of  # most agents keep no Vision

    baseline = baseline_of(scene.state, scene.goal.id, agent)
    if baseline is None:
        return
    kind, subjects = ObligationKind.REPLAN, (f"agent:{agent}", f"acceptance:{scene.goal.id}")
    known, since = baseline.acceptance[:12], baseline.operation
    last = last_discharge(scene.state, scene.goal.id, key_of(kind, subjects))
    if last is not None and last[0].settled_at is not None and last[0].settled_at >= baseline.at:
        known, since = last[1].seen, last[0].id
    today = acceptance_digest(scene.state, scene.goal)[:12]
    if today != known:
        message = f"The criteria of {scene.goal.id} changed since {agent} chose its route."
        owner = scene.owner(agent)
        yield obligation(kind, "acceptance-changed", subjects, f"{since}:{today}", owner, message, seen=today)


def vision_gap(scene: Scene, agent: str) -> Armed:
    """What is missing between the agent's Vision and its work. The stored Vision alone shows that it is there."""
    if not _has_route(scene, agent):
        return
    from loopx.kernel.checkpoints import vision_gaps

    for each in vision_gaps(scene.state, scene.goal, agent, scene.now):
        yield obligation(
            ObligationKind.CHECKPOINT,
            each.code.value,
            _subjects(agent),
            each.armed_by,
            scene.owner(agent),
            each.message,
            discharged_by=each.discharged_by.rstrip("."),
        )


def _has_route(scene: Scene, agent: str) -> bool:
    """Whether there is a Vision of the agent to ask about: one it keeps or must keep, or one its Turns spoke of."""
    found = participant(scene.goal, agent)
    if (found is not None and found.vision == "required") or scene.state.vision(scene.goal.id, agent) is not None:
        return True
    return any(each.checkpoint is not None and each.checkpoint.gap is not None for each in scene.past(agent, 1))


def _subjects(agent: str) -> tuple[str, ...]:
    return (f"agent:{agent}",)


def _row(scene: Scene, agent: str, kind: ObligationKind, threshold: int, outcomes: Collection[str]) -> str | None:
    """The Turn that made a row of ``outcomes`` too long, counted from its beginning; ``None`` while it is short."""
    if threshold <= 0:
        return None
    threshold, key = min(threshold, _MOST), key_of(kind, _subjects(agent))
    row: list[Turn] = []
    for count in (threshold + _A_FEW, 2 * threshold + _LONGER):
        turns = scene.past(agent, count)
        row, is_over = _in_a_row(turns, key, outcomes)
        if is_over or len(turns) < count:
            break
    return row[-threshold].id if len(row) >= threshold else None


def _in_a_row(turns: Iterable[Turn], key: str, outcomes: Collection[str]) -> tuple[list[Turn], bool]:
    """Settled Turns, newest first, back to one that fared better or that discharged the same; and whether there was
    such a one. Voided Turns are passed over."""
    row: list[Turn] = []
    for turn in turns:
        if turn.status != "settled":
            continue
        if turn.outcome not in outcomes or any(each.key == key for each in discharged_by(turn)):
            return row, True
        row.append(turn)
    return row, False
