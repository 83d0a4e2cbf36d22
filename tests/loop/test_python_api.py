"""A plan in plain Python: the example of the README, and what the helper behind it promises."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

import loopx
from loopx import Action, ActorKind, LoopxError, PlanStep, Resumption, RunSettings, StepStatus
from loopx.loop.in_memory import run_plan
from loopx.model.step import ExecutionState, StepEffect, VerificationStatus
from tests.support.clock import FakeClock
from tests.support.source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"^```python file=words.py\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SAID = re.search(r"^\$ python3 words.py\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = Action(actor=ActorKind.PYTHON)


def one(identity: str, *after: str, **fields: Any) -> PlanStep:
    return PlanStep(id=identity, title=identity, action=fields.pop("action", PYTHON), depends_on=after, **fields)


def test_the_example_of_the_readme_says_what_it_shows() -> None:
    assert EXAMPLE is not None
    assert SAID is not None
    done = subprocess.run([sys.executable, "-c", EXAMPLE[1]], capture_output=True, encoding="utf-8", cwd=ROOT)
    assert (done.stdout, done.stderr) == (SAID[1], "")
    assert len(EXAMPLE[1].splitlines()) <= 35


@pytest.mark.parametrize("name", loopx.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(loopx, name) is not None


def test_a_phase_nobody_is_given_for_is_switched_off() -> None:
    result = run_plan([one("a")], lambda step: "done")
    assert result.execution_state is ExecutionState.COMPLETED
    assert result.verification_status is VerificationStatus.DISABLED
    assert result.state.plan.step("a").evaluation_passed is None


def test_a_verifier_verifies() -> None:
    result = run_plan([one("a")], lambda step: "done", lambda step: True, lambda step: step.output == "done")
    assert result.verification_status is VerificationStatus.VERIFIED
    assert result.state.plan.status("a") is StepStatus.VERIFIED_COMPLETED


def test_callables_may_be_coroutine_functions() -> None:
    async def act(step: Any) -> str:
        return step.id * 2

    async def judge(step: Any) -> bool:
        return bool(step.output == "aa")

    assert run_plan([one("a")], act, judge).execution_state is ExecutionState.COMPLETED


def test_a_callable_is_found_by_the_name_in_the_action_or_by_the_step() -> None:
    named = Action(actor=ActorKind.PYTHON, callable="work")
    found: list[str] = []
    result = run_plan(
        [one("a", action=named), one("b")], {"work": lambda s: found.append("work"), "b": lambda s: found.append("b")}
    )
    assert (result.progress, found) == (1.0, ["work", "b"])
    missing = run_plan([one("a")], {})
    assert (missing.execution_state, missing.error) == (ExecutionState.FAILED, "no callable is registered as a")


def test_what_a_callable_raises_is_not_known_unless_it_may_be_repeated() -> None:
    calls: list[str] = []

    def act(step: Any) -> str:
        calls.append(step.id)
        if len(calls) == 1:
            raise OSError("no network")
        return "done"

    result = run_plan([one("a")], act)
    assert (result.execution_state, result.error) == (ExecutionState.FAILED, "OSError: no network")
    calls.clear()
    repeatable = Action(actor=ActorKind.PYTHON, recover=Resumption.REPEAT)
    assert run_plan([one("a", action=repeatable)], act).execution_state is ExecutionState.COMPLETED


def test_retries_wait_by_the_clock_that_is_given() -> None:
    clock = FakeClock()
    settings = RunSettings(max_retry_attempts=2, backoff_base=100.0)
    result = run_plan([one("a")], lambda step: "x", lambda step: step.retry_count == 2, settings=settings, clock=clock)
    assert (result.execution_state, clock.waits) == (ExecutionState.COMPLETED, [200.0])


def test_parts_that_are_wanted_and_missing_are_named() -> None:
    with pytest.raises(LoopxError) as error:
        run_plan([], lambda step: "x")
    assert error.value.code == "component-missing"


def test_a_handler_of_ones_own_takes_part() -> None:
    from loopx import RecoveryHandler, RecoveryRegistry, RecoveryResult, RecoveryStrategy  # type: ignore[attr-defined]

    class Ask(RecoveryHandler):  # type: ignore[misc]
        async def execute(self, failure: Any, step: Any, state: Any, context: Any) -> Any:
            state.error = "asked an oracle"
            return RecoveryResult(True, ExecutionState.FAILED, message="the oracle said no")

        def validate_postconditions(self, step: Any, state: Any) -> bool:
            return bool(state.error == "asked an oracle")

    registry = RecoveryRegistry.shipped()
    registry.register(RecoveryStrategy.TERMINATE, Ask())
    settings = RunSettings(ladder=(RecoveryStrategy.TERMINATE,))
    result = run_plan([one("a")], lambda step: "x", lambda step: False, registry=registry, settings=settings)
    assert (result.execution_state, result.error) == (ExecutionState.FAILED, "asked an oracle")


def test_nothing_reaches_outside_unless_the_caller_says_so() -> None:
    sent: list[str] = []
    mail = one("mail", effects=(StepEffect.SEND,), requires=("production:goal:deploy",))

    def send(step: Any) -> str:
        sent.append(step.id)
        return "sent"

    with pytest.raises(LoopxError) as error:
        run_plan([mail], send)
    assert (error.value.code, sent) == ("permit-missing", [])
    assert run_plan([mail], send, permit=["send"]).execution_state is ExecutionState.FAILED
    assert sent == [], "one of two is not enough"
    assert run_plan([mail], send, permit=["send", "production:goal:deploy"]).is_finished
    assert sent == ["mail"]
