"""Running the validation a Todo declares: what it ran on, how it ended, and the Evidence that says so.

Nothing is written here; :mod:`loopx.runtime.completion` decides what becomes of the Evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loopx.kernel.digest import validation_inputs
from loopx.model.clock import Clock, IdSource
from loopx.model.goal import Goal
from loopx.model.ids import EVIDENCE
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import Todo, Validation
from loopx.runtime.process import Ending, Ran, run, scrubbed

SOURCE = "loopx:validation"
_SUMMARY = 500
"""Characters of output kept in the Evidence; the whole tail goes to whoever asked."""
_GIT_SECONDS = 10.0
_RESULTS = {Ending.TIMED_OUT: EvidenceResult.TIMED_OUT, Ending.UNAVAILABLE: EvidenceResult.UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class Validated:
    """A validation that ran, or could not. ``moved_to`` is the project's new commit where it changed meanwhile."""

    evidence: Evidence
    ran: Ran
    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """Where validations run: the project's folder, the environment they get, and the time and ids lent to them."""

    project: str
    environ: Mapping[str, str]
    clock: Clock
    ids: IdSource


def validate(todo: Todo, goal: Goal | None, validation: Validation, bench: Bench) -> Validated:
    """Run the declared command to its end and tell what was seen, bound to the project's commit and the inputs."""
    before = project_revision(bench)
    ran = run(
        validation.argv,
        folder=bench.project,
        environ=_environment(todo, bench),
        timeout_seconds=validation.timeout_seconds,
    )
    after = project_revision(bench)
    evidence = Evidence(
        id=bench.ids.fresh(EVIDENCE),
        kind=EvidenceKind.VALIDATION,
        subject=todo.id,
        source=SOURCE,
        observed_at=bench.clock.now().replace(microsecond=0),
        result=_RESULTS.get(ran.ending) or (EvidenceResult.PASSED if ran.passed else EvidenceResult.FAILED),
        summary=_summary(ran, validation, before, after),
        argv=validation.argv,
        exit_status=ran.status,
        artifact_revision=before,
        inputs=validation_inputs(todo, goal),
        goal=todo.goal,
    )
    return Validated(evidence, ran, after if after != before else None)


def project_revision(bench: Bench) -> str | None:
    """The commit the project's own repository is at; ``None`` where there is none, or no Git."""
    argv = ("git", "-C", bench.project, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    ran = run(argv, folder=bench.project, environ=scrubbed(bench.environ), timeout_seconds=_GIT_SECONDS)
    return ran.output.strip() if ran.passed else None


def ending_in_words(ran: Ran, validation: Validation) -> str:
    """How the command ended, as a clause."""
    name = validation.label or validation.argv[0]
    match ran.ending:
        case Ending.TIMED_OUT:
            return f"{name} did not end within {validation.timeout_seconds} s"
        case Ending.UNAVAILABLE:
            return f"{name} could not be started: {ran.output}"
        case Ending.EXITED if ran.status is not None and ran.status < 0:
            return f"{name} was ended by signal {-ran.status}"
        case Ending.EXITED:
            return f"{name} ended with status {ran.status}"


def _environment(todo: Todo, bench: Bench) -> dict[str, str]:
    """The person's environment, pointing at no other repository, with what the command may want to know."""
    return {**scrubbed(bench.environ), "LOOPX_TODO": todo.id, "LOOPX_GOAL": todo.goal}


def _summary(ran: Ran, validation: Validation, before: str | None, after: str | None) -> str:
    parts = [f"{ending_in_words(ran, validation)}."]
    if before != after:
        parts.append(f"The project moved from {before or 'no commit'} to {after or 'no commit'} meanwhile.")
    if ran.ending is not Ending.UNAVAILABLE and ran.output.strip():
        parts.append(ran.output.strip()[-_SUMMARY:])
    return "\n".join(parts)
