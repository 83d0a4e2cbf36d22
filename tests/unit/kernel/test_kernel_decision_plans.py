"""Work that has a plan: the decision says to carry the plan out, as long as there is one that can be."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.decision.record import Mode
from loopx.model.plan import Action, PlanDocument, PlanStep
from loopx.model.run import RunRecord
from loopx.model.step import ExecutionState
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, T1
from tests.unit.kernel.deciding import beta, decided, turn, work

RUN = "run-aaaa1111"
STEP = PlanStep(id="s1", title="Do it", action=Action(argv=("true",)))


def plan(run: str = RUN) -> PlanDocument:
    return PlanDocument(run=run, todo=T1, objective="Reach it", steps=(STEP,), goal="beta")


def run(status: ExecutionState, identity: str = RUN) -> RunRecord:
    return RunRecord(
        id=identity,
        todo=T1,
        status=status,
        started_at=START,
        started_by="agent:bot",
        operation="op-r1",
        plan_version=1,
        goal="beta",
    )


@pytest.mark.parametrize("actor", [ANN, BOT], ids=str)
@pytest.mark.parametrize(
    "there",
    [
        [plan()],
        [plan(), run(ExecutionState.ITERATION_COMPLETE)],
        [plan(), run(ExecutionState.FAILED), plan("run-bbbb2222")],
    ],
    ids=["fresh", "underway", "a fresh one after one that failed"],
)
def test_a_todo_with_a_plan_is_carried_out_by_it(actor: Any, there: list[Any]) -> None:
    found = decided(beta(), work(), *there, actor=actor)
    assert found.mode is Mode.DELIVER
    named = "" if actor is ANN else " --actor agent:bot"
    assert found.cli.commands == (f"loopx run {T1}{named}",)
    assert "plan" in found.channel.primary_action


@pytest.mark.parametrize(
    "there",
    [[], [plan(), run(ExecutionState.COMPLETED)], [plan(), run(ExecutionState.FAILED)]],
    ids=["none", "completed", "failed"],
)
def test_without_a_plan_that_can_be_carried_out_the_work_is_the_agents(there: list[Any]) -> None:
    found = decided(beta(), work(), *there, actor=BOT)
    assert not any(each.startswith("loopx run") for each in found.cli.commands)


def test_a_deferred_todo_is_put_back_to_work_first() -> None:
    waiting = work(status=TodoStatus.DEFERRED, resume_when="at:2026-01-01T00:00:00Z")
    found = decided(beta(), waiting, plan(), actor=ANN)
    assert found.cli.commands == (f"loopx todo resume {T1}", f"loopx run {T1}")


def test_an_open_turn_on_work_with_a_plan_goes_on_by_it() -> None:
    found = decided(beta(), work(), turn(), plan(), run(ExecutionState.ACTING), actor=BOT)
    assert found.cli.commands[0] == f"loopx run {T1} --actor agent:bot"
