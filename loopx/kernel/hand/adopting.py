"""New hand-made documents: what must be there, what must not be typed, and what LoopX fills in."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, replace
from typing import Any

from loopx.kernel.adding import bad_validation
from loopx.kernel.answering import stamp
from loopx.kernel.authority import person_only
from loopx.kernel.configuring import judge_config
from loopx.kernel.context import Context
from loopx.kernel.editing import equal_titles
from loopx.kernel.goals import judge_edit as judge_goal
from loopx.kernel.hand.edit import Judged
from loopx.kernel.hand.lifecycle import judge_lifecycle, with_claim_dated
from loopx.kernel.outcome import Create, Refused
from loopx.kernel.premises import with_baseline
from loopx.kernel.proposals import bad_proposal
from loopx.kernel.references import bad_references, goal_taking_work
from loopx.kernel.state import State
from loopx.kernel.texts import read_scope
from loopx.kernel.transitions import move
from loopx.kernel.visions import bad_vision, not_its_agent, unexplained
from loopx.kernel.watching import incomplete, unwatchable
from loopx.kernel.wording import quoted, refuse
from loopx.model.entities import Entity
from loopx.model.gate import Gate, GateStatus
from loopx.model.goal import Goal, GoalStatus
from loopx.model.ids import RUN_PATTERN
from loopx.model.kind import Kind
from loopx.model.layout import is_goal_slug
from loopx.model.plan import PlanDocument
from loopx.model.proposal import Proposal, ProposalStatus
from loopx.model.todo import Todo, TodoStatus
from loopx.model.vision import Vision, VisionStatus
from loopx.model.workspace import WorkspaceConfig

_REFERENCES = frozenset({"depends_on", "acceptance", "requires"})
_ONLY_BY_COMMAND = ("supersedes", "superseded_by", "successors", "outcome", "decided_by", "todo")
"""Machine-owned fields that tell of something that happened, so that a new document cannot have them."""


def judge_new(state: State, after: Entity, context: Context, *, is_return: bool = False) -> Judged | Refused:
    """Whether a document nobody has may be taken in; with ``is_return`` it is one that was deleted."""
    if isinstance(after, PlanDocument):
        return _plan(state, after, context, is_return)
    told = next((name for name in _ONLY_BY_COMMAND if _is_typed(after, name)), None)
    if told is not None:
        hint = "Remove the line; commands write it."
        return refuse("field-machine-owned", f"{told} is written by LoopX alone.", hint, field=told)
    match after:
        case Todo():
            return _todo(state, after, context, is_return)
        case Gate():
            return _gate(state, after, context, is_return)
        case Goal():
            return _goal(state, after, context)
        case Vision():
            return _vision(state, after, context)
        case Proposal():
            return _proposal(state, after, context, is_return)
        case WorkspaceConfig():
            return judge_config(state, after, context) or Judged("edit", Create(after), after.title)
        case _:
            raise ValueError(f"{type(after).__name__} is no document people write")


def _todo(state: State, after: Todo, context: Context, is_return: bool) -> Judged | Refused:
    if refused := _bad_identity(state, Kind.TODO, after.id, state.todo(after.id) is not None, is_return):
        return refused
    goal = _home(state, after.goal)
    if isinstance(goal, Refused):
        return goal
    refused = bad_references(state, after, goal, _REFERENCES) or bad_validation(after.validation)
    if refused := refused or unwatchable(after):
        return refused
    fresh = replace(after, status=TodoStatus.OPEN, claimed_by=None)
    effects = judge_lifecycle(state, fresh, after, context)
    if isinstance(effects, Refused):
        return effects
    _, additional, notices = effects
    filled = after if after.created_at else replace(after, created_at=stamp(context))
    filled = filled if is_return else with_claim_dated(replace(fresh, claimed_at=None), filled, context)
    notices = (*notices, *equal_titles(state, after), *incomplete(after))
    return Judged("add", Create(filled), after.title, additional, notices)


def _gate(state: State, after: Gate, context: Context, is_return: bool) -> Judged | Refused:
    if refused := _bad_identity(state, Kind.GATE, after.id, state.gate(after.id) is not None, is_return):
        return refused
    goal = _home(state, after.goal)
    if isinstance(goal, Refused):
        return goal
    if after.status is not GateStatus.OPEN:
        return refuse("gate-not-by-hand", f"A Gate begins open, not {after.status}.", field="status")
    if after.asked_by not in (None, str(context.actor)):
        return refuse("field-machine-owned", f"{context.actor} asks, not {after.asked_by}.", field="asked_by")
    scope = read_scope(after.scope, "scope")
    if isinstance(scope, Refused):
        return scope
    if refused := bad_evidence(state, after):
        return refused
    filled = replace(after, created_at=after.created_at or stamp(context), asked_by=str(context.actor))
    return Judged("open", Create(filled), after.question)


def _goal(state: State, after: Goal, context: Context) -> Judged | Refused:
    if not is_goal_slug(after.id):
        hint = "Name the folder with lower-case letters, digits and dashes."
        return refuse("goal-id-invalid", f"{quoted(after.id)} cannot be a Goal's name.", hint)
    if state.goal(after.id) is not None:
        return refuse("goal-exists", f"Goal {after.id} is there already.", goal=after.id)
    if after.status in (GoalStatus.STOPPED, GoalStatus.CLOSED):
        message = f"A new Goal is draft, active or paused, not {after.status}; what is reached is worked out."
        return refuse("transition-illegal", message, "Remove the `status` line.", field="status")
    if after.status is not GoalStatus.DRAFT and (refused := person_only(state, context, "making a Goal active")):
        return replace(refused, hint="Write `status: draft` to propose it.")
    notices = judge_goal(state, after, after, context)
    if isinstance(notices, Refused):
        return notices
    filled = after if after.created_at else replace(after, created_at=stamp(context))
    return Judged("new", Create(filled), after.title)


def _vision(state: State, after: Vision, context: Context) -> Judged | Refused:
    goal = _home(state, after.goal)
    if isinstance(goal, Refused):
        return goal
    if state.vision(after.goal, after.agent) is not None:
        return refuse("id-duplicate", f"{after.agent} has a Vision for {after.goal} already.", id=after.agent)
    if refused := not_its_agent(after.agent, context) or bad_vision(after):
        return refused
    if after.status is not VisionStatus.ACTIVE:
        illegal = move(replace(after, status=VisionStatus.ACTIVE), after.status)
        if isinstance(illegal, Refused):
            return illegal
        if refused := unexplained(after.status, after.reason):
            return refused
    filled = after if after.created_at else replace(after, created_at=stamp(context))
    return Judged("set", Create(filled), after.summary, with_baseline(state, filled, context))


def _proposal(state: State, after: Proposal, context: Context, is_return: bool) -> Judged | Refused:
    if refused := _bad_identity(state, Kind.PROPOSAL, after.id, state.proposal(after.id) is not None, is_return):
        return refused
    goal = _home(state, after.goal)
    if isinstance(goal, Refused):
        return goal
    if after.status is not ProposalStatus.PROPOSED:
        hint = "Remove the `status` line; a person decides with `loopx proposal accept` or `reject`."
        message = f"A proposal begins proposed, not {after.status}."
        return refuse("field-machine-owned", message, hint, field="status")
    if after.proposed_by not in (None, str(context.actor)) and not is_return:
        return refuse("field-machine-owned", f"{context.actor} proposes, not {after.proposed_by}.", field="proposed_by")
    if refused := bad_proposal(state, after):
        return refused
    proposed_by = after.proposed_by or str(context.actor)
    filled = replace(after, created_at=after.created_at or stamp(context), proposed_by=proposed_by)
    return Judged("add", Create(filled), after.title)


def _plan(state: State, after: PlanDocument, context: Context, is_return: bool) -> Judged | Refused:
    from loopx.kernel.plans.planning import bad_new_plan  # most workspaces have no plan

    if refused := _bad_identity(state, Kind.PLAN, after.run, state.plan(after.run) is not None, is_return):
        return refused
    if not re.fullmatch(RUN_PATTERN, after.run):
        hint = "Name the folder run- and eight letters or digits, or use `loopx plan new`."
        return refuse("field-value", f"{quoted(after.run)} cannot be a run's name.", hint)
    todo = state.todo(after.todo)
    if todo is None or todo.goal != after.goal:
        message = f"There is no Todo {quoted(after.todo)} in {after.goal}."
        return refuse("todo-unknown", message, "Put the folder below that of its Todo's id.", todo=after.todo)
    if after.version != 1 or after.scope is not None:
        return refuse("field-machine-owned", "A new plan is its first version.", "Remove the line.", field="version")
    return bad_new_plan(state, after, todo) or Judged("new", Create(after), after.objective)


def bad_evidence(state: State, gate: Gate) -> Refused | None:
    """The refusal of a Gate that rests on evidence nobody recorded."""
    missing = next((each for each in gate.evidence if state.evidence(each) is None), None)
    if missing is None:
        return None
    return refuse("evidence-unknown", f"There is no evidence {quoted(missing)}.", field="evidence")


def _bad_identity(state: State, kind: Kind, identity: str, is_there: bool, is_return: bool) -> Refused | None:
    if is_there:
        return refuse("id-duplicate", f"There is another {kind} {identity}.", field="id", id=identity)
    if state.is_known_id(identity) and not is_return:
        return refuse("id-reused", f"{identity} was the id of another document.", field="id", id=identity)
    return None


def _home(state: State, goal: str) -> Goal | Refused:
    """The Goal in whose folder a document lies."""
    if state.goal(goal) is None:
        hint = f"Write goals/{goal}/goal.md with a title, or move the file into a Goal's folder."
        return refuse("goal-unknown", f"There is no Goal {quoted(goal)}.", hint, goal=goal)
    return goal_taking_work(state, goal)


def _is_typed(entity: Entity, name: str) -> bool:
    value: Any = getattr(entity, name, None)
    default = next((each.default for each in fields(entity) if each.name == name), MISSING)
    return value is not None and value != default
