"""Verdicts: every reason why a Todo is not runnable has a name, and none hides another."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import CompleteTodo, DecideGate
from loopx.kernel.conditions import Wake, waking
from loopx.kernel.environment import Unknown
from loopx.kernel.state import MemorySource, State
from loopx.kernel.verdicts import RULES, ReasonCode, Verdict, verdict
from loopx.model.actor import Channel
from loopx.model.effect import Effect, EffectStatus
from loopx.model.gate import GateStatus
from loopx.model.goal import GoalStatus, Participant
from loopx.model.records import EvidenceKind
from loopx.model.todo import TodoClass, TodoStatus
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, E1, G1, REX, T1, T2, T3, Desk, config, edited, evidence, gate, goal, todo

DEPLOY = "production:goal:deploy"


def desk_with(*entities: Any, **fields: Any) -> Desk:
    return Desk.of(goal(), todo(**fields), *entities)


def deferred(until: str | None, *entities: Any) -> Desk:
    return desk_with(*entities, status=TodoStatus.DEFERRED, resume_when=until)


class Project(Unknown):
    """A project that goes by these names; nothing else is known of it."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)

    def repositories(self) -> frozenset[str]:
        return self._names


def effect(**fields: Any) -> Effect:
    """An act for T1 of which nobody knows whether it happened."""
    known = {"id": "x-aaaa1111", "summary": "Deploy", "agent": "bot", "todo": T1, "readback_due_at": START}
    return Effect(**{"opened_at": START, "opened_by": "op-1", "goal": "beta", **known, **fields})


def codes(found: Verdict) -> list[str]:
    return [each.code.value for each in found.reasons]


def wake(desk: Desk) -> Wake:
    return waking(desk.state, desk.todo(), desk.now).wake


def test_plain_open_work_of_an_active_goal_is_runnable() -> None:
    verdict = desk_with().verdict()
    assert verdict.is_runnable and verdict.reasons == ()


@pytest.mark.parametrize("status", [each for each in GoalStatus if each is not GoalStatus.ACTIVE])
def test_a_goal_that_is_not_active_is_named(status: GoalStatus) -> None:
    desk = Desk.of(goal(status=status), todo())
    (reason,) = desk.verdict().reasons
    assert reason.code is ReasonCode.GOAL_NOT_ACTIVE and reason.facts == {"goal": "beta", "status": status.value}


def test_a_goal_nobody_wrote_is_named() -> None:
    assert Desk.of(todo()).reasons() == ["goal-not-active"]


@pytest.mark.parametrize("status", [TodoStatus.DONE, TodoStatus.SUPERSEDED, TodoStatus.CANCELLED])
def test_closed_work_has_that_one_reason(status: TodoStatus) -> None:
    assert desk_with(status=status, depends_on=("t-zzzz9999",)).reasons() == ["todo-closed"]


def test_blocked_work_says_why() -> None:
    (reason,) = desk_with(status=TodoStatus.BLOCKED, reason="no access").verdict().reasons
    assert reason.code is ReasonCode.TODO_BLOCKED and "no access" in reason.message


@pytest.mark.parametrize(
    ("until", "entities", "expected"),
    [
        (f"todo_done:{T2}", [todo(T2, "Draft")], Wake.WAITING),
        (f"todo_done:{T2}", [todo(T2, "Draft", status=TodoStatus.DONE)], Wake.MET),
        (f"todo_done:{T2}", [todo(T2, "Draft", status=TodoStatus.CANCELLED)], Wake.DEAD),
        (f"todo_done:{T2}", [todo(T2, "Draft", todo_class=TodoClass.MONITOR)], Wake.DEAD),
        (f"todo_done:{T2}", [todo(T2, "Draft", depends_on=(T1,))], Wake.DEAD),
        (f"todo_done:{T2}", [], Wake.DEAD),
        (
            f"todo_done:{T2}",
            [
                todo(T2, "Draft", status=TodoStatus.SUPERSEDED, superseded_by=(T3,)),
                todo(T3, "Better", status=TodoStatus.DONE),
            ],
            Wake.MET,
        ),
        (f"gate_approved:{G1}", [gate()], Wake.WAITING),
        (f"gate_approved:{G1}", [gate(status=GateStatus.DEFERRED)], Wake.WAITING),
        (f"gate_approved:{G1}", [gate(status=GateStatus.REJECTED)], Wake.DEAD),
        (f"gate_approved:{G1}", [gate(status=GateStatus.WITHDRAWN)], Wake.DEAD),
        (f"gate_approved:{G1}", [], Wake.DEAD),
        ("at:2026-03-02T09:00:00Z", [], Wake.MET),
        ("at:2026-03-02T09:00:01Z", [], Wake.WAITING),
        ("at:soon", [], Wake.DEAD),
        (f"evidence:{E1}", [evidence()], Wake.MET),
        ("evidence:ci/main", [evidence(references=("ci/main",), kind=EvidenceKind.READBACK)], Wake.MET),
        ("evidence:ci/main", [evidence()], Wake.WAITING),
        ("capability:gpu", [config(AgentEntry(id="bot", capabilities=("gpu",)))], Wake.MET),
        ("capability:gpu", [config(AgentEntry(id="bot"))], Wake.WAITING),
        ("pr_merged:#12", [], Wake.WAITING),
        (None, [], Wake.DEAD),
    ],
)
def test_a_wake_condition_is_met_waited_for_or_dead(until: str | None, entities: list[Any], expected: Wake) -> None:
    desk = deferred(until, *entities)
    assert wake(desk) is expected
    (reason,) = desk.verdict().reasons
    assert reason.code is (ReasonCode.CONDITION_DEAD if expected is Wake.DEAD else ReasonCode.TODO_DEFERRED)
    assert reason.facts["wake"] == expected.value


