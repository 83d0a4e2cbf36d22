"""A run whose process ends at every point there is: the next one goes on, does nothing twice, and makes nothing up."""

from __future__ import annotations

import asyncio
import os
import subprocess
from typing import Any

import pytest

from loopx.loop.components.commands import CommandActor
from loopx.loop.components.keepers import job_of
from loopx.loop.components.protocols import ComponentType
from loopx.loop.keeping.attempts import attempt_path, read_attempt
from loopx.loop.result import LeftOff
from loopx.model.gate import GateStatus
from loopx.model.plan import RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, RecoveryStrategy, Resumption, StepStatus
from tests.support.durable import Durable, command
from tests.support.keeping import keeper_of
from tests.support.lab import Crash, Lab, crash_at
from tests.support.loop import DONE, Actor, Judge, Prober, step

SETTINGS = RunSettings(max_retry_attempts=3, backoff_base=5.0, ladder=())
STEPS = (
    step("s1", recover=Resumption.REPEAT),
    step("s2", "s1", recover=Resumption.REPEAT),
    step("s3", "s2", recover=Resumption.REPEAT),
)
POINTS = [
    *(
        (f"run-{point}-{side}", 1)
        for point in ("opened", "recovery_decided", "recovered")
        for side in ("before", "after")
    ),
    *((f"run-starting-{side}", number) for number in (1, 2, 3, 4) for side in ("before", "after")),
    *((f"run-finished-{side}", 1) for side in ("before", "after")),
    *((point, number) for point in ("decided", "journal-written", "published", "admitted") for number in (2, 3)),
]


@pytest.mark.parametrize(("point", "number"), POINTS)
def test_a_run_goes_on_after_a_crash_at_every_point(lab: Lab, point: str, number: int) -> None:
    run = Durable.make(lab, *STEPS, settings=SETTINGS, evaluator=Judge({"s2": [False, True]}))
    with crash_at(point, number), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    result = run.carry_on()
    assert result.execution_state is ExecutionState.COMPLETED
    assert run.statuses() == dict.fromkeys(("s1", "s2", "s3"), "verified_completed")
    assert run.actor.times("s1") <= 2 and run.actor.times("s2") <= 3 and run.actor.times("s3") <= 2
    assert all(each.retry_count <= 3 for each in run.records().values())
    lab.assert_sound()


