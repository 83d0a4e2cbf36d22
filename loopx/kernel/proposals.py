"""Rules of proposals: directions somebody thought of. Anybody may write one; nothing follows until a person accepts it.

The decision, the frontier and the audit never ask about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loopx.kernel.adding import add as add_todo
from loopx.kernel.answering import accepted, fresh_id, headline, stamp
from loopx.kernel.authority import beyond
from loopx.kernel.commands import AcceptProposal, AddProposal, AddTodo, Command, RejectProposal
from loopx.kernel.context import Context
from loopx.kernel.outcome import Accepted, Change, Create, Outcome, Refused
from loopx.kernel.privacy import bad_texts, is_shared
from loopx.kernel.references import goal_taking_work
from loopx.kernel.resolve import resolve
from loopx.kernel.state import State
from loopx.kernel.texts import bad_line, bad_reason
from loopx.kernel.transitions import move
from loopx.kernel.wording import quoted, refuse
from loopx.model.ids import PROPOSAL, normalised_title
from loopx.model.kind import Kind
from loopx.model.proposal import Proposal, ProposalStatus


def add(state: State, command: AddProposal, context: Context) -> Outcome:
    """Write a direction down, or point to the one of that title that still waits in the Goal."""
    goal = goal_taking_work(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    made = Proposal(id="", title=command.title.strip(), body=command.body, goal=goal.id)
    if refused := bad_line(command.title, "title") or bad_proposal(state, made):
        return refused
    key = normalised_title(command.title)
    waiting = state.proposals(goal.id, {ProposalStatus.PROPOSED})
    known = next((each for each in waiting if normalised_title(each.title) == key), None)
    proposal = known or replace(
        made, id=fresh_id(state, context, PROPOSAL), proposed_by=str(context.actor), created_at=stamp(context)
    )
    return _answer(command, context, proposal, [] if known else [Create(proposal)], added=known is None)


def accept(state: State, command: AcceptProposal, context: Context) -> Outcome:
    """Take it into its Goal: from now on there is a Todo with its title and text, and the proposal names it."""
    proposal = find_proposal(state, command.proposal)
    if isinstance(proposal, Refused):
        return proposal
    if proposal.status is ProposalStatus.ACCEPTED:
        return _answer(command, context, proposal, [], already=True, todo=proposal.todo)
    made = add_todo(state, AddTodo(goal=proposal.goal, title=proposal.title, body=proposal.body), context)
    if not isinstance(made, Accepted):
        return made
    todo = str(made.receipt.result["id"])
    change = move(proposal, ProposalStatus.ACCEPTED, command.name, decided_by=str(context.actor), todo=todo)
    if isinstance(change, Refused):
        return change
    added = made.receipt.result["added"]
    return _answer(command, context, proposal, [change, *made.changes], f"It is {todo}.", todo=todo, added=added)


def reject(state: State, command: RejectProposal, context: Context) -> Outcome:
    """Put it aside for a reason. An agent takes back its own, a person any."""
    proposal = find_proposal(state, command.proposal)
    if isinstance(proposal, Refused):
        return proposal
    refused = _not_yours(proposal, context) or bad_reason(command.reason)
    if refused := refused or bad_texts([("reason", command.reason)], is_shared(state)):
        return refused
    if proposal.status is ProposalStatus.REJECTED:
        return _answer(command, context, proposal, [], already=True)
    reason = command.reason.strip()
    change = move(proposal, ProposalStatus.REJECTED, command.name, decided_by=str(context.actor), reason=reason)
    return change if isinstance(change, Refused) else _answer(command, context, proposal, [change], reason)


def find_proposal(state: State, typed: str) -> Proposal | Refused:
    """The proposal ``typed`` names."""
    identity = resolve(state, Kind.PROPOSAL, typed)
    found = identity if isinstance(identity, Refused) else state.proposal(identity)
    return found or refuse("proposal-unknown", f"There is no proposal {quoted(typed)}.", typed=typed)


def bad_proposal(state: State, proposal: Proposal) -> Refused | None:
    """The refusal of texts that no document that others read may hold."""
    return bad_texts([("title", proposal.title), ("body", proposal.body)], is_shared(state))


def judge_rewording(state: State, before: Proposal, after: Proposal, context: Context) -> Refused | None:
    """The refusal of a proposal edited by hand: once decided it reads as it was decided on."""
    if before.status is not ProposalStatus.PROPOSED:
        message = f"{before.id} {quoted(before.title)} was {before.status}, and reads as it was decided on."
        return refuse("proposal-decided", message, field="title", proposal=before.id, status=before.status.value)
    return _not_yours(before, context) or bad_proposal(state, after)


def _not_yours(proposal: Proposal, context: Context) -> Refused | None:
    if context.actor.is_human or proposal.proposed_by == str(context.actor):
        return None
    return beyond(context, f"{proposal.id} was proposed by {proposal.proposed_by or 'somebody else'}")


def _answer(
    command: Command,
    context: Context,
    proposal: Proposal,
    changes: Sequence[Change],
    body: str = "",
    **facts: object,
) -> Outcome:
    verb = command.name.split()[1]
    return accepted(
        command,
        context,
        subject=f"proposal {proposal.id}",
        goal=proposal.goal,
        headline=headline("proposal", verb, proposal.id, proposal.title),
        changes=changes,
        body=body,
        result={"id": proposal.id, **facts},
    )