def test_an_approved_gate_wakes() -> None:
    desk = deferred(f"gate_approved:{G1}", gate())
    desk.do(DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.PAGE))
    assert wake(desk) is Wake.MET


@pytest.mark.parametrize(
    ("other", "code", "said"),
    [
        (todo(T2, "Draft"), "dependency-unmet", "is open"),
        (todo(T2, "Draft", status=TodoStatus.CANCELLED), "dependency-dead", "depend on something else"),
        (todo(T2, "Watch", todo_class=TodoClass.MONITOR), "dependency-impossible", "standing monitor"),
        (todo(T2, "Draft", depends_on=(T1,)), "dependency-cycle", "take one of the dependencies away"),
        (todo(T3, "Other"), "dependency-unknown", "correct what it depends on"),
    ],
)
def test_B14_an_impossible_prerequisite_is_named_with_its_repair(other: Any, code: str, said: str) -> None:
    desk = desk_with(other, depends_on=(T2,))
    (reason,) = desk.verdict().reasons
    assert reason.code.value == code and said in reason.message and reason.facts["id"] == T2


def test_B14_a_monitor_that_was_done_is_no_obstacle() -> None:
    done = todo(T2, "Watch", todo_class=TodoClass.MONITOR, status=TodoStatus.DONE)
    assert desk_with(done, depends_on=(T2,)).verdict().is_runnable


def test_a_todo_that_depends_on_itself_is_a_circle() -> None:
    assert desk_with(depends_on=(T1,)).reasons() == ["dependency-cycle"]


def test_replacements_that_replace_each_other_end() -> None:
    one = todo(T2, "One", status=TodoStatus.SUPERSEDED, superseded_by=(T3,))
    two = todo(T3, "Two", status=TodoStatus.SUPERSEDED, superseded_by=(T2,))
    assert desk_with(one, two, depends_on=(T2,)).reasons() == ["dependency-dead"]


def test_a_long_chain_is_followed() -> None:
    chain = [todo(f"t-chain{n:03}", f"Step {n}", depends_on=(f"t-chain{n + 1:03}",)) for n in range(500)]
    desk = desk_with(*chain, todo("t-chain500", "Last"), depends_on=("t-chain000",))
    assert desk.reasons() == ["dependency-unmet"]


def test_decisions_are_required_pending_or_covered() -> None:
    desk = desk_with(requires=(DEPLOY,))
    (reason,) = desk.verdict().reasons
    assert reason.code is ReasonCode.GATE_REQUIRED and reason.facts == {"scope": DEPLOY}
    desk.entities.append(gate())
    (reason,) = desk.verdict().reasons
    assert reason.code is ReasonCode.GATE_PENDING and reason.facts == {"scope": DEPLOY, "gate": G1}
    assert "May it go live?" in reason.message
    desk.do(DecideGate(gate=G1, verb="approve", reason="fine", channel=Channel.PAGE))
    assert desk.verdict().is_runnable


def test_a_scope_nobody_can_read_is_covered_by_nothing() -> None:
    assert desk_with(gate(scope="x"), requires=("deploy",)).reasons() == ["gate-required"]


