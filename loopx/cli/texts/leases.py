"""Leases in words: who executes what until when, what the numbers of one are, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import document, values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import field_lines, named
from loopx.cli.texts.receipts import receipt_facts, receipt_line
from loopx.kernel.claims import holder
from loopx.kernel.durations import format_duration
from loopx.kernel.lease_progress import progress_at
from loopx.kernel.lease_standing import LeaseStanding, lease_standing
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.model.lease import Lease
    from loopx.model.todo import Todo
    from loopx.workspace.results import Committed, View

_TOLD_APART = frozenset({"lease", "authorises", "key", "expires_at", "rebuilt"})
_SHOWN = ("owner", "epoch", "version", "write_scopes", "acquired_at", "renewed_at", "claim")


def lease_row(view: View, lease: Lease, standing: LeaseStanding) -> tuple[str, ...]:
    """The lease's line in the list."""
    todo = view.state.todo(lease.todo)
    until = format_instant(standing.expires_at or lease.expires_at)
    title = todo.title if todo else ""
    return (lease.todo, str(standing.status), lease.owner, str(lease.epoch), until, _idle(view, lease, standing), title)


def listed_facts(view: View, lease: Lease, standing: LeaseStanding) -> dict[str, Any]:
    """A lease as programs see it in the list."""
    progress = progress_at(view.state, lease)
    return {
        **_numbers(lease),
        "status": str(standing.status),
        "is_live": standing.is_live,
        "is_from_future": standing.is_from_future,
        "expires_at": _told(standing.expires_at),
        "progress_at": _told(progress),
        "no_progress_since": _told(progress or lease.acquired_at) if standing.is_live else None,
    }


def shown_facts(view: View, todo: Todo) -> dict[str, Any]:
    """The lease of a Todo with everything that tells one execution from another; what there is not is ``null``."""
    standing = lease_standing(view.state, todo.id, view.at)
    lease = standing.lease
    facts: dict[str, Any] = {"todo": todo.id, "title": todo.title, "goal": todo.goal, "status": None}
    facts |= {"why": standing.why, "is_live": standing.is_live, "is_from_future": standing.is_from_future}
    facts |= {"owner": None, "execution_key": None, "epoch": None, "version": None}
    if lease is not None:
        facts |= listed_facts(view, lease, standing)
        facts["retired"] = [values(each) for each in lease.retired]
    facts["claim"] = holder(view.state, todo, view.at)
    facts["revisions"] = _revisions(view, todo, lease)
    return facts


def lease_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """The lease of one Todo."""
    yield screen.paint(f"lease {facts['todo']}  {shown(facts['title'])}", "bold")
    yield named("status", f"{facts['status'] or 'none'} — {facts['why']}")
    key = {"key": facts["execution_key"]} if facts["is_live"] else {}
    yield from field_lines({**key, **{name: facts.get(name) for name in _SHOWN}})
    if facts["is_live"]:
        yield named("progress", _progress(facts))
    for number, each in enumerate(facts.get("retired", ())):
        told = f"{each['at']}  {each['key']} of epoch {each['epoch']}: {each['reason']}"
        yield named("" if number else "retired", told)


def _progress(facts: Mapping[str, Any]) -> str:
    if facts["progress_at"] is None:
        return f"none since it was acquired at {facts['no_progress_since']}: no turn, no evidence"
    return f"none since {facts['no_progress_since']}, the newest turn or evidence of it"


def answered_facts(committed: Committed) -> dict[str, Any]:
    """What a verb answers to programs: the receipt, and the commands that may come next with everything filled in."""
    facts = receipt_facts(committed)
    return {**facts, "next": _next(facts["result"])}


def answered_lines(committed: Committed, facts: Mapping[str, Any], done: str, screen: Screen) -> Iterator[str]:
    """What a verb answers to a person."""
    result = committed.receipt.result
    brief = {name: value for name, value in result.items() if name not in _TOLD_APART}
    if "key" in result:
        brief |= {"key": result["key"], "until": result.get("expires_at")}
    if committed.replayed:
        done = f"was {done} before by operation {committed.receipt.operation}"
    brief_receipt = replace(committed.receipt, result=brief)
    yield receipt_line(replace(committed, receipt=brief_receipt, replayed=False), done, screen)
    if (today := result.get("lease")) is not None:
        grants = "" if result.get("authorises") else "; this answer grants nothing any more"
        yield named("now", f"{today['status']}, {today['owner']}, epoch {today['epoch']}, version {today['version']}, "
                    f"until {today['expires_at']}{grants}")  # fmt: skip
    yield from (named(name, command) for name, command in facts["next"].items())


def brief_lease(view: View, todo: Todo) -> dict[str, Any] | None:
    """The live lease of a Todo in a few facts, for views of Todos; ``None`` when nobody executes it."""
    standing = lease_standing(view.state, todo.id, view.at)
    if standing.lease is None or not standing.is_live:
        return None
    lease = standing.lease
    return {
        "owner": lease.owner,
        "epoch": lease.epoch,
        "version": lease.version,
        "expires_at": _told(standing.expires_at),
        "is_from_future": standing.is_from_future,
    }


def brief_line(lease: Mapping[str, Any]) -> str:
    """The same as a line of a Todo."""
    return f"{lease['owner']} until {lease['expires_at']} (epoch {lease['epoch']}, version {lease['version']})"


def _next(result: Mapping[str, Any]) -> dict[str, str]:
    """Commands that go on from here; none where the answer proves nothing to whoever gets it."""
    key = result.get("key")
    if key is None or result.get("authorises") is False:
        return {}
    todo, version = result["id"], result.get("lease", result).get("version")
    return {
        "renew": f"loopx lease renew {todo} --key {key} --expect-lease-version {version}",
        "finish": f"loopx todo done {todo} --lease {key}",
        "give back": f"loopx lease release {todo} --key {key}",
    }


def _numbers(lease: Lease) -> dict[str, Any]:
    """The record's own fields; its key under the name that no other key has."""
    found = document(lease)
    found["execution_key"] = found.pop("key")
    for name in ("retired", "terms"):
        found.pop(name)
    return found


def _revisions(view: View, todo: Todo, lease: Lease | None) -> dict[str, Any]:
    """The six revisions, each under its own name: none stands in for another, and a missing one is ``null``."""
    turn = next((each for each in view.state.open_turns(todo.goal) if each.todo == todo.id), None)
    newest = max(view.state.evidence_about(todo.id), key=lambda each: each.observed_at, default=None)
    return {
        "artifact_revision": view.state.environment.artifact_revision(),
        "provider_revision": view.revision,
        "lease_version": lease.version if lease else None,
        "lease_epoch": lease.epoch if lease else None,
        "execution_key": lease.key if lease else None,
        "turn": turn.id if turn else None,
        "operation": lease.acquired_by if lease else None,
        "evidence": {"id": newest.id, "observed_at": _told(newest.observed_at), "source": newest.source}
        if newest
        else None,
    }


def _idle(view: View, lease: Lease, standing: LeaseStanding) -> str:
    """For how long nothing has come of a live lease."""
    if not standing.is_live:
        return "-"
    since = progress_at(view.state, lease) or lease.acquired_at
    return f"for {format_duration(view.at - since)}"


def _told(at: Any) -> str | None:
    return format_instant(at) if at is not None else None
