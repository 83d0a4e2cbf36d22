"""Whatever the plan and whatever goes wrong: the books are right, the limits hold, and the run comes to a rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.errors import LoopxError
from loopx.kernel.plans import runs, steps
from loopx.loop import trace
from loopx.loop.components.protocols import Acted, ComponentType, Verdict
from loopx.loop.plan import Plan
from loopx.model.plan import Budgets, PlanStep, RunSettings
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    Resumption,
    Role,
    SkipPolicy,
    StepEffect,
    StepStatus,
    VerificationStatus,
)
from tests.support.loop import DONE, GONE, Files, Human, Planner, Prober, Scene, step

OUTCOMES: Mapping[str, Any] = {
    "done": DONE,
    "failed": Acted(AttemptOutcome.FAILED, "no", 1),
    "gone": GONE,
    "timed out": replace(GONE, failure=FailureType.TIMEOUT),
    "not started": Acted(AttemptOutcome.NOT_STARTED),
    "raised": RuntimeError("torn off"),
}
VERDICTS: Mapping[str, Any] = {
    "yes": True,
    "no": False,
    "drift": Verdict(False, "off the track", failure=FailureType.SEMANTIC_DRIFT),
    "down": ConnectionError("down"),
}
OPTIONS = ("retry", "replan", "skip", "abstain", "abort")


@st.composite
def plans(draw: st.DrawFn) -> list[PlanStep]:
    names = [f"s{number}" for number in range(draw(st.integers(1, 6)))]
    found = []
    for number, name in enumerate(names):
        after = draw(st.lists(st.sampled_from(names[:number]), max_size=2, unique=True)) if number else []
        found.append(
            step(
                name,
                *after,
                recover=draw(st.sampled_from(Resumption)),
                optional=draw(st.booleans()),
                critical=draw(st.booleans()),
                irreversible=draw(st.integers(0, 4)) == 0,
                tool=draw(st.sampled_from([None, "one"])),
                skip=draw(st.sampled_from([None, *SkipPolicy])),
                effects=draw(st.sampled_from([(StepEffect.WRITE,), (StepEffect.READ,)])),
                write_scopes=draw(st.sampled_from([(), ("src",), ("docs",)])),
                cost=draw(st.sampled_from([0.0, 1.0])),
            )
        )
    return draw(st.permutations(found))


LINES = st.lists(st.sampled_from(sorted(OUTCOMES)), min_size=1, max_size=4)
SAID = st.lists(st.sampled_from(sorted(VERDICTS)), min_size=1, max_size=4)
SETTINGS = st.builds(
    RunSettings,
    enable_evaluation=st.booleans(),
    enable_verification=st.booleans(),
    enable_recovery=st.integers(0, 5).map(bool),
    max_retry_attempts=st.integers(0, 3),
    max_attempts_per_failure=st.integers(1, 8),
    max_replans=st.integers(0, 2),
    max_recoveries=st.integers(0, 30),
    allow_partial=st.booleans(),
    allow_abstain=st.booleans(),
    parallel=st.integers(1, 3),
    budgets=st.builds(Budgets, steps=st.none() | st.integers(0, 12), cost=st.none() | st.floats(0, 5)),
)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    plan = draw(plans())
    every = [each.id for each in plan]

    def lines(of: st.SearchStrategy[list[str]], table: Mapping[str, Any]) -> dict[str, list[Any]]:
        return {name: [table[each] for each in draw(of)] for name in every}

    return Scene(
        *plan,
        settings=draw(SETTINGS),
        actor=lines(LINES, OUTCOMES),
        evaluator=lines(SAID, VERDICTS),
        verifier=lines(SAID, VERDICTS),
        planner=Planner() if draw(st.booleans()) else None,
        human=Human() if draw(st.booleans()) else None,
        files=Files() if draw(st.booleans()) else None,
        tools=["one", "two"] if draw(st.booleans()) else [],
        others={ComponentType.PROBER: Prober({name: draw(st.booleans()) for name in every})},
    )


@settings(max_examples=150)
@given(scenes(), st.lists(st.sampled_from(OPTIONS), max_size=4))
def test_whatever_happens_the_invariants_hold(scene: Scene, answers: list[str]) -> None:
    verified: dict[str, Any] = {}
    result = scene.run()
    hold(scene, verified)
    for option in answers:
        if result.execution_state is not ExecutionState.WAITING_FOR_HUMAN:
            break
        try:
            scene.answer(option)
        except LoopxError as error:
            assert error.code == "answer-impossible", error
        result = scene.again()
        hold(scene, verified)
    assert result.is_finished or result.execution_state is ExecutionState.WAITING_FOR_HUMAN


def hold(scene: Scene, verified: dict[str, Any]) -> None:
    """Every invariant, at a rest of the run. ``verified`` remembers what was complete at the rest before."""
    lines_are_legal(scene)
    counts_are_right(scene)
    limits_hold(scene)
    claims_are_covered(scene)
    for name, facts in verified.items():
        found = scene.step(name)
        assert (found.meant, found.output, found.status) == facts
    for each in scene.state.plan.steps:
        if each.status is StepStatus.VERIFIED_COMPLETED:
            verified[each.id] = (each.meant, each.output, each.status)


def lines_are_legal(scene: Scene) -> None:
    entries = scene.state.trace.entries
    assert trace.first_break(entries) is None
    for each in entries:
        if each.refused is not None:
            continue
        if each.entity == "run":
            assert runs.may_turn(ExecutionState(each.before or ""), ExecutionState(each.after))
        elif each.entity.startswith("step") and each.before is not None:
            assert steps.problem(StepStatus(each.before), StepStatus(each.after), Role(each.role)) is None


def counts_are_right(scene: Scene) -> None:
    plan = scene.state.plan
    fresh = Plan("x", list(plan.steps))
    assert [plan.count(each) for each in StepStatus] == [fresh.count(each) for each in StepStatus]
    assert plan.get_progress() == fresh.get_progress()
    assert plan.is_complete() == fresh.is_complete()
    for each in plan.steps:
        assert set(each.dependencies).isdisjoint(plan.archived) or each.status.is_terminal
        if each.status in (StepStatus.PENDING, StepStatus.READY, StepStatus.BLOCKED):
            assert plan.standing(each) is fresh.standing(each)


def limits_hold(scene: Scene) -> None:
    limits, state = scene.settings, scene.state
    by_hand = sum(action.params.get("by") == "human" for each in state.failures.values() for action in each.actions)
    rollbacks = sum(
        action.success and action.strategy == "rollback" for each in state.failures.values() for action in each.actions
    )
    for each in (*state.plan.steps, *state.plan.archived.values()):
        assert each.retry_count <= limits.max_retry_attempts + by_hand
        assert len(each.attempts) <= 1 + limits.max_retry_attempts + by_hand + rollbacks
        if each.meant.irreversible:
            assert len(each.attempts) <= 1 + by_hand
        unknown = [old for old in each.attempts[:-1] if old.outcome is AttemptOutcome.UNKNOWN]
        if each.meant.action.recover is not Resumption.REPEAT:
            assert len(unknown) <= by_hand
    assert state.counters.recoveries <= limits.max_recoveries
    assert limits.budgets.steps is None or state.counters.steps_executed <= limits.budgets.steps
    if not limits.enable_recovery:
        assert state.counters.recoveries == 0


def claims_are_covered(scene: Scene) -> None:
    state, limits = scene.state, scene.settings
    for each in state.plan.steps:
        if each.status is StepStatus.VERIFIED_COMPLETED:
            assert each.evaluation_passed is (True if limits.enable_evaluation else None)
            assert each.verification_passed is (True if limits.enable_verification else None)
        if each.status is StepStatus.IN_PROGRESS:
            assert not state.execution_state.is_terminal
    if not limits.enable_verification:
        assert state.verification_status is VerificationStatus.DISABLED
    if state.execution_state in (ExecutionState.COMPLETED, ExecutionState.PARTIALLY_COMPLETED):
        assert state.plan.is_complete()
        assert not any(each.status is FailureStatus.TERMINAL for each in state.failures.values())
