"""Records of monitors, effects and handoffs are LoopX's alone: a hand in one is told of, and changes nothing."""

from __future__ import annotations

import pytest

from loopx.kernel.commands import AddAgent, AddProposal, CreateHandoff, OpenEffect, PollMonitor
from loopx.model.todo import TodoClass
from tests.support.lab import BOT, Lab
from tests.workspace.typing import waiting


@pytest.fixture
def busy(lab: Lab) -> Lab:
    """With one record of each sort, and a proposal."""
    lab.goal()
    lab.submit(AddAgent(agent="bot"))
    lab.submit(AddAgent(agent="rex"))
    todo = lab.todo("Publish")
    watched = lab.todo("Watch", todo_class=TodoClass.MONITOR, target="x", cadence="1h")
    lab.submit(PollMonitor(todo=watched, target="x", seen="200"), BOT)
    lab.submit(OpenEffect(goal="beta", summary="Publish 1.0", todo=todo, postconditions=("It is there",)), BOT)
    lab.submit(CreateHandoff(goal="beta", todos=(todo,), to="rex", next_action="Go on"), BOT)
    lab.submit(AddProposal(goal="beta", title="Try a queue", body="Peaks.\n"), BOT)
    return lab


def only(lab: Lab, folder: str) -> str:
    [found] = lab.root.glob(f"goals/beta/{folder}/*.yaml")
    return found.relative_to(lab.root).as_posix()


@pytest.mark.parametrize(
    ("folder", "old", "new"),
    [
        ("monitors", "polls: 1", "polls: 7"),
        ("effects", "status: unknown", "status: absent"),
        ("handoffs", "status: offered", "status: accepted"),
    ],
)
def test_a_hand_in_a_record_is_told_of_at_its_line(busy: Lab, folder: str, old: str, new: str) -> None:
    path = only(busy, folder)
    before = busy.read(path)
    busy.change(path, old, new)
    found = waiting(busy)
    assert list(found) == [path]
    assert set(found[path]) <= {"record-machine-owned"}, found
    assert busy.at_head(path) == before
    assert busy.ws.read().state.effect(only(busy, "effects").rpartition("/")[2][:-5]) is not None
    busy.save(path, before)
    assert waiting(busy) == {}
    busy.assert_sound()


@pytest.mark.parametrize("folder", ["monitors", "effects", "handoffs"])
def test_a_deleted_record_counts_as_it_was(busy: Lab, folder: str) -> None:
    path = only(busy, folder)
    (busy.root / path).unlink()
    busy.look()
    busy.clock.wait(10)
    assert waiting(busy) == {path: ["record-machine-owned"]}
    assert busy.at_head(path)


def test_nothing_is_wrong_with_a_workspace_that_has_some_of_everything(busy: Lab) -> None:
    report = busy.ws.check()
    assert (report.problems, report.warnings) == ((), ())
    busy.close()
    for file in (busy.root / "local").glob("cache.sqlite*"):
        file.unlink()
    busy.restart()
    again = busy.ws.check()
    assert (again.problems, again.warnings, again.documents) == ((), (), report.documents)
    busy.assert_sound()
