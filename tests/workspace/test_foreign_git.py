"""A person uses plain Git in ``.loopx/`` while a write is anywhere between its steps, or after it was killed there."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import CompleteTodo
from loopx.workspace.crashpoints import POINTS
from tests.support.lab import ANN, Crash, Lab, crash_at, hooked
from tests.workspace.gitting import Done, git

USES = {
    "add": ("add", "--all"),
    "commit": ("commit", "--quiet", "--all", "--message=by hand"),
    "amend": ("commit", "--quiet", "--amend", "--message=reworded"),
    "amend everything": ("commit", "--quiet", "--all", "--amend", "--message=more in it"),
    "reset": ("reset", "--quiet", "--hard", "HEAD~1"),
    "revert": ("revert", "--no-edit", "HEAD"),
}
OP = "op-the-one"


class Scene:
    """A Todo to complete, one a person has just edited, and one that was added last: plain Git may undo that."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        lab.goal()
        self.edited, self.completed = lab.todo("Edited by hand"), lab.todo("Completed by command")
        self.newest = lab.todo("Added last")
        lab.change(lab.path_of(self.edited), "priority: p2", "priority: p0  # urgent")

    def complete(self) -> bool:
        """Give the command (again); whether it had been committed before."""
        return bool(self.lab.submit(CompleteTodo(todo=self.completed), op=OP).replayed)

    def settle(self, keep: str) -> bool:
        """Give the command again, choosing a history first where that is asked for; whether it was."""
        try:
            self.complete()
        except LoopxError as error:
            assert error.code == "history-rewritten"
            self.assert_reads_go_on()
            self.lab.ws.choose_history(keep, actor=ANN, reason="the test says so")
            self.complete()
            return True
        return False

    def assert_reads_go_on(self) -> None:
        view = self.lab.look()
        assert [each.code for each in view.warnings] == ["history-rewritten"]
        assert {self.edited, self.completed} <= {each.id for each in view.state.todos()}

    def assert_settled(self, use: str, keep: str, *, was_chosen: bool) -> None:
        lab, todos = self.lab, self.lab.todos()
        assert lab.ws.operation(OP).state == "committed"
        assert lab.operations().count(OP) == 1
        if not was_chosen:
            # Whatever plain Git did was joined in: only a revert takes something back, and says so.
            assert todos[self.edited].priority == "p0"
            assert b"priority: p0  # urgent" in lab.at_head(lab.path_of(self.edited))
            undone = todos[self.completed].status == "open" or self.newest not in todos
            assert undone is (use == "revert" and any("admit: Revert" in line for line in lab.subjects()))
            assert todos[self.completed].status == "done" or lab.ws.operation(OP).superseded_by
        elif keep == "old":
            assert todos[self.completed].status == "done"
            assert self.newest in todos
        lab.clock.wait(5)
        assert lab.ws.edits() == []
        lab.assert_sound()


def refused(done: Done) -> bool:
    """Whether Git gave up because of our lock, or found nothing to do. It may fail for no other reason."""
    expected = ("index.lock", "nothing to commit", "nothing added", "local changes would be overwritten")
    assert done.code == 0 or any(each in done.words for each in expected), done.words
    return done.code != 0


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("use", USES)
def test_plain_git_used_in_the_middle_of_a_write_is_refused_or_joined_in(lab: Lab, point: str, use: str) -> None:
    scene, done = Scene(lab), list[Done]()

    def hook(reached: str) -> None:
        if reached == point and not done:
            done.append(git(lab.root, *USES[use]))

    with hooked(hook):
        try:
            scene.complete()
        except LoopxError as error:
            assert error.code == "history-rewritten"
    if refused(done[0]) or POINTS.index(point) > POINTS.index("published"):
        assert lab.ws.operation(OP).state == "committed", "Git's doings do not fail a write that is through"
    lab.restart()
    keep = "old" if POINTS.index(point) % 2 else "new"
    scene.assert_settled(use, keep, was_chosen=scene.settle(keep))


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("use", USES)
def test_plain_git_used_on_what_a_killed_write_left_is_refused_or_joined_in(lab: Lab, point: str, use: str) -> None:
    scene = Scene(lab)
    with crash_at(point), pytest.raises(Crash):
        scene.complete()
    refused(git(lab.root, *USES[use]))
    lab.restart()
    keep = "new" if POINTS.index(point) % 2 else "old"
    scene.assert_settled(use, keep, was_chosen=scene.settle(keep))


@pytest.mark.parametrize("use", ["commit", "amend everything", "reset", "revert"])
def test_a_lock_file_of_a_killed_write_that_a_person_removed_by_hand_costs_nothing(lab: Lab, use: str) -> None:
    """Git says how to get rid of ``index.lock``; then its index still is the one from before the write."""
    scene = Scene(lab)
    with crash_at("published"), pytest.raises(Crash):
        scene.complete()
    (lab.root / ".git" / "index.lock").unlink()
    git(lab.root, *USES[use])
    lab.restart()
    was_chosen = scene.settle("old")
    todos = lab.todos()
    assert todos[scene.completed].status == "done" or lab.ws.operation(OP).superseded_by
    assert was_chosen is False
    lab.clock.wait(5)
    lab.look()
    lab.assert_sound(unaccepted=tuple(each.path for each in lab.ws.edits()))
