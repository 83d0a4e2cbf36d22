"""What pages and terminal views may know: plain facts about one workspace at one revision.

``workspace`` fills these from the state and its verdicts; :mod:`loopx.projections.pages` and the terminal views read
them. Nothing here decides, counts or looks anything up, and importing it loads no library, since ``loopx status``
needs it cold. Paths are relative to ``.loopx/`` with ``/``; instants are aware; texts are as people typed them, so
whoever prints one escapes it.

A survey is *full* (every Todo, Gate and Vision: for pages) or *brief* (counts and the first few items of each section:
for ``loopx status``, whose cost must not grow with the number of Todos).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.model.actor import Origin
from loopx.model.defining import dataclass
from loopx.model.gate import GateStatus
from loopx.model.goal import GoalOutcome, GoalStatus
from loopx.model.records import CriterionStatus
from loopx.model.todo import Priority, TodoClass, TodoStatus
from loopx.model.vision import VisionStatus

if TYPE_CHECKING:
    from loopx.projections.work_facts import ObligationFacts, WorkFacts


class Lane(StrEnum):
    """The column of the board a Todo stands in: its status, with open ones told apart by whether they may run."""

    RUNNABLE = "runnable"
    WAITING = "waiting"
    BLOCKED = "blocked"
    DEFERRED = "deferred"
    DONE = "done"
    """Closed in any way: done, superseded or cancelled."""


class ItemKind(StrEnum):
    """What a line of the overview is about."""

    TODO = "todo"
    GATE = "gate"
    EDIT = "edit"
    """A hand edit that was not taken in."""
    QUESTION = "question"
    """What the decision for an agent asks of a person, where no Gate and no Todo says it already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFacts:
    """One piece of evidence a criterion rests on. ``kind`` and ``result`` are values of the model's closed sets."""

    id: str
    kind: str = ""
    result: str = ""
    summary: str = ""
    source: str = ""
    observed_at: datetime | None = None
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionFacts:
    """One acceptance criterion with the judgement that stands today."""

    id: str
    text: str
    status: CriterionStatus = CriterionStatus.OPEN
    evidence: tuple[EvidenceFacts, ...] = ()
    by: str = ""
    at: datetime | None = None
    note: str = ""
    """Why it was waived, or why an earlier judgement no longer counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoFacts:
    """One Todo with its verdict.

    ``is_runnable`` leaves claims aside: a Todo somebody has claimed is runnable if nothing else stands in its way.
    ``reasons`` say in words why it may not run (empty when it may), why it is blocked, or what ends its deferral.
    """

    id: str
    goal: str
    title: str
    status: TodoStatus = TodoStatus.OPEN
    path: str = ""
    todo_class: TodoClass = TodoClass.ADVANCEMENT
    priority: Priority = Priority.P2
    claimed_by: str = ""
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    is_runnable: bool = False
    reasons: tuple[str, ...] = ()
    created_at: datetime | None = None
    completed_at: datetime | None = None
    completed_by: str = ""
    validated: bool = False
    """Whether a validation or evidence backs the completion."""
    successors: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    body: str = ""
    run: str = ""
    """How far its plan is, in a few words; empty where it has none that is open."""

    @property
    def lane(self) -> Lane:
        match self.status:
            case TodoStatus.OPEN:
                return Lane.RUNNABLE if self.is_runnable else Lane.WAITING
            case TodoStatus.BLOCKED:
                return Lane.BLOCKED
            case TodoStatus.DEFERRED:
                return Lane.DEFERRED
            case TodoStatus.DONE | TodoStatus.SUPERSEDED | TodoStatus.CANCELLED:
                return Lane.DONE


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """One Gate, its decision if there is one, and the Todos that need it."""

    id: str
    goal: str
    scope: str
    question: str
    status: GateStatus = GateStatus.OPEN
    path: str = ""
    options: tuple[str, ...] = ()
    deadline: datetime | None = None
    is_overdue: bool = False
    asked_by: str = ""
    created_at: datetime | None = None
    reason: str = ""
    option: str = ""
    decided_by: str = ""
    decided_at: datetime | None = None
    note: str = ""
    """Why a decision no longer counts: it ran out, or what it was made on changed."""
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionFacts:
    """One agent's route towards a Goal."""

    agent: str
    status: VisionStatus = VisionStatus.ACTIVE
    summary: str = ""
    role_scope: str = ""
    acceptance: str = ""
    replan_trigger: str = ""
    last_patch: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFacts:
    """One Goal. In a brief survey ``todos``, ``gates`` and ``visions`` are empty; the counts are whole in either.

    ``counts`` has a number for each :class:`Lane`, and under ``superseded`` and ``cancelled`` how many of the closed
    ones ended so. ``last_revision`` is the newest commit that touched anything this Goal's page shows.
    """

    id: str
    title: str
    status: GoalStatus = GoalStatus.ACTIVE
    outcome: GoalOutcome | None = None
    reason: str = ""
    objective: str = ""
    path: str = ""
    criteria: tuple[CriterionFacts, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    unreadable: int = 0
    """Files of this Goal that cannot be read and are therefore in no count."""
    todos: tuple[TodoFacts, ...] = ()
    gates: tuple[GateFacts, ...] = ()
    visions: tuple[VisionFacts, ...] = ()
    work: WorkFacts | None = None
    """What may happen now, what is owed and what is open: for pages alone."""
    last_revision: str | None = None
    last_revision_at: datetime | None = None

    @property
    def criteria_settled(self) -> int:
        """How many criteria are met or waived."""
        return sum(each.status is not CriterionStatus.OPEN for each in self.criteria)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the overview: something that needs a person, runs, waits or is blocked."""

    kind: ItemKind
    id: str
    """A Todo's or Gate's id; the path of an edit; what a question is about."""
    title: str
    goal: str = ""
    path: str = ""
    priority: Priority | None = None
    who: str = ""
    """The claimant of a Todo, the asker of a Gate."""
    why: tuple[str, ...] = ()
    """What it waits for, or why it is blocked, in words."""
    options: tuple[str, ...] = ()
    since: datetime | None = None
    due: datetime | None = None
    is_overdue: bool = False
    next_step: str = ""
    """What to type to move it on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One commit of the audit trail."""

    revision: str
    at: datetime
    who: str
    """``human:NAME``, ``agent:ID``, or a plain name for a commit LoopX did not make."""
    headline: str
    """The commit's subject, such as ``todo: done t-4k9x2m7q "Write the guide"``."""
    command: str = ""
    subject: str = ""
    goal: str = ""
    operation: str = ""
    origin: Origin = Origin.COMMAND


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemFacts:
    """A file or obligation that needs looking after. ``state`` is a word such as ``refused`` or ``unreadable``."""

    code: str
    path: str
    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None
    state: str = ""

    @property
    def place(self) -> str:
        """``path:line:column``, as far as it is known."""
        return ":".join([self.path, *(str(n) for n in (self.line, self.column) if n is not None)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Everything pages and terminal views need, at one revision.

    ``counts`` are over the whole workspace, keyed as in :class:`GoalFacts`; ``truncated`` says under the name of a
    section (``needs_you``, ``running``, ``frontier``, ``waiting``, ``blocked``, ``recent``, ``problems``, ``timeline``)
    how many more there are than are given here.
    """

    title: str
    revision: str | None
    """The commit everything was read at; ``None`` before the first."""
    revision_at: datetime | None
    as_of: datetime
    """The time verdicts were given for. No page shows it: alone, it changes nothing."""
    is_full: bool = False
    goals: tuple[GoalFacts, ...] = ()
    needs_you: tuple[Item, ...] = ()
    running: tuple[Item, ...] = ()
    frontier: tuple[Item, ...] = ()
    """What may be taken up now, most urgent first."""
    waiting: tuple[Item, ...] = ()
    blocked: tuple[Item, ...] = ()
    recent: tuple[TimelineEntry, ...] = ()
    problems: tuple[ProblemFacts, ...] = ()
    obligations: tuple[ObligationFacts, ...] = ()
    """What is owed, by anybody, to any Goal or to the workspace itself: for pages alone."""
    unreadable: int = 0
    """Files that cannot be read and are therefore in no count: unknown, not none."""
    counts: Mapping[str, int] = field(default_factory=dict)
    truncated: Mapping[str, int] = field(default_factory=dict)

    def total(self, section: str) -> int:
        """How many items a section has, given here or not."""
        return len(getattr(self, section)) + self.truncated.get(section, 0)

    def todos(self) -> Iterator[TodoFacts]:
        """Every Todo, Goal by Goal; nothing in a brief survey."""
        for goal in self.goals:
            yield from goal.todos
