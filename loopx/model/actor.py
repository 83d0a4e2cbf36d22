"""Who proposes a change, and by which way it came in."""

from __future__ import annotations

import re
from enum import StrEnum

from loopx.model.defining import dataclass
from loopx.model.ids import AGENT_PATTERN


class ActorKind(StrEnum):
    """What an actor is; what it may do follows from this."""

    HUMAN = "human"
    AGENT = "agent"


class Origin(StrEnum):
    """By which way a proposal came in."""

    COMMAND = "command"
    HAND = "hand"
    """A file edited in an editor."""
    FOREIGN = "foreign"
    """A commit somebody made with Git in ``.loopx/``."""
    PAGE = "page"
    SYSTEM = "system"
    """Housekeeping: adoption of ids, archiving, admission."""


class Channel(StrEnum):
    """Where a person said it."""

    TERMINAL = "terminal"
    PAGE = "page"
    SCRIPT = "script"
    EDITOR = "editor"


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor, written ``human:NAME`` or ``agent:ID``. A claim on a trusted machine, not authentication."""

    kind: ActorKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_human(self) -> bool:
        return self.kind is ActorKind.HUMAN

    @classmethod
    def parse(cls, text: str) -> Actor:
        """The actor ``text`` names; raises :class:`ValueError` when it names none."""
        kind, colon, name = text.partition(":")
        name = name.strip()
        if not colon or not name or "\n" in name or kind not in set(ActorKind):
            raise ValueError(f"{text!r} is not human:NAME or agent:ID")
        if kind == ActorKind.AGENT and not re.fullmatch(AGENT_PATTERN, name):
            raise ValueError(f"{name!r} is not an agent's name: lower-case letters, digits, dots and dashes")
        return cls(ActorKind(kind), name)
