"""Workspaces of a given size to measure on: hand-made files, taken in like anybody's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tests.support.process import LOOPX

PER_GOAL = 200


@dataclass(frozen=True, slots=True)
class Size:
    """How many Goals with how many Todos each."""

    goals: int
    todos: int

    @property
    def total(self) -> int:
        return self.goals * self.todos


SMALL, LARGE, HUGE = Size(1, 10), Size(50, PER_GOAL), Size(500, PER_GOAL)


def write_files(root: Path, size: Size) -> None:
    """Hand-made Goals and Todos below ``root/.loopx``, as a person would write them: no ids."""
    for g in range(size.goals):
        goal = root / ".loopx" / "goals" / f"goal-{g:03d}"
        (goal / "todos").mkdir(parents=True, exist_ok=True)
        (goal / "goal.md").write_text(
            f"---\ntitle: Goal {g}\nacceptance:\n  - id: a1\n    text: It works\nquota:\n  compute: 100000\n---\nWhy.\n"
        )
        for n in range(size.todos):
            text = (
                f"---\ntitle: Item {g}-{n} of the plan\npriority: p{n % 5}\ntags: [x, y{n % 7}]\n"
                f'validation:\n  argv: ["true"]\n---\n\nNotes on {n}.\n'
            )
            (goal / "todos" / f"item-{n:03d}.md").write_text(text)


def environment() -> dict[str, str]:
    """The surroundings of a measured process: byte code cached, no page rendering beside the clock."""
    found = {**os.environ, "LOOPX_PAGES": "off"}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def command(*words: str) -> list[str]:
    return [LOOPX, *words]
