"""A run that somebody changed while it was carried on: what runs comes to its end, and is found by whoever goes on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.components.commands import CommandActor
from loopx.loop.keeping.snapshots import ProjectArtifacts
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState
from tests.support.durable import Durable, command
from tests.support.lab import Crash, Lab, crash_at
from tests.support.loop import DONE, Actor, Judge, step

SLOW = "while [ ! -e go ]; do sleep 0.02; done; echo once >> log; echo out"


def test_a_command_that_runs_while_the_settings_are_edited_is_not_cut_short(lab: Lab) -> None:
    go = lab.project.root / "go"

    async def edit(*_: Any) -> bool:
        lab.change(run.plan_path, "max_retry_attempts: 2", "max_retry_attempts: 1")
        lab.look()
        asyncio.get_running_loop().call_later(0.3, go.touch)
        return True

    steps = (command("s1", SLOW), command("s2", "true"), command("s3", "true", "s2"), command("s4", "true", "s1"))
    steps = tuple(_reading(each) for each in steps)
    run = Durable.make(lab, *steps, settings=RunSettings(parallel=2, max_retry_attempts=2))
    run.actor, run.evaluator = CommandActor(), Judge({"s2": [edit]})
    with pytest.raises(LoopxError) as error:
        asyncio.run(run.engine().run())
    assert error.value.code == "run-moved"
    assert (lab.project.root / "log").read_text() == "once\n", "it came to its end"
    assert run.statuses()["s1"] == "in_progress"
    run.evaluator = Judge()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    record = run.records()["s1"]
    assert [each.outcome for each in record.attempts] == [AttemptOutcome.SUCCEEDED]
    assert (record.output, record.retry_count) == ("out\n", 0)
    assert (lab.project.root / "log").read_text() == "once\n"


def _reading(meant: Any) -> Any:
    return replace(meant, effects=())


@pytest.mark.parametrize("parallel", [1, 2])
def test_work_no_program_keeps_is_not_lost_either(lab: Lab, parallel: int) -> None:
    async def slow(*_: Any) -> Any:
        for _ in range(40):
            await asyncio.sleep(0)
        return replace(DONE, output="slow")

    def edit(*_: Any) -> Any:
        lab.change(run.plan_path, "max_retry_attempts: 2", "max_retry_attempts: 1")
        lab.look()
        return replace(DONE, output="edited")

    steps = (_reading(step("s1")), _reading(step("s2")), _reading(step("s3", "s1")))
    run = Durable.make(lab, *steps, settings=RunSettings(parallel=parallel, max_retry_attempts=2))
    run.actor = Actor({"s1": edit, "s2": slow})
    with pytest.raises(LoopxError) as error:
        run.carry_on()
    assert error.value.code == "run-moved"
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert sorted(run.actor.asked) == ["s1", "s2", "s3"], "nothing is done twice"
    outputs = {name: each.output for name, each in run.records().items()}
    assert outputs == {"s1": "edited", "s2": "slow", "s3": "done"}
    assert list((lab.root / "local" / "attempts").iterdir()) == []


def test_work_that_was_edited_before_anybody_judged_it_is_kept_and_decided_on(lab: Lab) -> None:
    settings = RunSettings(max_retry_attempts=0, max_replans=0)
    run = Durable.make(lab, step("s1"), settings=settings, evaluator=Judge({"s1": [asyncio.CancelledError(), True]}))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run.engine().run())
    assert run.statuses() == {"s1": "executed"}
    lab.change(run.plan_path, "callable: work", "callable: other")
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    record = run.records()["s1"]
    assert record.evaluation_passed is None and record.attempts[0].outcome is AttemptOutcome.SUCCEEDED
    [failure] = record.failures
    assert failure.message == "s1 was edited while it was carried out"


def test_old_snapshots_go_when_a_run_ends_but_for_those_of_runs_that_are_on(lab: Lab) -> None:
    lab.goal()
    on = Durable.make(lab, step("s1"), settings=RunSettings(budgets=Budgets(steps=0)))
    snapshots = lab.ws.store.snapshots
    for run in (on.run, "run-zzzz9999"):
        artifacts = ProjectArtifacts(snapshots, lab.project.root, ("src/**",), run, lab.clock)
        artifacts.take("s1")
    lab.clock.wait(20 * 86400)
    ending = Durable.make(lab, step("s1"), title="Ship the other")
    assert {each.name.partition("/")[0] for each in snapshots.named()} == {on.run, "run-zzzz9999"}
    with crash_at("run-finished-after"), pytest.raises(Crash):
        ending.carry_on()
    lab.restart()
    assert [each.name.partition("/")[0] for each in lab.ws.store.snapshots.named()] == [on.run]
    assert Path(lab.project.root).exists()
