"""A write is stopped at every named point, then started again: nothing is lost, nothing happens twice."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import CompleteTodo
from loopx.workspace.crashpoints import POINTS
from tests.support.lab import ANN, Crash, Lab, crash_at

HAPPENED_FROM = POINTS.index("published")


def scene(lab: Lab) -> tuple[str, str]:
    """A Todo to complete by command and another whose file a person just edited."""
    lab.goal()
    edited, completed = lab.todo("Edited by hand"), lab.todo("Completed by command")
    lab.change(lab.path_of(edited), "priority: p2", "priority: p0  # urgent")
    return edited, completed


def known_after(point: str) -> str:
    """What reading the operation back says before any other command ran."""
    if POINTS.index(point) < POINTS.index("journal-written"):
        return "absent"
    if POINTS.index(point) < HAPPENED_FROM:
        return "pending"
    return "committed_receipt_missing" if POINTS.index(point) < POINTS.index("admitted") else "committed"


def finish(lab: Lab, edited: str, completed: str) -> None:
    """What must be true once the same command was given again."""
    again = lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    assert again.receipt.operation == "op-the-one"
    todos = lab.todos()
    assert todos[completed].status == "done"
    assert todos[edited].priority == "p0"
    assert lab.operations().count("op-the-one") == 1
    assert b"priority: p0  # urgent" in lab.read(lab.path_of(edited))
    assert lab.read(lab.path_of(completed)) == lab.at_head(lab.path_of(completed))
    lab.assert_sound()


@pytest.mark.parametrize("point", POINTS)
def test_a_command_stopped_at_any_point_is_completed_exactly_once(lab: Lab, point: str) -> None:
    edited, completed = scene(lab)
    with crash_at(point), pytest.raises(Crash):
        lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    lab.restart()
    assert lab.ws.operation("op-the-one").state == known_after(point)
    finish(lab, edited, completed)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("second", ["recovered", "materialised", "index-placed", "admitted"])
def test_recovery_may_itself_be_stopped(lab: Lab, point: str, second: str) -> None:
    edited, completed = scene(lab)
    with crash_at(point), pytest.raises(Crash):
        lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    lab.restart()
    try:
        with crash_at(second):
            lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    except Crash:
        lab.restart()
    finish(lab, edited, completed)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_stop_between_two_files_leaves_no_half_state(lab: Lab, number: int) -> None:
    """Completing with two successors writes four documents and a record."""
    lab.goal()
    todo = lab.todo("Split up")
    command = CompleteTodo(todo=todo, successors=("First half", "Second half"))
    with crash_at("materialised", number), pytest.raises(Crash):
        lab.submit(command, op="op-split")
    lab.restart()
    assert lab.submit(command, op="op-split").replayed
    assert sorted(each.title for each in lab.todos().values()) == ["First half", "Second half", "Split up"]
    lab.assert_sound()


@pytest.mark.parametrize("point", POINTS)
def test_a_save_made_while_the_machine_was_down_is_kept(lab: Lab, point: str) -> None:
    """The person goes on typing into the very file the stopped command was writing."""
    edited, completed = scene(lab)
    path = lab.path_of(completed)
    with crash_at(point), pytest.raises(Crash):
        lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    lab.save(path, lab.read(path) + b"\nNotes typed after the crash.\n")
    lab.restart()
    lab.look()
    assert b"Notes typed after the crash." in lab.read(path)
    finish(lab, edited, completed)
    assert b"Notes typed after the crash." in lab.at_head(path)


@pytest.mark.parametrize("point", POINTS[:HAPPENED_FROM])
def test_before_publishing_nothing_of_the_command_is_taken_for_an_edit(lab: Lab, point: str) -> None:
    _, completed = scene(lab)
    with crash_at(point), pytest.raises(Crash):
        lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    lab.restart()
    assert lab.todos()[completed].status == "open"
    assert "op-the-one" not in lab.operations()
    lab.assert_sound()


def test_what_an_agent_did_is_never_ascribed_to_the_person(lab: Lab) -> None:
    from tests.support.lab import BOT

    for point in POINTS:
        lab.goal(f"goal-{POINTS.index(point)}")
        todo = lab.todo(f"For the agent at {point}", f"goal-{POINTS.index(point)}")
        try:
            with crash_at(point):
                lab.submit(CompleteTodo(todo=todo), actor=BOT, op=f"op-bot-{point}")
        except Crash:
            lab.restart()
        lab.submit(CompleteTodo(todo=todo), actor=BOT, op=f"op-bot-{point}")
    authors = lab.git("log", "--format=%an %s")
    assert all(line.startswith("bot ") for line in authors.splitlines() if "todo: done" in line)
    assert not any(line.startswith("bot ") for line in authors.splitlines() if "todo: done" not in line)
    assert ANN.is_human
    lab.assert_sound()


def test_a_failure_told_after_main_moved_is_no_failure(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git moves main and then ends with an error: what happened is read from main, not from what was said."""
    edited, completed = scene(lab)
    publish = lab.ws.store.publish

    def moves_and_fails(new: str, expected: str | None) -> None:
        publish(new, expected)
        raise LoopxError("git-failed", "the answer was lost")

    monkeypatch.setattr(lab.ws.store, "publish", moves_and_fails)
    done = lab.submit(CompleteTodo(todo=completed), op="op-the-one")
    monkeypatch.undo()
    assert done.revision == lab.git("rev-parse", "HEAD").strip()
    finish(lab, edited, completed)
