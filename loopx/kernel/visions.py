"""Rules of Visions: one route per agent and Goal, within a budget of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from loopx.kernel.answering import accepted, headline, stamp
from loopx.kernel.authority import beyond
from loopx.kernel.commands import Command, RetireVision, SetVision
from loopx.kernel.context import Context
from loopx.kernel.outcome import Change, Create, Outcome, Refused, Update
from loopx.kernel.premises import baseline_of, with_baseline
from loopx.kernel.references import goal_taking_work
from loopx.kernel.resolve import find_goal, folded_name
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent, bad_line, bad_reason
from loopx.kernel.transitions import move, update
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.vision import VISION_BUDGETS, VISION_TOTAL, Advancement, Vision, VisionStatus

_FIELDS = (*VISION_BUDGETS, "advancement")
_ENDS = tuple(each.value for each in VisionStatus if each is not VisionStatus.ACTIVE)


def set_vision(state: State, command: SetVision, context: Context) -> Outcome:
    """Write or change an agent's Vision. Setting one that ended makes it active again."""
    return written(state, command, context)


def written(state: State, command: SetVision, context: Context, turn: str | None = None) -> Outcome:
    """Write an agent's Vision, in the Turn ``turn`` where it is part of one, and record what it rests on."""
    goal = goal_taking_work(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    agent = folded_name(command.agent)
    if refused := bad_agent(agent) or not_its_agent(agent, context):
        return refused
    before = state.vision(goal.id, agent)
    values = _values(command)
    if isinstance(values, Refused):
        return values
    after = _written(before, values, agent, goal.id, context)
    if refused := bad_vision(after):
        return refused
    change = _change(before, after)
    if isinstance(change, Refused):
        return change
    is_known = not _sets_something(change) and baseline_of(state, goal.id, agent) is not None
    return _answer(command, context, after, [change, *(() if is_known else with_baseline(state, after, context, turn))])


def retire(state: State, command: RetireVision, context: Context) -> Outcome:
    """End an agent's Vision in one of the ways there are; its text stays."""
    goal = find_goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    agent = folded_name(command.agent)
    vision = state.vision(goal.id, agent)
    if vision is None:
        return refuse("vision-unknown", f"{quoted(agent)} has no Vision for {goal.id}.", goal=goal.id, agent=agent)
    if refused := not_its_agent(agent, context):
        return refused
    if command.reason is not None and (refused := bad_line(command.reason, "reason")):
        return refused
    if command.to not in _ENDS:
        message = f"{quoted(command.to)} is no way for a Vision to end."
        return refuse("field-value", message, f"Use {listed(_ENDS)}.", field="status")
    if vision.status == command.to:
        return _answer(command, context, vision, [])
    if refused := unexplained(VisionStatus(command.to), command.reason):
        return refused
    change = move(vision, VisionStatus(command.to), command.name, reason=command.reason)
    return change if isinstance(change, Refused) else _answer(command, context, vision, [change], command.reason or "")


def unexplained(status: VisionStatus, reason: str | None) -> Refused | None:
    """The refusal of a Vision that nothing is to follow, without a reason."""
    return bad_reason(reason) if status is VisionStatus.NO_FOLLOWUP else None


def not_its_agent(agent: str, context: Context) -> Refused | None:
    """The refusal of an agent that touches the Vision of another; a person may touch any."""
    if context.actor.is_human or context.actor.name == agent:
        return None
    return beyond(context, f"this is the Vision of {agent}")


def bad_vision(vision: Vision) -> Refused | None:
    """The refusal of a Vision without a summary or over a budget; ``None`` when it fits."""
    if not vision.summary.strip():
        return refuse("field-missing", "A Vision needs a summary.", "Give one with --summary.", field="summary")
    lengths = {name: len(getattr(vision, name) or "") for name in VISION_BUDGETS}
    for name, count in lengths.items():
        if count > VISION_BUDGETS[name]:
            return _over(name, count, VISION_BUDGETS[name])
    total = sum(lengths.values())
    return _over("total", total, VISION_TOTAL) if total > VISION_TOTAL else None


def _over(field: str, count: int, limit: int) -> Refused:
    what = "All fields together have" if field == "total" else f"{field} has"
    message = f"{what} {count} characters; {limit} are allowed."
    hint = f"Take {count - limit} away; nothing is cut for you."
    return refuse("vision-over-budget", message, hint, field=field, count=count, limit=limit)


def _values(command: SetVision) -> dict[str, Any] | Refused:
    given = {name: getattr(command, name) for name in _FIELDS if getattr(command, name) is not None}
    advancement = given.get("advancement")
    if advancement is None:
        return given
    if advancement not in set(Advancement):
        message = f"{quoted(advancement)} is no way to advance."
        return refuse("field-value", message, f"Use {listed(Advancement)}.", field="advancement")
    return {**given, "advancement": Advancement(advancement)}


def _written(before: Vision | None, values: dict[str, Any], agent: str, goal: str, context: Context) -> Vision:
    if before is not None:
        return replace(before, **values, status=VisionStatus.ACTIVE)
    return Vision(agent=agent, goal=goal, created_at=stamp(context), **{"summary": "", **values})


def _change(before: Vision | None, after: Vision) -> Change | Refused:
    if before is None:
        return Create(after)
    values = {name: getattr(after, name) for name in _FIELDS}
    if before.status is VisionStatus.ACTIVE:
        return update(before, **values)
    return move(before, VisionStatus.ACTIVE, "vision set", **values, reason=None)


def _sets_something(change: Change) -> bool:
    return not isinstance(change, Update) or bool(change.fields)


def _answer(command: Command, context: Context, vision: Vision, changes: Sequence[Change], body: str = "") -> Outcome:
    return accepted(
        command,
        context,
        subject=f"vision {vision.agent}",
        goal=vision.goal,
        headline=headline("vision", command.name.split()[1], f"{vision.goal}/{vision.agent}", vision.summary),
        changes=changes,
        body=body,
        result={
            "goal": vision.goal,
            "agent": vision.agent,
            "already": not any(map(_sets_something, changes)),
        },
    )