def test_a_claim_keeps_others_away_and_not_its_holder() -> None:
    desk = desk_with(claimed_by="bot")
    assert desk.reasons(actor=REX) == desk.reasons(actor=ANN) == ["claimed-by-other"]
    assert desk.verdict(actor=BOT).is_runnable and desk.verdict(actor=None).is_runnable


def test_an_exclusion_keeps_that_agent_away() -> None:
    desk = desk_with(excluded_agents=("bot",))
    assert desk.reasons(actor=BOT) == ["agent-excluded"]
    assert desk.verdict(actor=REX).is_runnable and desk.verdict(actor=ANN).is_runnable


def test_capabilities_come_from_the_workspace_and_the_goal() -> None:
    needing = todo(capabilities=("gpu", "browser"))
    desk = Desk.of(goal(), config(AgentEntry(id="bot", capabilities=("gpu",))), needing)
    (reason,) = desk.verdict(actor=BOT).reasons
    assert reason.code is ReasonCode.CAPABILITY_MISSING and reason.facts == {"missing": ["browser"]}
    assert desk.verdict(actor=ANN).is_runnable
    desk.entities[0] = goal(agents=(Participant(id="bot", capabilities=("browser",)),))
    assert desk.verdict(actor=BOT).is_runnable


@pytest.mark.parametrize(
    ("sort", "person"), [(TodoClass.MONITOR, False), (TodoClass.USER_ACTION, True), (TodoClass.BLOCKER, True)]
)
def test_what_is_no_work_for_an_agent_is_named(sort: TodoClass, person: bool) -> None:
    desk = desk_with(todo_class=sort)
    assert desk.reasons(actor=BOT) == desk.reasons(actor=None) == ["not-work"]
    assert desk.verdict(actor=ANN).is_runnable is person


def test_work_in_another_repository_is_named_and_one_nobody_knows_stops_nothing() -> None:
    desk = desk_with(repository="Acme/Site")
    for project, expected in ((Project("acme/tools"), ["repository-elsewhere"]), (Project("acme/site", "site"), [])):
        assert codes(verdict(State(MemorySource(desk.entities), project), desk.todo(), ANN, desk.now)) == expected
    assert desk.verdict().is_runnable


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ([effect()], ["effect-unknown"]),
        ([effect(todo=T2, write_scopes=("docs/**",))], ["effect-unknown"]),
        ([effect(todo=T2, write_scopes=("src/**",))], []),
        ([effect(status=EffectStatus.ABSENT)], []),
        ([effect(status=EffectStatus.CONFIRMED)], []),
    ],
    ids=["its own", "overlapping scopes", "other scopes", "did not happen", "happened"],
)
def test_work_stands_still_while_nobody_knows_whether_something_outside_happened(
    effects: list[Effect], expected: list[str]
) -> None:
    assert desk_with(*effects, write_scopes=("docs/guide.md",)).reasons(actor=ANN) == expected


def test_every_reason_is_told_in_the_order_of_the_rules() -> None:
    desk = Desk.of(
        goal(status=GoalStatus.PAUSED),
        todo(
            status=TodoStatus.BLOCKED,
            depends_on=(T2,),
            requires=(DEPLOY,),
            claimed_by="rex",
            excluded_agents=("bot",),
            capabilities=("gpu",),
            todo_class=TodoClass.USER_ACTION,
            repository="acme/site",
        ),
        effect(),
    )
    assert codes(verdict(State(MemorySource(desk.entities), Project("acme/tools")), desk.todo(), BOT, desk.now)) == [
        "goal-not-active",
        "todo-blocked",
        "dependency-unknown",
        "gate-required",
        "claimed-by-other",
        "agent-excluded",
        "capability-missing",
        "repository-elsewhere",
        "effect-unknown",
        "not-work",
    ]
    assert len(RULES) == 11, "a lease and a claim are told of one at a time"


def test_whatever_is_runnable_for_a_person_can_be_done_by_them() -> None:
    desk = desk_with(todo(T2, "Draft"), depends_on=(T2,))
    desk.do(CompleteTodo(todo=T2))
    assert desk.verdict(actor=ANN).is_runnable
    desk.do(CompleteTodo(todo=T1), ANN)


def test_a_deferral_on_a_condition_forgotten_is_dead() -> None:
    desk = desk_with()
    desk.entities[1] = edited(desk.todo(), status=TodoStatus.DEFERRED, resume_when="later:maybe")
    assert desk.reasons() == ["condition-dead"]
