"""What tests of hand editing ask a lab: which edits wait and why, and what happens while a pass waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopx.workspace.results import PendingEdit
from tests.support.lab import Lab


def waiting(lab: Lab) -> dict[str, list[str]]:
    """Path to codes of every edit that waits, after a look."""
    return {each.path: [problem.code for problem in each.problems] for each in lab.ws.edits()}


def only_edit(lab: Lab) -> PendingEdit:
    """The one edit that waits."""
    [found] = lab.ws.edits()
    return found


def while_waiting(monkeypatch: pytest.MonkeyPatch, lab: Lab, act: Callable[[], None]) -> None:
    """Have ``act`` happen once, in the middle of the next wait of the lab's clock."""
    wait, left = lab.clock.wait, [act]

    def interrupted(seconds: float) -> None:
        wait(seconds)
        if left:
            left.pop()()

    monkeypatch.setattr(lab.clock, "wait", interrupted)


def hand_commits(lab: Lab) -> list[str]:
    """Subjects of the commits that took hand edits in, newest first."""
    return [each.headline for each in lab.ws.log(every=True) if each.origin == "hand"]
