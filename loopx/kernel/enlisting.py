"""Rules of agents: making them known, changing what is known of them, and taking them out. A person's, each of them.

An agent is known to the workspace; a Goal may name those that take part in it, with what they are for there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from loopx.errors import LoopxError, Problem
from loopx.kernel.agents import unregistered
from loopx.kernel.answering import accepted
from loopx.kernel.commands import AddAgent, Command, EditAgent, RemoveAgent
from loopx.kernel.configuring import judge_config
from loopx.kernel.context import Context
from loopx.kernel.departing import departures, leaving_goal, leaving_workspace
from loopx.kernel.goals import judge_edit
from loopx.kernel.outcome import Change, Outcome, Refused, Update
from loopx.kernel.rebinding import changed_fields, rebound
from loopx.kernel.resolve import find_goal, folded_name
from loopx.kernel.state import State
from loopx.kernel.texts import bad_agent, bad_line
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.codec import encode
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.workspace import WorkspaceConfig

_IN_WORKSPACE = ("capabilities",)
_IN_GOAL = ("role_scope", "capabilities", "vision", "mode")

Entry = dict[str, Any]
"""One agent as the document lists it: attribute names to JSON values."""


def add(state: State, command: AddAgent, context: Context) -> Outcome:
    """Make an agent known; with a Goal, also let it take part there."""
    name = folded_name(command.agent)
    goal = _goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if refused := bad_agent(name) or _without_goal(command):
        return refused
    given = {each: value for each in _IN_GOAL if (value := _value(command, each))}
    if goal is None:
        return _added(command, context, state, None, _entries(_config(state)), name, given)
    return _added(command, context, state, goal, _entries(goal), name, given)


def edit(state: State, command: EditAgent, context: Context) -> Outcome:
    """Change what is known of an agent here, or of its part in a Goal."""
    name = folded_name(command.agent)
    goal = _goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    entries = _entries(goal or _config(state))
    at = next((number for number, each in enumerate(entries) if each["id"] == name), None)
    if at is None:
        return _not_listed(state, name, goal)
    changed = _edited(entries[at], command, _IN_WORKSPACE if goal is None else _IN_GOAL)
    if isinstance(changed, Refused):
        return changed
    entries[at] = changed
    return _settled(command, context, state, goal, entries, "edit", name)


def remove(state: State, command: RemoveAgent, context: Context) -> Outcome:
    """Take an agent out of one Goal or of the workspace. Its claims and leases there end in the same commit."""
    name = folded_name(command.agent)
    goal = _goal(state, command.goal)
    if isinstance(goal, Refused):
        return goal
    if command.reason is not None and (refused := bad_line(command.reason, "reason")):
        return refused
    entries = _entries(goal or _config(state))
    left = [each for each in entries if each["id"] != name]
    if len(left) == len(entries):
        return _not_listed(state, name, goal)
    if goal is not None and not left:
        hint = f"Name another with `loopx agent add … --goal {goal.id}` first, or pause the Goal."
        message = f"{name} is the only agent {goal.id} names; without it every agent could take part."
        return refuse("agent-last", message, hint, agent=name, goal=goal.id)
    return _settled(command, context, state, goal, left, "remove", name, command.reason or "")


def _goal(state: State, typed: str | None) -> Goal | Refused | None:
    return None if typed is None else find_goal(state, typed)


def _config(state: State) -> WorkspaceConfig:
    config = state.config()
    if config is None:
        raise LoopxError("workspace-missing", "This workspace has no workspace.yaml.")
    return config


def _entries(document: WorkspaceConfig | Goal) -> list[Entry]:
    return [encode(each) for each in document.agents]


def _value(command: AddAgent, name: str) -> Any:
    value = getattr(command, name)
    return list(dict.fromkeys(value)) if isinstance(value, tuple) else value


def _without_goal(command: AddAgent) -> Refused | None:
    """The refusal of what an agent is for in a Goal, when no Goal is named."""
    named = next((each for each in _IN_GOAL if each not in _IN_WORKSPACE and getattr(command, each) is not None), None)
    if command.goal is not None or named is None:
        return None
    return refuse("field-value", f"{named} says something about a Goal.", "Name it with --goal.", field=named)


def _added(
    command: AddAgent,
    context: Context,
    state: State,
    goal: Goal | None,
    entries: list[Entry],
    name: str,
    given: Mapping[str, Any],
) -> Outcome:
    known = next((each for each in entries if each["id"] == name), None)
    if known is not None and not _says(known, given):
        where = goal.id if goal else "this workspace"
        hint = f"Change it with `loopx agent edit {name}{f' --goal {goal.id}' if goal else ''}`."
        return refuse("agent-exists", f"{name} is in {where} already, described otherwise.", hint, agent=name)
    entries = entries if known is not None else [*entries, {"id": name, **given}]
    return _settled(command, context, state, goal, entries, "add", name)


def _says(known: Entry, given: Mapping[str, Any]) -> bool:
    """Whether ``known`` holds already what is ``given`` (lists: at least that)."""
    for name, value in given.items():
        if isinstance(value, list):
            if not set(value) <= set(known.get(name, ())):
                return False
        elif known.get(name, _DEFAULTS.get(name)) != value:
            return False
    return True


_DEFAULTS = {"vision": "optional", "mode": "active"}
"""What a Goal's entry means where it leaves a field out."""


