"""Surveys to make pages from: a small one a person can follow, and a large one that is only counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from loopx.model.todo import Priority, TodoStatus
from loopx.projections.facts import (
    GoalFacts,
    Item,
    ItemKind,
    Lane,
    Survey,
    TimelineEntry,
    TodoFacts,
)
from loopx.projections.work_facts import RunFacts, RunningFacts

NOW = datetime(2026, 3, 2, 14, 3, 5, tzinfo=UTC)
REVISION = "3f2a9c1d0b7e44aa5566778899aabbccddeeff00"


def todo(number: int, title: str, goal: str = "reader", **given: Any) -> TodoFacts:
    """A Todo ``t-0000xxxx`` of ``goal``, runnable unless it says otherwise."""
    identity = f"t-k{number:07d}"
    is_open = given.get("status", TodoStatus.OPEN) is TodoStatus.OPEN
    usual: dict[str, Any] = {
        "path": f"goals/{goal}/todos/{identity}-x.md",
        "is_runnable": is_open and not given.get("reasons"),
        "created_at": NOW - timedelta(days=9, minutes=-number),
    }
    return TodoFacts(id=identity, goal=goal, title=title, **{**usual, **given})


def counts(todos: Iterable[TodoFacts]) -> dict[str, int]:
    """Counts as a survey gives them."""
    found = Counter({str(lane): 0 for lane in Lane})
    for each in todos:
        found[each.lane] += 1
        if each.status in (TodoStatus.SUPERSEDED, TodoStatus.CANCELLED):
            found[each.status] += 1
    return dict(found)


def goal(identity: str, title: str, todos: Iterable[TodoFacts] = (), **given: Any) -> GoalFacts:
    """A Goal with its counts taken from its Todos."""
    own = tuple(todos)
    usual: dict[str, Any] = {
        "path": f"goals/{identity}/goal.md",
        "counts": counts(own),
        "last_revision": REVISION,
        "last_revision_at": NOW,
    }
    return GoalFacts(id=identity, title=title, todos=own, **{**usual, **given})


def survey(*goals: GoalFacts, **given: Any) -> Survey:
    """A full survey of ``goals``."""
    todos = [each for one in goals for each in one.todos]
    usual: dict[str, Any] = {
        "title": "Field notes",
        "revision": REVISION,
        "revision_at": NOW,
        "as_of": NOW + timedelta(minutes=5),
        "is_full": True,
        "counts": counts(todos),
    }
    return Survey(goals=goals, **{**usual, **given})


def entry(number: int, headline: str, **given: Any) -> TimelineEntry:
    """A commit, ``number`` hours before the survey."""
    usual: dict[str, Any] = {"who": "human:Ada Lovelace", "goal": "reader", "operation": f"op-k{number:07d}"}
    return TimelineEntry(
        revision=f"{number:02d}c0ffee" * 5, at=NOW - timedelta(hours=number), headline=headline, **{**usual, **given}
    )


def item(of: TodoFacts, **given: Any) -> Item:
    """A line of the overview about a Todo."""
    usual: dict[str, Any] = {"who": of.claimed_by, "why": of.reasons, "priority": of.priority}
    return Item(kind=ItemKind.TODO, id=of.id, title=of.title, goal=of.goal, path=of.path, **{**usual, **given})


def large(goals: int, each: int) -> Survey:
    """``goals`` Goals of ``each`` Todos: mostly open, some waiting for one another."""
    made = []
    for number in range(goals):
        name = f"goal-{number}"
        first = number * each
        todos = [_nth(first + index, first, name) for index in range(each)]
        made.append(goal(name, f"Goal number {number} of many", todos, objective="Reach it.\n"))
    return survey(*made)


_STATUSES = (*[TodoStatus.OPEN] * 3, TodoStatus.DONE, TodoStatus.BLOCKED, TodoStatus.DEFERRED)


def _nth(number: int, first: int, name: str) -> TodoFacts:
    waits = number % 6 == 1 and number > first
    return todo(
        number,
        f"Piece of work number {number}, with a title of the usual length",
        goal=name,
        status=_STATUSES[number % 6],
        depends_on=(f"t-k{number - 1:07d}",) if waits else (),
        reasons=(f"waits for t-k{number - 1:07d}",) if waits else (),
        priority=list(Priority)[number % 5],
        body="Some words on how to go about it.\n" if number % 3 == 0 else "",
    )


RUN = RunFacts(
    id="run-k0000001",
    todo="t-k0000003",
    objective="Keep articles",
    status="waiting_for_human",
    complete=1,
    counting=3,
    running=(RunningFacts(id="sync", since=NOW, attempt=2),),
    gate="g-k0000001",
    started_by="agent:coder-1",
    started_at=NOW,
    path="goals/reader/plans/plan.yaml",
)
"""A run that waits for a person."""
