"""What the live page shows of runs: one in a line wherever its Todo stands, one whole with its steps and its trace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from loopx.model.defining import dataclass

_WORDS = {
    "acting": "carries out a step",
    "failed": "failed",
    "iteration_complete": "between steps",
    "waiting_for_human": "waits for a person",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNow:
    """A step that is neither over nor untouched. ``since`` is when it came to where it is, as far as that is known."""

    id: str
    title: str
    status: str
    attempts: int = 0
    since: datetime | None = None
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One run in short. ``gates`` are those a person has to answer before all of it can go on."""

    id: str
    todo: str
    todo_title: str
    goal: str
    objective: str
    status: str
    complete: int
    counting: int
    now: Sequence[StepNow] = ()
    gates: Sequence[str] = ()
    question: str = ""
    """The Gate a recovery asks by: rejecting it ends the run."""
    error: str = ""
    started_by: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    is_over: bool = False

    @property
    def word(self) -> str:
        """Where it is, in words."""
        if self.gates and not any(each.status == "in_progress" for each in self.now):
            return _WORDS["waiting_for_human"]
        if self.status == "waiting_for_human":
            return "was answered and may go on"
        return _WORDS.get(self.status) or self.status.replace("_", " ")

    @property
    def look(self) -> str:
        """The colour it is shown in, by the name of a lane."""
        if self.is_over:
            return "runnable" if self.status == "completed" else "blocked"
        return "waiting" if self.gates else "runnable" if self.status == "waiting_for_human" else "runs"

    @property
    def has_failed(self) -> bool:
        """Whether it ended without completing its work."""
        return self.is_over and self.status != "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One execution of a step."""

    number: int
    outcome: str
    started_at: datetime
    ended_at: datetime | None = None
    exit_status: int | None = None
    verdicts: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One recovery that was chosen for a failure, and what came of it."""

    strategy: str
    came_to: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """One failure."""

    id: str
    type: str
    status: str
    message: str
    raised_at: datetime
    chosen: Sequence[Chosen] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWhole:
    """One step with everything that became of it. ``output`` is the end of what it put out."""

    id: str
    title: str
    status: str
    by: str
    does: str = ""
    is_optional: bool = False
    waits_for: Sequence[str] = ()
    not_before: datetime | None = None
    tries: Sequence[Try] = ()
    failures: Sequence[Failed] = ()
    output: str = ""
    is_output_cut: bool = False
    replaced_by: str = ""
    is_unverified: bool = False
    """Whether it counts as complete although nobody verified it: verification is disabled."""

    @property
    def word(self) -> str:
        """Where it is, in words that claim no verification there was not."""
        return "done, not verified" if self.is_unverified else self.status.replace("_", " ")

    @property
    def look(self) -> str:
        """The colour it is shown in, by the name of a lane."""
        if self.status == "verified_completed":
            return "runnable"
        if self.status in ("failed", "cancelled", "blocked", "evaluation_failed", "verification_failed"):
            return "blocked"
        if self.status in ("recovery_pending", "retry_pending"):
            return "waiting"
        return "done" if self.status in ("pending", "ready", "skipped") else "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLine:
    """One line of a trace."""

    number: int
    at: datetime
    entity: str
    move: str
    role: str
    cause: str
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWhole:
    """One run with its steps. ``left_out`` steps are not told; ``trace`` are the last lines, newest first."""

    run: RunLine
    path: str
    verification: str = ""
    executions: int = 0
    recoveries: int = 0
    steps: Sequence[StepWhole] = ()
    left_out: int = 0
    failures: Sequence[Failed] = ()
    """Those that belong to no step."""
    replaced: Sequence[StepWhole] = ()
    """Steps a replan replaced, the last ones, newest first."""
    trace: Sequence[TraceLine] = ()
    trace_count: int = 0
