"""What a person saves beside a running daemon: every way of saving is one commit of theirs, whatever editors do."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx.workspace import Workspace
from loopx.workspace.pages import is_rendering, made
from tests.support.environment import PERSON
from tests.support.watched import GUIDE, Watched


def in_place(file: Path, content: bytes) -> None:
    with open(file, "r+b") as opened:
        opened.write(content)
        opened.truncate()


def truncate(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def truncate_then_pause(file: Path, content: bytes) -> None:
    with open(file, "wb") as opened:
        opened.flush()
        time.sleep(0.3)
        opened.write(content[: len(content) // 2])
        opened.flush()
        time.sleep(0.3)
        opened.write(content[len(content) // 2 :])


def rename_over(file: Path, content: bytes) -> None:
    fresh = file.with_name(f".{file.name}.tmp")
    fresh.write_bytes(content)
    os.replace(fresh, file)


def rename_from_outside(file: Path, content: bytes) -> None:
    fresh = file.parents[4] / "outside.md"
    fresh.write_bytes(content)
    os.replace(fresh, file)


def backup_then_write(file: Path, content: bytes, pause: float = 0.0) -> None:
    """Vim: a probe, the old file renamed, the new one written, the old one removed."""
    probe, backup = file.with_name("4913"), file.with_name(f"{file.name}~")
    probe.touch()
    probe.unlink()
    time.sleep(pause)
    os.replace(file, backup)
    time.sleep(pause)
    file.write_bytes(content)
    time.sleep(pause)
    backup.unlink()


def slow_backup(file: Path, content: bytes) -> None:
    backup_then_write(file, content, 0.3)


def swap_file(file: Path, content: bytes) -> None:
    """Vim with its swap file open all the while."""
    swap = file.with_name(f".{file.name}.swp")
    swap.write_bytes(b"b0VIM" + os.urandom(64))
    truncate(file, content)
    swap.unlink()


def sed(file: Path, content: bytes) -> None:
    added = content.removeprefix(file.read_bytes()).decode().strip()
    subprocess.run(["sed", "-i", f"$ a\\{added}", str(file)], check=True)


WAYS: dict[str, Callable[[Path, bytes], None]] = {
    each.__name__: each
    for each in (in_place, truncate, truncate_then_pause, rename_over, rename_from_outside, swap_file, sed)
}


@pytest.mark.parametrize("way", WAYS)
def test_D01_a_save_is_one_commit_of_the_person(watched: Watched, way: str) -> None:
    file = watched.path(GUIDE)
    content = file.read_bytes() + f"saved by {way}\n".encode()
    before = watched.commits()
    WAYS[way](file, content)
    watched.until_accepted(GUIDE, content)
    watched.flush()
    assert file.read_bytes() == content
    assert watched.commits() == before + 3
    assert watched.author(GUIDE) == PERSON


@pytest.mark.parametrize("way", [backup_then_write, slow_backup])
def test_D02_a_save_that_looks_like_a_deletion_is_one_change(
    watched: Watched, way: Callable[[Path, bytes], None]
) -> None:
    file = watched.path(GUIDE)
    content = file.read_bytes() + f"saved by {way.__name__}\n".encode()
    before = watched.commits()
    way(file, content)
    watched.until_accepted(GUIDE, content)
    watched.flush()
    assert watched.commits() == before + 3
    everything = watched.git("log", "--format=", "--name-status")
    assert "4913" not in everything
    assert "~" not in everything
    assert f"D\t{GUIDE}" not in everything


def test_D03_a_lock_that_links_to_nowhere_is_nothing(watched: Watched) -> None:
    file, link = watched.path(GUIDE), watched.path(GUIDE).with_name(".#guide.md")
    link.symlink_to("somebody@host.1:2")
    content = file.read_bytes() + b"typed in Emacs\n"
    file.write_bytes(content)
    watched.until_accepted(GUIDE, content)
    link.unlink()
    watched.flush()
    assert ".#guide" not in watched.git("log", "--format=", "--name-only")
    assert (watched.health() or {})["failures"] == 0


def test_D04_reading_wakes_nobody(watched: Watched) -> None:
    watched.flush()
    quiet(watched)
    before = (watched.health() or {})["looks"]
    for _ in range(300):
        watched.path(GUIDE).read_bytes()
        os.listdir(watched.path("goals/beta/todos"))
    time.sleep(0.5)
    found = watched.health() or {}
    assert found["looks"] - before <= 1  # the slow rescan may have come round


def test_D05_what_the_daemon_writes_wakes_it_to_nothing(watched: Watched) -> None:
    """An adopted file is rewritten by the daemon itself, with ids; one commit, then silence."""
    fresh = watched.path("goals/beta/todos/typed.md")
    before = watched.commits()
    fresh.write_text("# Typed by hand\n")
    watched.wait(lambda: b"id:" in (watched.at_head("goals/beta/todos/typed.md") or b""))
    watched.wait(lambda: fresh.read_bytes() == watched.at_head("goals/beta/todos/typed.md"))
    watched.flush()
    quiet(watched)
    looks = (watched.health() or {})["looks"]
    assert watched.commits() == before + 3
    time.sleep(0.5)
    assert (watched.health() or {})["looks"] - looks <= 1
    watched.assert_sound()


def test_D06_a_file_that_cannot_be_read_ends_nothing(watched: Watched) -> None:
    file = watched.path(GUIDE)
    good = file.read_bytes()
    bad = good.replace(b"title:", b"title: [never closed\nother:", 1)
    assert bad != good
    file.write_bytes(bad)
    watched.wait(lambda: "refused: goals/beta/todos/guide.md:" in watched.said)
    assert watched.at_head(GUIDE) == good
    mended = good + b"mended\n"
    file.write_bytes(mended)
    watched.until_accepted(GUIDE, mended)
    other = watched.path("goals/beta/todos/item-1.md")
    content = other.read_bytes() + b"another\n"
    other.write_bytes(content)
    watched.until_accepted("goals/beta/todos/item-1.md", content)
    found = watched.health() or {}
    assert found["last_event_at"] is not None
    assert found["failures"] == 0


def test_D07_a_burst_is_all_in_history_and_pages_are_as_made_afresh(watched: Watched) -> None:
    """300 edits to ten files, each file's last version in history, and nothing twice."""
    paths = sorted(watched.path("goals/beta/todos").glob("item-*.md"))[:8]
    before = watched.commits()
    for number in range(300):
        file = paths[number % len(paths)]
        WAYS[("truncate", "rename_over", "in_place")[number % 3]](
            file, file.read_bytes() + f"burst {number}\n".encode()
        )
    for file in paths:
        watched.until_accepted(file.relative_to(watched.root).as_posix(), file.read_bytes())
    watched.flush()
    assert watched.commits() - before <= 300 + 2
    trees = watched.git("log", "--format=%T", f"-{watched.commits() - before}").split()
    assert len(trees) == len(set(trees)), "a commit changed nothing"
    wait_for_fresh_pages(watched)
    watched.assert_sound()


