"""What a decision is made in: who proposes, by which way, under which operation id, when, and with which fresh ids."""

from __future__ import annotations

from datetime import datetime

from loopx.model.actor import Actor, Origin
from loopx.model.clock import IdSource
from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a decision needs that is neither state nor the proposal."""

    actor: Actor
    origin: Origin
    operation: str
    now: datetime
    ids: IdSource
