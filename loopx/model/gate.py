"""A Gate: a question only a person may answer, and what the answer covers."""

from __future__ import annotations

import re
from dataclasses import field
from enum import StrEnum
from typing import ClassVar

from loopx.model.defining import dataclass
from loopx.model.fields import Merge, human, machine
from loopx.model.forms import ActorName, EvidenceId, GateId, GoalId, Instant, Line, Rev
from loopx.model.kind import Kind


class GateStatus(StrEnum):
    """Where a Gate is in its life; the transitions are a table in ``kernel``."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    DEFERRED = "deferred"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class ScopeKind(StrEnum):
    """What sort of decision it is."""

    PRIVATE_READ = "private_read"
    WRITE_SCOPE = "write_scope"
    RESOURCE = "resource"
    PRODUCTION = "production"
    PUBLIC_CLAIM = "public_claim"
    DIRECTION = "direction"
    OTHER = "other"


class Granularity(StrEnum):
    """How wide a decision reaches, narrowest first."""

    ACTION = "action"
    LANE = "lane"
    GOAL = "goal"
    PROJECT = "project"
    GLOBAL = "global"


_WIDTH = {each: width for width, each in enumerate(Granularity)}
_KEY = re.compile(r"\*|[A-Za-z0-9][A-Za-z0-9._/@#-]{0,127}")


@dataclass(frozen=True, slots=True)
class DecisionScope:
    """A decision scope, written ``kind:granularity:key``; the key ``*`` stands for any."""

    kind: ScopeKind
    granularity: Granularity
    key: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.granularity}:{self.key}"

    @classmethod
    def parse(cls, text: str) -> DecisionScope:
        """The scope ``text`` names; raises :class:`ValueError` naming what is wrong with it."""
        parts = text.strip().split(":", 2)
        if len(parts) != 3:
            raise ValueError(f"{text!r} is not kind:granularity:key")
        kind, granularity, key = parts
        if kind not in set(ScopeKind):
            raise ValueError(f"{kind!r} is not a kind of decision; one of {', '.join(ScopeKind)}")
        if granularity not in set(Granularity):
            raise ValueError(f"{granularity!r} is not a granularity; one of {', '.join(Granularity)}")
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not a key: letters, digits and . _ / @ # -, or *")
        return cls(ScopeKind(kind), Granularity(granularity), key)

    def covers(self, need: DecisionScope) -> bool:
        """Whether a decision of this scope covers ``need``: same kind, key equal or ``*``, at least as wide."""
        return (
            self.kind is need.kind
            and self.key in ("*", need.key)
            and _WIDTH[self.granularity] >= _WIDTH[need.granularity]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A question for a person. Its decision lives in ``decisions/<gate>.yaml``; ``status`` shows the outcome."""

    KIND: ClassVar[Kind] = Kind.GATE

    id: GateId = machine("identity; the file name is not")
    rev: Rev | None = machine("renewed by each command's write; says which version an editor holds", default=None)
    scope: Line = human("what an approval covers: kind:granularity:key", guard=True)
    question: Line = human("what is asked, in one line")
    status: GateStatus = machine("open, approved, rejected, deferred, withdrawn or expired", default=GateStatus.OPEN)
    options: tuple[Line, ...] = human("answers to choose from", default=())
    deadline: Instant | None = human("when an answer is needed; passing it never approves", default=None)
    valid_until: Instant | None = human("when an approval stops covering anything", default=None, guard=True)
    evidence: tuple[EvidenceId, ...] = human("what it was asked on", default=(), merge=Merge.SET)
    asked_by: ActorName | None = machine("who asked", default=None)
    created_at: Instant | None = machine("when it was opened or adopted", default=None)
    goal: GoalId = field(default="", metadata={"from_path": True})
    body: str = field(default="", metadata={"body": True})
