"""Todos in words: the list with whether each may run, and one Todo with everything that bears on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import body_lines, field_lines, named
from loopx.cli.texts.history import when, who
from loopx.cli.texts.receipts import short
from loopx.kernel.state import is_entangled
from loopx.model.goal import GoalStatus
from loopx.model.todo import Todo, TodoStatus

if TYPE_CHECKING:
    from loopx.kernel.standing import GateBook
    from loopx.kernel.verdicts import Verdict
    from loopx.model.actor import Actor
    from loopx.workspace.reports import LogEntry
    from loopx.workspace.results import View

_APART = ("id", "title", "status", "rev", "body", "runnable", "reasons", "completions", "history", "lease", "runs")
_RUNS = 5
"""Runs told of with a Todo, newest first."""


class Verdicts:
    """Whether Todos may run, for one view and one actor (``None``: nobody in particular).

    The plain majority (nothing but its Goal could keep it from running) is judged without loading the rules.
    """

    def __init__(self, view: View, actor: Actor | None) -> None:
        self._view = view
        self._actor = actor
        self._known: dict[str, Verdict] = {}

    def is_runnable(self, todo: Todo) -> bool:
        return self._is_plain(todo) or self.of(todo).is_runnable

    def of(self, todo: Todo) -> Verdict:
        """The verdict on ``todo`` with every reason."""
        from loopx.kernel.verdicts import verdict

        if todo.id not in self._known:
            self._known[todo.id] = verdict(self._view.state, todo, self._actor, self._view.at, self._gates)
        return self._known[todo.id]

    def facts(self, todo: Todo) -> dict[str, Any]:
        """The Todo's fields with its verdict, and who executes it if anybody does."""
        if self._is_plain(todo):
            return {**document(todo), "runnable": True, "reasons": [], "lease": None}
        return {**document(todo), **verdict_facts(self.of(todo)), "lease": self.lease(todo)}

    def lease(self, todo: Todo) -> dict[str, Any] | None:
        """The live lease of ``todo`` in a few facts. It has the claim with it, so a Todo nobody claims has none."""
        from loopx.cli.texts.leases import brief_lease

        return brief_lease(self._view, todo) if todo.claimed_by is not None else None

    def row(self, todo: Todo) -> tuple[str, ...]:
        """The Todo's line in the list of one Goal."""
        return (todo.id, todo.priority, todo.status, self._runs(todo), todo.title)

    def row_with_goal(self, todo: Todo) -> tuple[str, ...]:
        """The Todo's line in the list of all Goals."""
        return (todo.id, todo.priority, todo.status, self._runs(todo), todo.goal, todo.title)

    def _runs(self, todo: Todo) -> str:
        """``yes``, who executes it, the first reason why not, or nothing where the status says it already."""
        if todo.status is not TodoStatus.OPEN:
            return "-"
        if not self._is_plain(todo) and (lease := self.lease(todo)) is not None:
            return f"by {lease['owner']}"
        return "yes" if self.is_runnable(todo) else self.of(todo).reasons[0].code

    def _is_plain(self, todo: Todo) -> bool:
        return todo.status is TodoStatus.OPEN and not is_entangled(todo) and todo.goal in self._active

    @cached_property
    def _active(self) -> frozenset[str]:
        return frozenset(each.id for each in self._view.state.goals() if each.status is GoalStatus.ACTIVE)

    @cached_property
    def _gates(self) -> GateBook:
        from loopx.kernel.standing import GateBook

        return GateBook(self._view.state, self._view.at)


def verdict_facts(found: Verdict) -> dict[str, Any]:
    """A verdict as JSON values."""
    reasons = [{"code": each.code.value, "message": each.message, **dict(each.facts)} for each in found.reasons]
    return {"runnable": found.is_runnable, "reasons": reasons}


def todo_facts(view: View, todo: Todo, actor: Actor | None, history: Sequence[LogEntry]) -> dict[str, Any]:
    """A Todo with its verdict, its completions and its latest commits."""
    log = view.state.completions(todo.id)
    verdicts = Verdicts(view, actor)
    return {
        **document(todo, body=True),
        **verdict_facts(verdicts.of(todo)),
        "lease": verdicts.lease(todo),
        "runs": _runs(view, todo),
        "completions": [values(each) for each in log.entries] if log else [],
        "history": [values(each) for each in history],
    }


def todo_lines(facts: Mapping[str, Any], history: Sequence[LogEntry], screen: Screen) -> Iterator[str]:
    """One Todo."""
    yield screen.paint(f"todo {facts['id']}  {shown(facts['title'])}", "bold")
    yield named("status", facts["status"])
    if facts["status"] == TodoStatus.OPEN:
        yield named("may run", "yes" if facts["runnable"] else "no")
    yield from (named("because", each["message"]) for each in facts["reasons"])
    if facts["lease"] is not None:
        yield named("executed by", _execution(facts["lease"]))
    yield from _run_lines(facts["runs"])
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    yield from (named("done", _completion(each)) for each in facts["completions"])
    for number, each in enumerate(history):
        yield named("" if number else "history", f"{short(each.revision)}  {when(each)}  {who(each)}  {each.headline}")
    yield from body_lines(facts["body"])


def _runs(view: View, todo: Todo) -> list[dict[str, Any]]:
    """The plans of a Todo with how far their runs are: those that have not ended first, then the newest."""
    plans = list(view.state.plans_of(todo.id))
    if not plans:
        return []  # most Todos have no plan, and load nothing for one
    from loopx.cli.texts.plans import brief_facts
    from loopx.kernel.plans.standing import standing

    found = [brief_facts(standing(view.state, each)) for each in plans]
    found.sort(key=lambda each: each["started_at"] or "", reverse=True)
    return sorted(found, key=lambda each: each["ended_at"] is not None)[:_RUNS]


def _run_lines(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if runs:
        from loopx.cli.texts.plans import brief_line

        yield from (named("" if number else "runs", brief_line(each)) for number, each in enumerate(runs))


def _execution(lease: Mapping[str, Any]) -> str:
    from loopx.cli.texts.leases import brief_line

    return brief_line(lease)


def _completion(completion: Mapping[str, Any]) -> str:
    backed = f"validated by {', '.join(completion['evidence'])}" if completion["validated"] else "not validated"
    undone = ", reopened since" if completion["reopened_at"] else ""
    undone = ", undone by a rollback since" if completion["rolled_back_at"] else undone
    return f"{completion['at']} by {completion['by']}, {backed}{undone}"
