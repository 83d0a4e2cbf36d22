"""Lifecycles: the whole product of statuses, and the one function that applies them."""

from __future__ import annotations

import ast
from itertools import product
from typing import Any

import pytest

from loopx.kernel import commands as c
from loopx.kernel.authority import TABLE, Rule
from loopx.kernel.outcome import Refused, Update
from loopx.kernel.transitions import (
    EFFECT,
    GATE,
    GOAL,
    HANDOFF,
    LEASE,
    PROPOSAL,
    TABLES,
    TODO,
    TURN,
    VISION,
    Who,
    move,
    transition,
    update,
)
from loopx.model.effect import Effect, EffectStatus
from loopx.model.gate import GateStatus
from loopx.model.goal import GoalStatus
from loopx.model.handoff import Handoff, HandoffStatus
from loopx.model.kind import Kind
from loopx.model.lease import LeaseStatus
from loopx.model.proposal import Proposal, ProposalStatus
from loopx.model.todo import TodoStatus
from loopx.model.turn import Turn, TurnStatus
from loopx.model.vision import Vision, VisionStatus
from tests.support.clock import START
from tests.support.kernel import gate, goal, todo
from tests.support.leases import lease
from tests.support.source import ROOT, syntax

EXPECTED = {
    Kind.GOAL: {
        "draft": {"active", "stopped", "closed"},
        "active": {"paused", "stopped", "closed"},
        "paused": {"active", "stopped", "closed"},
        "stopped": {"active", "closed"},
        "closed": {"active"},
    },
    Kind.TODO: {
        "open": {"blocked", "deferred", "done", "superseded", "cancelled"},
        "blocked": {"open", "deferred", "superseded", "cancelled"},
        "deferred": {"open", "blocked", "superseded", "cancelled"},
        "done": {"open"},
        "superseded": {"open"},
        "cancelled": {"open"},
    },
    Kind.GATE: {
        "open": {"approved", "rejected", "deferred", "withdrawn"},
        "deferred": {"approved", "rejected", "withdrawn"},
        "approved": {"rejected"},
        "rejected": {"approved"},
        "withdrawn": set(),
        "expired": set(),
    },
    Kind.VISION: {
        "active": {"closed", "retired", "superseded", "no_followup"},
        "closed": {"active", "retired", "superseded", "no_followup"},
        "retired": {"active", "no_followup"},
        "superseded": {"active", "no_followup"},
        "no_followup": {"active"},
    },
    Kind.EFFECT: {
        "unknown": {"confirmed", "absent"},
        "confirmed": {"compensated"},
        "absent": set(),
        "compensated": set(),
    },
    Kind.LEASE: {"active": {"released"}, "released": {"active"}, "expired": set()},
    Kind.TURN: {"open": {"settled", "voided"}, "settled": set(), "voided": set()},
    Kind.HANDOFF: {"offered": {"accepted", "declined"}, "accepted": set(), "declined": set()},
    Kind.PROPOSAL: {"proposed": {"accepted", "rejected"}, "accepted": set(), "rejected": set()},
}
VERBS: dict[str, type[c.Command]] = {
    "goal activate": c.SetGoalStatus,
    "goal pause": c.SetGoalStatus,
    "goal resume": c.SetGoalStatus,
    "goal stop": c.SetGoalStatus,
    "gate approve": c.DecideGate,
    "gate reject": c.DecideGate,
    "gate defer": c.DecideGate,
    **c.by_name(),
}


def vision(status: VisionStatus) -> Vision:
    return Vision(agent="bot", summary="Go on", goal="beta", status=status)


def effect(status: EffectStatus) -> Effect:
    intent = {"summary": "Publish", "agent": "bot", "opened_by": "op-1", "goal": "beta"}
    return Effect(id="x-aaaa1111", readback_due_at=START, opened_at=START, status=status, **intent)


def turn(status: TurnStatus) -> Turn:
    return Turn(id="turn-aaaa1111", agent="bot", status=status, opened_at=START, opened_by="op-1", goal="beta")


def handoff(status: HandoffStatus) -> Handoff:
    packet = {"sender": "agent:bot", "next_action": "Go on", "created_by": "op-1", "goal": "beta"}
    return Handoff(id="h-aaaa1111", created_at=START, status=status, **packet)


def proposal(status: ProposalStatus) -> Proposal:
    return Proposal(id="p-aaaa1111", title="Try it", goal="beta", status=status)


