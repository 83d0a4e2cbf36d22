"""What the demo tells, piece by piece: each beat as lines for people and as facts for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from loopx.cli.columns import shown
from loopx.cli.screen import Screen
from loopx.model.defining import dataclass


class Beat(Protocol):
    """One piece of the telling. ``facts`` is empty for what only a person needs."""

    def lines(self, screen: Screen) -> Iterator[str]: ...

    def facts(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the story begins."""

    title: str

    def lines(self, screen: Screen) -> Iterator[str]:
        yield ""
        yield screen.paint(f"── {self.title}", "bold")

    def facts(self) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class Told:
    """A remark."""

    text: str

    def lines(self, screen: Screen) -> Iterator[str]:
        del screen  # remarks are plain everywhere
        yield ""
        yield from self.text.splitlines()

    def facts(self) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ran: as typed, what it said, and how it ended."""

    typed: str
    exit: int
    said: tuple[str, ...]
    answer: Mapping[str, Any] = field(default_factory=dict)
    """Its envelope, for a ``loopx`` command."""

    def lines(self, screen: Screen) -> Iterator[str]:
        yield ""
        yield screen.paint(f"$ {shown(self.typed)}", "cyan")
        yield from self.said
        if self.exit:
            yield screen.paint(f"(exit status {self.exit})", "dim")

    def facts(self) -> Mapping[str, Any]:
        outcome = {name: self.answer[name] for name in ("data", "error", "revision") if self.answer.get(name)}
        return {"command": self.typed, "exit": int(self.exit), **outcome}


@dataclass(frozen=True, slots=True)
class Saved:
    """A file that was saved by hand."""

    path: str
    text: str
    saved: str = "saved"

    def lines(self, screen: Screen) -> Iterator[str]:
        yield ""
        yield screen.paint(f"{self.path} ({self.saved})", "cyan")
        yield from (f"  | {shown(line)}".rstrip() for line in self.text.splitlines())

    def facts(self) -> Mapping[str, Any]:
        return {"file": self.path, "text": self.text}
