"""A Proposal: a direction somebody thought of. It has no authority until a person takes it into the Goal."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import human, machine
from loopx.model.forms import ActorName, GoalId, Instant, Line, ProposalId, Rev, TodoId
from loopx.model.kind import Kind


class ProposalStatus(StrEnum):
    """Where a Proposal is in its life; the transitions are a table in ``kernel``."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A direction without authority. Accepting it makes a Todo with its title and body."""

    KIND: ClassVar[Kind] = Kind.PROPOSAL

    id: ProposalId = machine("identity; the file name is not")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    title: Line = human("what is proposed, in one line")
    status: ProposalStatus = machine("proposed, accepted or rejected", default=ProposalStatus.PROPOSED)
    proposed_by: ActorName | None = machine("who proposed it", default=None)
    decided_by: ActorName | None = machine("who accepted or rejected it", default=None)
    reason: Line | None = machine("why it was rejected", default=None)
    todo: TodoId | None = machine("the Todo it became", default=None)
    created_at: Instant | None = machine("when it was proposed", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
    body: str = field(default="", metadata={"body": True})
