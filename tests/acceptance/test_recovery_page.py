"""The page on recovery, followed to the letter on a workspace that has everything wrong with it that the page names."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.kernel.commands import AddTodo
from loopx.model.actor import Actor
from tests.support.environment import PERSON
from tests.support.lab import Crash, Lab, crash_at
from tests.support.source import ROOT
from tests.support.walkthrough import Walk

PAGE = ROOT / "docs/how-to/recover-after-a-crash.md"
OPERATION = "release-17"
SETTLED_SECONDS = 60


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LOOPX_PAGES", "off")
    made = Lab.make(tmp_path / "lab")
    made.goal()
    yield made
    made.close()


def damaged(lab: Lab) -> None:
    """Killed right after the branch moved, with all the bad luck the page tells of."""
    gone, half, _ = (lab.path_of(lab.todo(title)) for title in ("Write the guide", "Record the demo", "Announce it"))
    lab.restart()
    command = AddTodo(goal="beta", title="Publish the release")
    with pytest.raises(Crash), crash_at("published"):
        lab.submit(command, Actor.parse(f"human:{PERSON}"), op=OPERATION)
    lab.close()
    (lab.root / gone).unlink()
    _backdate(lab.root / half, lab.read(half)[:60])
    _backdate(lab.root / ".git/refs/heads/main.lock", b"")
    (lab.root / "local/cache.sqlite").write_bytes(b"no database at all" * 100)
    shutil.rmtree(lab.root / "status", ignore_errors=True)
    assert (lab.root / "local/journal.json").exists()


def _backdate(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    before = file.stat().st_mtime - SETTLED_SECONDS
    os.utime(file, (before, before))


def test_H10_every_step_of_the_recovery_page_works_as_written_on_a_damaged_workspace(lab: Lab) -> None:
    before = lab.project.snapshot()
    damaged(lab)
    walk = Walk(lab.project.root)
    walk.follow(PAGE.read_text(encoding="utf-8"))
    assert lab.operations().count(OPERATION) == 1
    lab.assert_sound()
    titles = {each["title"] for each in lab.project.loopx("todo", "list", "--json").expect().json["data"]["todos"]}
    assert titles == {"Write the guide", "Record the demo", "Announce it", "Publish the release"}
    lab.project.assert_untouched(before)


def test_the_backup_the_page_makes_can_be_gone_back_to_as_it_says(lab: Lab) -> None:
    lab.todo("Write the guide")
    lab.close()
    backup, place = lab.project.root.parent / "loopx-backup.git", lab.root / ".git"
    lab.project.git("clone", "--quiet", "--mirror", str(place), str(backup))
    newer = lab.project.loopx("todo", "add", "Record the demo", "--goal", "beta", "--json").expect().json
    place.rename(lab.project.root.parent / "damaged.git")
    lab.project.git("clone", "--quiet", "--bare", str(backup), str(place))
    lab.project.git("-C", str(place), "config", "core.bare", "false")
    lab.project.loopx("check").expect()
    listed = lab.project.loopx("todo", "list", "--json").expect().json["data"]["todos"]
    assert {each["title"] for each in listed} == {"Write the guide", "Record the demo"}
    assert newer["data"]["result"]["id"] in {each["id"] for each in listed}