async def slowly(*_: Any) -> Any:
    for _ in range(20):
        await asyncio.sleep(0)
    return DONE


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("point", ["ended", "waiting"])
def test_a_run_goes_on_after_a_crash_beside_steps_that_run_and_while_it_waits(lab: Lab, point: str, side: str) -> None:
    steps = [step(each, *after, recover=Resumption.REPEAT, effects=()) for each, after in SIDE_BY_SIDE.items()]
    settings = RunSettings(parallel=2, backoff_base=5.0, ladder=(RecoveryStrategy.RETRY_WITH_BACKOFF,))
    run = Durable.make(lab, *steps, settings=settings, evaluator=Judge({"s3": [False, True]}))
    run.actor = Actor({"s2": slowly})
    with crash_at(f"run-{point}-{side}"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.statuses() == dict.fromkeys(("s1", "s2", "s3"), "verified_completed")
    assert run.records()["s3"].retry_count == 1 and all(run.actor.times(each) <= 3 for each in SIDE_BY_SIDE)
    lab.assert_sound()


SIDE_BY_SIDE: dict[str, tuple[str, ...]] = {"s1": (), "s2": (), "s3": ("s1", "s2")}


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_question_that_was_about_to_be_waited_for_is_asked_once(lab: Lab, side: str) -> None:
    run = Durable.make(lab, step("s1"), settings=RunSettings(ladder=(RecoveryStrategy.REQUEST_HUMAN,)))
    run.evaluator = Judge({"s1": [False, True]})
    with crash_at(f"run-waiting-{side}"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    assert run.carry_on().left_off is LeftOff.PERSON
    assert len([*lab.look().state.gates("beta", {GateStatus.OPEN})]) == 1
    run.decide("retry")
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.records()["s1"].retry_count == 1


def carried_on(run: Durable, number: int) -> int:
    """Carry a run on in processes that each crash when their ``number``-th commit is made; how many did."""
    for ends in range(60):
        try:
            with crash_at("admitted", number):
                run.carry_on()
        except Crash:
            run.lab.restart()
            continue
        return ends
    raise AssertionError("it never came to rest")


def test_processes_that_all_crash_bring_a_run_to_its_end_together(lab: Lab) -> None:
    run = Durable.make(lab, *STEPS, settings=SETTINGS, evaluator=Judge({"s2": [False, True]}))
    assert carried_on(run, 5) >= 1
    assert run.record().status is ExecutionState.COMPLETED
    run.check()


def test_processes_that_crash_whenever_they_begin_a_step_end_with_a_person(lab: Lab) -> None:
    run = Durable.make(lab, *STEPS, settings=SETTINGS)
    assert carried_on(run, 1) > 5
    assert run.record().status is ExecutionState.WAITING_FOR_HUMAN
    assert run.actor.asked == [] and run.records()["s1"].retry_count == SETTINGS.max_retry_attempts


def test_an_execution_nobody_saw_the_end_of_waits_for_a_person(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"))
    with crash_at("run-starting-after"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    assert run.actor.asked == [], "nothing is done again unasked"
    assert run.records()["s1"].attempts[0].outcome is AttemptOutcome.UNKNOWN
    run.decide("retry")
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.actor.asked == ["s1", "s2"]


@pytest.mark.parametrize(("happened", "asked"), [(True, ["s2"]), (False, ["s1", "s2"])])
def test_a_probe_says_whether_an_execution_nobody_saw_happened(lab: Lab, happened: bool, asked: list[str]) -> None:
    run = Durable.make(lab, step("s1", recover=Resumption.PROBE), step("s2", "s1"))
    run.others[ComponentType.PROBER] = Prober({"s1": happened})
    with crash_at("run-starting-after"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.actor.asked == asked


def test_an_end_that_was_on_file_is_found_and_nothing_runs_again(lab: Lab) -> None:
    run = Durable.make(lab, command("s1", "echo once >> log; echo out"), command("s2", "true", "s1"))
    run.actor = CommandActor()
    with crash_at("run-starting-before", 2), pytest.raises(Crash):
        run.carry_on()
    assert run.statuses() == {"s1": "in_progress"}
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert (lab.project.root / "log").read_text() == "once\n"
    record = run.records()["s1"]
    assert record.output == "out\n" and record.attempts[0].exit_status == 0 and record.retry_count == 0
    assert list((lab.root / "local" / "attempts").iterdir()) == [], "what is on record is no longer kept on file"


def orphan(lab: Lab, run: Durable, script: str) -> subprocess.Popen[bytes]:
    """The program of s1 as its runner left it: alive, and nobody waits for it."""
    identity = run.records()["s1"].attempts[0].id
    path = attempt_path(lab.root / "local" / "attempts", identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    argv, folder = ("sh", "-c", script), str(lab.project.root)
    started = keeper_of(job_of(identity, path.parent, argv, os.environ, folder, is_durable=False))
    while read_attempt(path.parent, identity) is None:
        assert started.poll() is None
    return started


def left_running(lab: Lab, seconds: int) -> Durable:
    run = Durable.make(lab, command("s1", "true", seconds=seconds), command("s2", "true", "s1"))
    run.actor = CommandActor()
    with crash_at("run-starting-after"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    return run


def test_a_program_that_outlived_its_runner_is_waited_for(lab: Lab) -> None:
    run = left_running(lab, 30)
    keeper = orphan(lab, run, "sleep 0.2; echo late >> log")
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert (lab.project.root / "log").read_text() == "late\n"
    assert keeper.wait() == 0 and len(run.records()["s1"].attempts) == 1


def test_a_program_that_outlived_its_runner_and_its_time_is_ended_before_anything_is_decided(lab: Lab) -> None:
    run = left_running(lab, 1)
    keeper = orphan(lab, run, "sleep 60; echo late >> log")
    lab.clock.wait(5)
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    keeper.wait()
    assert not (lab.project.root / "log").exists()
    assert run.records()["s1"].attempts[0].outcome is AttemptOutcome.UNKNOWN


def test_work_nobody_had_judged_is_judged_when_the_run_goes_on(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"), verifier=Judge({"s1": [asyncio.CancelledError(), True]}))
    engine = run.engine()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(engine.run())
    assert run.statuses() == {"s1": StepStatus.EVALUATED.value}
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.actor.asked == ["s1", "s2"]
