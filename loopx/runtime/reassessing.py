"""Judging evidence anew: what differs between then and now is looked at first, and kept with the judgement.

The command line comes here. Whether the judgement stands is the kernel's to say.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from loopx.kernel.bindings import compared
from loopx.kernel.commands import ReassessEvidence
from loopx.kernel.resolve import resolve
from loopx.model.kind import Kind

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.records import Evidence
    from loopx.workspace import Workspace
    from loopx.workspace.project import ProjectEnvironment
    from loopx.workspace.proposal import Proposal
    from loopx.workspace.results import Committed

_PATHS = 30
"""Paths a difference names at most."""


def finish(workspace: Workspace, proposal: Proposal) -> Committed:
    """Carry a proposal to reassess evidence through, with what LoopX itself finds to differ. Raises as ``settle``."""
    command = proposal.command
    if isinstance(command, ReassessEvidence):
        state = workspace.read(take_in=False).state
        evidence = state.evidence(str(resolve(state, Kind.EVIDENCE, command.evidence)))
        if evidence is not None:
            proposal.command = replace(command, observed=difference(state, evidence, workspace.environment()))
    return workspace.settle(proposal)


def difference(state: State, evidence: Evidence, around: ProjectEnvironment) -> str | None:
    """What ``evidence`` was made on and is different now, in words; ``None`` where nothing is."""
    changed, unknown = compared(state, evidence)
    parts = [each for each in changed if each != "artifact"]
    if "artifact" in changed:
        parts.append(_files(evidence, around))
    parts += [f"{each} (cannot be looked at)" for each in unknown]
    return "; ".join(parts) or None


def _files(evidence: Evidence, around: ProjectEnvironment) -> str:
    """Files that differ from the commit evidence was made on. What was not committed then is counted in."""
    then, now = evidence.artifact_revision, around.artifact_revision()
    found = around.changed_since(then, evidence.artifact_scopes) if then else None
    told = f"files, {_short(then)}..{_short(now)}"
    if not found:
        return f"{told}: not told by Git"
    shown = ", ".join(f"{letter} {path}" for letter, path in found[:_PATHS])
    more = f" and {len(found) - _PATHS} more" if len(found) > _PATHS else ""
    return f"{told}: {shown}{more}"


def _short(commit: str | None) -> str:
    return commit[:10] if commit else "no commit"
