"""Editors save while LoopX writes the same files: no line anybody typed is lost, however they save."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopx.kernel.commands import EditTodo
from loopx.model.actor import Actor
from loopx.workspace import Workspace
from loopx.workspace.journal import Step
from loopx.workspace.materialise import Ending, materialise
from loopx.workspace.places import Places
from tests.support.editor import STYLES, line, start
from tests.support.project import Project

TYPED = 240
"""Saves of an editor that pauses now and then, against whole commands."""
SAVES = 3400
"""Saves of each style against single exchanges: some ten thousand altogether."""


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("style", STYLES)
def test_no_save_is_lost_to_an_exchange(tmp_path: Path, style: str) -> None:
    """As fast as both can: one side replaces the file by exchanges, the other side saves it."""
    places = Places(tmp_path)
    places.displaced.mkdir(parents=True)
    target = tmp_path / "note.md"
    target.write_bytes(b"first.\n")
    editor = start(style, target, SAVES)
    endings = dict.fromkeys(Ending, 0)
    number = 0
    while editor.poll() is None:
        seen = target.read_bytes()
        if not seen.endswith(b".\n") or target.read_bytes() != seen:
            continue  # half saved: a pass leaves such a file alone, see settle
        number += 1
        temp = places.temp("note.md", "w-race", number)
        places.file(temp).write_bytes(seen + b"ours.\n" if number % 50 == 0 else seen)
        step = Step("note.md", temp, digest(seen), digest(places.file(temp).read_bytes()))
        endings[materialise(places, step, digest, time.sleep)] += 1
    assert editor.returncode == 0
    kept = target.read_bytes() + b"".join(each.read_bytes() for each in places.displaced.iterdir())
    lost = [n for n in range(SAVES) if line(style, n) not in kept]
    assert lost == []
    assert endings[Ending.PLACED] > 100, endings
    assert [each for each in tmp_path.iterdir() if each.name.endswith(".loopx-tmp")] == []


@pytest.mark.parametrize("style", STYLES)
def test_a_buffer_loaded_once_and_commands_are_merged_without_a_conflict(tmp_path: Path, style: str) -> None:
    """The whole way: every line ends up in history once, and so does every accepted command."""
    with _race(tmp_path, style, reloads=False) as (ws, file, todo, accepted, priority):
        content = file.read_bytes()
        assert [str(each) for each in ws.edits()] == []
        assert [n for n in range(TYPED) if content.count(line(style, n)) != 1] == []
        assert f"priority: {priority}".encode() in content
        log = ws.log(id=todo, every=True)
        assert 5 < sum(each.actor == "agent:bot" for each in log) <= accepted
        assert {each.author.split(" <")[0] for each in log if each.origin == "hand"} == {"Test Person"}
        assert ws.store.fsck() == []


@pytest.mark.parametrize("style", STYLES)
def test_an_editor_that_reloads_loses_no_line_even_where_it_saw_ours_for_an_instant(tmp_path: Path, style: str) -> None:
    """Such an editor may save over a line it did not see; that line is then in a file LoopX names."""
    with _race(tmp_path, style, reloads=True) as (ws, file, _, _, _):
        named = b"".join((ws.places.root / each.path).read_bytes() for each in ws.edits())
        kept = file.read_bytes() + named
        assert [n for n in range(TYPED) if line(style, n) not in kept] == []


@contextmanager
def _race(tmp_path: Path, style: str, *, reloads: bool) -> Iterator[tuple[Workspace, Path, str, int, str]]:
    """Let an editor of this style and an agent's commands loose on one document, and wait until all is settled."""
    project = Project.make(tmp_path / "lab")
    with Workspace.create(project.root, title="Race", environ={"LOOPX_PAGES": "off"}) as ws:
        file, todo = _one_todo(ws)
        editor = start(style, file, TYPED, 12, reloads=reloads)
        accepted, priority = 0, "p2"
        while editor.poll() is None:
            priority = f"p{accepted % 5}"
            ws.submit(EditTodo(todo=todo, fields={"priority": priority}), actor=Actor.parse("agent:bot"))
            accepted += 1
        _settle(ws)
        yield ws, file, todo, accepted, priority


def _one_todo(ws: Workspace) -> tuple[Path, str]:
    from loopx.kernel.commands import AddTodo, NewGoal

    ann = Actor.parse("human:Ann")
    ws.submit(NewGoal(goal="beta", title="Beta"), actor=ann)
    todo = str(ws.submit(AddTodo(goal="beta", title="Contended"), actor=ann).receipt.result["id"])
    [file] = ws.places.root.glob("goals/beta/todos/*.md")
    return file, todo


def _settle(ws: Workspace) -> None:
    """Let the last saves grow old, then look, until displaced files had their second look."""
    for _ in range(4):
        time.sleep(1.1)
        ws.read()
