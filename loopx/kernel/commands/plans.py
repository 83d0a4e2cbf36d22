"""Proposals about plans and runs. People write plans; the loop engine records what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from loopx.kernel.commands.base import Command
from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.kernel.commands.gates import OpenGate
    from loopx.model.plan import PlanDocument, PlanStep, RunSettings
    from loopx.model.run import RunRecord, StepRecord, TraceEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPlan(Command):
    """Lay out a new run of a Todo: its plan, in a folder of its own."""

    name: ClassVar[str] = "plan new"
    todo: str
    objective: str | None = None
    """``None``: the Todo's title."""
    steps: tuple[PlanStep, ...]
    settings: RunSettings | None = None
    text: str | None = None
    """The plan as it was typed (YAML), whose comments are kept where it says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPlan(Command):
    """Put other steps, objective or settings into a plan whose run has not ended; completed steps stay as they are."""

    name: ClassVar[str] = "plan edit"
    run: str
    objective: str | None = None
    steps: tuple[PlanStep, ...] | None = None
    settings: RunSettings | None = None

    @property
    def subject(self) -> str:
        return self.run


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun(Command):
    """Begin to carry a plan out."""

    name: ClassVar[str] = "run open"
    run: str
    turn: str | None = None
    lease_key: str | None = None
    baseline: str | None = None
    """The artifact snapshot taken before anything ran."""

    @property
    def subject(self) -> str:
        return self.run


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRun(Command):
    """What became of a run since it was last recorded. Judged line by line against the tables.

    Its operation id is made of the run and the number of its newest trace line, so that a save whose answer was lost
    is replayed. The digest covers ``head``, which covers everything else.
    """

    name: ClassVar[str] = "run record"
    run: str
    head: str
    """Hash of the newest trace line."""
    point: str
    """Why it is saved, for the audit trail."""
    steps: tuple[StepRecord, ...] = ()
    """Records of the steps that changed, as they now stand."""
    entries: tuple[TraceEntry, ...] = ()
    """Trace lines since the last record."""
    record: RunRecord
    plan: PlanDocument | None = None
    """The plan, where a replan changed it."""
    replaces: str | None = None
    """Digest (:func:`loopx.kernel.plans.planning.meaning_of`) of the plan it was made from."""
    question: OpenGate | None = None
    """What a person is asked, where the run now waits for one; the Gate gets the id ``record`` names."""
    lease_key: str | None = None
    writer: str = ""
    """Tells whoever carries the run on from everybody else: two who do the same are never taken for one."""

    @property
    def subject(self) -> str:
        return self.run
