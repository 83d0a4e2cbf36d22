"""Where declared commands run: the project's folder, the environment they get, and what the project was meanwhile.

Validations and checks share it. A run speaks of the project only if nothing of it changed while it went on; what the
run itself leaves behind beside the work is no such change.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from loopx.kernel.privacy import bad_text
from loopx.kernel.wording import listed
from loopx.model.clock import Clock, IdSource
from loopx.model.defining import dataclass
from loopx.model.records import EvidenceResult
from loopx.runtime.process import Ending, Ran, run, scrubbed

if TYPE_CHECKING:
    from loopx.workspace import Workspace
    from loopx.workspace.project import ProjectEnvironment

_SUMMARY = 500
"""Characters of output kept in the Evidence; the whole tail goes to whoever asked."""
_RESULTS = {Ending.TIMED_OUT: EvidenceResult.TIMED_OUT, Ending.UNAVAILABLE: EvidenceResult.UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class Bench:
    """Where commands run, and the time and ids lent to them. ``around`` looks at the project afresh at every call."""

    project: str
    environ: Mapping[str, str]
    clock: Clock
    ids: IdSource
    around: Callable[[], ProjectEnvironment]


@dataclass(frozen=True, slots=True)
class Job:
    """One command to run: what it is called, how long it may take, and which files its result speaks of."""

    argv: tuple[str, ...]
    name: str
    timeout_seconds: float
    scopes: tuple[str, ...]
    told: Mapping[str, str]
    """Variables the command gets beyond the person's environment."""
    is_shared: bool = False
    """Whether others read the workspace, so that nothing private of what it says is kept."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How a job ended, and the project it ran on. ``moved`` is a sentence, where the project changed meanwhile."""

    job: Job
    ran: Ran
    revision: str | None
    artifact: str | None
    moved: str | None

    @property
    def result(self) -> EvidenceResult:
        """What it says. One that passed while the project changed speaks of neither state and is only noted."""
        if self.ran.ending is not Ending.EXITED:
            return _RESULTS[self.ran.ending]
        if not self.ran.passed:
            return EvidenceResult.FAILED
        return EvidenceResult.NOTED if self.moved else EvidenceResult.PASSED

    @property
    def summary(self) -> str:
        """How it ended, and the last of what it said; of that nothing where it holds a credential or is private."""
        parts = [f"{ending_in_words(self.ran, self.job)}."]
        if self.moved:
            parts.append(self.moved)
        if self.ran.ending is not Ending.UNAVAILABLE and self.ran.output.strip():
            parts.append(_fit_to_keep(self.ran.output.strip()[-_SUMMARY:], self.job.is_shared))
        return "\n".join(parts)

    @property
    def seen(self) -> dict[str, Any]:
        """What the Evidence of it says of the run, by field."""
        return {
            "result": self.result,
            "summary": self.summary,
            "argv": self.job.argv,
            "exit_status": self.ran.status,
            "artifact_revision": self.revision,
        }


def bench_of(workspace: Workspace, environ: Mapping[str, str] | None = None) -> Bench:
    """The bench of a workspace. ``environ`` is what commands get; without it, this process's own environment."""
    return Bench(
        str(workspace.places.project),
        os.environ if environ is None else environ,
        workspace.clock,
        workspace.ids,
        workspace.environment,
    )


def carry_out(job: Job, bench: Bench) -> Finding:
    """Run a job to its end and tell what was seen."""
    before = bench.around()
    revision, files = before.artifact_revision(), before.files(job.scopes)
    ran = run(
        job.argv,
        folder=bench.project,
        environ={**scrubbed(bench.environ), **job.told},
        timeout_seconds=job.timeout_seconds,
    )
    after = bench.around()
    moved = _moved(revision, after.artifact_revision()) or _changed(files, after.files(job.scopes))
    return Finding(job, ran, revision, None if moved else after.artifact(job.scopes), moved)


def ending_in_words(ran: Ran, job: Job) -> str:
    """How a command ended, as a clause."""
    match ran.ending:
        case Ending.TIMED_OUT:
            return f"{job.name} did not end within {job.timeout_seconds:g} s"
        case Ending.UNAVAILABLE:
            return f"{job.name} could not be started: {ran.output}"
        case Ending.EXITED if ran.status is not None and ran.status < 0:
            return f"{job.name} was ended by signal {-ran.status}"
        case Ending.EXITED:
            return f"{job.name} ended with status {ran.status}"


def _fit_to_keep(said: str, is_shared: bool) -> str:
    refused = bad_text(said, "What it said", is_shared)
    return said if refused is None else f"It is not kept: {refused.message}"


def _moved(before: str | None, after: str | None) -> str | None:
    if before == after:
        return None
    return f"The project moved from {before or 'no commit'} to {after or 'no commit'} meanwhile."


def _changed(before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> str | None:
    """What was there and is no longer as it was. What is new beside it is taken for what the run left behind."""
    if before is None or after is None:
        return None
    differing = sorted(path for path, entry in before.items() if after.get(path) != entry)
    return f"Files changed meanwhile: {listed(differing)}." if differing else None
