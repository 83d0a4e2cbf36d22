"""A monitor to look at, for the tests of monitors: the Todo, the desk it lies on, and looks at it."""

from __future__ import annotations

from typing import Any

from loopx.kernel import commands as c
from loopx.model.todo import Todo, TodoClass
from tests.support.kernel import T1, Desk, config, goal, todo

TARGET = "https://example.org/status"


def watched(**fields: Any) -> Todo:
    return todo(
        **{"title": "Watch the site", "todo_class": TodoClass.MONITOR, "target": TARGET, "cadence": "6h", **fields}
    )


def desk(*more: Any, **fields: Any) -> Desk:
    return Desk.of(config(), goal(), watched(**fields), *more)


def look(seen: str | None = "200 OK", **more: Any) -> c.PollMonitor:
    return c.PollMonitor(**{"todo": T1, "target": TARGET, "seen": seen, **more})


def dead() -> c.PollMonitor:
    return look(None, is_dead=True)
