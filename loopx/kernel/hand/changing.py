"""Changed documents: every field by its owner, and every kind by the rules of its commands."""

from __future__ import annotations

from loopx.errors import Problem
from loopx.kernel.authority import beyond, person_only
from loopx.kernel.configuring import after_edit, judge_config
from loopx.kernel.context import Context
from loopx.kernel.digest import gate_inputs
from loopx.kernel.editing import judge_edit
from loopx.kernel.goals import after_edit as after_goal_edit
from loopx.kernel.goals import judge_edit as judge_goal_edit
from loopx.kernel.hand.adopting import bad_evidence
from loopx.kernel.hand.edit import Judged
from loopx.kernel.hand.lifecycle import judge_lifecycle, with_claim_dated
from loopx.kernel.outcome import Refused, Update
from loopx.kernel.premises import vision_digest, with_baseline
from loopx.kernel.proposals import judge_rewording
from loopx.kernel.rebinding import changed_fields, owner_of
from loopx.kernel.references import bad_references, goal_taking_work
from loopx.kernel.standing import gate_standing
from loopx.kernel.state import State
from loopx.kernel.texts import read_scope
from loopx.kernel.transitions import move, transition
from loopx.kernel.visions import bad_vision, not_its_agent, unexplained
from loopx.kernel.wording import refuse
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.fields import Owner
from loopx.model.gate import Gate, GateStatus
from loopx.model.goal import Goal, GoalStatus
from loopx.model.kind import Kind
from loopx.model.plan import PlanDocument
from loopx.model.proposal import Proposal
from loopx.model.todo import Todo
from loopx.model.vision import Vision, VisionStatus
from loopx.model.workspace import WorkspaceConfig


def judge_change(state: State, before: Entity, after: Entity, context: Context) -> Judged | Refused:
    """Whether a document may change as typed."""
    refused = _machine_owned(before, after) or _moved(state, before, after, context)
    if refused:
        return refused
    match before, after:
        case Todo(), Todo():
            return _todo(state, before, after, context)
        case Gate(), Gate():
            return _gate(state, before, after, context)
        case Goal(), Goal():
            return _goal(state, before, after, context)
        case Vision(), Vision():
            return _vision(state, before, after, context)
        case Proposal(), Proposal():
            edited = Judged("edit", _update(before, after), after.title)
            return judge_rewording(state, before, after, context) or edited
        case PlanDocument(), PlanDocument():
            return _plan(state, before, after, context)
        case WorkspaceConfig(), WorkspaceConfig():
            additional = tuple(after_edit(state, before, after, context))
            edited = Judged("edit", _update(before, after), after.title, additional)
            return judge_config(state, after, context) or edited
        case _:
            raise ValueError(f"a {kind_of(before)} does not turn into a {kind_of(after)}")


def _todo(state: State, before: Todo, after: Todo, context: Context) -> Judged | Refused:
    notices = judge_edit(state, before, after, context)
    if isinstance(notices, Refused):
        return notices
    effects = judge_lifecycle(state, before, after, context)
    if isinstance(effects, Refused):
        return effects
    verb, additional, more = effects
    change = _update(before, with_claim_dated(before, after, context))
    return Judged(verb, change, after.title, additional, (*notices, *more))


def _goal(state: State, before: Goal, after: Goal, context: Context) -> Judged | Refused:
    notices = judge_goal_edit(state, before, after, context)
    if isinstance(notices, Refused):
        return notices
    verb = "edit"
    if before.status is not after.status:
        found = move(before, after.status)
        refused = found if isinstance(found, Refused) else _ended_by_hand(before, after)
        refused = refused or person_only(state, context, "a Goal's status")
        if refused:
            return refused
        verb = _verb(Kind.GOAL, before, after)
    additional = tuple(after_goal_edit(state, before, after, context))
    return Judged(verb, _update(before, after), after.title, additional, tuple(notices))


def _ended_by_hand(before: Goal, after: Goal) -> Refused | None:
    """An end is worked out from everything there is, and recorded; the word alone ends nothing, nor begins it anew."""
    if GoalStatus.CLOSED not in (before.status, after.status):
        return None
    verb, done = ("close", "closed") if after.status is GoalStatus.CLOSED else ("reopen", "reopened")
    message = f"{after.id} reads {after.status}, but a Goal is {done} by a command, which records how and why."
    return refuse("field-by-command", message, f"Use `loopx goal {verb} {after.id}`.", field="status")


