"""Running the check a criterion declares, and keeping what it found as LoopX's own Evidence.

The command line and the settling of a turn come here. A criterion that rests on an outside fact gets a read-back, which
counts for as long as the criterion says; any other gets a validation, bound to the project's files as they were.
Nothing becomes met by it: that is said with ``goal meet`` or by settling a turn, and this is what to cite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from loopx.errors import LoopxError, Problem
from loopx.kernel.bindings import artifact_scopes, bindings_of
from loopx.kernel.commands import RecordEvidence
from loopx.kernel.privacy import is_shared
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_criterion, find_goal
from loopx.kernel.state import State
from loopx.kernel.wording import quoted
from loopx.model.actor import Actor, Origin
from loopx.model.defining import dataclass
from loopx.model.goal import Criterion, Goal
from loopx.model.ids import EVIDENCE
from loopx.model.records import Binding, Evidence, EvidenceKind, EvidenceResult
from loopx.runtime.bench import Bench, Finding, Job, bench_of, carry_out, ending_in_words
from loopx.runtime.process import Ending

if TYPE_CHECKING:
    from loopx.workspace import Workspace
    from loopx.workspace.results import Committed

SOURCE = "loopx:check"
TIME_LIMIT_SECONDS = 600
"""How long a check may take."""
_CODES = {
    EvidenceResult.FAILED: "check-failed",
    EvidenceResult.TIMED_OUT: "check-timed-out",
    EvidenceResult.UNAVAILABLE: "check-unavailable",
    EvidenceResult.NOTED: "revision-conflict",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that ran, or could not, with the Evidence that tells of it."""

    evidence: Evidence
    finding: Finding

    @property
    def problem(self) -> Problem | None:
        """What kept it from passing on one state of the project; ``None`` when it passed."""
        ran = self.finding.ran
        if not ran.passed:
            output = ran.output if ran.ending is not Ending.UNAVAILABLE and ran.output.strip() else ""
            return _problem(self.evidence, f"{ending_in_words(ran, self.finding.job)}.", output)
        if self.finding.moved:
            return _problem(self.evidence, f"{self.finding.moved} What the check found speaks of neither state.")
        return None


@dataclass(frozen=True, slots=True)
class Kept:
    """The Evidence of a check as it was committed. ``problem`` says what kept the check from passing."""

    evidence: Evidence
    committed: Committed
    problem: Problem | None


