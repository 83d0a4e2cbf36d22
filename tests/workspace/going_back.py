"""What tests of going back look at: documents on disk and in history, and what Gates and criteria are worth."""

from __future__ import annotations

from loopx.kernel.commands import DecideGate, OpenGate
from loopx.kernel.criteria import criterion_standing
from loopx.kernel.verdicts import verdict
from loopx.model.actor import Channel
from tests.support.lab import Lab

SCOPE = "production:goal:deploy"


def head(lab: Lab) -> str:
    return lab.git("rev-parse", "HEAD").strip()


def files(lab: Lab) -> dict[str, bytes]:
    """Every human-written document on disk."""
    kinds = ("goal.md", "todos", "gates", "visions")
    found = [each for each in lab.root.glob("goals/**/*.md") if {*each.parts} & {*kinds}]
    return {each.relative_to(lab.root).as_posix(): each.read_bytes() for each in found}


def approve(lab: Lab, gate: str, op: str | None = None) -> None:
    command = DecideGate(gate=gate, verb="approve", reason="Fine", channel=Channel.TERMINAL, confirmed=True)
    lab.submit(command, op=op)


def gate(lab: Lab, goal: str = "beta") -> str:
    return str(lab.submit(OpenGate(goal=goal, scope=SCOPE, question="May it go live?")).receipt.result["id"])


def reasons(lab: Lab, todo: str) -> list[str]:
    """Why a Todo may not run."""
    view = lab.look()
    found = view.state.todo(todo)
    return [each.code.value for each in verdict(view.state, found, None, view.at).reasons]


def held(lab: Lab, revision: str, path: str) -> bytes:
    """What ``path`` held at a revision."""
    found = lab.ws.store.find(revision, path)
    assert found is not None
    return lab.ws.store.read(found.oid)


def criterion(lab: Lab, number: int = 0) -> str:
    """Where a criterion of the Goal beta stands."""
    state = lab.look().state
    goal = state.goal("beta")
    return str(criterion_standing(state, goal, goal.acceptance[number]).status)


def revision_beside(lab: Lab, path: str, content: bytes) -> str:
    """A revision beside history, made with plain Git, in which ``path`` holds ``content``."""
    here = head(lab)
    (lab.root / path).write_bytes(content)
    lab.git("commit", "--quiet", "--all", "--message=by hand")
    made = head(lab)
    lab.git("reset", "--quiet", "--hard", here)
    return made