MAKERS: dict[Kind, Any] = {
    Kind.GOAL: lambda status: goal(status=status),
    Kind.TODO: lambda status: todo(status=status),
    Kind.GATE: lambda status: gate(status=status),
    Kind.VISION: vision,
    Kind.EFFECT: effect,
    Kind.LEASE: lambda status: lease(status=status),
    Kind.TURN: turn,
    Kind.HANDOFF: handoff,
    Kind.PROPOSAL: proposal,
}
STATUSES: dict[Kind, Any] = {
    Kind.GOAL: GoalStatus,
    Kind.TODO: TodoStatus,
    Kind.GATE: GateStatus,
    Kind.VISION: VisionStatus,
    Kind.EFFECT: EffectStatus,
    Kind.LEASE: LeaseStatus,
    Kind.TURN: TurnStatus,
    Kind.HANDOFF: HandoffStatus,
    Kind.PROPOSAL: ProposalStatus,
}
PRODUCT = [(kind, *pair) for kind in TABLES for pair in product(STATUSES[kind], repeat=2)]


@pytest.mark.parametrize(("kind", "before", "after"), PRODUCT, ids=lambda each: str(each))
def test_every_pair_of_statuses_is_allowed_or_refused(kind: Kind, before: Any, after: Any) -> None:
    found = move(MAKERS[kind](before), after)
    if after in EXPECTED[kind][before]:
        assert isinstance(found, Update) and found.fields == {"status": after}
        assert transition(kind, before, after) is not None
    else:
        assert isinstance(found, Refused) and found.code == "transition-illegal"
        assert before in found.message and after in found.message


@pytest.mark.parametrize(("kind", "before", "after"), PRODUCT, ids=lambda each: str(each))
def test_a_transition_is_refused_to_any_verb_but_its_own(kind: Kind, before: Any, after: Any) -> None:
    assert isinstance(move(MAKERS[kind](before), after, f"{kind} dance"), Refused)


def test_the_tables_cannot_be_written_to() -> None:
    for each in (GOAL, TODO, GATE, VISION, EFFECT, LEASE, TURN, HANDOFF, PROPOSAL, TABLES):
        with pytest.raises(TypeError):
            each["x"] = "y"  # type: ignore[index]


@pytest.mark.parametrize("line", [(kind, line) for kind in TABLES for line in TABLES[kind].values()])
def test_tables_and_authority_agree_on_what_is_for_people(line: Any) -> None:
    _, found = line
    for name in found.commands:
        agents = TABLE[VERBS[name].name].agent
        if agents is not Rule.LIMITED:  # a limited command may keep some of its transitions for people
            assert (agents is Rule.PERSON) == (found.who is Who.PERSON)


def test_an_illegal_transition_names_the_ways_there_are() -> None:
    found = move(goal(status=GoalStatus.ACTIVE), GoalStatus.DRAFT)
    assert isinstance(found, Refused)
    assert "paused (loopx goal pause)" in found.hint and "stopped (loopx goal stop)" in found.hint


def test_only_reopening_leads_out_of_a_closed_goal() -> None:
    found = move(goal(status=GoalStatus.CLOSED), GoalStatus.PAUSED)
    assert isinstance(found, Refused) and found.hint == "From closed it can become active (loopx goal reopen)."
    assert isinstance(move(goal(status=GoalStatus.CLOSED), GoalStatus.ACTIVE, "goal activate"), Refused)
    withdrawn = move(gate(status=GateStatus.WITHDRAWN), GateStatus.OPEN)
    assert isinstance(withdrawn, Refused) and "Nothing leads out" in withdrawn.hint


def test_values_held_already_are_no_change() -> None:
    before = todo(reason="why")
    assert update(before, reason="why", title="New").fields == {"title": "New"}
    assert update(before, reason=None, claimed_by=None, superseded_by=None).fields == {"reason": None}


def test_no_other_module_writes_a_status() -> None:
    """A status of a document that exists is set by ``move`` alone: nobody else hands ``status`` to an update."""
    found = []
    for path in sorted((ROOT / "loopx/kernel").rglob("*.py")):
        if path.name == "transitions.py":
            continue
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("update", "Update"):
                found += [f"{path.name}:{node.lineno}" for word in node.keywords if word.arg == "status"]
    assert found == []
