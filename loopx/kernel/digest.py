"""Digests: what a request, a question, a criterion or a validation was made on, so that a later change shows.

The workspace and the tests compare with these; they are never shown to people as anything but a fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from loopx.kernel.commands.base import Command
from loopx.model.actor import Actor
from loopx.model.codec import encode, plain
from loopx.model.entities import Entity
from loopx.model.gate import Gate
from loopx.model.goal import Criterion, Goal
from loopx.model.kind import Kind
from loopx.model.todo import Todo, Validation

if TYPE_CHECKING:
    from loopx.model.lease import Lease

_NOT_ASKED: dict[str, frozenset[str]] = {
    "todo done": frozenset({"evidence", "validated_on"}),
    "gate decide": frozenset({"channel", "confirmed"}),
    "evidence reassess": frozenset({"observed"}),
    "rollback": frozenset({"documents"}),
    "turn open": frozenset({"basis"}),
    "refresh-state": frozenset({"validation", "validated_on", "checks", "basis"}),
    "handoff create": frozenset({"basis"}),
    "run record": frozenset({"steps", "entries", "record", "plan", "question"}),
}
"""Fields that say how a request came about, not what was asked: a retry may differ in them."""


def request_digest(command: Command, actor: Actor) -> str:
    """SHA-256 (hex) of who asked for what, independent of the order of keys."""
    left_out = _NOT_ASKED.get(command.name, frozenset())
    asked = {each.name: plain(getattr(command, each.name)) for each in fields(command) if each.name not in left_out}
    return _digest({"actor": str(actor), "command": command.name, "arguments": asked})


def edit_digest(kind: Kind, identity: str, after: Entity | None, actor: Actor) -> str:
    """SHA-256 (hex) of who typed what into which document; ``after`` is ``None`` for a deletion."""
    typed = encode(after) if after is not None else None
    return _digest({"actor": str(actor), "kind": kind.value, "id": identity, "typed": typed})


def validation_inputs(todo: Todo, goal: Goal | None) -> str:
    """SHA-256 (hex) of what a validation of ``todo`` rests on.

    That is its command and time limit, what it declares to rest on, the decisions it requires, and the text of the
    criteria it advances. Title, body, status and everything else may change meanwhile without touching the result.
    """
    criteria = {each.id: criterion_text(each) for each in (goal.acceptance if goal else ())}
    validation = todo.validation
    return _digest(
        {
            "todo": todo.id,
            "argv": list(validation.argv) if validation else None,
            "timeout_seconds": validation.timeout_seconds if validation else None,
            "requires": sorted(todo.requires),
            "acceptance": {each: criteria.get(each) for each in todo.acceptance},
            **_declared(validation),
        }
    )


def completion_basis(todo: Todo, goal: Goal | None, lease: Lease | None) -> str:
    """SHA-256 (hex) of everything that must not change while a validation of ``todo`` runs: its status, what the
    validation rests on, and which execution of it this is."""
    parts = {
        "status": todo.status.value,
        "inputs": validation_inputs(todo, goal),
        "epoch": str(lease.epoch) if lease else None,
    }
    return of_everything(parts)


def gate_inputs(gate: Gate) -> str:
    """SHA-256 (hex) of the question as it is asked: its words, scope, options and evidence."""
    return _digest(
        {
            "question": gate.question,
            "scope": gate.scope,
            "options": list(gate.options),
            "evidence": sorted(gate.evidence),
        }
    )


def criterion_text(criterion: Criterion) -> str:
    """SHA-256 (hex) of what a criterion demands: its text, its check and its read-back."""
    return _digest(
        {"text": criterion.text, "check": plain(criterion.check), "readback": plain(criterion.readback)},
    )


def boundary_text(goal: Goal) -> str:
    """SHA-256 (hex) of where work for a Goal may reach; of having no such bounds, where it names none."""
    return _digest({"boundary": plain(goal.boundary)})


def of_everything(parts: Mapping[str, str | None]) -> str:
    """SHA-256 (hex) of named digests taken together; ``None`` stands for one that is not known."""
    return _digest(dict(parts))


def _declared(validation: Validation | None) -> dict[str, list[str]]:
    """What a validation declares to rest on, where it declares anything."""
    declared = {} if validation is None else {"rests_on": validation.rests_on, "variables": validation.variables}
    return {name: sorted(values) for name, values in declared.items() if values}


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode("ascii")).hexdigest()
