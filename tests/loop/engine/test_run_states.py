"""The states of a run: every edge of the table is walked, nothing leaves an end, every set of phases has its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, product

import pytest

from loopx.errors import LoopxError
from loopx.kernel.plans import runs
from loopx.loop.components.protocols import ComponentType
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import ExecutionState, FailureType, RecoveryStrategy, StepStatus, VerificationStatus
from tests.support.loop import NO, Files, Human, Planner, Scene, step

E = ExecutionState
EDGES = {(before, after) for before, afters in runs.TRANSITIONS.items() for after in afters}


class Specifier:
    async def specify(self, objective: str, context: object) -> str:
        return f"{objective}, precisely"


class Observer:
    async def observe(self, view: object, acted: object, context: object) -> dict[str, str]:
        return {"seen": "it"}


class Objecting:
    def objection(self, view: object, context: object) -> str | None:
        return "not this"


OTHERS = {ComponentType.SPECIFIER: Specifier(), ComponentType.OBSERVER: Observer()}


def scenes() -> Iterator[tuple[str, Callable[[], Scene]]]:
    """Runs that between them walk every edge."""
    for specification, is_planned in product((False, True), repeat=2):
        settings = RunSettings(enable_specification=specification)
        planner = Planner(create=lambda objective: [step("a")])
        steps = () if is_planned else (step("a"),)
        yield (
            f"specified {specification}, planned {is_planned}",
            lambda steps=steps, settings=settings, planner=planner: Scene(  # type: ignore[misc]
                *steps, settings=settings, planner=planner, others=OTHERS
            ),
        )
    for observation, evaluation, verification in product((False, True), repeat=3):
        settings = RunSettings(
            enable_observation=observation, enable_evaluation=evaluation, enable_verification=verification
        )
        yield (
            f"observed {observation}, evaluated {evaluation}, verified {verification}",
            lambda settings=settings: Scene(step("a"), settings=settings, others=OTHERS),  # type: ignore[misc]
        )
    yield from endings()
    yield from recoveries()


def endings() -> Iterator[tuple[str, Callable[[], Scene]]]:
    yield "nothing judged holds", lambda: Scene(step("a"), evaluator={"a": False}, settings=one(_S.TERMINATE))
    yield "budget gone", lambda: Scene(step("a"), settings=RunSettings(budgets=Budgets(steps=0)))
    yield "stopped by policy", lambda: Scene(step("a"), others={ComponentType.SAFETY: Objecting()})
    yield "hijacked", lambda: Scene(step("a"), evaluator={"a": replace(NO, failure=FailureType.GOAL_HIJACKING)})
    yield "partly done", partly
    yield (
        "abstained",
        lambda: Scene(step("a"), evaluator={"a": False}, settings=replace(one(_S.ABSTAIN), allow_abstain=True)),
    )
    yield "recovery off", lambda: Scene(step("a"), evaluator={"a": False}, settings=RunSettings(enable_recovery=False))


def recoveries() -> Iterator[tuple[str, Callable[[], Scene]]]:
    def failing(**parts: object) -> Scene:
        return Scene(step("a"), evaluator={"a": [False, True]}, **parts)  # type: ignore[arg-type]

    observed = {"settings": RunSettings(enable_observation=True, enable_evaluation=False), "others": OTHERS}
    yield "rejected by its verifier", lambda: Scene(step("a"), verifier={"a": [False, True]}, **observed)  # type: ignore[arg-type]
    yield "retried", failing
    yield "replanned", lambda: failing(settings=one(_S.REPLAN_STEP), planner=Planner())
    yield "rolled back", lambda: failing(settings=one(_S.ROLLBACK), files=Files())
    for option in ("retry", "replan", "skip", "abstain", "abort"):
        yield (
            f"answered {option}",
            lambda option=option: answered(
                failing(settings=one(_S.REQUEST_HUMAN), human=Human(), planner=Planner()), option
            ),  # type: ignore[misc]
        )
    yield (
        "asked while others go on",
        lambda: Scene(step("a"), step("b"), evaluator={"a": False}, settings=one(_S.REQUEST_HUMAN), human=Human()),
    )


_S = RecoveryStrategy


def one(strategy: RecoveryStrategy) -> RunSettings:
    return RunSettings(ladder=(strategy,))


def partly() -> Scene:
    scene = Scene(step("a"), step("b", optional=True))
    from loopx.model.step import Role

    scene.context.lifecycle.move(scene.state, scene.step("b"), StepStatus.SKIPPED, Role.PLANNER)
    return scene


def answered(scene: Scene, option: str) -> Scene:
    scene.run()
    scene.answer(option)
    return scene


def walked(scene: Scene) -> set[tuple[ExecutionState, ExecutionState]]:
    states = [E.INITIALIZED, *(E(each) for each in scene.run_states())]
    return set(pairwise(states))


def test_every_edge_of_the_table_is_walked_by_some_run_and_no_other() -> None:
    found: set[tuple[ExecutionState, ExecutionState]] = set()
    for _, make in scenes():
        scene = make()
        scene.run()
        found |= walked(scene)
    assert {f"{before} → {after}" for before, after in EDGES - found} == set()
    assert found <= EDGES


@pytest.mark.parametrize("end", [each for each in E if each.is_terminal])
def test_an_end_refuses_every_exit(end: ExecutionState) -> None:
    for to in E:
        scene = Scene(step("a"))
        scene.state.execution_state = end
        with pytest.raises(LoopxError) as raised:
            scene.context.lifecycle.turn(scene.state, to)
        assert raised.value.code == "run-transition-illegal"
        assert scene.state.execution_state is end
        assert scene.state.trace.entries[-1].refused == "run-transition-illegal"


@pytest.mark.parametrize("before", [each for each in E if not each.is_terminal])
def test_a_run_turns_where_the_table_says_and_nowhere_else(before: ExecutionState) -> None:
    for to in E:
        scene = Scene(step("a"))
        scene.state.execution_state = before
        if (before, to) in EDGES:
            scene.context.lifecycle.turn(scene.state, to)
            assert scene.state.execution_state is to
        else:
            with pytest.raises(LoopxError):
                scene.context.lifecycle.turn(scene.state, to)
            assert scene.state.execution_state is before


@pytest.mark.parametrize("planned", [False, True], ids=["written", "planned"])
@pytest.mark.parametrize(
    "phases", list(product((False, True), repeat=5)), ids=lambda on: "".join("01"[each] for each in on)
)
def test_every_set_of_phases_has_its_way_to_the_end(phases: tuple[bool, ...], planned: bool) -> None:
    specification, observation, evaluation, verification, recovery = phases
    settings = RunSettings(
        enable_specification=specification,
        enable_observation=observation,
        enable_evaluation=evaluation,
        enable_verification=verification,
        enable_recovery=recovery,
    )
    steps = [step("a"), step("b", "a"), step("c", "a")]
    scene = Scene(
        *(() if planned else steps), settings=settings, planner=Planner(create=lambda _: steps), others=OTHERS
    )
    result = scene.run()
    assert (result.execution_state, result.progress) == (E.COMPLETED, 1.0)
    assert result.verification_status is (VerificationStatus.VERIFIED if verification else VerificationStatus.DISABLED)
    assert (E.SPECIFYING.value in scene.run_states()) is specification
    assert (E.PLANNING.value in scene.run_states()) is planned
    assert scene.run_states().count(E.OBSERVING) == 3 * observation
    assert scene.run_states().count(E.EVALUATING) == len(scene.evaluator.asked) == 3 * evaluation
    assert scene.run_states().count(E.VERIFYING) == len(scene.verifier.asked) == 3 * verification
    assert scene.state.plan.objective == ("reach it, precisely" if specification else "reach it")
    assert {each.evaluation_passed for each in scene.state.plan.steps} == ({True} if evaluation else {None})
    assert {each.verification_passed for each in scene.state.plan.steps} == ({True} if verification else {None})
