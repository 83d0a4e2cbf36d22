"""What a boundary leads to: the order of its questions, budgets, waits, deadlocks and the parts that must be there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from loopx.errors import LoopxError
from loopx.loop.boundary import Course, course
from loopx.loop.components.protocols import ComponentType
from loopx.loop.failing import raised
from loopx.loop.keeping.store import SavePoint
from loopx.loop.recovery.registry import RecoveryRegistry
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import ExecutionState, FailureType, RecoveryStrategy, Role, StepStatus
from tests.support.loop import DONE, Human, Planner, Scene, at, step, stuck

E, S = ExecutionState, StepStatus


def leads_to(scene: Scene, running: int = 0, objection: str | None = None) -> Course:
    return course(scene.state, scene.settings, scene.clock, running, objection)


def fail(scene: Scene, identity: str = "a") -> None:
    at(scene, identity, S.RECOVERY_PENDING)
    raised(scene.state, scene.context, FailureType.EVALUATION_FAILED, "no", scene.step(identity))


def test_the_questions_are_asked_in_one_order() -> None:
    """Each scene has every trouble of those that come after it."""
    scene = Scene(step("a"), settings=RunSettings(budgets=Budgets(steps=0)))
    scene.state.failures["f"] = raised(scene.state, scene.context, FailureType.EXECUTION_ERROR, "no")
    at(scene, "a", S.VERIFIED_COMPLETED)
    assert leads_to(scene, objection="no") is Course.STOP_BY_POLICY
    assert leads_to(scene) is Course.COMPLETE
    scene.failure().mark_terminal()
    assert leads_to(scene) is Course.FAIL
    spent = Scene(step("a"), step("b"), settings=RunSettings(budgets=Budgets(steps=0)))
    fail(spent)
    assert leads_to(spent) is Course.EXHAUSTED
    failed = Scene(step("a"), step("b"))
    fail(failed)
    at(failed, "b", S.READY)
    assert leads_to(failed) is Course.RECOVER


def test_independent_steps_go_on_before_anybody_is_waited_for() -> None:
    scene = Scene(step("a"), step("b"))
    fail(scene)
    failure = scene.failure()
    failure.plan(_ask(failure.failure_id))
    failure.mark_in_progress()
    failure.mark_escalated()
    at(scene, "b", S.READY)
    assert leads_to(scene) is Course.ACT
    assert leads_to(scene, running=1) is Course.LINGER
    scene.context.lifecycle.move(scene.state, scene.step("b"), S.PENDING, Role.SYSTEM)
    assert leads_to(scene) is Course.ASK
    scene.state.waiting["b"] = scene.clock.now() + timedelta(seconds=1)
    assert leads_to(scene) is Course.WAIT


def _ask(failure: str):  # type: ignore[no-untyped-def]
    from loopx.loop.failure import RecoveryAction

    return RecoveryAction("a-1", failure, RecoveryStrategy.REQUEST_HUMAN)


@pytest.mark.parametrize("trouble", ["terminal", "spent"])
def test_what_runs_is_taken_before_the_run_ends(trouble: str) -> None:
    scene = Scene(step("a"), step("b"), settings=RunSettings(budgets=Budgets(steps=0 if trouble == "spent" else None)))
    if trouble == "terminal":
        fail(scene)
        scene.failure().mark_terminal()
    assert leads_to(scene, running=1) is Course.LINGER


def test_work_finished_exactly_at_the_limit_is_finished() -> None:
    settings = RunSettings(budgets=Budgets(steps=2, cost=2.0, tokens=20))
    scene = Scene(
        step("a", cost=1.0),
        step("b", cost=1.0),
        actor={each: replace(DONE, cost=1.0, tokens=10) for each in "ab"},
        settings=settings,
    )
    assert scene.run().execution_state is E.COMPLETED


@pytest.mark.parametrize(
    "budgets", [Budgets(steps=2), Budgets(cost=2.0), Budgets(tokens=20), Budgets(seconds=20.0)], ids=str
)
def test_a_run_ends_where_a_budget_does(budgets: Budgets) -> None:
    def act(*_: object) -> object:
        scene.clock.advance(seconds=10)
        return replace(DONE, cost=1.0, tokens=10)

    scene = Scene(*map(step, "abc"), actor=dict.fromkeys("abc", act), settings=RunSettings(budgets=budgets))
    result = scene.run()
    assert (result.execution_state, scene.actor.asked) == (E.BUDGET_EXHAUSTED, ["a", "b"])
    assert result.partial_results == {"a": "done", "b": "done"}
    assert scene.statuses()["c"] == "ready"


@pytest.mark.parametrize(
    "budgets", [Budgets(steps=0), Budgets(cost=0.0), Budgets(tokens=0), Budgets(seconds=0.0)], ids=str
)
def test_a_budget_of_nothing_lets_nothing_run(budgets: Budgets) -> None:
    scene = Scene(step("a"), settings=RunSettings(budgets=budgets))
    assert scene.run().execution_state is E.BUDGET_EXHAUSTED
    assert scene.actor.asked == []


def test_once_a_budget_is_gone_there_is_no_new_recovery() -> None:
    scene = Scene(step("a"), evaluator={"a": False}, settings=RunSettings(budgets=Budgets(steps=1)))
    assert scene.run().execution_state is E.BUDGET_EXHAUSTED
    assert (scene.chosen(), scene.statuses()) == ([], {"a": "evaluation_failed"})


def test_time_is_counted_while_the_run_is_carried_on_and_not_while_it_rests() -> None:
    def act(*_: object) -> object:
        scene.clock.advance(seconds=4)
        return DONE

    settings = RunSettings(budgets=Budgets(seconds=10.0), ladder=(RecoveryStrategy.REQUEST_HUMAN,))
    scene = Scene(step("a"), actor={"a": act}, evaluator={"a": [False, True]}, settings=settings, human=Human())
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    scene.clock.advance(days=3)
    scene.answer("retry")
    assert scene.again().execution_state is E.COMPLETED
    assert scene.state.counters.active_seconds == 8.0


def test_a_retry_that_is_due_after_the_time_is_over_is_not_waited_for() -> None:
    settings = RunSettings(
        budgets=Budgets(seconds=5.0), backoff_base=100.0, ladder=(RecoveryStrategy.RETRY_WITH_BACKOFF,)
    )
    scene = Scene(step("a"), evaluator={"a": False}, settings=settings)
    assert scene.run().execution_state is E.BUDGET_EXHAUSTED
    assert scene.clock.waits == [5.0]


# forecasts


def test_a_step_that_would_pass_the_budget_is_not_begun() -> None:
    scene = Scene(
        step("a", cost=6.0),
        step("b", "a", cost=6.0),
        actor={"a": replace(DONE, cost=6.0)},
        settings=RunSettings(budgets=Budgets(cost=10.0)),
    )
    result = scene.run()
    assert scene.actor.asked == ["a"]
    assert scene.failure().type is FailureType.BUDGET_EXCEEDED
    assert (result.execution_state, result.error) == (E.FAILED, "b is expected to cost 6, and 4 is left")


def test_a_forecast_gives_up_what_is_optional_first_and_abstains_then() -> None:
    settings = RunSettings(budgets=Budgets(cost=10.0), allow_partial=True, allow_abstain=True)
    costs = {each: replace(DONE, cost=6.0) for each in "ab"}
    first = Scene(step("a", cost=6.0), step("b", "a", cost=6.0, optional=True), actor=costs, settings=settings)
    result = first.run()
    assert (result.execution_state, first.chosen()) == (E.PARTIALLY_COMPLETED, ["reduce_scope"])
    assert first.statuses() == {"a": "verified_completed", "b": "skipped"}
    second = Scene(step("a", cost=6.0), step("b", "a", cost=6.0), actor=costs, settings=settings)
    result = second.run()
    assert (result.execution_state, second.chosen()) == (E.ABSTAINED, ["abstain"])
    assert (result.abstention, result.partial_results) == ("b is expected to cost 6, and 4 is left", {"a": "done"})


def test_what_runs_beside_a_step_is_reserved_before_it_begins() -> None:
    settings = RunSettings(budgets=Budgets(cost=10.0), parallel=3)
    scene = Scene(
        *(step(each, cost=4.0, effects=()) for each in "abc"),
        actor={each: replace(DONE, cost=4.0) for each in "abc"},
        settings=settings,
    )
    scene.run()
    assert scene.actor.asked == ["a", "b"]
    assert scene.failure().message == "c is expected to cost 4, and 2 is left"


# deadlocks


def test_a_deadlock_is_offered_to_recovery_once_and_fails_then() -> None:
    scene = stuck(planner=Planner(rest=lambda views, failure: [step("b", "a"), step("c")]))
    result = scene.run()
    assert [each.type for each in scene.state.failures.values()] == [FailureType.PLANNING_FAILURE] * 2
    assert scene.chosen() == ["replan_remaining_task"]
    assert result.execution_state is E.FAILED
    assert result.error == "nothing can run any more; left: b"
    assert scene.actor.asked == ["c"]


def test_a_deadlock_a_planner_resolves_is_none() -> None:
    scene = stuck(planner=Planner(rest=lambda views, failure: [replace(step("b"), title="without a")]))
    result = scene.run()
    assert (result.execution_state, scene.statuses()) == (
        E.PARTIALLY_COMPLETED,
        {"a": "skipped", "b": "verified_completed"},
    )


def test_without_recovery_a_deadlock_is_the_end() -> None:
    scene = stuck(settings=RunSettings(enable_recovery=False))
    assert (scene.run().execution_state, scene.statuses()["b"]) == (E.FAILED, "blocked")


def test_an_empty_plan_is_never_complete() -> None:
    scene = Scene(planner=Planner(create=lambda objective: ()), settings=RunSettings(enable_recovery=False))
    result = scene.run()
    assert (result.execution_state, result.progress) == (E.FAILED, 0.0)
    assert result.error == "ValueError: A plan needs at least one step."


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ((step("a", "b"), step("b", "a")), "The steps a → b → a wait for each other."),
        ((step("a", "z"),), "The step a waits for z, which the plan does not have."),
        ((step("a"), step("a")), "The step a stands twice."),
    ],
)
def test_a_plan_that_is_none_runs_nothing(steps: tuple[object, ...], problem: str) -> None:
    scene = Scene(*steps, settings=RunSettings(enable_recovery=False))  # type: ignore[arg-type]
    result = scene.run()
    assert (result.execution_state, scene.actor.asked) == (E.FAILED, [])
    assert result.error == f"ValueError: {problem}"


def test_a_planner_that_breaks_is_asked_again_for_a_plan() -> None:
    tries = iter([RuntimeError("no idea"), [step("a")]])

    def create(objective: str) -> list[object]:
        found = next(tries)
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[return-value]

    scene = Scene(planner=Planner(create=create))  # type: ignore[arg-type]
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.failure().type, scene.chosen()) == (FailureType.PLANNING_FAILURE, ["replan_remaining_task"])


# parts


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        (RunSettings(), ComponentType.ACTOR),
        (RunSettings(), ComponentType.EVALUATOR),
        (RunSettings(), ComponentType.VERIFIER),
        (RunSettings(enable_observation=True), ComponentType.OBSERVER),
        (RunSettings(enable_specification=True), ComponentType.SPECIFIER),
    ],
)
def test_a_phase_without_its_component_is_refused_before_anything_runs(
    settings: RunSettings, missing: ComponentType
) -> None:
    scene = Scene(step("a"), settings=settings, others={missing: None})
    with pytest.raises(LoopxError) as error:
        scene.run()
    assert (error.value.code, error.value.problem.facts) == ("component-missing", {"component": missing.value})
    assert (scene.state.execution_state, scene.state.trace.count) == (E.INITIALIZED, 0)


def test_a_run_without_a_plan_needs_a_planner() -> None:
    with pytest.raises(LoopxError, match="wants a planner"):
        Scene().run()


@pytest.mark.parametrize("ladder", [(), (RecoveryStrategy.RETRY, RecoveryStrategy.ROLLBACK)])
def test_a_strategy_without_a_handler_is_refused_before_anything_runs(ladder: tuple[RecoveryStrategy, ...]) -> None:
    shipped = RecoveryRegistry.shipped()
    handlers = {each: shipped.handler(each) for each in RecoveryStrategy if each is not RecoveryStrategy.ROLLBACK}
    scene = Scene(step("a"), registry=RecoveryRegistry(handlers), settings=RunSettings(ladder=ladder))  # type: ignore[arg-type]
    with pytest.raises(LoopxError) as error:
        scene.run()
    assert (error.value.code, error.value.problem.facts) == ("handler-missing", {"strategy": "rollback"})
    assert scene.actor.asked == []


def test_without_recovery_no_handler_is_wanted() -> None:
    scene = Scene(step("a"), registry=RecoveryRegistry(), settings=RunSettings(enable_recovery=False))
    assert scene.run().execution_state is E.COMPLETED


# safety


class Safety:
    def __init__(self, *objections: object) -> None:
        self.objections = list(objections)

    def objection(self, view: object, context: object) -> str | None:
        found = self.objections.pop(0)
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("found", "said"),
    [("b writes elsewhere", "b writes elsewhere"), (KeyError("x"), "safety could not be checked: KeyError: 'x'")],
)
def test_an_objection_of_safety_stops_the_run_by_policy(found: object, said: str) -> None:
    scene = Scene(step("a"), step("b", "a"), others={ComponentType.SAFETY: Safety(None, found)})
    result = scene.run()
    assert (result.execution_state, result.error) == (E.POLICY_TERMINATED, said)
    assert (scene.actor.asked, scene.statuses()["b"]) == (["a"], "ready")


# saves


def test_an_intent_is_on_record_before_its_actor_runs_and_an_end_with_the_next_intent() -> None:
    def look(*_: object) -> object:
        seen.append(scene.store.saves[-1])
        return DONE

    seen: list[object] = []
    scene = Scene(step("a"), step("b", "a"), actor={"a": look, "b": look})
    scene.run()
    assert seen == [
        (SavePoint.STARTING, {"a": S.IN_PROGRESS, "b": S.PENDING}),
        (SavePoint.STARTING, {"a": S.VERIFIED_COMPLETED, "b": S.IN_PROGRESS}),
    ]
    assert scene.store.points == [SavePoint.OPENED, SavePoint.STARTING, SavePoint.STARTING, SavePoint.FINISHED]


def test_a_decision_is_on_record_before_it_is_carried_out() -> None:
    scene = Scene(step("a"), evaluator={"a": [False, True]})
    scene.run()
    at_decision = scene.store.points.index(SavePoint.RECOVERY_DECIDED)
    assert scene.store.saves[at_decision][1] == {"a": S.RECOVERY_PENDING}
    assert scene.store.saves[at_decision + 1] == (SavePoint.RECOVERED, {"a": S.READY})


def test_a_store_that_refuses_ends_the_engine_and_not_the_run() -> None:
    scene = Scene(step("a"), step("b", "a"))
    scene.store.fail_at = SavePoint.STARTING
    with pytest.raises(LoopxError) as error:
        scene.run()
    assert error.value.code == "run-moved"
    assert scene.actor.asked == []