def _edited(entry: Entry, command: EditAgent, known: Sequence[str]) -> Entry | Refused:
    for name in (*command.fields, *command.add, *command.remove):
        if name not in known:
            hint = f"Fields are {listed(known)}{'' if command.goal else '; with --goal there are more'}."
            return refuse("field-name-unknown", f"An agent has no field {quoted(name)} here.", hint, typed=name)
        if name in (*command.add, *command.remove) and name != "capabilities":
            return refuse("field-value", f"{name} is not a list.", "Set it as a whole.", field=name)
    fields = {**entry, **command.fields}
    if command.add or command.remove:
        gone = set(command.remove.get("capabilities", ()))
        now = [*(fields.get("capabilities") or ()), *command.add.get("capabilities", ())]
        fields["capabilities"] = [each for each in dict.fromkeys(now) if each not in gone]
    return {name: value for name, value in fields.items() if value is not None}


def _not_listed(state: State, name: str, goal: Goal | None) -> Refused:
    """The refusal of an agent that is not among those of the document meant."""
    refused = unregistered(state, name, goal.id if goal else None)
    if refused is not None:
        return refused
    # Registered, and the Goal names nobody: whoever works here may take part.
    assert goal is not None
    hint = f"Name those that take part with `loopx agent add … --goal {goal.id}`."
    return refuse("agent-unregistered", f"{goal.id} names no agents, so every agent takes part.", hint, agent=name)


def _settled(
    command: Command,
    context: Context,
    state: State,
    goal: Goal | None,
    entries: Sequence[Entry],
    verb: str,
    name: str,
    body: str = "",
) -> Outcome:
    """The answer once the list of agents reads ``entries``, with what follows for whoever leaves."""
    newcomer = name if verb == "add" else None
    found = _in_goal(state, goal, context, entries, newcomer) if goal else _in_workspace(state, context, entries)
    if isinstance(found, Refused):
        return found
    changes, notices = found
    dropped = [each.id for each in changes if isinstance(each, Update) and each.kind is Kind.TODO]
    where = f" {'from' if verb == 'remove' else 'to' if verb == 'add' else 'in'} {goal.id}" if goal else ""
    return accepted(
        command,
        context,
        subject=f"agent {name}",
        goal=goal.id if goal else "",
        headline=f"agent: {verb} {name}{where}",
        changes=changes,
        body=body,
        result={
            "id": name,
            "already": not changes,
            **({"goal": goal.id} if goal else {}),
            **({"unclaimed": dropped[:20]} if dropped else {}),
        },
        notices=notices,
    )


Found = tuple[list[Change], list[Problem]]


def _in_workspace(state: State, context: Context, entries: Sequence[Entry]) -> Found | Refused:
    before = _config(state)
    after = rebound(before, {"agents": list(entries)})
    refused = after if isinstance(after, Refused) else judge_config(state, after, context)
    if refused:
        return refused
    after = cast("WorkspaceConfig", after)
    fields = changed_fields(before, after)
    changes: list[Change] = [Update(Kind.WORKSPACE, "", before.id, fields)] if fields else []
    leaving = leaving_workspace(before, after)
    kept: list[str] = []
    for each in state.goals() if leaving else ():
        stays = tuple(named for named in each.agents if named.id not in leaving)
        if each.agents and not stays:
            kept.append(each.id)
        elif stays != each.agents:
            changes.append(Update(Kind.GOAL, each.id, each.id, {"agents": stays}))
    return [*changes, *departures(state, leaving, context)], _still_named(leaving, kept)


def _still_named(leaving: Sequence[str], goals: Sequence[str]) -> list[Problem]:
    """A notice for Goals that go on naming nobody but who left, since an empty list would let everybody in."""
    if not goals:
        return []
    message = f"{listed(goals)} named {listed(leaving)} alone and still does, so that no agent takes part there now."
    return [Problem("agent-still-named", message, facts={"goals": list(goals)[:5]})]


def _in_goal(
    state: State, before: Goal, context: Context, entries: Sequence[Entry], newcomer: str | None
) -> Found | Refused:
    after = rebound(before, {"agents": list(entries)})
    if isinstance(after, Refused):
        return after
    notices = judge_edit(state, before, after, context)
    if isinstance(notices, Refused):
        return notices
    changes: list[Change] = []
    if after != before:
        changes.append(Update(Kind.GOAL, before.id, before.id, changed_fields(before, after)))
    if newcomer is not None and unregistered(state, newcomer) is not None:
        known = _in_workspace(state, context, [*_entries(_config(state)), {"id": newcomer}])
        if isinstance(known, Refused):
            return known
        changes.extend(known[0])
    changes.extend(departures(state, leaving_goal(state, before, after), context, before.id))
    return changes, notices
