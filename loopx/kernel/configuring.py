"""Editing ``workspace.yaml``: title, operators, agents, tools, models, policies. A person's, however it comes in."""

from __future__ import annotations

from loopx.errors import LoopxError
from loopx.kernel.answering import accepted, headline
from loopx.kernel.authority import person_only
from loopx.kernel.claims import PERSON_PREFIX
from loopx.kernel.commands import EditWorkspace
from loopx.kernel.context import Context
from loopx.kernel.departing import departures, leaving_workspace
from loopx.kernel.outcome import Change, Outcome, Refused, Update
from loopx.kernel.policies import LEASE_TTL_LIMIT
from loopx.kernel.rebinding import changed_fields, rebound
from loopx.kernel.state import State
from loopx.kernel.wording import listed, refuse
from loopx.model.kind import Kind
from loopx.model.workspace import Policies, WorkspaceConfig


def edit_workspace(state: State, command: EditWorkspace, context: Context) -> Outcome:
    """Change fields of the workspace's own document."""
    before = state.config()
    if before is None:
        raise LoopxError("workspace-missing", "This workspace has no workspace.yaml.")
    after = rebound(before, command.fields) if command.fields else before
    if isinstance(after, Refused):
        return after
    if refused := judge_config(state, after, context):
        return refused
    changes = changed_fields(before, after)
    return accepted(
        command,
        context,
        subject=f"workspace {before.id}",
        goal="",
        headline=headline("workspace", "edit", before.id, after.title),
        changes=[Update(Kind.WORKSPACE, "", before.id, changes), *after_edit(state, before, after, context)],
        body=f"Changed: {', '.join(changes)}." if changes else "",
        result={"id": before.id, "changed": list(changes)},
    )


def after_edit(state: State, before: WorkspaceConfig, after: WorkspaceConfig, context: Context) -> list[Change]:
    """What else changes once ``after`` is the workspace's document: agents it no longer names hold nothing any more."""
    return departures(state, leaving_workspace(before, after), context)


def judge_config(state: State, after: WorkspaceConfig, context: Context) -> Refused | None:
    """Whether the actor may make ``after`` the workspace's document, by command or by hand."""
    return (
        person_only(state, context, "editing the workspace")
        or _agents(after)
        or _tools(after)
        or _policies(after.policies)
    )


def _agents(after: WorkspaceConfig) -> Refused | None:
    names = [each.id for each in after.agents]
    posing = next((each for each in names if each.startswith(PERSON_PREFIX)), None)
    if posing is not None:
        hint = f"A person is written {PERSON_PREFIX}NAME in claims; choose a name that begins otherwise."
        return refuse("agent-invalid", f"{posing} reads like a person's name.", hint, field="agents", agent=posing)
    twice = sorted({each for each in names if names.count(each) > 1})
    if not twice:
        return None
    return refuse("field-value", f"agents lists {listed(twice)} twice.", "Keep one entry each.", field="agents")


def _tools(after: WorkspaceConfig) -> Refused | None:
    names = [each.name for each in after.tools]
    twice = sorted({each for each in names if names.count(each) > 1})
    if twice:
        return refuse("field-value", f"tools lists {listed(twice)} twice.", "Keep one entry each.", field="tools")
    bare = next((each.name for each in after.tools if not each.argv), None)
    if bare is None:
        return None
    hint = "Give argv: the program, then its leading arguments."
    return refuse("field-value", f"The tool {bare} names no program.", hint, field="tools")


def _policies(policies: Policies) -> Refused | None:
    wrong = {
        "hook_timeout_seconds": policies.hook_timeout_seconds <= 0,
        "lock_timeout_seconds": policies.lock_timeout_seconds < 0,
        "claim_ttl_hours": policies.claim_ttl_hours <= 0,
        "lease_ttl_minutes": not 0 < policies.lease_ttl_minutes * 60 <= LEASE_TTL_LIMIT.total_seconds(),
        "mass_deletion_share": not 0 < policies.mass_deletion_share <= 1,
    }
    found = next((name for name, is_wrong in wrong.items() if is_wrong), None)
    if found is None:
        return None
    hint = "Times are positive, a lease lives for 1440 minutes at most, and the share is above 0 and at most 1."
    return refuse("field-value", f"policies.{found} is out of range.", hint, field="policies")
