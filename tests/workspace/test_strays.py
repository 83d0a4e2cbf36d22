"""Files among the documents that nothing reads are told of by `check`, with where they may have been meant to lie."""

from __future__ import annotations

import pytest

from loopx.workspace.strays import TOLD_LIMIT
from tests.support.lab import Lab

AS_IT_IS = "Rename or move it if it is meant to be read; otherwise leave it."


def told(lab: Lab) -> dict[str, str]:
    """Path to hint of every stray; fails where one counts as a problem."""
    report = lab.ws.check()
    assert report.problems == ()
    return {each.place.path: each.hint for each in report.warnings if each.code == "document-stray" and each.place}


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("goals/beta/todos/idea.txt", "Move it to goals/beta/todos/idea.md to have it read."),
        ("goals/beta/todos/idea.MD", "Move it to goals/beta/todos/idea.md to have it read."),
        ("goals/beta/Todos/idea.md", "Move it to goals/beta/todos/idea.md to have it read."),
        ("goals/beta/todo/idea.md", "Move it to goals/beta/todos/idea.md to have it read."),
        ("goals/beta/todos/later/idea.md", "Move it to goals/beta/todos/idea.md to have it read."),
        ("goals/beta/vision/codex.md", "Move it to goals/beta/visions/codex.md to have it read."),
        ("goals/gamma/Goal.md", "Name it goal.md to have it read."),
        ("goals/beta/notes.md", AS_IT_IS),
        ("goals/beta/pictures/plan.svg", AS_IT_IS),
        ("goals/loose.md", AS_IT_IS),
    ],
)
def test_a_file_nobody_reads_is_told_of_with_its_place(lab: Lab, path: str, hint: str) -> None:
    lab.goal()
    lab.save(path, "# An idea\n")
    assert told(lab) == {path: hint}
    assert lab.todos() == {}
    assert lab.read(path) == b"# An idea\n"


@pytest.mark.parametrize(
    "path", ["goals/beta/todos/.idea.md.swp", "goals/beta/todos/idea.md~", "goals/.DS_Store", "README.md", "local/x.md"]
)
def test_droppings_and_files_beside_the_goals_are_not_told_of(lab: Lab, path: str) -> None:
    lab.goal()
    lab.save(path, "x")
    assert told(lab) == {}


def test_a_whole_tree_in_the_wrong_place_is_told_of_in_part(lab: Lab) -> None:
    lab.goal()
    for number in range(TOLD_LIMIT + 20):
        lab.save(f"goals/beta/src/{number}.py", "x")
    assert len(told(lab)) == TOLD_LIMIT
