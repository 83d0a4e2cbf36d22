"""``git revert`` is decided as the rollback it is meant for: by who may roll back, to what had been accepted."""

from __future__ import annotations

import pytest

from loopx.kernel.commands import CompleteTodo, EditTodo
from tests.support.lab import ANN, Lab
from tests.workspace.gitting import AGENT, commit, git, pending, without_cache


def revert(lab: Lab, *revisions: str, author: str | None = None) -> None:
    """Revert commits; ``author`` makes the last revert somebody else's."""
    assert git(lab.root, "revert", "--no-edit", *revisions).code == 0
    if author is not None:
        lab.git("commit", "--quiet", "--amend", "--no-edit", f"--author={author}")


@pytest.fixture
def done(lab: Lab) -> tuple[Lab, str]:
    """A lab whose newest commit completed a Todo."""
    lab.goal()
    todo = lab.todo("Write the guide")
    lab.submit(CompleteTodo(todo=todo), op="op-done")
    return lab, todo


def test_a_reverted_completion_opens_the_todo_and_marks_its_record(done: tuple[Lab, str]) -> None:
    lab, todo = done
    revert(lab, "HEAD")
    view = lab.look()
    assert view.state.todo(todo).status == "open"
    [entry] = view.state.completions(todo).entries
    assert entry.rolled_back_at is not None
    report = lab.ws.operation("op-done")
    assert report.state == "committed"
    assert report.superseded_by
    newest = lab.ws.log(limit=1)[0]
    assert (newest.command, newest.origin, newest.actor) == ("rollback", "foreign", "human:Test Person")
    assert lab.ws.edits() == []
    lab.assert_sound()
    without_cache(lab)
    assert lab.ws.operation("op-done").superseded_by == report.superseded_by
    lab.submit(CompleteTodo(todo=todo))
    assert lab.todos()[todo].status == "done"
    lab.assert_sound()


def test_an_agent_may_not_roll_back_by_a_revert(done: tuple[Lab, str]) -> None:
    lab, todo = done
    path = lab.path_of(todo)
    revert(lab, "HEAD", author=AGENT)
    for _ in range(2):
        assert lab.todos()[todo].status == "done"
        assert pending(lab)[path] == ["edit-is-old-version"]
        lab.clock.wait(5)
    assert "actor-not-permitted" in lab.git("log", "-1", "--format=%B")
    without_cache(lab)
    assert lab.todos()[todo].status == "done"
    assert path in pending(lab)
    for each in list(pending(lab)):
        lab.ws.discard_edit(each, actor=ANN)
    lab.look()
    lab.assert_sound()


def test_two_reverts_made_in_a_row_are_one_rollback(lab: Lab) -> None:
    lab.goal()
    first, second = lab.todo("One"), lab.todo("Two")
    lab.submit(EditTodo(todo=first, fields={"priority": "p0"}), op="op-first")
    lab.submit(EditTodo(todo=second, fields={"priority": "p0"}), op="op-second")
    revert(lab, "HEAD", "HEAD~1")
    todos = lab.todos()
    assert (todos[first].priority, todos[second].priority) == ("p2", "p2")
    assert all(lab.ws.operation(each).superseded_by for each in ("op-first", "op-second"))
    lab.assert_sound()


def test_a_revert_of_a_revert_brings_the_document_back(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("One")
    revert(lab, "HEAD")
    assert lab.todos() == {}
    revert(lab, "HEAD~1")
    assert set(lab.todos()) == {todo}
    lab.assert_sound()


def test_a_reverted_foreign_commit_is_undone_as_well(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("One")
    lab.change(lab.path_of(todo), "title: One", "title: Uno")
    made = commit(lab)
    assert lab.todos()[todo].title == "Uno"
    revert(lab, made)
    assert lab.todos()[todo].title == "One"
    assert lab.ws.edits() == []
    lab.assert_sound()


def test_a_revert_does_not_bring_back_what_was_refused(lab: Lab) -> None:
    """The commit that put a refused file back can be reverted like any: what returns is judged, not restored."""
    lab.goal()
    todo = lab.todo("One")
    path = lab.path_of(todo)
    lab.change(path, "status: open", "status: superseded")
    commit(lab)
    assert pending(lab) == {path: ["field-by-command"]}
    lab.git("checkout", "--quiet", "HEAD", "--", path)
    lab.clock.wait(5)
    revert(lab, "HEAD")
    assert lab.todos()[todo].status == "open"
    assert pending(lab) == {path: ["field-by-command"]}
    assert b"status: open" in lab.at_head(path)


def test_a_message_that_claims_to_revert_something_else_is_judged_by_its_files(done: tuple[Lab, str]) -> None:
    lab, todo = done
    path = lab.path_of(todo)
    newest = lab.git("rev-parse", "HEAD").strip()
    lab.change(path, "status: done", "status: superseded")
    commit(lab, f"Revert something\n\nThis reverts commit {newest}.")
    assert lab.todos()[todo].status == "done"
    assert pending(lab) == {path: ["transition-illegal"]}


def test_a_commit_made_up_to_be_reverted_smuggles_nothing_in(lab: Lab) -> None:
    """``made up`` turns a forged text into the accepted one, so that its revert brings in the forged one."""
    lab.goal()
    todo = lab.todo("One")
    path = lab.path_of(todo)
    lab.git("checkout", "--quiet", "--detach")
    lab.change(path, "status: open", "status: superseded")
    commit(lab, "forged")
    lab.git("checkout", "--quiet", "main", "--", path)
    made_up = commit(lab, "made up")
    lab.git("checkout", "--quiet", "main")
    revert(lab, made_up)
    assert lab.todos()[todo].status == "open"
    assert pending(lab) == {path: ["field-by-command"]}


def test_a_revert_with_another_commit_on_top_is_judged_file_by_file(done: tuple[Lab, str]) -> None:
    lab, todo = done
    revert(lab, "HEAD")
    lab.save("goals/beta/todos/new.md", "# Another\n")
    commit(lab)
    titles = {each.title for each in lab.todos().values()}
    assert titles == {"Write the guide", "Another"}
    assert lab.todos()[todo].status == "done", "nothing accepted is silently taken back"
    assert pending(lab)[lab.path_of(todo)] == ["edit-is-old-version"]
