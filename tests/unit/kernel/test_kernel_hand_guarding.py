"""Hand edits of what guards work wait for an operator while an agent is at work, and for nobody otherwise."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from loopx.model.actor import Actor, Origin
from loopx.model.entities import CLASSES
from loopx.model.fields import marks
from loopx.model.goal import Boundary, GoalPolicies, Participant, Quota
from loopx.model.kind import Kind
from loopx.model.plan import RunSettings
from loopx.model.policy import Ownership
from loopx.model.todo import TodoStatus
from loopx.model.turn import Turn
from loopx.model.workspace import AgentEntry, Policies, ToolEntry
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, PYTEST, T1, T2, Desk, criterion, edited, gate, goal, todo
from tests.support.leases import crew, lease
from tests.unit.kernel.test_kernel_plans import RUN, plan, step

GUARDS: dict[Kind, dict[str, Any]] = {
    Kind.TODO: {
        "depends_on": (T1,),
        "requires": ("production:goal:deploy",),
        "validation": PYTEST,
        "excluded_agents": ("rex",),
        "write_scopes": ("src/**",),
    },
    Kind.GOAL: {
        "acceptance": (criterion(),),
        "boundary": Boundary(write_scopes=("src/**",)),
        "quota": Quota(compute=5),
        "policies": GoalPolicies(ownership=Ownership.LEASE),
        "agents": (Participant(id="bot"),),
    },
    Kind.GATE: {
        "scope": "production:project:deploy",
        "valid_until": START + timedelta(days=1),
    },
    Kind.WORKSPACE: {
        "operators": ("Ann",),
        "agents": (AgentEntry(id="bot"), AgentEntry(id="zed")),
        "policies": Policies(lease_ttl_minutes=5),
        "tools": (ToolEntry(name="make", argv=("make",)),),
        "models": ("large",),
    },
    Kind.PLAN: {
        "steps": (step("s9"),),
        "settings": RunSettings(enable_verification=False),
    },
}
"""A new value for every field that guards work."""


def working(*more: Any) -> Desk:
    """The agent bot holds a live lease in the Goal beta."""
    return crew(todo(claimed_by="bot"), todo(T2, "Draft"), gate(), goal("gamma"), plan(), lease(), *more)


def turn(agent: str = "bot") -> Turn:
    return Turn(id="turn-aaaa1111", agent=agent, opened_at=START, opened_by="op-1", goal="beta")


def before(desk: Desk, kind: Kind) -> Any:
    found = {
        Kind.TODO: desk.todo(T2),
        Kind.GATE: desk.gate(),
        Kind.GOAL: desk.goal(),
        Kind.WORKSPACE: desk.state.config(),
        Kind.PLAN: desk.state.plan(RUN),
    }
    return found[kind]


CASES = [(kind, name) for kind, fields in GUARDS.items() for name in fields]


def test_the_table_here_holds_every_field_that_guards_work() -> None:
    kinds = [kind for kind in Kind if any(mark.guard for mark in marks(CLASSES[kind]).values())]
    assert set(kinds) == set(GUARDS)
    for kind in kinds:
        assert {name for name, mark in marks(CLASSES[kind]).items() if mark.guard} == set(GUARDS[kind])


@pytest.mark.parametrize(("kind", "field"), CASES)
def test_each_guard_waits_while_an_agent_works_and_passes_when_an_operator_takes_it_in(kind: Kind, field: str) -> None:
    desk = working()
    old = before(desk, kind)
    new = edited(old, **{field: GUARDS[kind][field]})
    refused = desk.mistyped(old, new)
    assert refused.code == "guard-edit-waits" and "bot works here" in refused.message
    assert refused.facts["field"] == field and "loopx edit accept" in refused.hint
    desk.typed(old, new, accepted_by=ANN)


@pytest.mark.parametrize(("kind", "field"), CASES)
def test_without_an_agent_at_work_nobody_waits(kind: Kind, field: str) -> None:
    desk = crew(todo(), todo(T2, "Draft"), gate(), plan())
    old = before(desk, kind)
    desk.typed(old, edited(old, **{field: GUARDS[kind][field]}))


@pytest.mark.parametrize("origin", [Origin.HAND, Origin.FOREIGN])
def test_a_commit_made_with_git_says_no_better_who_typed_it(origin: Origin) -> None:
    desk = working()
    new = edited(desk.todo(T2), requires=("production:goal:deploy",))
    assert desk.mistyped(desk.todo(T2), new, origin=origin).code == "guard-edit-waits"


def test_an_open_turn_is_work_too() -> None:
    desk = crew(todo(), turn())
    assert desk.mistyped(desk.todo(), edited(desk.todo(), validation=PYTEST)).code == "guard-edit-waits"


def test_an_agents_work_in_another_goal_holds_up_the_workspace_and_no_other_goal() -> None:
    desk = working()
    desk.typed(desk.state.goal("gamma"), edited(desk.state.goal("gamma"), quota=Quota(compute=1)))
    config = desk.state.config()
    assert desk.mistyped(config, edited(config, operators=("Ann",))).code == "guard-edit-waits"


@pytest.mark.parametrize("at_work", [lease(owner="human-ann"), turn("human-ann")])
def test_a_person_at_work_holds_up_nobody(at_work: Any) -> None:
    desk = crew(todo(), todo(T2, "Draft"), at_work)
    desk.typed(desk.todo(T2), edited(desk.todo(T2), validation=PYTEST))


def test_a_lease_that_ran_out_holds_up_nobody() -> None:
    desk = working()
    desk.wait(minutes=46)
    desk.typed(desk.todo(T2), edited(desk.todo(T2), validation=PYTEST))


def test_an_edit_that_waited_goes_on_waiting_when_the_agent_has_left() -> None:
    desk = crew(todo())
    new = edited(desk.todo(), validation=PYTEST)
    assert desk.mistyped(desk.todo(), new, has_waited=True).code == "guard-edit-waits"
    desk.typed(desk.todo(), new, has_waited=True, accepted_by=ANN)


def test_only_an_operator_takes_it_in_where_there_are_any() -> None:
    desk = working()
    desk.entities[0] = replace(desk.entities[0], operators=("Ben",))  # type: ignore[type-var]
    new = edited(desk.todo(T2), validation=PYTEST)
    assert desk.mistyped(desk.todo(T2), new, accepted_by=ANN).code == "operator-required"
    assert desk.mistyped(desk.todo(T2), new, accepted_by=Actor.parse("agent:bot")).code == "operator-required"
    desk.typed(desk.todo(T2), new, accepted_by=BEN)


@pytest.mark.parametrize("fields", [{"title": "Draft it"}, {"tags": ("docs",)}, {"status": TodoStatus.DONE}])
def test_what_guards_nothing_is_taken_in_beside_an_agent_at_work(fields: dict[str, Any]) -> None:
    desk = working()
    desk.typed(desk.todo(T2), edited(desk.todo(T2), **fields))


def test_new_documents_guard_what_nobody_works_on_yet() -> None:
    working().typed(None, todo("t-cccc3333", "Print it", validation=PYTEST))


def test_what_the_rules_refuse_is_refused_first() -> None:
    desk = working(todo("t-cccc3333", "Print", validation=PYTEST))
    refused = desk.mistyped(desk.todo("t-cccc3333"), todo("t-cccc3333", "Print"), Actor.parse("agent:rex"))
    assert refused.code == "actor-not-permitted"


def test_accepting_never_bypasses_a_guard() -> None:
    desk = working()
    new = edited(desk.todo(T1), status=TodoStatus.DONE, validation=PYTEST)
    assert desk.mistyped(desk.todo(T1), new, accepted_by=ANN).code == "lease-held"
