"""How the live page hears of what happens: whoever watches the workspace tells a hub, and every open page listens.

The watcher is above this room, so the page knows it only as a :class:`Hub`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from loopx.model.defining import dataclass


class HappeningKind(StrEnum):
    """What sort of thing happened."""

    ACCEPTED = "accepted"
    """Something became part of history."""
    REFUSED = "refused"
    """An edit was not taken in."""
    PAGES = "pages"
    """The written pages are fresh. It says nothing new of the workspace."""
    DUE = "due"
    """Something fell due: the same facts mean something else now."""
    HEALTH = "health"
    """How the watcher itself is doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happened. ``text`` is a sentence for people and not escaped."""

    kind: HappeningKind
    at: datetime
    revision: str | None = None
    paths: tuple[str, ...] = ()
    text: str = ""


Hear = Callable[[Happening], None]
"""Is told of each happening, in whatever thread it is told in; must return at once and raise nothing."""


class Hub(Protocol):
    """Passes on what happens."""

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Have ``hear`` told from now on. Returns what ends it; ending it twice is nothing."""


class MemoryHub:
    """A hub within one process. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._listeners: dict[object, Hear] = {}

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        key = object()
        with self._guard:
            self._listeners[key] = hear

        def end() -> None:
            with self._guard:
                self._listeners.pop(key, None)

        return end

    def tell(self, happening: Happening) -> None:
        """Tell everybody who listens."""
        with self._guard:
            listeners = list(self._listeners.values())
        for hear in listeners:
            hear(happening)

    @property
    def listening(self) -> int:
        """How many listen."""
        with self._guard:
            return len(self._listeners)
