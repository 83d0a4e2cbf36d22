"""Whatever was done to a workspace, nothing it derives may differ from what history gives when it is read afresh."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import (
    AcquireLease,
    AddAgent,
    ArchiveTodo,
    CancelTodo,
    CompleteTodo,
    MeetCriterion,
    OpenTurn,
    ReleaseLease,
    ReopenTodo,
    SettleTurn,
    SupersedeTodo,
    TransferLease,
)
from loopx.model.turn import DeliveryOutcome, Scale
from tests.support.lab import ANN, BOT, Crash, Lab, crash_at
from tests.workspace.doctoring import guide
from tests.workspace.gitting import commit, without_cache


@pytest.fixture
def lab(furnished: Lab) -> Lab:
    return furnished


def todo(lab: Lab) -> str:
    return guide(lab).rpartition("/")[2].removesuffix("-write-the-guide.md")


def turns(lab: Lab) -> None:
    lab.submit(AddAgent(agent="bot", goal="beta"))
    lab.submit(AcquireLease(todo=todo(lab), key="k-1", write_scopes=("docs/**",)), actor=BOT)
    opened = lab.submit(OpenTurn(goal="beta", todo=todo(lab), lease_key="k-1"), actor=BOT).receipt.result
    settle = SettleTurn(
        goal="beta",
        turn=str(opened["turn"] if "turn" in opened else opened["id"]),
        scale=Scale.SINGLE_SURFACE,
        outcome=DeliveryOutcome.OUTCOME_PROGRESS,
        evidence=("A page was written",),
        next_action="Write the second",
        lease_key="k-1",
    )
    lab.submit(settle, actor=BOT)


def leases(lab: Lab) -> None:
    for agent in ("bot", "rex"):
        lab.submit(AddAgent(agent=agent, goal="beta"))
    lab.submit(AcquireLease(todo=todo(lab), key="k-1"), actor=BOT)
    lab.submit(TransferLease(todo=todo(lab), key="k-1", version=1, to="rex", new_key="k-2"), actor=BOT)
    lab.submit(ReleaseLease(todo=todo(lab)), actor=ANN)


def ends(lab: Lab) -> None:
    other = lab.todo("Another")
    lab.submit(SupersedeTodo(todo=todo(lab), by=("Write both", other)))
    lab.submit(CancelTodo(todo=other, reason="No need"))
    lab.submit(ReopenTodo(todo=other, reason="Needed"))
    lab.submit(CompleteTodo(todo=other))
    lab.submit(ArchiveTodo(todo=other))


def criteria(lab: Lab) -> None:
    lab.submit(MeetCriterion(goal="beta", criterion="a1", evidence=("I saw ten",)))


def rollback(lab: Lab) -> None:
    target = lab.git("rev-parse", "HEAD").strip()
    criteria(lab)
    lab.submit(CompleteTodo(todo=todo(lab)))
    lab.ws.roll_back(target, reason="Too early", actor=ANN)


def undo(lab: Lab) -> None:
    lab.submit(CompleteTodo(todo=todo(lab)))
    lab.ws.undo(actor=ANN)


def by_hand(lab: Lab) -> None:
    lab.change(guide(lab), "priority: p2", "priority: p0")
    lab.save("goals/beta/todos/new.md", "# Made by hand\n")
    lab.look()


def with_git(lab: Lab) -> None:
    lab.change(guide(lab), "priority: p2", "priority: p1")
    lab.save("goals/beta/todos/more.md", "# Made with Git\n")
    commit(lab)
    lab.look()


def reverted(lab: Lab) -> None:
    lab.submit(CompleteTodo(todo=todo(lab)))
    lab.git("revert", "--no-edit", "HEAD")
    lab.clock.wait(5)
    lab.look()


def amended(lab: Lab) -> None:
    lab.todo("Another")
    lab.git("commit", "--quiet", "--amend", "--message=in other words")
    lab.look()
    lab.todo("And one more")


def rewritten(lab: Lab) -> None:
    lab.todo("Another")
    lab.git("reset", "--quiet", "--hard", "HEAD~1")
    lab.save("goals/beta/todos/theirs.md", "# Theirs\n")
    commit(lab, "beside")
    with pytest.raises(LoopxError):
        lab.todo("Not yet")
    lab.ws.choose_history("new", actor=ANN, reason="It was meant")


def kept_old(lab: Lab) -> None:
    lab.todo("Another")
    lab.git("reset", "--quiet", "--hard", "HEAD~1")
    lab.save("goals/beta/todos/theirs.md", "# Theirs\n")
    commit(lab, "beside")
    lab.ws.choose_history("old", actor=ANN, reason="It was an accident")
    lab.todo("And one more")


def merged(lab: Lab) -> None:
    lab.git("checkout", "--quiet", "-b", "side")
    lab.save("goals/beta/todos/side.md", "# On the side\n")
    commit(lab, "on the side")
    lab.git("checkout", "--quiet", "main")
    lab.todo("Meanwhile")
    lab.git("merge", "--quiet", "--no-ff", "--no-edit", "side")
    lab.clock.wait(5)
    lab.look()


def forged(lab: Lab) -> None:
    """A commit of plain Git that claims to have judged one of ours: then its receipt would count for nothing."""
    ours = lab.git("rev-parse", "HEAD").strip()
    lab.change(guide(lab), "priority: p2", "priority: p1")
    told = lab.git("log", "-1", "--format=%B").strip()
    commit(lab, f'{told}\nLoopx-Admits: ["{ours}"]')
    lab.look()


def crashed(lab: Lab) -> None:
    for point in ("journal-written", "published", "materialised", "index-placed", "admitted"):
        with pytest.raises(Crash), crash_at(point):
            lab.todo(f"Another at {point}")
        lab.restart()
    lab.todo("After all of them")


ACTS: tuple[Callable[[Lab], None], ...] = (
    turns,
    leases,
    ends,
    criteria,
    rollback,
    undo,
    by_hand,
    with_git,
    reverted,
    amended,
    rewritten,
    kept_old,
    merged,
    forged,
    crashed,
)


@pytest.mark.parametrize("act", ACTS, ids=[each.__name__ for each in ACTS])
def test_nothing_derived_differs_from_history(lab: Lab, act: Callable[[Lab], None]) -> None:
    act(lab)
    lab.look()
    lab.ws.render(wait=True)
    assert lab.ws.doctor().findings == ()
    without_cache(lab)
    lab.look()
    assert lab.ws.doctor().findings == ()
