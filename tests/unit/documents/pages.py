"""Texts and paths the tests of this room share."""

from __future__ import annotations

from loopx.documents import Reading, read
from loopx.errors import Problem
from loopx.model.todo import Todo

TODO = "goals/beta/todos/t-4k9x2m7q-write-the-guide.md"
GOAL = "goals/beta/goal.md"
GATE = "goals/beta/gates/g-4k9x2m7q-publish.md"
VISION = "goals/beta/visions/codex-1.md"
WORKSPACE = "workspace.yaml"


def page(header: str, body: str = "Body.\n", *, newline: str = "\n") -> bytes:
    """A Markdown document of these header lines and this body."""
    return f"---\n{header}\n---\n{body}".replace("\n", newline).encode()


def todo(header: str, body: str = "Body.\n") -> bytes:
    """A Todo's document whose header starts with a valid id."""
    return page(f'id: "t-4k9x2m7q"\n{header}', body)


def only_problem(path: str, data: bytes) -> Problem:
    """The one problem of a document; fails where there are none or several, or where an entity came out as well."""
    reading = read(path, data)
    assert reading.entity is None
    assert reading.provisional is None
    assert [each.code for each in reading.problems] == [reading.problems[0].code]
    return reading.problems[0]


def told(problem: Problem) -> tuple[str, int | None, int | None]:
    """A problem's code, line and column."""
    assert problem.place is not None
    return problem.code, problem.place.line, problem.place.column


def read_todo(data: bytes, path: str = TODO) -> Todo:
    """The Todo of a document that has nothing wrong with it."""
    reading = read(path, data)
    assert reading.problems == ()
    entity = reading.bound
    assert isinstance(entity, Todo)
    return entity


def codes(reading: Reading) -> list[str]:
    return [each.code for each in reading.problems]
