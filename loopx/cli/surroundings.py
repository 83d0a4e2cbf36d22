"""What a request is answered in: environment, folder, clock and the way to the workspace. Tests pass their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopx.model.defining import dataclass

if TYPE_CHECKING:
    from loopx.model.clock import Clock
    from loopx.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``find`` and ``create`` are those of :class:`Workspace`, or stand-ins with their shape."""

    environ: Mapping[str, str]
    folder: Path
    find: Callable[..., Workspace]
    create: Callable[..., Workspace]
    clock: Callable[[], Clock]
    opened: list[Workspace] = field(default_factory=list)
    """What the request opened, kept open until its answer is written: answers may look things up while they are."""

    @classmethod
    def real(cls, operation: str = "") -> Surroundings:
        """Those of this process. The workspace room is imported when a request first needs it.

        ``operation`` is the id its first operation gets: it may have happened already, and must not happen twice.
        """
        return cls(os.environ, _here(), partial(_find, operation), _create, _clock)

    def close(self) -> None:
        """Give back what was opened."""
        while self.opened:
            self.opened.pop().close()


def _here() -> Path:
    """The current folder. One that was deleted meanwhile is taken by its name, so that those above it still count."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.environ.get("PWD", os.sep))


def _find(operation: str, *given: Any, **named: Any) -> Workspace:
    from loopx.workspace import Workspace

    if operation:
        from loopx.cli.repeating import RepeatedIds

        named["ids"] = RepeatedIds(operation)
    return Workspace.find(*given, **named)


def _create(*given: Any, **named: Any) -> Workspace:
    from loopx.workspace import Workspace

    return Workspace.create(*given, **named)


def _clock() -> Clock:
    from loopx.workspace.clock import SystemClock

    return SystemClock()
