"""Where each view of the live page lies. Paths and queries are made here and nowhere else."""

from __future__ import annotations

from urllib.parse import quote, urlencode

OVERVIEW, BOARD, GOALS, GATES, DECISIONS, TIMELINE, PROBLEMS = (
    "/",
    "/board",
    "/goals",
    "/gates",
    "/decisions",
    "/timeline",
    "/problems",
)


def goal(identity: str) -> str:
    return f"/goal/{_part(identity)}"


def todo(identity: str, revision: str = "") -> str:
    """A Todo; with ``revision``, what that commit changed of it is shown as well."""
    return _asked(f"/todo/{_part(identity)}", at=revision)


def run(identity: str) -> str:
    """A run, by its id or by that of its Todo."""
    return f"/run/{_part(identity)}"


def gate(identity: str) -> str:
    return f"/gate/{_part(identity)}"


def edit(path: str) -> str:
    return _asked("/edit", path=path)


def commit(revision: str) -> str:
    return f"/commit/{_part(revision)}"


def rollback(revision: str, goal: str = "", todo: str = "") -> str:
    return _asked("/rollback", rev=revision, goal=goal, todo=todo)


def undo(operation: str) -> str:
    return _asked("/undo", op=operation)


def board(goal: str = "", text: str = "", more: str = "") -> str:
    return _asked(BOARD, goal=goal, q=text, more=more)


def timeline(limit: int) -> str:
    return _asked(TIMELINE, limit=str(limit))


def _part(text: str) -> str:
    return quote(text, safe="")


def _asked(address: str, **given: str) -> str:
    query = urlencode({name: value for name, value in given.items() if value})
    return f"{address}?{query}" if query else address
