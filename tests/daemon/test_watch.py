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


def test_D07_more_events_than_can_be_believed_mean_looking_at_everything(lab: Lab) -> None:
    watch = FolderWatch(lab.root, limit=20)
    try:
        watch.changed_folders()
        path = lab.root / "goals/beta/goal.md"
        content = path.read_bytes()
        for _ in range(30):
            path.write_bytes(content)
        assert watch.changed_folders() is None
        assert watch.overflows == 1
        path.write_bytes(content)
        changed = watch.changed_folders()
        assert changed is not None
        assert "goals/beta" in changed
    finally:
        watch.stop()


def test_every_change_made_before_the_question_is_in_the_answer(lab: Lab, watch: FolderWatch) -> None:
    """Whoever asks right behind a save is not told of nothing because the event is still on its way."""
    path = lab.root / "goals/beta/goal.md"
    content = path.read_bytes()
    for number in range(50):
        save(STYLES[number % 3], path, content + b"x" * number)
        changed = watch.changed_folders()
        assert changed is None or "goals/beta" in changed


def test_two_listeners_are_each_told_of_everything(lab: Lab, watch: FolderWatch) -> None:
    ear = watch.ear()
    assert ear.changed_folders() is None
    path = lab.root / "goals/beta/goal.md"
    path.write_bytes(path.read_bytes() + b"More.\n")
    for each in (watch, ear):
        changed = each.changed_folders()
        assert changed is None or "goals/beta" in changed


def test_events_that_cannot_be_had_are_said_to_be_missing(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("watchdog.observers.api.BaseObserver.start", refuse)
    made = FolderWatch(lab.root)
    assert (made.mode, made.changed_folders()) == ("polling", None)
    assert "inotify watch limit reached" in made.why
    made.stop()


def test_a_folder_that_tells_of_nothing_is_polled(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopx.daemon.watch._FIRST_WAIT_SECONDS", 0.05)
    monkeypatch.setattr("loopx.daemon.watch.FolderWatch.mark", lambda *_given, **_named: None)
    made = FolderWatch(lab.root)
    assert (made.mode, made.why) == ("polling", "no event comes from this folder")
    made.stop()


def test_what_an_event_named_once_is_looked_at_until_it_is_clean(lab: Lab) -> None:
    """A read looks, and then has a pass look: the watch tells only the first of them."""

    class Once:
        told: Collection[str] | None = None

        def changed_folders(self) -> Collection[str] | None:
            said, self.told = self.told, ()
            return said

    todo = lab.todo("Watched")
    lab.close()
    watch = Once()
    with Workspace.find(lab.project.root, environ=ENVIRONMENT, clock=lab.clock, watch=watch) as ws:
        ws.read()
        ws.read()
        path = lab.root / lab.path_of(todo)
        save("rename", path, path.read_bytes() + b"Typed.\n")
        lab.clock.wait(5)
        watch.told = {"goals/beta/todos"}
        found = ws.read().state.todo(todo)
        assert found is not None
        assert "Typed." in found.body


def test_a_file_moved_out_of_sight_keeps_no_event_waiting(lab: Lab, watch: FolderWatch) -> None:
    """Half of a rename, as every write of ours leaves one: the library would wait half a second for the other."""
    outside = lab.project.root / "outside.md"
    for _ in range(5):  # a machine that is busy elsewhere may need more than one try
        path = lab.root / "goals/beta/goal.md"
        content = path.read_bytes()
        watch.changed_folders()
        os.replace(path, outside)
        path.write_bytes(content)
        changed = watch.changed_folders()
        if changed is not None:
            assert "goals/beta" in changed
            return
        time.sleep(1)
    raise AssertionError("everything had to be looked at")
