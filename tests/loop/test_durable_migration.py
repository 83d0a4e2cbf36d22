"""Old plans taken over: each word for what it shows, and a run that goes on from there."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.plans.migrating import migrated, read_old, status_of
from loopx.loop.plans.migration import migrate
from loopx.model.step import AttemptOutcome, ExecutionState, StepStatus
from tests.support.durable import Durable
from tests.support.lab import BOT, Lab

S = StepStatus


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ({}, S.PENDING),
        ({"status": "pending"}, S.PENDING),
        ({"status": "in_progress"}, S.IN_PROGRESS),
        ({"status": "completed"}, S.EXECUTED),
        ({"status": "completed", "verification_passed": False}, S.EXECUTED),
        ({"status": "completed", "metadata": {"verification": "disabled"}}, S.EXECUTED),
        ({"status": "completed", "verification_passed": True}, S.VERIFIED_COMPLETED),
        ({"status": "completed", "verification": {"passed": True}}, S.VERIFIED_COMPLETED),
        ({"status": "completed", "metadata": {"verification_evidence": "exit 0"}}, S.VERIFIED_COMPLETED),
        ({"status": "failed"}, S.EVALUATION_FAILED),
        ({"status": "failed", "failure": {"status": "recovered"}}, S.EVALUATION_FAILED),
        ({"status": "failed", "failure": {"status": "terminal"}}, S.FAILED),
        ({"status": "failed", "failures": [{"status": "unhandled"}, {"recoverable": False}]}, S.FAILED),
        ({"status": "failed", "terminal": True}, S.FAILED),
    ],
)
def test_each_old_word_is_taken_for_what_the_plan_shows(row: dict[str, Any], status: StepStatus) -> None:
    assert status_of({"id": "s1", **row}) is status


@pytest.mark.parametrize("word", ["done", "Completed", "verified_completed", "", 7, None])
def test_any_other_word_is_an_error_that_names_it(word: object) -> None:
    with pytest.raises(LoopxError) as error:
        migrated({"steps": [{"id": "s1", "status": word}]})
    assert error.value.code == "plan-invalid" and repr(word) in str(error.value)


@pytest.mark.parametrize("text", ["[", "[]", "{}", '{"steps": 3}', '{"steps": []}', '{"steps": [1]}'])
def test_a_file_that_is_no_old_plan_is_refused(text: str) -> None:
    with pytest.raises(LoopxError) as error:
        migrated(read_old(text))
    assert error.value.code == "plan-invalid"


def test_an_old_plan_goes_on_where_it_stood(lab: Lab) -> None:
    lab.goal()
    old = migrated(
        {
            "goal": "Reach it",
            "steps": [
                {"id": 1, "title": "Begin", "status": "completed", "verification_passed": True, "output": "ok"},
                {"id": 2, "description": "Go on", "status": "completed", "dependencies": [1]},
                {"id": "3", "command": "make", "status": "in_progress"},
                {"id": "Step 4", "status": "failed"},
                {"id": 5, "status": "pending", "dependencies": [2, "3", "Step 4"]},
            ],
        }
    )
    todo = lab.todo("Old work")
    run = Durable(lab, todo, migrate(lab.ws, todo, old, BOT))
    run.check()
    assert run.statuses() == {
        "s1": "verified_completed",
        "s2": "executed",
        "s3": "in_progress",
        "step-4": "evaluation_failed",
    }
    assert [each.depends_on for each in run.plan().steps][-1] == ("s2", "s3", "step-4")
    assert run.records()["s3"].attempts[0].outcome is AttemptOutcome.RUNNING
    result = run.carry_on()
    assert run.statuses()["s2"] == "verified_completed", "what nobody had judged is judged now"
    assert result.execution_state is ExecutionState.WAITING_FOR_HUMAN, "nobody saw the end of what was in progress"
    assert "s3" not in run.actor.asked


def test_an_old_plan_that_had_failed_for_good_has_failed(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Old work")
    old = migrated({"steps": [{"id": "s1", "status": "failed", "terminal": True}]})
    run = Durable(lab, todo, migrate(lab.ws, todo, old, BOT))
    assert run.carry_on().execution_state is ExecutionState.FAILED