def test_an_edit_saved_right_behind_a_write_of_the_daemon_is_not_lost(watched: Watched) -> None:
    path = "goals/beta/todos/item-2.md"
    file = watched.path(path)
    for number in range(3):
        content = file.read_bytes() + f"first {number}\n".encode()
        file.write_bytes(content)
        watched.until_accepted(path, content)
        time.sleep(0.005)
        content += f"second {number}\n".encode()
        file.write_bytes(content)
        watched.until_accepted(path, content)


def test_D15_what_is_written_differently_but_means_the_same_settles(watched: Watched) -> None:
    path = "goals/beta/todos/item-3.md"
    file = watched.path(path)
    text = file.read_text()
    typed = text.replace("\n---\n", "\ntags: []\ndepends_on: []\n---\n", 1)
    before = watched.commits()
    file.write_text(typed)
    watched.until_accepted(path, typed.encode())
    watched.flush()
    assert watched.commits() == before + 3
    assert file.read_text() == typed


def quiet(watched: Watched) -> None:
    """Until no look follows a look any more: nothing rests, nothing is doubted."""
    seen = -1
    for _ in range(40):
        looks = (watched.health() or {})["looks"]
        if looks == seen:
            return
        seen = looks
        time.sleep(0.8)
    raise AssertionError("the daemon never came to rest")


def wait_for_fresh_pages(watched: Watched) -> None:
    """Until every page holds what a render of this very state gives, no more and no less."""
    status, local = watched.root / "status", watched.root / "local"
    watched.wait(lambda: not (local / "pages-dirty").exists() and not is_rendering(local / "render.lock"))

    def is_fresh() -> bool:
        with Workspace.find(watched.project, environ={"LOOPX_PAGES": "off"}) as ws:
            wanted = made(ws.cache, ws.read(take_in=False), ws.places)
        found = {each.relative_to(status).as_posix(): each.read_text() for each in status.rglob("*") if each.is_file()}
        return found == wanted

    watched.wait(is_fresh)
