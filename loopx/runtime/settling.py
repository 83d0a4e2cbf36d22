"""Settling a turn: the declared validation of its Todo and the checks of the criteria it meets run first, outside the
lock; then everything is written in one commit, or nothing.

The command line, the loop and the page settle turns through here. The kernel is asked before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.commands import SettleTurn
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_criterion, find_goal, find_todo
from loopx.model.actor import Actor
from loopx.runtime.attempting import WANTED, Attempt
from loopx.runtime.bench import Bench, bench_of
from loopx.runtime.checking import run_check

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.records import Evidence
    from loopx.workspace import Workspace
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed

_ROUNDS = 32
"""Things one settling may ask to be run: a validation, and one check for each criterion."""


def refresh(
    workspace: Workspace,
    command: SettleTurn,
    *,
    actor: Actor | None = None,
    op: str | None = None,
    expect_revision: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Committed:
    """Settle a turn. Takes and raises what :func:`write_back` does."""
    proposal = workspace.proposal(command, actor=actor, op=op, expect_revision=expect_revision)
    return write_back(workspace, proposal, environ)


def write_back(workspace: Workspace, proposal: Proposal, environ: Mapping[str, str] | None = None) -> Committed:
    """Carry a proposal to settle a turn through, running what it rests on in the project's folder.

    A validation or check that does not pass is recorded as Evidence and raised (``validation-failed``,
    ``check-failed`` and their kin); no turn is settled then, and a further call may settle it as what it was. What
    passed is kept likewise should the settling be refused after it. Other refusals raise as from ``submit``.
    ``environ`` is what commands get; without it, this process's own environment.
    """
    try:
        return workspace.settle(proposal)
    except LoopxError as error:
        wanted = error
    if wanted.code not in WANTED:
        raise wanted
    attempt, command = Attempt(workspace, proposal), proposal.command
    assert isinstance(command, SettleTurn)
    return _run_and_ask(attempt, command, wanted, bench_of(workspace, environ))


def _run_and_ask(attempt: Attempt, command: SettleTurn, wanted: LoopxError, bench: Bench) -> Committed:
    """Run what is wanted and ask again, until nothing more is."""
    brought: list[Evidence] = []
    for _ in range(_ROUNDS):
        command = _with_what_is_wanted(attempt, command, wanted, bench, brought)
        try:
            return attempt.submit(command, brought)
        except LoopxError as error:
            if error.code not in WANTED:
                raise
            wanted = error
    raise attempt.keeping(wanted, brought)


def _with_what_is_wanted(
    attempt: Attempt, command: SettleTurn, wanted: LoopxError, bench: Bench, brought: list[Evidence]
) -> SettleTurn:
    """``command`` with what was run for it besides, which joins ``brought``.

    Should what is wanted be there no more, it comes back as it was: the kernel has the last word.
    """
    state = attempt.workspace.read(take_in=False).state
    if wanted.code == "check-required":
        return _with_check(attempt, state, command, str(wanted.problem.facts["criterion"]), bench, brought)
    todo = find_todo(state, str(wanted.problem.facts["todo"]))
    if isinstance(todo, Refused) or todo.validation is None:
        return command
    proved = attempt.prove(state, todo, todo.validation, bench)
    brought.append(proved.evidence)
    return replace(command, validation=proved.evidence, validated_on=proved.basis)


def _with_check(
    attempt: Attempt, state: State, command: SettleTurn, name: str, bench: Bench, brought: list[Evidence]
) -> SettleTurn:
    goal = find_goal(state, command.goal)
    criterion = goal if isinstance(goal, Refused) else find_criterion(goal, name)
    if isinstance(goal, Refused) or isinstance(criterion, Refused) or not criterion.check:
        return command
    checked = run_check(state, goal, criterion, bench)
    if checked.problem is not None:
        attempt.record(checked.evidence)
        raise attempt.keeping(LoopxError.of(checked.problem), brought) if brought else LoopxError.of(checked.problem)
    brought.append(replace(checked.evidence, operation=attempt.proposal.operation))
    return replace(command, checks=(*command.checks, brought[-1]))
