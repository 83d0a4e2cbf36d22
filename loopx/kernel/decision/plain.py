"""A decision as JSON values: the specification's keys, at most 4 KB, what was left out counted. For CLI and pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loopx.kernel.decision.commanding import Commands
from loopx.kernel.decision.record import Decision
from loopx.kernel.wording import cut
from loopx.model.codec import plain
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.kernel.decision.record import GateLine, Selected, Step
    from loopx.kernel.obligations.record import Obligation
    from loopx.model.goal import Goal
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

DECISION_BYTES = 3900
"""What a decision may take as JSON, its trace apart; in the envelope of the command line it stays within 4 KB."""
_IN_AN_ENVELOPE = 3000
"""What it may take beside boundary, validation and writeback."""

_STEPS: tuple[tuple[int, int], ...] = ((5, 160), (5, 80), (3, 60), (1, 40), (0, 40))
"""How many items of a list and how many characters of a text are shown, tried one after the other until it fits."""


def decision_facts(decision: Decision, explain: bool = False, limit: int = DECISION_BYTES) -> dict[str, Any]:
    """``decision`` as JSON values in ``limit`` bytes. Without ``explain`` the trace is left out; lists and texts are
    cut until it fits, and ``left_out`` says how many items are not shown."""
    facts = _fitted(decision, limit)
    if explain:
        facts["trace"] = [_step(each) for each in decision.trace]
    return facts


def envelope_facts(
    decision: Decision, turn: Turn, *, goal: Goal, todo: Todo | None = None, explain: bool = False
) -> dict[str, Any]:
    """The TurnEnvelope of ``turn open``: the decision with the Turn's id, the boundary it works in, the validation that
    proves it and the commands that write it back."""
    return {
        **decision_facts(decision, explain, _IN_AN_ENVELOPE),
        "turn": turn.id,
        "boundary": _boundary(goal, todo),
        "validation": _validation(todo),
        "writeback": list(writeback_commands(turn)),
    }


def writeback_commands(turn: Turn) -> tuple[str, ...]:
    """The commands that end ``turn``, ids filled in; what only its agent knows is left as ``…``."""
    commands = Commands(turn.agent, turn.goal)
    return (commands.settle(turn, done=turn.todo is not None), commands.void(turn))


def size_of(facts: Mapping[str, Any]) -> int:
    """Bytes of ``facts`` as the command line prints them for programs."""
    return len(json.dumps(facts, ensure_ascii=False).encode("utf-8", "replace"))


def _fitted(decision: Decision, limit: int) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for items, characters in _STEPS:
        facts = _facts(decision, items, characters)
        if size_of(facts) <= limit:
            break
    return facts


def _facts(decision: Decision, items: int, characters: int) -> dict[str, Any]:
    user, agent, cli, scheduler = decision.user, decision.channel, decision.cli, decision.scheduler
    left_out = {
        "obligations": max(len(decision.obligations) - items, 0),
        "gates": max(len(decision.gates) - items, 0),
    }
    return {
        "goal": decision.goal,
        "agent": decision.agent,
        "mode": decision.mode.value,
        "reason": decision.reason,
        "message": cut(decision.message, 2 * characters),
        "interaction_contract": {
            "user_channel": {
                "action_required": user.action_required,
                "notify": user.notify,
                "question": cut(user.question, 2 * characters) if user.question else None,
            },
            "agent_channel": {
                "must_attempt": agent.must_attempt,
                "delivery_allowed": agent.delivery_allowed,
                "quiet_allowed": agent.quiet_allowed,
                "primary_action": cut(agent.primary_action, 2 * characters),
            },
            "cli_channel": {
                "commands": list(cli.commands),
                "spend_allowed": cli.spend_allowed,
                "spend_when": cli.spend_when,
            },
        },
        "selected": _selected(decision.selected, characters),
        "obligations": [_obligation(each, characters) for each in decision.obligations[:items]],
        "gates": [_gate(each, characters) for each in decision.gates[:items]],
        "counts": dict(decision.counts),
        "left_out": {name: count for name, count in left_out.items() if count},
        "scheduler_hint": {
            "after_seconds": scheduler.after_seconds,
            "look_again_at": format_instant(scheduler.look_again_at) if scheduler.look_again_at else None,
            "why": cut(scheduler.why, 2 * characters),
            "ended_by": cut(scheduler.ended_by, 2 * characters),
            "owner": scheduler.owner,
        },
        "basis": {"revision": decision.revision, "at": format_instant(decision.at) if decision.at else None},
    }


def _step(step: Step) -> dict[str, Any]:
    is_asked = step.facts.get("asked") is not False
    verdict = "match" if step.is_match else "no" if is_asked else "not asked"
    return {"rule": step.rule, "verdict": verdict, "facts": _values(step.facts) if is_asked else {}}


def _selected(selected: Selected | None, characters: int) -> dict[str, Any] | None:
    if selected is None:
        return None
    facts = _values(selected.facts, characters)
    return {"kind": selected.kind, "id": selected.id, "title": cut(selected.title, characters), **facts}


def _obligation(obligation: Obligation, characters: int) -> dict[str, Any]:
    return {
        "id": obligation.id,
        "kind": obligation.kind.value,
        "trigger": obligation.trigger,
        "owner": obligation.owner,
        "message": cut(obligation.message, characters),
        "discharged_by": cut(obligation.discharged_by, characters),
    }


def _gate(gate: GateLine, characters: int) -> dict[str, Any]:
    return {
        "id": gate.id,
        "scope": cut(gate.scope, characters),
        "question": cut(gate.question, characters),
        "status": gate.status,
        **({"blocks": gate.blocks} if gate.blocks else {}),
    }


def _values(facts: Mapping[str, Any], characters: int = 160) -> dict[str, Any]:
    return {name: _value(value, characters) for name, value in facts.items()}


def _value(value: Any, characters: int) -> Any:
    if isinstance(value, str):
        return cut(value, characters)
    if isinstance(value, Mapping):
        return _values(value, characters)
    if isinstance(value, Sequence):
        return [_value(each, characters) for each in value[:10]]
    return plain(value)


def _boundary(goal: Goal, todo: Todo | None) -> dict[str, Any]:
    found = plain(goal.boundary) if goal.boundary is not None else {}
    boundary = {name: value for name, value in (found or {}).items() if value}
    if todo is not None and todo.write_scopes:
        boundary["todo_write_scopes"] = list(todo.write_scopes)
    return boundary


def _validation(todo: Todo | None) -> dict[str, Any] | None:
    if todo is None or todo.validation is None:
        return None
    found: dict[str, Any] = plain(todo.validation)
    return found
