"""Looking and going back: the cases of rewritten, reverted, shortened and hooked history, on a whole workspace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.kernel.commands import CompleteTodo, EditTodo
from tests.support.lab import ANN, ENVIRONMENT, Lab
from tests.support.process import Ran, run_loopx
from tests.support.project import Project


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab.make_in(Project.make(tmp_path / "lab"))
    made.goal()
    yield made
    made.close()


def loopx(lab: Lab, *arguments: str) -> Ran:
    return lab.project.loopx(*arguments, environment=ENVIRONMENT)


def five_writes(lab: Lab) -> tuple[str, str]:
    """A Todo written five times; its id, and the revision of the second write."""
    todo = lab.todo("Written often")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p1"}))
    second = lab.git("rev-parse", "HEAD").strip()
    for number in range(3):
        lab.submit(EditTodo(todo=todo, body=f"Version {number}.\n"))
    return todo, second


def test_H01_a_squash_and_a_collection_leave_every_revision_to_go_back_to(lab: Lab) -> None:
    todo, second = five_writes(lab)
    lab.git("reset", "--quiet", "--soft", "HEAD~4")
    lab.git("commit", "--quiet", "--message=squashed")
    loopx(lab, "status").expect()
    lab.git("reflog", "expire", "--expire=now", "--all")
    lab.git("gc", "--quiet", "--prune=now")
    loopx(lab, "rollback", second, "--reason", "The second was right").expect()
    lab.restart()
    assert (lab.todos()[todo].priority, lab.todos()[todo].body) == ("p1", "")
    assert len(lab.ws.log(id=todo, every=True)) >= 6
    lab.assert_sound()


def test_H01_what_a_shallow_clone_lacks_is_told_and_nothing_else_fails(lab: Lab, tmp_path: Path) -> None:
    todo, second = five_writes(lab)
    clone = Project.make(tmp_path / "clone")
    clone.git("clone", "--quiet", "--depth=1", f"file://{lab.root}", ".loopx")
    told = run_loopx("rollback", second, "--reason", "Back", "--json", cwd=clone.root, environment=ENVIRONMENT)
    assert told.expect(1).json["error"]["code"] == "revision-unknown"
    listed = run_loopx("todo", "list", "--json", cwd=clone.root, environment=ENVIRONMENT).expect()
    assert [each["id"] for each in listed.json["data"]["todos"]] == [todo]
    run_loopx("todo", "edit", todo, "--priority", "p0", cwd=clone.root, environment=ENVIRONMENT).expect()


def test_H02_a_rollback_touches_no_file_that_is_not_its_own(lab: Lab) -> None:
    todo, second = five_writes(lab)
    other = lab.path_of(lab.todo("Being typed"))
    lab.change(other, "status: open", "status: [half")
    lab.save("goals/beta/notes.txt", "untracked\n")
    lab.project.write("app.py", "x = 2  # unstaged\n")
    before, typed = lab.project.snapshot(), lab.read(other)
    loopx(lab, "rollback", second, "--todo", todo, "--reason", "Back").expect()
    assert lab.read(other) == typed
    assert lab.read("goals/beta/notes.txt") == b"untracked\n"
    lab.project.assert_untouched(before)


def test_H03_going_back_in_state_leaves_the_code_where_it_is(lab: Lab) -> None:
    todo = lab.todo("State")
    before = lab.git("rev-parse", "HEAD").strip()
    for number in range(2):
        lab.project.write("app.py", f"x = {number + 10}\n")
        lab.project.git("commit", "--quiet", "--all", f"--message=code {number}")
        lab.submit(EditTodo(todo=todo, body=f"State {number}.\n"))
    past, code = lab.subjects(), lab.project.snapshot()
    loopx(lab, "rollback", before, "--reason", "Two steps back").expect()
    lab.project.assert_untouched(code)
    assert lab.subjects()[1:] == past
    lab.restart()
    assert lab.todos()[todo].body == ""


def test_H06_a_write_that_was_amended_keeps_its_receipt(lab: Lab) -> None:
    todo = lab.todo("Amended")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}), op="op-amended")
    lab.git("commit", "--quiet", "--amend", "--message=a better message")
    shown = loopx(lab, "op", "show", "op-amended", "--json").expect().json["data"]
    assert shown["state"] == "committed"
    loopx(lab, "todo", "edit", todo, "--priority", "p1").expect()
    shown = loopx(lab, "op", "show", "op-amended", "--json").expect().json["data"]
    assert shown["state"] == "committed"
    lab.restart()
    assert lab.todos()[todo].priority == "p1"
    again = lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}), op="op-amended")
    assert again.replayed
    lab.assert_sound()


def test_H06_a_write_that_was_reset_away_is_asked_about_and_can_be_kept(lab: Lab) -> None:
    todo = lab.todo("Reset")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}), op="op-reset")
    lab.git("reset", "--quiet", "--hard", "HEAD~1")
    refused = loopx(lab, "todo", "edit", todo, "--priority", "p1", "--json").expect(1).json["error"]
    assert refused["code"] == "history-rewritten"
    loopx(lab, "history", "keep", "old", "--reason", "It was a mistake").expect()
    assert loopx(lab, "op", "show", "op-reset", "--json").expect().json["data"]["state"] == "committed"
    lab.restart()
    assert lab.todos()[todo].priority == "p0"
    lab.assert_sound()


def test_H07_a_completion_that_was_reverted_with_git_stays_reverted(lab: Lab) -> None:
    todo = lab.todo("Not done after all")
    command = CompleteTodo(todo=todo)
    lab.submit(command, op="op-done")
    lab.git("revert", "--no-edit", "HEAD")
    loopx(lab, "status").expect()
    lab.restart()
    assert lab.todos()[todo].status == "open"
    assert not any(each.stands for each in lab.look().state.completions(todo).entries)
    again = lab.submit(command, op="op-done")
    assert (again.replayed, bool(again.superseded_by)) == (True, True)
    assert lab.todos()[todo].status == "open"
    assert b"status: open" in lab.read(lab.path_of(todo))
    lab.assert_sound()


def test_H09_a_write_that_a_hook_refuses_leaves_nothing_in_anybodys_way(lab: Lab) -> None:
    todo = lab.todo("Hooked")
    before = (lab.subjects(), lab.read(lab.path_of(todo)))
    lab.git("branch", "other")
    hook = lab.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not today' >&2\nexit 1\n")
    hook.chmod(0o755)
    refused = loopx(lab, "todo", "edit", todo, "--priority", "p0", "--op", "op-hooked", "--json")
    assert refused.code != 0
    assert refused.json["error"]["code"] == "hook-refused"
    assert (lab.subjects(), lab.read(lab.path_of(todo))) == before
    lab.git("checkout", "--quiet", "other")
    lab.git("checkout", "--quiet", "main")
    hook.unlink()
    loopx(lab, "todo", "edit", todo, "--priority", "p0", "--op", "op-hooked").expect()
    lab.restart()
    assert lab.todos()[todo].priority == "p0"
    lab.assert_sound()


def test_H10_a_damaged_workspace_comes_back_by_the_remedies_it_names(lab: Lab) -> None:
    """Follow what LoopX says, word for word, from a damaged file, a lost cache and a rewritten history."""
    todo = lab.todo("Damaged")
    path = lab.path_of(todo)
    good = lab.read(path)
    lab.save(path, b"---\nid: [\n---\n")
    (lab.root / "local" / "cache.sqlite").write_bytes(b"no database at all")
    loopx(lab, "check", "--json").expect(1)
    [listed] = loopx(lab, "edit", "list", "--json").expect(1).json["data"]["edits"]
    loopx(lab, "edit", "discard", listed["path"]).expect()
    assert lab.read(path) == good
    lab.restart()
    lab.submit(EditTodo(todo=todo, body="More.\n"), actor=ANN)
    lab.git("reset", "--quiet", "--hard", "HEAD~1")
    refused = loopx(lab, "todo", "edit", todo, "--priority", "p0", "--json").expect(1).json["error"]
    named = [each.split("`")[0] for each in refused["hint"].split("`loopx ")[1:]]
    assert named == ["log", "history keep old", "history keep new"]
    loopx(lab, "log").expect()
    loopx(lab, *named[1].split(), "--reason", "Mine").expect()
    loopx(lab, "todo", "edit", todo, "--priority", "p0").expect()
    loopx(lab, "check").expect()
    lab.restart()
    assert lab.todos()[todo].body == "More."
    assert os.path.exists(lab.root / path)
