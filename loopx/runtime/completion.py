"""Completing a Todo: its declared validation runs first, outside the lock, and what it found is kept as Evidence.

The command line, the loop and the page complete Todos through here. The kernel decides; this room brings what the
decision rests on. The kernel is asked before anything runs: what it would refuse anyway is never validated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from loopx.errors import Exit, LoopxError
from loopx.kernel.commands import CompleteTodo, RecordEvidence
from loopx.kernel.digest import completion_basis
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_todo
from loopx.model.actor import Actor, Origin
from loopx.runtime.bench import Bench, bench_of, ending_in_words
from loopx.runtime.process import Ending
from loopx.runtime.validation import Validated, validate

if TYPE_CHECKING:
    from loopx.workspace import Workspace
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed

_CODES = {
    Ending.EXITED: "validation-failed",
    Ending.TIMED_OUT: "validation-timed-out",
    Ending.UNAVAILABLE: "validation-unavailable",
}


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
    return _Attempt(workspace, proposal).validated(bench_of(workspace, environ))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One request to complete that needs a validation, and the ways it can end."""

    workspace: Workspace
    proposal: Proposal

    def validated(self, bench: Bench) -> Committed:
        """Run the validation and complete on what it found."""
        command = self._command()
        state = self.workspace.read(take_in=False).state
        todo = find_todo(state, command.todo)
        if isinstance(todo, Refused) or todo.validation is None:
            return self._submit(command)  # it changed since it was refused; the kernel has the last word
        basis = completion_basis(todo, state.goal(todo.goal), state.lease(todo.id))
        found = validate(state, todo, todo.validation, bench)
        ran = found.finding.ran
        if not ran.passed:
            raise self._failure(_CODES[ran.ending], f"{ending_in_words(ran, found.finding.job)}.", found)
        if found.finding.moved:
            message = f"{found.finding.moved} What the validation found speaks of neither state."
            raise self._failure("revision-conflict", message, found)
        return self._completed(replace(command, validated_on=basis), found)

    def _completed(self, command: CompleteTodo, found: Validated) -> Committed:
        """Complete on what was found; should it be refused by now, the result stays as Evidence of its own."""
        try:
            evidence = replace(found.evidence, operation=self.proposal.operation)
            return self._submit(replace(command, evidence=evidence))
        except LoopxError as error:
            if error.exit not in (Exit.REFUSED, Exit.CONFLICT):
                raise
            facts = {**error.problem.facts, "evidence": self._record(found)}
            raise LoopxError.of(replace(error.problem, facts=facts)) from error

    def _command(self) -> CompleteTodo:
        command = self.proposal.command
        if not isinstance(command, CompleteTodo):
            raise TypeError(f"{command.name} completes no Todo")
        return command

    def _submit(self, command: CompleteTodo) -> Committed:
        asked = self.proposal
        return self.workspace.submit(
            command, actor=asked.actor, op=asked.operation, expect_revision=asked.expect_revision
        )

    def _failure(self, code: str, message: str, found: Validated) -> LoopxError:
        """The error to raise, once the result is kept as Evidence."""
        facts: dict[str, Any] = {"todo": found.evidence.subject, "evidence": self._record(found)}
        ran = found.finding.ran
        if ran.ending is not Ending.UNAVAILABLE and ran.output.strip():
            facts["output"] = ran.output
        return LoopxError(code, message, facts=facts)

    def _record(self, found: Validated) -> str:
        """Keep the result; each run has an operation of its own, since a retry may well find something else."""
        evidence = found.evidence
        actor: Actor = self.proposal.actor
        operation = f"{self.proposal.operation[:100]}.{evidence.id}"
        record = RecordEvidence(evidence=replace(evidence, operation=operation))
        self.workspace.submit(record, actor=actor, op=operation, origin=Origin.SYSTEM)
        return evidence.id
