"""Files that were exchanged while an editor had them open: what it writes into them afterwards is an edit too."""

from __future__ import annotations

from typing import BinaryIO

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import EditTodo
from tests.support.lab import ANN, Lab


def open_in_editor(lab: Lab, todo: str) -> BinaryIO:
    """The file held open, as editors do that write in place."""
    return open(lab.root / lab.path_of(todo), "r+b")


def write_into(opened: BinaryIO, content: bytes) -> None:
    opened.seek(0)
    opened.write(content)
    opened.truncate()
    opened.close()


def test_what_is_typed_into_a_file_while_it_is_replaced_is_merged(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Contended", body="First line.\n")
    opened = open_in_editor(lab, todo)
    before = opened.read()
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    write_into(opened, before + b"Typed into the old file.\n")
    assert b"Typed into the old file." not in lab.read(lab.path_of(todo))
    lab.clock.wait(3)
    found = lab.todos()[todo]
    assert (found.priority, found.body) == ("p0", "First line.\nTyped into the old file.")
    assert lab.read(lab.path_of(todo)) == lab.at_head(lab.path_of(todo))
    assert lab.git("log", "-1", "--format=%an").strip() == "Test Person"
    lab.clock.wait(3)  # the merge displaced a file too, which has its second look now
    lab.look()
    assert [each.name for each in (lab.root / "local/displaced").iterdir()] == []
    lab.assert_sound()


def test_what_is_typed_and_cannot_be_merged_is_kept_and_named(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Contended")
    opened = open_in_editor(lab, todo)
    before = opened.read()
    lab.submit(EditTodo(todo=todo, fields={"title": "Renamed by command"}))
    write_into(opened, before.replace(b"title: Contended", b"title: Renamed by hand"))
    lab.clock.wait(3)
    [edit] = lab.ws.edits()
    assert (edit.state, edit.problems[0].code) == ("displaced", "edit-displaced")
    assert b"title: Renamed by hand" in lab.read(edit.path)
    assert lab.todos()[todo].title == "Renamed by command"
    kept = lab.ws.discard_edit(edit.path, actor=ANN)
    assert b"title: Renamed by hand" in lab.read(kept)
    assert lab.ws.edits() == []
    lab.assert_sound()


def test_a_displaced_file_nobody_wrote_into_is_dropped_after_its_second_look(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Quiet")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    displaced = lab.root / "local/displaced"
    assert len(list(displaced.iterdir())) == 2  # the file, and the journal that says what it was
    lab.look()
    assert len(list(displaced.iterdir())) == 2
    lab.clock.wait(3)
    lab.look()
    assert list(displaced.iterdir()) == []


def test_losing_the_cache_loses_nothing_that_was_displaced(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Contended", body="First line.\n")
    opened = open_in_editor(lab, todo)
    before = opened.read()
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    write_into(opened, before + b"Typed into the old file.\n")
    lab.close()
    for each in (lab.root / "local").glob("cache.sqlite*"):
        each.unlink()
    lab.restart()
    lab.clock.wait(3)
    assert "Typed into the old file." in lab.todos()[todo].body
    lab.assert_sound()


def test_a_rollback_that_does_not_match_its_target_is_a_bug_and_says_so(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a store that lies can bring it about: this one gives another digest each time."""
    lab.goal()
    todo = lab.todo("Changed")
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    answers = iter(["one", "other"])
    monkeypatch.setattr(lab.ws.store, "tree_digest", lambda commit, paths: next(answers))
    with pytest.raises(LoopxError) as error:
        lab.ws.roll_back("HEAD~1", reason="try", actor=ANN)
    assert error.value.code == "rollback-mismatch"
