"""What a command hands back: facts for programs, lines for people. Written out by :mod:`loopx.cli.output`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from loopx.cli.screen import Screen
from loopx.errors import Problem
from loopx.model.defining import dataclass

Lines = Callable[[Screen], Iterable[str]]
Facts = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one request.

    ``data`` holds JSON values and ``lines`` makes the text; only the one that is wanted is made. ``problem`` says that
    the request was carried out and what it found is not good (``status``, ``check``, ``edit`` and ``op show`` only); it
    sets the exit status.
    """

    data: Facts
    lines: Lines
    revision: str | None = None
    warnings: tuple[Problem, ...] = field(default=())
    problem: Problem | None = None


def text_answer(key: str, text: str) -> Answer:
    """An answer that is one ready text, kept in ``data`` under ``key``."""
    return Answer({key: text}, lambda _screen: text.splitlines())
