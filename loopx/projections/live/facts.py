"""What the live page shows beyond a survey: who looks, one Todo, Gate, edit or commit whole, an answer to a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loopx.model.defining import dataclass
from loopx.projections.facts import GateFacts, GoalFacts, Survey, TimelineEntry, TodoFacts
from loopx.projections.live.run_facts import RunLine, RunWhole

if TYPE_CHECKING:
    from loopx.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What stands around every view."""

    survey: Survey
    actor: str
    """Who answers on this page."""
    version: str
    """Changes with style and script, so that a page never runs on those of another version."""
    view: str = ""
    """The entry of the navigation that is open."""
    runs: Sequence[RunLine] = ()
    """Runs that have not ended, and those that ended badly and block their Todo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One rule that was asked about a document, and what it said. ``verdict`` is ``ok``, ``no`` or ``note``."""

    rule: str
    verdict: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoView:
    """One Todo whole. ``patch`` is what the commit ``at`` changed of it."""

    todo: TodoFacts
    goal: GoalFacts
    needs: Sequence[TodoFacts] = ()
    """The Todos it depends on, as far as they are known."""
    unblocks: Sequence[TodoFacts] = ()
    validation: str = ""
    why: Sequence[Reason] = ()
    summary: str = ""
    history: Sequence[TimelineEntry] = ()
    runs: Sequence[RunWhole] = ()
    """The newest, newest first."""
    older_runs: int = 0
    at: str = ""
    patch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One answer a Gate got."""

    status: str
    at: datetime
    by: str
    reason: str
    option: str = ""
    channel: str = ""
    is_undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """One Gate whole, its answers newest first."""

    gate: GateFacts
    goal: GoalFacts
    body: str = ""
    decisions: Sequence[Decided] = ()
    covered: Sequence[TodoFacts] = ()
    history: Sequence[TimelineEntry] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditView:
    """One hand edit that was not taken in. ``patch`` leads from the accepted version to what was typed."""

    path: str
    state: str
    problems: Sequence[Problem]
    patch: str = ""
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitView:
    """One commit of the audit trail."""

    entry: TimelineEntry
    message: str
    patch: str
    operation: str = ""
    paths: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketItem:
    """One document a rollback would put back."""

    change: str
    kind: str
    id: str
    path: str
    actors: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketView:
    """What going back would do: evidence for the person who decides it. ``asked`` are the fields to send with a yes."""

    target: str
    head: str
    items: Sequence[PacketItem] = ()
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By name: what has to be judged anew, which operations are undone, what depends on it, what stays, what needs
    care."""
    effects: Sequence[Mapping[str, Any]] = ()
    choices: Sequence[Mapping[str, Any]] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    is_undo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The answer to a request: its receipt in words, or the problem."""

    text: str = ""
    operation: str = ""
    revision: str | None = None
    problem: Problem | None = None
    heading: str = "That was not done"
    """What is said above a problem."""
    warnings: Sequence[Problem] = ()
    back: str = "/"
    """The view the request came from."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What was typed, so that nothing of it is lost where no script keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a board is narrowed to."""

    goal: str = ""
    text: str = ""
    more: str = ""
    """The lane of which every card is shown."""
