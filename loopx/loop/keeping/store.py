"""Where a run keeps what happened: nowhere (in memory), or in the workspace, one commit a save."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from loopx.loop.attempt import Attempt
from loopx.loop.components.protocols import Acted
from loopx.loop.state import LoopState
from loopx.loop.step import Step


class SavePoint(StrEnum):
    """Why something is saved; each is a named place a crash is tried at."""

    OPENED = "opened"
    STARTING = "starting"
    """An attempt's intent: on record before the actor runs."""
    ENDED = "ended"
    """An outcome, with the verdicts there are."""
    RECOVERY_DECIDED = "recovery_decided"
    RECOVERED = "recovered"
    WAITING = "waiting"
    FINISHED = "finished"
    MOVED = "moved"
    """Somebody moved a step by a command."""


class RunStore(Protocol):
    """Keeps a run. Raises ``run-moved`` when somebody else wrote it meanwhile, and whatever fences the writer."""

    def save(self, state: LoopState, point: SavePoint) -> None:
        """Write what changed since the last save: changed steps, the run, new trace lines, the plan where it changed.

        Empties ``state.changed`` and the trace's new lines."""
        ...

    def outcome_of(self, step: Step, attempt: Attempt) -> Acted | None:
        """What is known on this machine of an attempt whose end was not recorded, once nothing of it runs any more;
        ``None`` when nothing is."""
        ...


class MemoryRunStore:
    """Keeps nothing: for runs whose end is awaited by their caller."""

    def save(self, state: LoopState, point: SavePoint) -> None:
        state.changed.clear()
        state.plan_changed = False

    def outcome_of(self, step: Step, attempt: Attempt) -> Acted | None:
        return None
