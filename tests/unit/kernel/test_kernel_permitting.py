"""What a step needs a person's yes for, and that no record says it began without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loopx.kernel.commands import DecideGate
from loopx.kernel.plans.permitting import OUTWARD, is_refused, needs_permission, scope_of, uncovered, wanted
from loopx.model.actor import Channel
from loopx.model.gate import DecisionScope, GateStatus
from loopx.model.plan import Action, PlanStep
from loopx.model.step import ExecutionState, StepEffect, StepStatus
from tests.support.kernel import ANN, BOT, G1, G2, Desk, gate
from tests.unit.kernel.test_kernel_plans import RUN, begun, desk, plan, step
from tests.unit.kernel.test_kernel_run_records import OPENED, STARTED, attempt, command, s1

E = StepEffect
DEPLOY = "production:goal:deploy"


def outward(*effects: StepEffect, **fields: Any) -> PlanStep:
    return step("s1", effects=effects or (E.SEND,), **fields)


@pytest.mark.parametrize(("effect", "does"), [(each, each in OUTWARD) for each in E])
def test_what_reaches_outside_needs_a_yes_and_nothing_else_does(effect: StepEffect, does: bool) -> None:
    assert needs_permission(outward(effect)) is does
    assert needs_permission(step("s1", effects=(effect,), requires=(DEPLOY,)))
    assert set(OUTWARD) == {E.SEND, E.PUBLISH, E.MANAGE}


def test_each_effect_is_a_decision_of_its_own_about_this_step_of_this_run() -> None:
    found = wanted(RUN, outward(E.WRITE, E.SEND, E.PUBLISH, E.MANAGE, requires=(DEPLOY,)))
    kinds = [(str(each.kind), str(each.granularity), each.key.partition("@")[0]) for each in found]
    assert kinds == [
        ("production", "goal", "deploy"),
        ("other", "action", f"{RUN}/s1"),
        ("public_claim", "action", f"{RUN}/s1"),
        ("resource", "action", f"{RUN}/s1"),
    ]
    assert all(DecisionScope.parse(str(each)) == each for each in found)


@pytest.mark.parametrize(
    ("change", "is_another"),
    [
        ({"action": Action(argv=("false",))}, True),
        ({"effects": (E.SEND, E.WRITE)}, True),
        ({"write_scopes": ("out/**",)}, True),
        ({"tool": "make"}, True),
        ({"title": "Say it better"}, False),
        ({"depends_on": ("s0",)}, False),
        ({"optional": True}, False),
    ],
)
def test_a_yes_is_to_the_step_as_it_is_written(change: dict[str, Any], is_another: bool) -> None:
    before = outward()
    after = replace(before, **change)
    assert (scope_of(RUN, before, E.SEND) != scope_of(RUN, after, E.SEND)) is is_another


def approved(made: Desk, name: str) -> None:
    answer = DecideGate(gate=name, verb="approve", reason="do", option=None, channel=Channel.TERMINAL, confirmed=True)
    made.do(answer, ANN)


def missing(made: Desk, meant: PlanStep) -> list[str]:
    return [str(each.need) for each in uncovered(made.state, "beta", RUN, meant, made.now)]


@pytest.mark.parametrize("scope", ["own", "other:action:*", "other:goal:*", "other:global:*"])
def test_a_gate_for_it_or_a_wider_one_covers_it_once_it_is_approved(scope: str) -> None:
    meant = outward()
    own = str(scope_of(RUN, meant, E.SEND))
    made = Desk.of(*desk(plan(meant)).entities, gate(G1, own if scope == "own" else scope))
    assert missing(made, meant) == [own]
    approved(made, G1)
    assert missing(made, meant) == []


@pytest.mark.parametrize("scope", [f"other:goal:{RUN}", f"other:action:{RUN}/s1/1", "public_claim:global:*"])
def test_an_answer_to_another_question_of_the_run_covers_nothing(scope: str) -> None:
    meant = outward()
    made = Desk.of(*desk(plan(meant)).entities, gate(G1, scope))
    approved(made, G1)
    assert len(missing(made, meant)) == 1


def test_a_no_is_a_no_until_somebody_is_asked_again() -> None:
    meant = step("s1", requires=(DEPLOY,))
    made = Desk.of(*desk(plan(meant)).entities, gate(G1, DEPLOY, status=GateStatus.REJECTED))
    [found] = uncovered(made.state, "beta", RUN, meant, made.now)
    assert is_refused(found)
    made = Desk.of(*made.entities, gate(G2, DEPLOY))
    [found] = uncovered(made.state, "beta", RUN, meant, made.now)
    assert not is_refused(found) and found.pending is not None


def test_what_cannot_be_understood_is_covered_by_nothing() -> None:
    with pytest.raises(ValueError, match="kind:granularity:key"):
        wanted(RUN, step("s1", requires=("whatever",)))


def opened(meant: PlanStep, *more: Any) -> Desk:
    made = Desk.of(*desk(plan(meant), begun(ExecutionState.INITIALIZED)).entities, *more)
    made.do(command(made, OPENED), BOT)
    return made


@pytest.mark.parametrize("requires", ["", DEPLOY, "whatever"])
def test_no_record_says_that_a_step_began_without_the_yes_it_needs(requires: str) -> None:
    meant = step("s1", requires=(requires,)) if requires else outward()
    made = opened(meant)
    started = command(made, STARTED, s1(StepStatus.IN_PROGRESS, attempt()), steps_executed=1)
    assert made.no(started, BOT).code == "step-unpermitted"


def test_a_step_that_has_its_yes_is_recorded_as_begun() -> None:
    meant = outward()
    made = opened(meant, gate(G1, str(scope_of(RUN, meant, E.SEND))))
    approved(made, G1)
    made.do(command(made, STARTED, s1(StepStatus.IN_PROGRESS, attempt()), steps_executed=1), BOT)


def test_a_replan_in_the_same_record_hides_nothing() -> None:
    from loopx.kernel.plans.planning import meaning_of

    before = plan(outward())
    made = opened(outward())
    harmless = replace(before, steps=(step("s1"),))
    started = command(made, STARTED, s1(StepStatus.IN_PROGRESS, attempt()), steps_executed=1)
    started = replace(started, plan=harmless, replaces=meaning_of(before))
    assert made.no(started, BOT).code == "step-unpermitted"
