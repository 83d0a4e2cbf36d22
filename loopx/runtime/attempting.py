"""One request that rests on what is run outside the lock: what ran, and the ways the request can end.

Completing a Todo and settling a turn share it. Whatever was run and then not used is kept as Evidence of its own, under
an operation derived from the request's, since a retry may well find something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.errors import Exit, LoopxError
from loopx.kernel.commands import RecordEvidence
from loopx.kernel.digest import completion_basis
from loopx.model.actor import Origin
from loopx.model.defining import dataclass
from loopx.runtime.bench import Bench, ending_in_words
from loopx.runtime.process import Ending
from loopx.runtime.validation import Validated, validate

if TYPE_CHECKING:
    from loopx.kernel.commands import Command
    from loopx.kernel.state import State
    from loopx.model.records import Evidence
    from loopx.model.todo import Todo, Validation
    from loopx.workspace import Workspace
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed

_CODES = {
    Ending.EXITED: "validation-failed",
    Ending.TIMED_OUT: "validation-timed-out",
    Ending.UNAVAILABLE: "validation-unavailable",
}


@dataclass(frozen=True, slots=True)
class Proved:
    """A validation that passed, and what the Todo and its lease were when it began."""

    evidence: Evidence
    basis: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request of a workspace, on its way through what must be run for it."""

    workspace: Workspace
    proposal: Proposal

    def prove(self, state: State, todo: Todo, validation: Validation, bench: Bench) -> Proved:
        """Run the validation of ``todo``. One that does not pass, or speaks of no one state of the project, is kept
        and raised."""
        basis = completion_basis(todo, state.goal(todo.goal), state.lease(todo.id))
        found = validate(state, todo, validation, bench)
        ran = found.finding.ran
        if not ran.passed:
            raise self._failure(_CODES[ran.ending], f"{ending_in_words(ran, found.finding.job)}.", found)
        if found.finding.moved:
            message = f"{found.finding.moved} What the validation found speaks of neither state."
            raise self._failure("revision-conflict", message, found)
        return Proved(replace(found.evidence, operation=self.proposal.operation), basis)

    def submit(self, command: Command, brought: Sequence[Evidence]) -> Committed:
        """Ask again, with what was run; should the answer be no by now, that stays as Evidence of its own."""
        asked = self.proposal
        try:
            return self.workspace.submit(
                command, actor=asked.actor, op=asked.operation, expect_revision=asked.expect_revision
            )
        except LoopxError as error:
            if error.exit not in (Exit.REFUSED, Exit.CONFLICT) or not brought or error.code in WANTED:
                raise
            raise self.keeping(error, brought) from error

    def keeping(self, error: LoopxError, brought: Sequence[Evidence]) -> LoopxError:
        """``error``, once what was run is kept; its facts name the Evidence."""
        kept = [self.record(each) for each in brought]
        facts = {**error.problem.facts, "evidence": kept[0] if len(kept) == 1 else kept}
        return LoopxError.of(replace(error.problem, facts=facts))

    def record(self, evidence: Evidence) -> str:
        """Keep what a run found, under an operation of its own; the id of the Evidence."""
        operation = f"{self.proposal.operation[:100]}.{evidence.id}"
        record = RecordEvidence(evidence=replace(evidence, operation=operation))
        self.workspace.submit(record, actor=self.proposal.actor, op=operation, origin=Origin.SYSTEM)
        return evidence.id

    def _failure(self, code: str, message: str, found: Validated) -> LoopxError:
        """The error to raise, once the result is kept as Evidence."""
        facts: dict[str, Any] = {"todo": found.evidence.subject, "evidence": self.record(found.evidence)}
        ran = found.finding.ran
        if ran.ending is not Ending.UNAVAILABLE and ran.output.strip():
            facts["output"] = ran.output
        return LoopxError(code, message, facts=facts)


WANTED = frozenset({"validation-required", "check-required"})
"""Refusals that ask for something to be run; everything else that stands in the way was told before them."""
