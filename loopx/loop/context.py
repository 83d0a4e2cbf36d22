"""What components and handlers of one run are lent: settings, time, ids, tools, and each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from loopx.loop.lifecycle import Lifecycle
from loopx.model.clock import Clock, IdSource
from loopx.model.plan import RunSettings

if TYPE_CHECKING:
    from loopx.loop.components.keepers import Keepers
    from loopx.loop.components.protocols import ComponentType
    from loopx.loop.keeping.permits import Permits
    from loopx.loop.recovery.registry import RecoveryRegistry


class Artifacts(Protocol):
    """Snapshots of the project's files within the plan's write scopes."""

    def take(self, label: str) -> str:
        """Take a snapshot; its id (a commit under ``refs/loopx/snapshots/``)."""
        ...

    def found(self) -> None:
        """Look at the files before an execution begins, while nothing runs: what changed since is somebody else's."""
        ...

    def restore(self, snapshot: str) -> str:
        """Put the files back and say the tree's hash as it is then. Refuses to overwrite changes of somebody else."""
        ...

    def tree(self, snapshot: str) -> str:
        """The tree hash a snapshot holds."""
        ...

    def checkout(self, snapshot: str, carried: Sequence[str] = ()) -> AbstractContextManager[str]:
        """A folder of its own with the project as ``snapshot`` holds it, gone afterwards. ``carried`` names ignored
        paths that are wanted there too."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said to a question."""

    is_approved: bool
    option: str | None = None
    comment: str = ""
    at: datetime | None = None
    """When; ``None`` for just now."""


class HumanChannel(Protocol):
    """The way to ask a person: a Gate on the Todo."""

    def ask(self, question: str, options: tuple[str, ...], facts: Mapping[str, Any]) -> str:
        """Open a Gate; its id. Asked twice about one ``attempt`` (in ``facts``), the same Gate answers."""
        ...

    def answer(self, gate: str) -> Answer | None:
        """What was said to it; ``None`` while nobody has answered."""
        ...

    def withdraw(self, gate: str) -> None:
        """Nobody has to answer it any more. One that was answered stays as it is."""
        ...


@dataclass(slots=True, kw_only=True)
class LoopContext:
    """One run's surroundings."""

    run: str
    settings: RunSettings
    clock: Clock
    ids: IdSource
    lifecycle: Lifecycle
    project: str
    """The folder actors work in."""
    environ: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[ComponentType, Any] = field(default_factory=dict)
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool name to argument list, from the workspace."""
    instead_of: Mapping[str, tuple[str, ...]] | None = None
    """Tool name to the tools whose place it may take; ``None`` where every tool may take any other's."""
    models: tuple[str, ...] = ()
    registry: RecoveryRegistry | None = None
    """The handlers there are; put in by the engine."""
    artifacts: Artifacts | None = None
    human: HumanChannel | None = None
    permits: Permits | None = None
    """What allows steps to reach outside. Without it nothing does."""
    attempts: Path | None = None
    """Where executions are put on file; in a folder that is gone afterwards when there is none."""
    is_durable: bool = True
    """Whether what is put on file there is flushed."""
    keepers: Keepers | None = None
    """Keepers that executions may borrow; put in by the engine while it runs. Without them each has its own."""
    todo: str | None = None
    goal: str | None = None

    @property
    def noted(self) -> tuple[Path, str] | None:
        """Where programs that have no keeper are noted while they run, and for which run."""
        return None if self.attempts is None else (self.attempts, self.run)

    def withdraw(self, gate: str) -> None:
        """Take a question back that nobody has to answer any more. A channel that breaks leaves it as it is: that
        changes nothing about the run."""
        if self.human is not None:
            with suppress(Exception):
                self.human.withdraw(gate)
