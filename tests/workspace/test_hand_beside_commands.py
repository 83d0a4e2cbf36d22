"""Hand edits and commands on the same documents, the workspace's own file, and reads that cannot take edits in."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, CancelTodo, CompleteTodo, EditTodo
from loopx.model.todo import TodoStatus
from loopx.workspace.results import View
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import hand_commits, only_edit, waiting


@pytest.fixture
def todo(lab: Lab) -> str:
    lab.goal("beta", "It is out")
    return lab.todo("Write the guide")


def test_a_command_on_a_document_with_a_refused_edit_commits_and_leaves_the_file(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.change(path, "status: open", "status: superseded")
    typed = lab.read(path)
    done = lab.submit(EditTodo(todo=todo, fields={"title": "Write the manual"}), actor=BOT)
    assert [each.code for each in done.warnings] == ["edit-waits", "field-by-command"]
    assert lab.read(path) == typed
    assert lab.todos()[todo].title == "Write the manual"
    lab.change(
        path, "status: superseded\nclass: advancement\npriority: p2", "status: open\nclass: advancement\npriority: p1"
    )
    found = lab.todos()[todo]
    assert (found.title, found.priority) == ("Write the manual", "p1")
    assert lab.read(path) == lab.at_head(path)
    lab.assert_sound()


def test_completing_a_todo_whose_file_holds_a_refused_edit_leaves_the_file(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.change(path, "priority: p2", "priority: urgent")
    typed = lab.read(path)
    done = lab.submit(CompleteTodo(todo=todo))
    assert "edit-waits" in {each.code for each in done.warnings}
    assert lab.read(path) == typed
    assert lab.todos()[todo].status is TodoStatus.DONE
    lab.change(path, "priority: urgent", "priority: p0")
    found = lab.todos()[todo]
    assert (found.priority, found.status) == ("p0", TodoStatus.DONE)
    lab.assert_sound()


def test_an_agents_command_takes_the_persons_edit_in_as_the_persons(lab: Lab, todo: str) -> None:
    other = lab.todo("Record the demo")
    lab.change(lab.path_of(todo), "priority: p2", "priority: p0")
    lab.submit(EditTodo(todo=other, fields={"priority": "p1"}), actor=BOT)
    authors = lab.git("log", "-2", "--format=%an|%ae|%s").splitlines()
    assert authors[0].startswith("bot|bot@agents.invalid|")
    assert authors[1].startswith("Test Person|test@example.invalid|")
    newest, before = lab.ws.log(every=True)[:2]
    assert (newest.actor, before.actor) == ("agent:bot", "human:Test Person")
    assert todo in before.ids
    assert todo not in newest.ids


def test_an_edit_and_a_command_on_the_same_document_are_two_commits(lab: Lab, todo: str) -> None:
    lab.change(lab.path_of(todo), "priority: p2", "priority: p0")
    lab.submit(EditTodo(todo=todo, fields={"title": "Write the manual"}), actor=BOT)
    found = lab.todos()[todo]
    assert (found.title, found.priority) == ("Write the manual", "p0")
    newest, before = lab.ws.log(every=True)[:2]
    assert (newest.origin, before.origin) == ("command", "hand")
    assert lab.read(lab.path_of(todo)) == lab.at_head(lab.path_of(todo))


def test_a_refused_command_still_takes_the_persons_edit_in(lab: Lab, todo: str) -> None:
    lab.change(lab.path_of(todo), "priority: p2", "priority: p0")
    with pytest.raises(LoopxError):
        lab.submit(CancelTodo(todo=todo, reason=""), actor=ANN)
    assert priority_in(lab.ws.read(take_in=False), todo) == "p0"
    lab.assert_sound()


# the workspace's own document ----------------------------------------------------------------------


def test_settings_typed_into_the_workspaces_file_are_in_force_at_once(lab: Lab, todo: str) -> None:
    content = lab.read("workspace.yaml").decode()
    lab.save(
        "workspace.yaml",
        content.replace("title: Lab", "title: Our work")
        + "policies:\n  lock_timeout_seconds: 3\nagents:\n  - id: codex-1\n",
    )
    state = lab.look().state
    assert waiting(lab) == {}
    assert state.config().title == "Our work"
    assert lab.ws.policies().lock_timeout_seconds == 3
    assert [each.id for each in state.config().agents] == ["codex-1"]


def test_a_wrong_setting_is_refused_where_it_stands_and_the_old_ones_stay(lab: Lab, todo: str) -> None:
    content = lab.read("workspace.yaml").decode()
    lab.save("workspace.yaml", content + "policies:\n  hooks: sometimes\n")
    edit = only_edit(lab)
    assert [each.code for each in edit.problems] == ["field-value"]
    assert edit.problems[0].place is not None
    assert edit.problems[0].place.line == content.count("\n") + 2
    assert lab.ws.policies().hooks == "run"


def test_the_identity_of_the_workspace_cannot_be_changed(lab: Lab, todo: str) -> None:
    identity = lab.look().state.config().id
    lab.change("workspace.yaml", identity, "w-other000")
    assert waiting(lab) == {"workspace.yaml": ["field-machine-owned"]}


# reads ---------------------------------------------------------------------------------------------


def priority_in(view: View, todo: str) -> str:
    found = view.state.todo(todo)
    assert found is not None
    return found.priority


@contextmanager
def somebody_writing(lab: Lab) -> Iterator[None]:
    """Another process holds the workspace's lock: as far as the kernel goes, another open file."""
    with open(lab.root / "local" / "lock", "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def no_lock_to_be_had(lab: Lab) -> Iterator[None]:
    """As on a disk mounted read-only: the lock's file cannot be opened for writing."""
    lock = lab.root / "local" / "lock"
    lock.unlink()
    lock.mkdir()
    yield
    lock.rmdir()


@pytest.mark.parametrize("hindrance", [somebody_writing, no_lock_to_be_had])
def test_a_read_that_cannot_take_edits_in_answers_from_the_last_accepted_version_and_says_so(
    lab: Lab, todo: str, hindrance: object
) -> None:
    path, head = lab.path_of(todo), lab.git("rev-parse", "HEAD")
    lab.change(path, "priority: p2", "priority: p0")
    typed = lab.read(path)
    with hindrance(lab):  # type: ignore[operator]
        view = lab.look()
        assert priority_in(view, todo) == "p2"
        assert [each.code for each in view.warnings] == ["edits-pending"]
        assert lab.git("rev-parse", "HEAD") == head
        assert lab.read(path) == typed
    assert lab.todos()[todo].priority == "p0"
    lab.assert_sound()


@pytest.mark.parametrize("hindrance", [somebody_writing, no_lock_to_be_had])
def test_a_write_that_cannot_have_the_lock_leaves_everything_and_can_be_repeated(
    lab: Lab, todo: str, hindrance: object
) -> None:
    path = lab.path_of(todo)
    lab.change(path, "priority: p2", "priority: p0")
    typed, command = lab.read(path), EditTodo(todo=todo, fields={"title": "Write the manual"})
    with hindrance(lab):  # type: ignore[operator]
        with pytest.raises(LoopxError) as caught:
            lab.submit(command, op="op-again")
        assert caught.value.code in ("lock-held", "disk-failed")
        assert lab.read(path) == typed
    lab.submit(command, op="op-again")
    found = lab.todos()[todo]
    assert (found.title, found.priority) == ("Write the manual", "p0")
    lab.assert_sound()


def test_no_take_in_shows_the_last_accepted_version_and_takes_nothing(lab: Lab, todo: str) -> None:
    head = lab.git("rev-parse", "HEAD")
    lab.change(lab.path_of(todo), "priority: p2", "priority: p0")
    assert priority_in(lab.ws.read(take_in=False), todo) == "p2"
    assert lab.git("rev-parse", "HEAD") == head
    assert lab.todos()[todo].priority == "p0"


def test_a_read_of_the_past_takes_nothing_in(lab: Lab, todo: str) -> None:
    head = lab.git("rev-parse", "HEAD")
    lab.change(lab.path_of(todo), "priority: p2", "priority: p0")
    assert priority_in(lab.ws.read(at="HEAD"), todo) == "p2"
    assert lab.git("rev-parse", "HEAD") == head
    lab.look()
    assert priority_in(lab.ws.read(at="HEAD"), todo) == "p0"
    assert priority_in(lab.ws.read(at="HEAD~1"), todo) == "p2"


def test_a_read_of_files_nobody_touched_writes_nothing(lab: Lab, todo: str) -> None:
    lab.clock.wait(5)
    lab.look()
    lab.restart()
    before = {
        each: each.stat().st_mtime_ns for each in lab.root.rglob("*") if each.is_file() and "local" not in each.parts
    }
    lab.look()
    lab.ws.edits()
    lab.ws.log()
    now = {
        each: each.stat().st_mtime_ns for each in lab.root.rglob("*") if each.is_file() and "local" not in each.parts
    }
    assert now == before


def test_a_refused_edit_is_told_of_by_every_read_without_being_judged_again(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.change(path, "priority: p2", "priority: urgent")
    first = [each.as_json() for each in lab.look().warnings]
    lab.restart()
    assert [each.as_json() for each in lab.look().warnings] == first
    assert [each["code"] for each in first] == ["field-value"]


def test_the_cache_may_be_deleted_while_an_edit_waits(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.change(path, "priority: p2", "priority: urgent")
    assert waiting(lab) == {path: ["field-value"]}
    lab.close()
    for file in (lab.root / "local").glob("cache.sqlite*"):
        os.unlink(file)
    lab.restart()
    assert waiting(lab) == {path: ["field-value"]}
    assert lab.todos()[todo].priority == "p2"


def test_saving_again_and_again_makes_as_many_commits_as_changes(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    for number in range(20):
        content = lab.read(path)
        lab.save(path, content)
        lab.look()
        lab.save(path, content + f"Line {number}.\n".encode())
        lab.look()
        lab.look()
    assert len(hand_commits(lab)) == 20
    assert lab.submit(AddTodo(goal="beta", title="Another")).revision is not None
    lab.assert_sound()