def _gate(state: State, before: Gate, after: Gate, context: Context) -> Judged | Refused:
    changed = changed_fields(before, after)
    if not context.actor.is_human and (refused := _not_the_askers(before, context)):
        return refused
    if changed.keys() & {"scope", "valid_until"} and (refused := person_only(state, context, "what a Gate covers")):
        return refused
    if "scope" in changed and isinstance(found := read_scope(after.scope, "scope"), Refused):
        return found
    if "evidence" in changed and (refused := bad_evidence(state, after)):
        return refused
    return Judged("edit", _update(before, after), after.question, notices=_lapsed(state, before, after, context))


def _vision(state: State, before: Vision, after: Vision, context: Context) -> Judged | Refused:
    if refused := not_its_agent(after.agent, context) or bad_vision(after):
        return refused
    verb = "set"
    if before.status is not after.status:
        found = move(before, after.status)
        if isinstance(found, Refused):
            return found
        if refused := unexplained(after.status, after.reason):
            return refused
        verb = _verb(Kind.VISION, before, after)
    is_written = (
        vision_digest(before) != vision_digest(after) or after.status is VisionStatus.ACTIVE is not before.status
    )
    additional = with_baseline(state, after, context) if is_written else ()
    return Judged(verb, _update(before, after), after.summary, additional)


def _plan(state: State, before: PlanDocument, after: PlanDocument, context: Context) -> Judged | Refused:
    from loopx.kernel.plans.planning import bad_plan_edit  # most workspaces have no plan

    refused = bad_plan_edit(state, before, after, context)
    return refused or Judged("edit", _update(before, after), after.objective)


def _machine_owned(before: Entity, after: Entity) -> Refused | None:
    for name in changed_fields(before, after):
        if owner_of(after, name) is not Owner.MACHINE:
            continue
        if isinstance(after, Gate) and name == "status":
            return refuse("gate-not-by-hand", f"{after.id} reads {after.status}, but nobody answered it.", field=name)
        return refuse("field-machine-owned", f"{name} is written by LoopX alone.", field=name)
    return None


def _moved(state: State, before: Entity, after: Entity, context: Context) -> Refused | None:
    """The refusal of a document that went into the folder of another Goal, unless a person may move it there."""
    if goal_of(before) == goal_of(after):
        return None
    has_history = isinstance(before, Todo) and state.completions(before.id) is not None
    has_history = has_history or (isinstance(before, Gate) and state.decisions(before.id) is not None)
    if has_history or not isinstance(before, (Todo, Gate)):
        message = f"The {kind_of(before)} {identity(before)} stays with its Goal, where its history is."
        return refuse("document-closed", message, "Move the file back.")
    goal = goal_taking_work(state, goal_of(after))
    if isinstance(goal, Refused):
        return goal
    refused = person_only(state, context, "moving a document to another Goal")
    if refused or not isinstance(after, Todo):
        return refused
    return bad_references(state, after, goal, {"acceptance"})


def _not_the_askers(gate: Gate, context: Context) -> Refused | None:
    if gate.asked_by == str(context.actor) and gate.status is GateStatus.OPEN:
        return None
    return beyond(context, "an agent may edit a Gate it asked while it is open")


def _lapsed(state: State, before: Gate, after: Gate, context: Context) -> tuple[Problem, ...]:
    """A notice when a standing approval stops covering because the question reads differently now."""
    if gate_inputs(before) == gate_inputs(after) or not gate_standing(state, before, context.now).covers:
        return ()
    message = f"{after.id} was approved as it read before; as it reads now it covers nothing."
    return (Problem("gate-approval-lapsed", message, facts={"gate": after.id}),)


def _verb(kind: Kind, before: Goal | Vision, after: Goal | Vision) -> str:
    found = transition(kind, before.status, after.status)
    return found.commands[0].split()[-1] if found else "edit"


def _update(before: Entity, after: Entity) -> Update:
    return Update(kind_of(before), goal_of(before), identity(before), changed_fields(before, after))
