"""ROLLBACK and REDUCE_SCOPE: files that go back, and what is given up so that the rest can be done."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from loopx.errors import LoopxError
from loopx.loop.components.protocols import Acted
from loopx.loop.failing import raised
from loopx.loop.recovery.handlers import HANDLERS
from loopx.loop.recovery.handlers.reducing import dispensable
from loopx.model.plan import RunSettings
from loopx.model.step import (
    AttemptOutcome,
    ExecutionState,
    FailureStatus,
    FailureType,
    RecoveryStrategy,
    SkipPolicy,
    StepStatus,
)
from tests.support.loop import DONE, GONE, NO, Files, Human, Planner, Scene, at, step

E, S, R = ExecutionState, StepStatus, RecoveryStrategy
DRIFT = replace(NO, failure=FailureType.SEMANTIC_DRIFT)


# rollback


def written(files: Files, text: str, cost: object = DONE) -> Any:
    def act(*_: Any) -> Any:
        files.text = text
        return cost

    return act


def test_a_roll_back_goes_to_the_baseline_while_nothing_is_verified() -> None:
    files = Files("as found")
    scene = Scene(step("a"), actor={"a": written(files, "drift")}, evaluator={"a": [DRIFT, True]}, files=files)
    scene.run()
    assert files.restored == [scene.state.baseline]
    assert files.kept[str(scene.state.baseline)] == "as found"


def test_a_mismatch_makes_the_failure_terminal() -> None:
    files = Files()
    files.spoil = True
    scene = Scene(step("a"), evaluator={"a": DRIFT}, files=files, planner=Planner(), human=Human())
    result = scene.run()
    assert (result.execution_state, scene.chosen()) == (E.FAILED, ["rollback"])
    assert scene.failure().status is FailureStatus.TERMINAL
    assert scene.failure().actions[0].message == "the files are not as the snapshot holds them"


def test_a_restore_that_is_refused_leaves_the_next_rung() -> None:
    class Guarded(Files):
        def restore(self, snapshot: str) -> str:
            raise LoopxError("run-moved", "somebody else changed notes.txt")

    scene = Scene(step("a"), evaluator={"a": [DRIFT, True]}, files=Guarded(), planner=Planner())
    assert scene.run().execution_state is E.COMPLETED
    assert scene.chosen() == ["rollback", "replan_step"]
    assert scene.failure().actions[0].message == "somebody else changed notes.txt"


def test_nothing_goes_back_over_work_that_was_verified_without_a_snapshot() -> None:
    files = Files()

    def refuse(*_: Any) -> Any:
        files.refuse = LoopxError("run-moved", "disk full")
        return DONE

    scene = Scene(
        step("a"), step("b", "a"), actor={"a": refuse}, evaluator={"b": [DRIFT, True]}, files=files, planner=Planner()
    )
    assert scene.run().execution_state is E.COMPLETED
    assert scene.state.baseline is not None
    assert (files.restored, scene.chosen()) == ([], ["replan_step"])
    assert scene.step("a").metadata["snapshot_error"] == "disk full"


def test_without_a_baseline_the_run_goes_on_and_says_so() -> None:
    files = Files()
    files.refuse = LoopxError("run-moved", "disk full")
    scene = Scene(step("a"), evaluator={"a": [DRIFT, True]}, files=files, planner=Planner())
    assert scene.run().execution_state is E.COMPLETED
    assert scene.moves("artifact") == [(None, "none", "system")]
    assert scene.chosen() == ["replan_step"]


def test_a_roll_back_stops_at_work_that_cannot_be_undone() -> None:
    scene = Scene(
        step("a", irreversible=True, effects=()),
        step("b", effects=()),
        evaluator={"a": False, "b": [DRIFT, True]},
        files=Files(),
        human=Human(),
        planner=Planner(),
    )
    scene.run()
    assert "rollback" not in scene.chosen()
    assert scene.actor.times("a") == 1


def test_every_step_that_was_begun_and_is_not_verified_is_reset() -> None:
    statuses = [
        S.EXECUTED,
        S.EVALUATED,
        S.EVALUATION_FAILED,
        S.VERIFICATION_FAILED,
        S.RECOVERY_PENDING,
        S.RETRY_PENDING,
    ]
    scene = Scene(step("done"), *(step(f"s{n}") for n in range(len(statuses))), files=Files())
    at(scene, "done", S.VERIFIED_COMPLETED)
    for number, status in enumerate(statuses):
        at(scene, f"s{number}", status)
    scene.state.waiting["s5"] = scene.clock.now()
    assert scene.files is not None
    scene.state.last_snapshot = scene.files.take("done")
    scene.state.execution_state = E.RECOVERING
    failure = raised(scene.state, scene.context, FailureType.SEMANTIC_DRIFT, "no", scene.step("s4"))
    draft = scene.state.draft()
    assert scene.context.registry is not None
    result = asyncio.run(
        scene.context.registry.execute(R.ROLLBACK, failure, draft.plan.step("s4"), draft, scene.context)
    )
    assert result.success
    assert {draft.plan.status(f"s{n}") for n in range(len(statuses))} == {S.PENDING}
    assert draft.plan.status("done") is S.VERIFIED_COMPLETED
    assert [draft.plan.step(f"s{n}").output for n in range(len(statuses))] == [None] * len(statuses)
    assert draft.waiting == {}


def test_a_roll_back_beside_a_step_that_runs_is_refused() -> None:
    scene = Scene(step("a"), step("b"), files=Files())
    assert scene.files is not None and scene.context.registry is not None
    scene.state.baseline = scene.files.take("baseline")
    at(scene, "a", S.RECOVERY_PENDING)
    at(scene, "b", S.IN_PROGRESS)
    failure = raised(scene.state, scene.context, FailureType.SEMANTIC_DRIFT, "no", scene.step("a"))
    draft = scene.state.draft()
    result = asyncio.run(
        scene.context.registry.execute(R.ROLLBACK, failure, draft.plan.step("a"), draft, scene.context)
    )
    assert (result.success, result.message) == (False, "Steps are still running.")
    assert scene.files.restored == []


def test_a_roll_back_that_is_not_quite_one_is_thrown_away() -> None:
    for spoil in ("untraced", "unlike", "unreset"):
        scene = Scene(step("a"), files=Files())
        assert scene.files is not None and scene.context.registry is not None
        scene.state.baseline = scene.files.take("baseline")
        at(scene, "a", S.RECOVERY_PENDING)
        scene.state.execution_state = E.RECOVERING
        failure = raised(scene.state, scene.context, FailureType.SEMANTIC_DRIFT, "no", scene.step("a"))
        draft = scene.state.draft()
        found, handler = draft.plan.step("a"), HANDLERS[R.ROLLBACK]()
        asyncio.run(scene.context.registry.execute(R.ROLLBACK, failure, found, draft, scene.context))
        assert handler.violations(found, draft) == ()
        if spoil == "untraced":
            draft.trace.lines[:] = [line for line in draft.trace.lines if line[1] != "artifact"]
        elif spoil == "unlike":
            next(line[7] for line in draft.trace.lines if line[1] == "artifact")["tree"] = "else"  # type: ignore[index]
        else:
            found._status = S.RETRY_PENDING
            draft.plan._counts[S.RETRY_PENDING] += 1
        assert len(handler.violations(found, draft)) == 1, spoil


# reducing scope


def test_what_is_optional_and_needed_by_nothing_required_is_given_up() -> None:
    scene = Scene(
        step("a"),
        step("needed", "a", optional=True),
        step("required", "needed"),
        step("nice", optional=True),
        step("nicer", "nice", optional=True),
        step("held", optional=True, skip=SkipPolicy.BLOCK),
    )
    assert dispensable(scene.state) == ["nice", "nicer"]
    at(scene, "nice", S.IN_PROGRESS)
    assert dispensable(scene.state) == ["nicer"]


def test_a_reduced_scope_is_documented_and_the_goal_stays_as_it_is() -> None:
    scene = Scene(
        step("a"),
        step("b", optional=True),
        step("c", "b", optional=True),
        evaluator={"b": False},
        settings=RunSettings(ladder=(R.REDUCE_SCOPE,), allow_partial=True),
    )
    result = scene.run()
    assert (result.execution_state, scene.statuses()) == (
        E.PARTIALLY_COMPLETED,
        {"a": "verified_completed", "b": "skipped", "c": "skipped"},
    )
    scope = scene.state.plan.scope
    assert scope is not None
    assert (scope.original_objective, scope.dropped, scope.reason) == ("reach it", ("b", "c"), "not good enough")
    assert (scene.state.plan.objective, scene.state.plan.version) == ("reach it (without b, c)", 2)


def test_a_scope_that_is_reduced_twice_remembers_the_first_objective() -> None:
    scene = Scene(
        step("a", optional=True),
        step("b", optional=True, skip=SkipPolicy.BLOCK),
        step("c"),
        evaluator={"a": False, "c": [False, True]},
        settings=RunSettings(ladder=(R.REDUCE_SCOPE, R.RETRY), allow_partial=True),
    )
    scene.run()
    first = scene.state.plan.scope
    assert first is not None and first.dropped == ("a",)
    scene.step("b").meant = replace(scene.step("b").meant, skip=None)
    scene.state.execution_state = E.RECOVERING
    draft = scene.state.draft()
    draft.plan.step("b")._status = S.PENDING
    failure = raised(draft, scene.context, FailureType.BUDGET_EXCEEDED, "too dear", draft.plan.step("b"))
    result = asyncio.run(HANDLERS[R.REDUCE_SCOPE]().execute(failure, draft.plan.step("b"), draft, scene.context))
    assert result.success and draft.plan.scope is not None
    assert (draft.plan.scope.original_objective, draft.plan.scope.dropped) == ("reach it", ("a", "b"))
    assert draft.plan.objective == "reach it (without a, b)"


def test_the_rest_is_planned_anew_where_a_planner_is() -> None:
    planner = Planner(rest=lambda views, _: [replace(step("c"), title="smaller")])
    scene = Scene(
        step("a"),
        step("b", optional=True),
        step("c", "a"),
        evaluator={"b": False},
        planner=planner,
        settings=RunSettings(ladder=(R.REDUCE_SCOPE,), allow_partial=True),
    )
    scene.run()
    assert planner.calls == ["revise_plan"]
    assert (scene.step("c").title, scene.state.plan.version) == ("smaller", 2)
    assert scene.statuses()["b"] == "skipped"


def test_nothing_is_given_up_for_a_needed_step_that_would_still_be_failed() -> None:
    scene = Scene(
        step("a"),
        step("b", optional=True),
        evaluator={"a": False},
        planner=Planner(rest=lambda views, _: [each.meant for each in views]),
        settings=RunSettings(ladder=(R.REDUCE_SCOPE,), allow_partial=True),
    )
    scene.run()
    assert scene.failure().actions[0].message == "a is needed, and was not planned anew."
    assert (scene.chosen(), scene.statuses()) == (["reduce_scope", "terminate"], {"a": "failed", "b": "ready"})


def test_a_retry_that_waits_can_be_given_up() -> None:
    scene = Scene(step("a"), step("b", optional=True), settings=RunSettings(allow_partial=True))
    at(scene, "b", S.RETRY_PENDING)
    scene.state.waiting["b"] = scene.clock.now()
    failure = raised(scene.state, scene.context, FailureType.BUDGET_EXCEEDED, "too dear")
    draft = scene.state.draft()
    result = asyncio.run(HANDLERS[R.REDUCE_SCOPE]().execute(failure, None, draft, scene.context))
    assert (result.success, draft.plan.status("b"), draft.waiting) == (True, S.SKIPPED, {})


# what an execution nobody knows the end of left


def test_files_are_kept_as_an_execution_left_them_whose_end_is_not_known() -> None:
    files = Files()
    scene = Scene(step("a"), actor={"a": written(files, "half", GONE)}, files=files, human=Human())
    scene.run()
    assert files.kept[str(scene.step("a").snapshot)] == "half"


def test_an_execution_that_never_began_left_nothing() -> None:
    files = Files()
    never = Acted(AttemptOutcome.NOT_STARTED, message="no such program")
    scene = Scene(step("a"), actor={"a": written(files, "somebody's", never)}, files=files, human=Human())
    scene.run()
    assert list(files.kept.values()) == ["start"]


def test_files_are_kept_as_an_execution_left_them_that_was_cut_short() -> None:
    async def slow(*_: object) -> object:
        files.text = "half"
        scene.engine.interrupt()
        await asyncio.sleep(60)
        return DONE

    files = Files()
    scene = Scene(step("a"), actor={"a": slow}, files=files, human=Human())
    scene.run()
    assert files.kept[str(scene.step("a").snapshot)] == "half"
    files.text = "somebody's since"
    scene.again()
    assert files.text not in files.kept.values(), "what was changed later is not taken for the run's"
