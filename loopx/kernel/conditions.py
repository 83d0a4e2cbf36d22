"""Wake conditions: what ends a deferral, whether it has come true, and whether it still can.

Deferring and hand edits read them with :func:`read_condition`; verdicts ask :func:`waking`.
"""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum

from loopx.kernel.cycles import no_circle
from loopx.kernel.dependencies import Prospect, prospects
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_gate, find_todo
from loopx.kernel.standing import gate_standing
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.defining import dataclass
from loopx.model.gate import GateStatus
from loopx.model.times import format_instant, parse_instant
from loopx.model.todo import Todo

FORMS = "todo_done:ID, gate_approved:ID, evidence:KEY, capability:NAME, at:TIME, pr_merged:#N or pr_merged:OWNER/REPO#N"
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@#:-]{0,127}")
_PULL_REQUEST = re.compile(r"(?:[A-Za-z0-9._-]+/[A-Za-z0-9._-]+)?#\d{1,9}")


class Wake(StrEnum):
    """What may be expected of a wake condition."""

    MET = "met"
    WAITING = "waiting"
    DEAD = "dead"
    """It can no longer come true."""


@dataclass(frozen=True, slots=True)
class Waking:
    """Where a wake condition stands, and one sentence about the fact that ends it."""

    wake: Wake
    why: str


def read_condition(state: State, typed: str, todo: str) -> str | Refused:
    """The wake condition ``typed`` for the Todo ``todo`` in its one written form: ids in full, times in UTC.

    Refused when it cannot be understood, when its subject does not exist, or when it would close a circle.
    """
    name, _, rest = typed.strip().partition(":")
    subject = rest.strip()
    if name == "todo_done":
        return _after_todo(state, subject, todo)
    if name == "gate_approved":
        gate = find_gate(state, subject)
        return gate if isinstance(gate, Refused) else f"gate_approved:{gate.id}"
    if name == "at":
        return _at(subject)
    pattern = {"evidence": _KEY, "capability": _KEY, "pr_merged": _PULL_REQUEST}.get(name)
    if pattern is None or not pattern.fullmatch(subject):
        return _invalid(f"{quoted(typed)} is no wake condition.")
    return f"{name}:{subject}"


def waking(state: State, todo: Todo, now: datetime) -> Waking:
    """Where the wake condition of a deferred ``todo`` stands at ``now``."""
    name, _, subject = (todo.resume_when or "").partition(":")
    if name == "todo_done":
        return _todo_done(state, todo, subject)
    if name == "gate_approved":
        return _gate_approved(state, subject, now)
    if name == "at":
        return _time_come(subject, now)
    if name == "evidence":
        return _evidence_there(state, todo, subject)
    if name == "capability":
        return _capability_there(state, subject)
    if name == "pr_merged":
        return Waking(
            Wake.WAITING, f"It waits for {subject} to be merged, which nobody reads back yet; a person resumes it."
        )
    return Waking(Wake.DEAD, "Nothing is named that would end the deferral: resume it, or defer it until something.")


def _after_todo(state: State, subject: str, todo: str) -> str | Refused:
    found = find_todo(state, subject)
    if isinstance(found, Refused):
        return found
    return no_circle(state, todo, (found.id,)) or f"todo_done:{found.id}"


def _at(subject: str) -> str | Refused:
    try:
        return f"at:{format_instant(parse_instant(subject))}"
    except ValueError:
        return _invalid(f"{quoted(subject)} is not a time with an offset, such as 2026-01-02T03:04:05Z.")


def _invalid(message: str) -> Refused:
    return refuse("condition-invalid", message, f"Write one of {FORMS}.", field="resume_when")


def _todo_done(state: State, todo: Todo, subject: str) -> Waking:
    found = list(prospects(state, subject, todo.id))
    for each in found:
        if each.prospect not in (Prospect.MET, Prospect.UNMET):
            return Waking(Wake.DEAD, each.message)
    open_ones = [each for each in found if each.prospect is Prospect.UNMET]
    return Waking(Wake.WAITING if open_ones else Wake.MET, (open_ones or found)[0].message)


def _gate_approved(state: State, subject: str, now: datetime) -> Waking:
    gate = state.gate(subject)
    if gate is None:
        return Waking(Wake.DEAD, f"There is no Gate {subject}.")
    standing = gate_standing(state, gate, now)
    if standing.covers:
        return Waking(Wake.MET, standing.why)
    dead = standing.status in (GateStatus.REJECTED, GateStatus.WITHDRAWN)
    return Waking(Wake.DEAD if dead else Wake.WAITING, f"Gate {subject}: {standing.why}")


def _time_come(subject: str, now: datetime) -> Waking:
    try:
        due = parse_instant(subject)
    except ValueError:
        return Waking(Wake.DEAD, f"{quoted(subject)} is not a time with an offset, so it never comes.")
    return Waking(Wake.MET if now >= due else Wake.WAITING, f"It waits until {format_instant(due)}.")


def _evidence_there(state: State, todo: Todo, key: str) -> Waking:
    known = state.evidence(key) or any(key in each.references for each in state.evidences(todo.goal))
    return Waking(Wake.MET if known else Wake.WAITING, f"It waits for evidence {key}.")


def _capability_there(state: State, name: str) -> Waking:
    config = state.config()
    found = next((each.id for each in (config.agents if config else ()) if name in each.capabilities), None)
    if found is not None:
        return Waking(Wake.MET, f"{found} has the capability {name}.")
    return Waking(Wake.WAITING, f"It waits until an agent has the capability {name}.")
