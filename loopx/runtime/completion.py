"""Completing a Todo: its declared validation runs first, outside the lock, and what it found is kept as Evidence.

The command line, the loop and the page complete Todos through here. The kernel decides; this room brings what the
decision rests on. The kernel is asked before anything runs: what it would refuse anyway is never validated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.commands import CompleteTodo
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_todo
from loopx.model.actor import Actor
from loopx.runtime.attempting import Attempt
from loopx.runtime.bench import Bench, bench_of

if TYPE_CHECKING:
    from loopx.workspace import Workspace
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed


def complete(
    workspace: Workspace,
    command: CompleteTodo,
    *,
    actor: Actor | None = None,
    op: str | None = None,
    expect_revision: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Committed:
    """Complete a Todo. Takes and raises what :func:`finish` does."""
    return finish(workspace, workspace.proposal(command, actor=actor, op=op, expect_revision=expect_revision), environ)


def finish(workspace: Workspace, proposal: Proposal, environ: Mapping[str, str] | None = None) -> Committed:
    """Carry a proposal to complete a Todo through, running the declared validation (if any) in the project's folder.

    A validation that does not pass is recorded as Evidence under an operation id derived from the proposal's and raised
    as ``validation-failed``, ``validation-unavailable`` or ``validation-timed-out``; the Todo stays as it was. One that
    passed is kept likewise when the project or the Todo changed meanwhile (``revision-conflict``), or when anything
    else stands in the way by then. Other refusals raise as from ``submit``. ``environ`` is what the command gets;
    without it, this process's own environment.
    """
    try:
        return workspace.settle(proposal)
    except LoopxError as error:
        if error.code != "validation-required":
            raise
    attempt = Attempt(workspace, proposal)
    return _validated(attempt, bench_of(workspace, environ))


def _validated(attempt: Attempt, bench: Bench) -> Committed:
    """Run the validation and complete on what it found."""
    command = attempt.proposal.command
    if not isinstance(command, CompleteTodo):
        raise TypeError(f"{command.name} completes no Todo")
    state = attempt.workspace.read(take_in=False).state
    todo = find_todo(state, command.todo)
    if isinstance(todo, Refused) or todo.validation is None:
        return attempt.submit(command, ())  # it changed since it was refused; the kernel has the last word
    proved = attempt.prove(state, todo, todo.validation, bench)
    return attempt.submit(replace(command, evidence=proved.evidence, validated_on=proved.basis), (proved.evidence,))
