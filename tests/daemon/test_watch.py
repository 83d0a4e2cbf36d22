"""The watch: every way of saving is noticed, nothing else is, and what cannot be known is looked at whole."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from loopx.daemon.watch import FolderWatch
from loopx.kernel.commands import AddTodo
from loopx.workspace import Workspace
from tests.support.editor import STYLES, save
from tests.support.lab import ANN, ENVIRONMENT, Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab.make(tmp_path / "lab")
    made.goal()
    yield made
    made.close()


@pytest.fixture
def watch(lab: Lab) -> Iterator[FolderWatch]:
    made = FolderWatch(lab.root)
    assert made.changed_folders() is None  # what was before is unknown
    yield made
    made.stop()


def eventually(watch: FolderWatch, folder: str) -> Collection[str]:
    """What the watch says once it mentions ``folder``; events come when the system gets round to them."""
    said: set[str] = set()
    for _ in range(500):
        said |= set(watch.changed_folders() or ())
        if folder in said:
            return said
        time.sleep(0.01)
    raise AssertionError(f"{folder} was not mentioned, only {said}")


@pytest.mark.parametrize("style", STYLES)
def test_D01_every_way_of_saving_is_noticed(lab: Lab, watch: FolderWatch, style: str) -> None:
    path = lab.root / "goals/beta/goal.md"
    save(style, path, path.read_bytes() + b"More.\n")
    assert eventually(watch, "goals/beta")


def test_D04_reading_a_file_is_no_change(lab: Lab, watch: FolderWatch) -> None:
    (lab.root / "goals/beta/goal.md").read_bytes()
    marker = lab.root / "goals/beta/todos/later.md"
    marker.parent.mkdir(exist_ok=True)
    marker.write_text("# Later\n")
    for _ in range(500):
        changed = watch.changed_folders()
        if changed is None:
            break
        assert "goals/beta/goal.md" not in changed
        time.sleep(0.01)


def test_a_new_folder_means_looking_at_everything(lab: Lab, watch: FolderWatch) -> None:
    """Its files may have come before anybody watched it."""
    shutil.copytree(lab.root / "goals/beta", lab.root / "goals/gamma")
    for _ in range(500):
        if watch.changed_folders() is None:
            return
        time.sleep(0.01)
    raise AssertionError("a new folder was not noticed")


def test_history_and_pages_are_not_watched(lab: Lab, watch: FolderWatch) -> None:
    (lab.root / "status").mkdir(exist_ok=True)
    watch.changed_folders()
    (lab.root / "status" / "README.md").write_text("page")
    os.utime(lab.root / ".git" / "HEAD")
    path = lab.root / "goals/beta/goal.md"
    save("rename", path, path.read_bytes() + b"More.\n")
    said = eventually(watch, "goals/beta")
    assert not {each for each in said if each.startswith(("status", ".git", "local"))}


def test_a_stopped_watch_says_that_nothing_is_known(lab: Lab) -> None:
    made = FolderWatch(lab.root)
    made.stop()
    assert made.changed_folders() is None
    assert made.changed_folders() is None


def test_a_workspace_with_a_watch_takes_in_edits_and_sees_its_own_writes(lab: Lab) -> None:
    lab.close()
    watch = FolderWatch(lab.root)
    try:
        with Workspace.find(lab.project.root, environ=ENVIRONMENT, clock=lab.clock, watch=watch) as ws:
            todo = str(ws.submit(AddTodo(goal="beta", title="Watched"), actor=ANN).receipt.result["id"])
            path = lab.root / lab.path_of(todo)
            for number in range(5):
                save(STYLES[number % 3], path, path.read_bytes() + f"Note {number}.\n".encode())
                lab.clock.wait(5)
                _wait_until(ws, todo, f"Note {number}.")
            ws.submit(AddTodo(goal="beta", title="Another"), actor=ANN)
            assert ws.edits() == []
        lab.assert_sound()
    finally:
        watch.stop()


def _wait_until(ws: Workspace, todo: str, text: str) -> None:
    for _ in range(500):
        found = ws.read().state.todo(todo)
        if found is not None and text in found.body:
            return
        time.sleep(0.01)
    raise AssertionError(f"{text} was not taken in")
