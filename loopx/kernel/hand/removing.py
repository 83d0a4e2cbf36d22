"""Deleted documents: never what others refer to, what has a history, or what belongs to somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from loopx.kernel.authority import beyond, person_only
from loopx.kernel.context import Context
from loopx.kernel.fencing import fence
from loopx.kernel.hand.edit import Judged
from loopx.kernel.outcome import Delete, Refused
from loopx.kernel.state import State
from loopx.kernel.visions import not_its_agent
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.gate import Gate
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.plan import PlanDocument
from loopx.model.proposal import Proposal, ProposalStatus
from loopx.model.todo import Todo
from loopx.model.vision import Vision
from loopx.model.workspace import WorkspaceConfig


def judge_removal(state: State, before: Entity, context: Context) -> Judged | Refused:
    """Whether a document may go."""
    match before:
        case Todo():
            refused = _todo(state, before, context)
            title = before.title
        case Gate():
            refused = _gate(state, before, context)
            title = before.question
        case Goal():
            refused = _goal(state, before, context)
            title = before.title
        case Vision():
            refused = not_its_agent(before.agent, context)
            title = before.summary
        case Proposal():
            refused = _proposal(before, context)
            title = before.title
        case PlanDocument():
            refused = _plan(state, before)
            title = before.objective
        case WorkspaceConfig():
            return refuse("document-referenced", "Without workspace.yaml there is no workspace.", "Bring it back.")
        case _:
            raise ValueError(f"{type(before).__name__} is no document people write")
    return refused or Judged("delete", Delete(kind_of(before), goal_of(before), identity(before)), title)


def _plan(state: State, plan: PlanDocument) -> Refused | None:
    if state.run(plan.run) is None:
        return None
    message = f"The run {plan.run} was begun, and its plan belongs to what is on record of it."
    return refuse("document-referenced", message, "Bring the file back.", run=plan.run)


def _todo(state: State, todo: Todo, context: Context) -> Refused | None:
    if not context.actor.is_human:
        return beyond(context, "an agent cancels a Todo and deletes none")
    if todo.status.is_closed or state.completions(todo.id) is not None:
        message = f"{todo.id} {quoted(todo.title)} has a history that ends with {todo.status}."
        return refuse("document-closed", message, todo=todo.id)
    if refused := fence(state, todo, context):
        return refused
    if state.lease(todo.id) is not None:
        message = f"{todo.id} {quoted(todo.title)} has a history: it was executed under a lease, whose record is kept."
        return refuse("document-closed", message, todo=todo.id)
    if state.monitor(todo.id) is not None:
        message = f"{todo.id} {quoted(todo.title)} has a history: what watching it found is kept."
        return refuse("document-closed", message, todo=todo.id)
    evidence = (each.id for each in state.evidences(todo.goal) if each.subject == todo.id)
    records = _records_naming(state, todo.id, Kind.TURN, Kind.EFFECT, Kind.HANDOFF, Kind.PLAN)
    return _referenced(todo.id, chain(state.dependants(todo.id), evidence, records))


def _gate(state: State, gate: Gate, context: Context) -> Refused | None:
    if not context.actor.is_human:
        return beyond(context, "an agent withdraws a Gate and deletes none")
    if state.decisions(gate.id) is not None:
        message = f"{gate.id} {quoted(gate.question)} was answered, and the answer is kept."
        return refuse("document-closed", message, "Bring the file back.", gate=gate.id)
    return _referenced(gate.id, chain(state.dependants(gate.id), _records_naming(state, gate.id, Kind.HANDOFF)))


def _proposal(proposal: Proposal, context: Context) -> Refused | None:
    if not context.actor.is_human:
        return beyond(context, "an agent takes a proposal back and deletes none")
    if proposal.status is not ProposalStatus.PROPOSED:
        message = f"{proposal.id} {quoted(proposal.title)} was {proposal.status}, and that is kept."
        return refuse("document-closed", message, "Bring the file back.", proposal=proposal.id)
    return None


def _goal(state: State, goal: Goal, context: Context) -> Refused | None:
    if refused := person_only(state, context, "deleting a Goal"):
        return refused
    if state.closure(goal.id) is not None:
        return refuse("document-closed", f"How {goal.id} {quoted(goal.title)} ended is kept, and it with that.")
    contents = chain(
        (each.id for each in state.todos(goal.id)),
        (each.id for each in state.gates(goal.id)),
        (f"the Vision of {each.agent}" for each in state.visions(goal.id)),
        (each.id for each in state.evidences(goal.id)),
        (each.id for each in state.proposals(goal.id)),
        (each.id for each in state.effects(goal.id)),
        (each.id for each in state.handoffs(goal.id)),
    )
    return _referenced(goal.id, contents)


def _records_naming(state: State, named: str, *kinds: Kind) -> Iterator[str]:
    """Ids of records that tell of ``named``: they stay, and would tell of nothing."""
    return (identity(each) for kind in kinds for each in state.source.referring(kind, named, limit=6))


def _referenced(subject: str, by: Iterator[str]) -> Refused | None:
    found = list(islice(by, 6))
    if not found:
        return None
    return refuse("document-referenced", f"{subject} is referred to by {listed(found)}.", id=subject, by=found)
