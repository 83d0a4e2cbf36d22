"""An end of a Goal in its files: what going back across it leaves, by whichever way one goes back."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import CloseGoal, CompleteTodo, MeetCriterion, PollMonitor, ReopenGoal, ReopenTodo
from loopx.model.todo import TodoClass
from loopx.workspace.proposal import RefusedError
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.gitting import git, without_cache
from tests.workspace.going_back import files, head

ACHIEVED = CloseGoal(goal="beta", outcome="achieved")


@pytest.fixture
def ended(lab: Lab) -> tuple[Lab, str]:
    """A lab whose Goal was just closed, with a monitor that only watched; and the revision before."""
    lab.goal("beta", "Ten people use it")
    todo = lab.todo("Write the guide")
    lab.submit(CompleteTodo(todo=todo))
    lab.submit(MeetCriterion(goal="beta", criterion="a1", evidence=("I counted them",)))
    before = head(lab)
    lab.submit(ACHIEVED, BOT, op="op-end")
    return lab, before


def ends(lab: Lab) -> list[Any]:
    log = lab.look().state.closure("beta")
    return list(log.entries) if log else []


def test_an_end_is_one_commit_with_its_basis(ended: tuple[Lab, str]) -> None:
    lab, before = ended
    assert lab.git("rev-parse", "HEAD~1").strip() == before
    assert lab.git("log", "-1", "--format=%s").strip() == 'goal: close beta "Goal beta"'
    assert "Terminal audit: open_todos 0, due_monitors 0" in lab.git("log", "-1", "--format=%b")
    [entry] = ends(lab)
    assert {each.name: each.count for each in entry.basis}["open_todos"] == 0
    without_cache(lab)
    assert ends(lab) == [entry]
    lab.assert_sound()


def test_rolling_back_marks_the_end_and_leaves_the_record(ended: tuple[Lab, str]) -> None:
    lab, before = ended
    there = {path: text for path, text in files(lab).items()}  # noqa: C416  (compared below)
    packet = lab.ws.plan_rollback(before, goal="beta")
    assert "goals/beta/closure.yaml" in packet.kept
    lab.ws.roll_back(before, reason="Too early", actor=ANN, goal="beta")
    assert lab.look().state.goal("beta").status == "active"
    [entry] = ends(lab)
    assert (entry.rolled_back_by is None, entry.reopened_at) == (False, None)
    assert lab.ws.operation("op-end").superseded_by == entry.rolled_back_by
    assert files(lab).keys() == there.keys()
    without_cache(lab)
    assert [each.stands for each in ends(lab)] == [False]
    lab.submit(ACHIEVED, BOT)
    assert [each.stands for each in ends(lab)] == [False, True]
    lab.assert_sound()


def test_a_reverted_commit_takes_the_end_back_too(ended: tuple[Lab, str]) -> None:
    lab, _ = ended
    assert git(lab.root, "revert", "--no-edit", "HEAD").code == 0
    assert lab.look().state.goal("beta").status == "active"
    assert [each.stands for each in ends(lab)] == [False]
    lab.assert_sound()


def test_going_back_to_before_the_reopening_leaves_a_goal_that_reads_closed_and_can_be_reopened(
    ended: tuple[Lab, str],
) -> None:
    lab, _ = ended
    closed = head(lab)
    lab.submit(ReopenGoal(goal="beta", reason="A customer came back"))
    lab.ws.roll_back(closed, reason="They left again", actor=ANN, goal="beta")
    assert lab.look().state.goal("beta").status == "closed"
    lab.submit(ReopenGoal(goal="beta", reason="They came back again"))
    lab.submit(ACHIEVED)
    assert [each.stands for each in ends(lab)] == [False, True]
    lab.assert_sound()


def test_the_record_of_an_end_is_never_edited(ended: tuple[Lab, str]) -> None:
    lab, _ = ended
    path = "goals/beta/closure.yaml"
    lab.change(path, "outcome: achieved", "outcome: abandoned")
    lab.look()
    [edit] = lab.ws.edits()
    assert (edit.path, [each.code for each in edit.problems]) == (path, ["record-machine-owned"])
    (lab.root / path).unlink()
    lab.clock.wait(5)
    lab.look()
    assert [each.stands for each in ends(lab)] == [True]
    lab.ws.discard_edit(path, actor=ANN)
    assert lab.read(path) == lab.at_head(path)


def test_a_monitor_that_only_watched_ends_in_the_same_commit(lab: Lab) -> None:
    lab.goal("beta", "Ten people use it")
    monitor = lab.todo("Watch the shop", todo_class=TodoClass.MONITOR, target="shop", cadence="1h", watch_only=True)
    lab.submit(PollMonitor(todo=monitor, target="shop", seen="open"))
    lab.submit(MeetCriterion(goal="beta", criterion="a1", evidence=("I counted them",)))
    before = head(lab)
    lab.submit(ACHIEVED)
    assert lab.git("rev-parse", "HEAD~1").strip() == before
    assert lab.todos()[monitor].status == "cancelled"
    with pytest.raises(RefusedError, match="closed"):
        lab.submit(ReopenTodo(todo=monitor, reason="Watch on"))
    lab.submit(ReopenGoal(goal="beta", reason="Watch on"))
    assert lab.todos()[monitor].status == "cancelled"
    lab.submit(ReopenTodo(todo=monitor, reason="Watch on"))
    lab.assert_sound()
