"""What a run kept in a workspace is surrounded by: the components its plan asks for, tools and models of the workspace,
snapshots of the project, and the way to ask a person.

Called by :mod:`loopx.loop.work.running` each time a run is read. Raises what keeps the plan from being carried out as
it is written, before anything is begun.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop.components.shipped import check_steps, shipped
from loopx.loop.context import LoopContext
from loopx.loop.keeping.permits import GatePermits
from loopx.loop.keeping.questions import GateChannel
from loopx.loop.keeping.snapshots import ProjectArtifacts, scopes_of
from loopx.loop.lifecycle import Lifecycle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.loop.components.callables import StepCallable
    from loopx.loop.components.protocols import RecoveryPolicy
    from loopx.loop.context import Artifacts
    from loopx.loop.keeping.durable import WorkspaceRunStore
    from loopx.loop.recovery.registry import RecoveryRegistry
    from loopx.model.plan import PlanDocument
    from loopx.workspace import Workspace

PLANNER = "planner"
"""The tool that plans, where the workspace names one so and nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What whoever starts a run lends to it."""

    environ: Mapping[str, str] = field(default_factory=dict)
    """What programs get, beside what is told them of their step; without any, this process's own."""
    callables: Mapping[str, StepCallable] = field(default_factory=dict)
    judges: Mapping[str, StepCallable] = field(default_factory=dict)
    planner: str | None = None
    """The tool of the workspace that plans; without one, that called ``planner``, if there is one."""
    parallel: int | None = None
    """Steps at once, instead of what the plan says."""
    policy: RecoveryPolicy | None = None
    """What chooses recoveries, instead of the ladder that comes with LoopX."""
    registry: RecoveryRegistry | None = None
    """What carries recoveries out, instead of the handlers that come with LoopX."""


def context_of(workspace: Workspace, store: WorkspaceRunStore, parts: Parts) -> LoopContext:
    """The context of the run that ``store`` keeps. Raises as :func:`fitting` does."""
    context = fitting(workspace, store.plan, parts)
    context.artifacts = _artifacts(workspace, store.plan)
    context.human, context.permits = GateChannel(store), GatePermits(store)
    return context


def fitting(workspace: Workspace, plan: PlanDocument, parts: Parts) -> LoopContext:
    """The context ``plan`` would be carried out in, before anything is begun. Raises ``tool-unknown``,
    ``action-invalid``, ``callable-unknown``, ``judge-invalid`` and ``verify-missing``."""
    config = workspace.read(take_in=False).state.config()
    entries = config.tools if config is not None else ()
    tools = {each.name: each.argv for each in entries}
    settings = plan.settings if parts.parallel is None else replace(plan.settings, parallel=parts.parallel)
    context = LoopContext(
        run=plan.run,
        settings=settings,
        clock=workspace.clock,
        ids=workspace.ids,
        lifecycle=Lifecycle(settings, workspace.clock),
        project=str(workspace.places.project),
        environ=parts.environ,
        components=shipped(callables=parts.callables, judges=parts.judges, planner=_planner(tools, parts.planner)),
        tools=tools,
        instead_of={each.name: each.instead_of for each in entries},
        models=config.models if config is not None else (),
        attempts=workspace.places.attempts,
        is_durable=workspace.is_durable,
        todo=plan.todo,
        goal=plan.goal,
    )
    check_steps(plan.steps, context, callables=parts.callables, judges=parts.judges)
    return context


def _planner(tools: Mapping[str, tuple[str, ...]], named: str | None) -> tuple[str, ...]:
    if named is not None and named not in tools:
        raise LoopxError("tool-unknown", f"workspace.yaml names no tool {named}", facts={"tool": named})
    return tools.get(named or PLANNER, ())


def _artifacts(workspace: Workspace, plan: PlanDocument) -> Artifacts | None:
    """The snapshots of the run; none where no step says what it writes."""
    scopes = scopes_of(plan.steps)
    if not scopes:
        return None
    return ProjectArtifacts(workspace.store.snapshots, workspace.places.project, scopes, plan.run, workspace.clock)
