"""Outcomes nobody saw: known first, recovered second; never done again without a word, a probe or a declaration."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loopx.loop.components.protocols import Acted, ComponentType, Probed
from loopx.model.plan import RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, FailureType, RecoveryStrategy, Resumption, StepStatus
from tests.support.loop import DONE, GONE, Actor, Human, Planner, Prober, Scene, step

E, O = ExecutionState, AttemptOutcome  # noqa: E741
TIMED_OUT = replace(GONE, failure=FailureType.TIMEOUT)
LOST = [GONE, TIMED_OUT, RuntimeError("torn off"), "no end of an execution"]


@pytest.mark.parametrize("end", LOST, ids=["unknown", "timed out", "raised", "nonsense"])
def test_what_is_not_known_is_asked_about_and_never_tried_again(end: object) -> None:
    scene = Scene(step("a"), actor={"a": end}, human=Human())
    result = scene.run()
    assert (result.execution_state, scene.actor.times("a")) == (E.WAITING_FOR_HUMAN, 1)
    assert scene.chosen() == ["request_human"]
    assert scene.failure().is_outcome_unknown
    assert scene.step("a").attempts[-1].outcome is O.UNKNOWN
    assert scene.walk("a")[-2:] == ["in_progress", "recovery_pending"]
    assert (result.question or {})["outcome_unknown"] is True


@pytest.mark.parametrize("end", LOST, ids=["unknown", "timed out", "raised", "nonsense"])
def test_with_nobody_to_ask_what_is_not_known_ends_the_run(end: object) -> None:
    scene = Scene(step("a"), actor={"a": end}, planner=Planner())
    assert (scene.run().execution_state, scene.chosen(), scene.actor.times("a")) == (E.FAILED, ["terminate"], 1)


def test_an_exception_after_the_start_is_an_unknown_outcome_that_says_what_was_raised() -> None:
    scene = Scene(step("a"), actor={"a": OSError("connection reset")})
    scene.run()
    assert (scene.failure().type, scene.failure().message) == (FailureType.EXECUTION_ERROR, "OSError: connection reset")


def test_what_is_declared_harmless_is_repeated_within_the_limit() -> None:
    scene = Scene(step("a", recover=Resumption.REPEAT), actor={"a": [GONE, GONE, DONE]})
    assert scene.run().execution_state is E.COMPLETED
    assert scene.chosen() == ["retry", "retry_with_backoff"]
    always = Scene(step("a", recover=Resumption.REPEAT), actor={"a": GONE})
    assert always.run().execution_state is E.FAILED
    assert always.actor.times("a") == 4


def test_a_time_out_starts_at_the_back_off() -> None:
    scene = Scene(step("a", recover=Resumption.REPEAT), actor={"a": [TIMED_OUT, DONE]})
    scene.run()
    assert (scene.chosen(), scene.failure().type) == (["retry_with_backoff"], FailureType.TIMEOUT)


# probes


def probed(found: object, *, actor: object = None, prober: Prober | None = None, **parts: object) -> Scene:
    prober = prober or Prober({"a": found})
    others = {ComponentType.PROBER: prober}
    lines = {"a": actor or [TIMED_OUT, DONE]}
    return Scene(step("a", recover=Resumption.PROBE), actor=lines, others=others, **parts)  # type: ignore[arg-type]


def test_a_probe_that_finds_it_happened_is_the_outcome_of_the_attempt() -> None:
    scene = probed(Probed(True, "read back"))
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.actor.times("a"), scene.step("a").output) == (1, "read back")
    assert ("in_progress", "executed", "actor") in scene.moves("step a")
    attempt = scene.step("a").attempts[0]
    assert (attempt.outcome, attempt.exit_status, scene.step("a").retry_count) == (O.SUCCEEDED, 0, 0)
    causes = [each.cause for each in scene.state.trace.entries if each.after == "executed"]
    assert causes == ["run-1/a/1: a probe found that it happened"]
    assert len(scene.state.failures) == 0


def test_what_a_probe_reads_back_is_judged_like_any_other() -> None:
    scene = probed(Probed(True, "half of it"), evaluator={"a": [False, True]})
    assert scene.run().execution_state is E.COMPLETED
    assert scene.evaluator.seen[0].output == "half of it"
    assert (scene.actor.times("a"), scene.chosen()) == (2, ["retry"])


def test_a_probe_that_finds_nothing_makes_it_a_failure_that_may_be_retried() -> None:
    scene = probed(False)
    assert scene.run().execution_state is E.COMPLETED
    failure = scene.failure()
    assert (failure.type, failure.is_outcome_unknown) == (FailureType.TIMEOUT, False)
    assert failure.message == "nobody saw its end; a probe found that it did not happen"
    assert (scene.actor.times("a"), scene.chosen()) == (2, ["retry_with_backoff"])


def test_a_probe_that_breaks_says_nothing_and_a_person_is_asked() -> None:
    scene = probed(RuntimeError("no network"), human=Human())
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert scene.failure().message == "nobody saw its end; the probe broke: RuntimeError: no network"
    assert scene.actor.times("a") == 1


def test_a_step_that_is_to_be_probed_with_no_prober_is_asked_about() -> None:
    scene = Scene(step("a", recover=Resumption.PROBE), actor={"a": GONE}, human=Human())
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN
    assert scene.failure().message == "nobody saw its end; nobody is there to probe"


def test_an_actor_that_can_probe_is_asked_when_no_other_is() -> None:
    class Both(Actor):
        async def probe(self, view: object, attempt: str, context: object) -> Probed:
            return Probed(True, "mine")

    scene = Scene(step("a", recover=Resumption.PROBE), actor=Both({"a": GONE}))
    assert scene.run().execution_state is E.COMPLETED
    assert scene.step("a").output == "mine"


def test_a_probe_is_asked_about_the_attempt_by_its_key() -> None:
    seen: list[str] = []

    class Look(Prober):
        async def probe(self, view: object, attempt: str, context: object) -> Probed:  # type: ignore[override]
            seen.append(attempt)
            return Probed(True)

    probed(True, prober=Look()).run()
    assert seen == ["run-1/a/1"]


@pytest.mark.parametrize("recover", [Resumption.ASK, Resumption.REPEAT])
def test_nobody_probes_what_was_not_to_be_probed(recover: Resumption) -> None:
    prober = Prober({"a": True})
    scene = Scene(step("a", recover=recover), actor={"a": [GONE, DONE]}, others={ComponentType.PROBER: prober})
    scene.run()
    assert prober.asked == []


# irreversible


def test_work_that_cannot_be_undone_is_never_done_again_without_a_person() -> None:
    for end in (GONE, TIMED_OUT, DONE, Acted(O.NOT_STARTED), Acted(O.FAILED, exit_status=1)):
        for recover in Resumption:
            meant = step("a", recover=recover, irreversible=True)
            scene = Scene(
                meant,
                actor={"a": end},
                evaluator={"a": False},
                human=Human(),
                planner=Planner(),
                others={ComponentType.PROBER: Prober({"a": False})},
            )
            assert scene.run().execution_state is E.WAITING_FOR_HUMAN, (end, recover)
            assert (scene.actor.times("a"), scene.chosen()) == (1, ["request_human"])
            scene.answer("retry")
            scene.again()
            assert scene.actor.times("a") == 2


@pytest.mark.parametrize(
    "strategy",
    [
        RecoveryStrategy.RETRY,
        RecoveryStrategy.RETRY_WITH_BACKOFF,
        RecoveryStrategy.CHANGE_TOOL,
        RecoveryStrategy.CHANGE_MODEL,
        RecoveryStrategy.REPLAN_STEP,
        RecoveryStrategy.REPLAN_REMAINING_TASK,
        RecoveryStrategy.ROLLBACK,
    ],
)
@pytest.mark.parametrize("why", ["unknown", "irreversible"])
def test_no_policy_has_it_done_again_either(strategy: RecoveryStrategy, why: str) -> None:
    from loopx.loop.failure import RecoveryAction
    from tests.support.loop import Files

    class Stubborn:
        def choose(self, failure, state, context):  # type: ignore[no-untyped-def]
            return RecoveryAction(context.ids.fresh("a"), failure.failure_id, strategy)

    scene = Scene(
        step("a", irreversible=why == "irreversible", tool="one", model="m1"),
        actor={"a": GONE if why == "unknown" else DONE},
        evaluator={"a": False},
        policy=Stubborn(),
        planner=Planner(),
        files=Files(),
        tools=["one", "two"],
        models=["m1", "m2"],
    )
    assert scene.run().execution_state is E.FAILED
    assert scene.actor.asked == ["a"]
    assert not any(each.success for each in scene.failure().actions)


def test_a_ladder_of_the_plans_own_does_not_come_before_what_is_not_known() -> None:
    scene = Scene(step("a"), actor={"a": GONE}, human=Human(), settings=RunSettings(ladder=(RecoveryStrategy.RETRY,)))
    assert scene.run().execution_state is E.WAITING_FOR_HUMAN


def test_a_replan_of_the_rest_leaves_what_only_a_person_may_settle() -> None:
    scene = Scene(
        step("a"),
        step("b"),
        actor={"a": GONE},
        evaluator={"b": [False]},
        human=Human(),
        planner=Planner(rest=lambda views, failure: [step("a"), step("c")]),
        settings=RunSettings(ladder=(RecoveryStrategy.REPLAN_REMAINING_TASK,)),
    )
    result = scene.run()
    assert scene.statuses() == {"a": "recovery_pending", "c": "verified_completed"}
    assert (result.execution_state, scene.actor.times("a")) == (E.WAITING_FOR_HUMAN, 1)


# what is known


def test_a_command_that_ran_to_its_end_has_a_known_outcome() -> None:
    scene = Scene(step("a"), actor={"a": [Acted(O.FAILED, "no", 2), DONE]}, evaluator={"a": [False, True]})
    assert scene.run().execution_state is E.COMPLETED
    assert not scene.failure().is_outcome_unknown
    assert scene.evaluator.seen[0].exit_status == 2


def test_an_evaluator_may_accept_an_actor_that_said_no() -> None:
    scene = Scene(step("a"), actor={"a": Acted(O.FAILED, "as expected", 1)})
    assert scene.run().execution_state is E.COMPLETED


def test_without_an_evaluator_nobody_excuses_an_actor_that_said_no() -> None:
    settings = RunSettings(enable_evaluation=False, enable_verification=False)
    for end in (Acted(O.FAILED, "no", 2), Acted(O.SUCCEEDED, "x", 0, failure=FailureType.INVALID_OUTPUT)):
        scene = Scene(step("a"), actor={"a": [end, DONE]}, settings=settings)
        assert scene.run().execution_state is E.COMPLETED
        assert (scene.actor.times("a"), scene.chosen()) == (2, ["retry"])
        assert scene.walk("a")[:3] == ["ready", "in_progress", "recovery_pending"]


def test_what_never_started_may_be_tried_again() -> None:
    scene = Scene(step("a"), actor={"a": [Acted(O.NOT_STARTED, message="no such program"), DONE]})
    assert scene.run().execution_state is E.COMPLETED
    assert (scene.failure().message, scene.chosen()) == ("no such program", ["retry"])


def test_a_hijacked_goal_is_never_judged_and_ends_the_run_by_policy() -> None:
    for settings in (
        RunSettings(),
        RunSettings(ladder=(RecoveryStrategy.RETRY,)),
        RunSettings(enable_recovery=False),
        RunSettings(max_recoveries=0),
    ):
        end = Acted(O.SUCCEEDED, "all done!", 0, failure=FailureType.GOAL_HIJACKING, message="it was told otherwise")
        scene = Scene(step("a"), step("b"), actor={"a": end}, settings=settings, human=Human(), planner=Planner())
        result = scene.run()
        assert (result.execution_state, result.error) == (E.POLICY_TERMINATED, "it was told otherwise")
        assert (scene.evaluator.asked, scene.actor.asked) == ([], ["a"])
        assert scene.step("a").status is StepStatus.FAILED
