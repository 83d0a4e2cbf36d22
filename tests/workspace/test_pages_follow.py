"""Pages are marked out of date by whatever changes what they show, a read that takes in an edit included."""

from __future__ import annotations

import pytest

from tests.support.lab import Lab


@pytest.fixture
def fresh(lab: Lab) -> Lab:
    """A Goal with a Todo, and pages that show both."""
    lab.goal()
    lab.todo("Write the guide")
    lab.ws.render(wait=True)
    return lab


def is_behind(lab: Lab) -> bool:
    return lab.ws.places.pages_dirty.exists()


def path_of_todo(lab: Lab) -> str:
    [todo] = lab.todos()
    return lab.path_of(todo)


def test_D16_a_read_that_takes_in_an_edit_marks_the_pages(fresh: Lab) -> None:
    fresh.change(path_of_todo(fresh), "priority: p2", "priority: p0")
    fresh.look()
    assert is_behind(fresh)


def test_a_refused_edit_marks_them_too_when_it_is_found_and_when_it_is_mended(fresh: Lab) -> None:
    path = path_of_todo(fresh)
    fresh.change(path, "priority: p2", "priority: urgent")
    fresh.look()
    assert is_behind(fresh)
    fresh.ws.render(wait=True)
    assert "must be one of p0" in (fresh.root / "status/problems.md").read_text("utf-8")
    fresh.change(path, "priority: urgent", "priority: p2")
    fresh.look()
    assert is_behind(fresh)


def test_a_read_that_finds_nothing_new_leaves_them_alone(fresh: Lab) -> None:
    fresh.look()
    assert not is_behind(fresh)


def test_a_file_that_only_rests_leaves_them_alone_until_it_is_taken_in(fresh: Lab) -> None:
    fresh.save("goals/beta/todos/new.md", "# New\n", quiet=False)
    fresh.look()
    assert not is_behind(fresh)
    fresh.clock.wait(5)
    fresh.look()
    assert is_behind(fresh)
