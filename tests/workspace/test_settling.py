"""How long a file just saved keeps others waiting: a read, to show it; a write no longer while it is saved on."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module

import pytest

from loopx.workspace.settle import BETWEEN_SECONDS
from tests.support.lab import Lab


def test_a_write_waits_for_a_file_just_saved_but_not_again_while_it_is_saved_on(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_module("loopx.workspace.takein")  # loading it must take no time of how young the file is
    lab.goal()
    todo = lab.todo("Saved on and on")
    path, text, waits = lab.path_of(todo), lab.read(lab.path_of(todo)), list[float]()

    def wait(seconds: float) -> None:
        """No time passes for the file: somebody saves it once more meanwhile."""
        if seconds == BETWEEN_SECONDS:
            waits.append(seconds)
            lab.save(path, text + f"Save {len(waits)}.\n".encode(), quiet=False)

    def now() -> datetime:
        """However long the machine takes, the file was saved this instant."""
        return datetime.fromtimestamp((lab.root / path).stat().st_mtime + 0.001, UTC)

    lab.save(path, text + b"Save 0.\n", quiet=False)
    monkeypatch.setattr(lab.clock, "wait", wait)
    monkeypatch.setattr(lab.clock, "now", now)
    lab.todo("Waits")
    assert len(waits) == 1
    lab.todo("Does not wait")
    assert len(waits) == 1
    assert [edit.state for edit in lab.ws.edits()] == ["settling"]
    assert len(waits) == 2, "a read waits, since somebody wants to see what was typed"
    monkeypatch.undo()
    lab.clock.wait(5)
    assert lab.todos()[todo].body == "Save 2."
    lab.assert_sound()