def check(
    workspace: Workspace,
    goal: str,
    criteria: Sequence[str] = (),
    *,
    actor: Actor | None = None,
    op: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[Kept]:
    """Run the checks of some criteria of a Goal, or of all that declare one, each kept under an operation of its own.

    Takes and raises what :func:`check_criterion` does. With several, their operation ids are made from ``op``.
    """
    if len(criteria) == 1:
        return [check_criterion(workspace, goal, criteria[0], actor, op=op, environ=environ)]
    found = []
    for each in criteria or checkable(workspace, goal):
        derived = f"{op[:60]}.{each}" if op else None
        found.append(check_criterion(workspace, goal, each, actor, op=derived, environ=environ))
    return found


def check_criterion(
    workspace: Workspace,
    goal_id: str,
    criterion_id: str,
    actor: Actor | None = None,
    *,
    op: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Kept:
    """Run the check of one criterion and keep what it found. Whether it passed is for the caller to look at.

    An operation that is committed already runs nothing again and gives its first answer. Raises ``goal-unknown``,
    ``criterion-unknown``, ``check-missing``, and what writing raises. ``environ`` is what the check gets; without it,
    this process's own environment.
    """
    state = workspace.read(take_in=False).state
    goal = find_goal(state, goal_id)
    if isinstance(goal, Refused):
        raise LoopxError.of(goal.problem)
    criterion = find_criterion(goal, criterion_id)
    if isinstance(criterion, Refused):
        raise LoopxError.of(criterion.problem)
    before = _checked_before(state, op, f"{goal.id}/{criterion.id}")
    if before is None:
        return keep(workspace, run_check(state, goal, criterion, bench_of(workspace, environ)), actor, op)
    again = workspace.submit(RecordEvidence(evidence=before), actor=actor, op=op, origin=Origin.SYSTEM)
    return Kept(before, again, None if before.result is EvidenceResult.PASSED else _problem(before, before.summary))


def checkable(workspace: Workspace, goal_id: str) -> list[str]:
    """Ids of the criteria of a Goal that declare a check. Raises ``goal-unknown``, ``check-missing`` when none does."""
    goal = find_goal(workspace.read(take_in=False).state, goal_id)
    if isinstance(goal, Refused):
        raise LoopxError.of(goal.problem)
    found = [each.id for each in goal.acceptance if each.check]
    if not found:
        raise LoopxError("check-missing", f"No criterion of {goal.id} declares a check.", facts={"goal": goal.id})
    return found


def run_check(state: State, goal: Goal, criterion: Criterion, bench: Bench) -> Checked:
    """Run the check of ``criterion`` and tell what was seen; nothing is written. Raises ``check-missing``."""
    if not criterion.check:
        message = f"{goal.id} {criterion.id} {quoted(criterion.text)} declares no check."
        raise LoopxError("check-missing", message, facts={"goal": goal.id, "criterion": criterion.id})
    bound = bindings_of(state, goal.id, f"{goal.id}/{criterion.id}")
    job = Job(
        argv=criterion.check,
        name=f"The check of {goal.id} {criterion.id}",
        timeout_seconds=TIME_LIMIT_SECONDS,
        scopes=artifact_scopes(None, goal),
        told={"LOOPX_GOAL": goal.id, "LOOPX_CRITERION": criterion.id},
        is_shared=is_shared(state),
    )
    finding = carry_out(job, bench)
    return Checked(_evidence(goal, criterion, bench, finding, bound), finding)


def keep(workspace: Workspace, checked: Checked, actor: Actor | None = None, op: str | None = None) -> Kept:
    """Record what a check found, whatever it found, under an operation of its own."""
    operation = op or workspace.fresh_operation()
    evidence = replace(checked.evidence, operation=operation)
    committed = workspace.submit(RecordEvidence(evidence=evidence), actor=actor, op=operation, origin=Origin.SYSTEM)
    return Kept(evidence, committed, checked.problem)


def _evidence(goal: Goal, criterion: Criterion, bench: Bench, finding: Finding, bound: tuple[Binding, ...]) -> Evidence:
    """What was seen: of an outside fact a read-back, of the project a validation bound to its files."""
    readback = criterion.readback
    return Evidence(
        id=bench.ids.fresh(EVIDENCE),
        kind=EvidenceKind.READBACK if readback else EvidenceKind.VALIDATION,
        subject=f"{goal.id}/{criterion.id}",
        source=SOURCE,
        observed_at=bench.clock.now().replace(microsecond=0),
        artifact=None if readback else finding.artifact,
        artifact_scopes=() if readback else finding.job.scopes,
        bound=bound,
        fresh_for=readback.fresh_for if readback else None,
        references=(readback.source,) if readback else (),
        goal=goal.id,
        **finding.seen,
    )


def _checked_before(state: State, op: str | None, subject: str) -> Evidence | None:
    """What an earlier request of the same operation found."""
    receipt = state.receipt(op) if op else None
    found = state.evidence(str(receipt.result.get("id"))) if receipt else None
    return found if found is not None and found.subject == subject else None


def _problem(evidence: Evidence, message: str, output: str = "") -> Problem:
    goal, _, criterion = evidence.subject.partition("/")
    facts = {"goal": goal, "criterion": criterion, "evidence": evidence.id, **({"output": output} if output else {})}
    return Problem(_CODES[evidence.result], message, facts=facts)
