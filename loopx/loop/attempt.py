"""One execution of a step while the run is on; its record is made of it when it is saved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from loopx.loop.definition import definition_digest
from loopx.model import run
from loopx.model.plan import PlanStep
from loopx.model.step import AttemptOutcome


@dataclass(slots=True, eq=False)
class Attempt:
    """An execution. ``id`` is the idempotency key its actor gets; ``meant``, ``tool``, ``model`` are what it ran on."""

    id: str
    number: int
    meant: PlanStep
    tool: str | None
    model: str | None
    started_at: datetime
    outcome: AttemptOutcome = AttemptOutcome.RUNNING
    ended_at: datetime | None = None
    exit_status: int | None = None
    output_digest: str | None = None
    failure: str | None = None
    process_group: int | None = None
    boot: str | None = None
    process_started: str | None = None
    cost: float = 0.0
    tokens: int = 0
    evaluation_passed: bool | None = None
    verification_passed: bool | None = None
    digest: str | None = None
    """Digest of the definition, once it was worked out or read from a record."""

    @property
    def definition(self) -> str:
        """Digest of the definition it ran on."""
        if self.digest is None:
            self.digest = definition_digest(self.meant, self.tool, self.model)
        return self.digest

    def recorded(self) -> run.Attempt:
        """Its record."""
        values = {name: getattr(self, name) for name in run.Attempt.__dataclass_fields__}
        return run.Attempt(**values)
