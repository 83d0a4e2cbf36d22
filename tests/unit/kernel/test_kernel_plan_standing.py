"""How a plan stands, which one a Todo stands for, and everything that is wrong with one at once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loopx.kernel.plans.checking import faults, steps_problem
from loopx.kernel.plans.finding import begun as begun_run
from loopx.kernel.plans.finding import find_run, find_step
from loopx.kernel.plans.standing import NOT_BEGUN, standing
from loopx.kernel.refusal import Refused
from loopx.model.plan import PlanDocument
from loopx.model.step import ExecutionState, SkipPolicy, StepStatus
from tests.support.clock import START
from tests.support.kernel import T1, Desk
from tests.unit.kernel.test_kernel_plans import RUN, begun, desk, plan, recorded, step

S = StepStatus
OTHER, THIRD = "run-bbbb1111", "run-cccc1111"


def found(desk: Desk, typed: str) -> str:
    """The run that is meant, or the code of the refusal."""
    plan = find_run(desk.state, typed)
    return plan.code if isinstance(plan, Refused) else plan.run


def test_every_circle_and_every_other_fault_is_told_once_and_the_first_is_the_refusal() -> None:
    steps = (
        step("a", "b"),
        step("b", "a", "z"),
        step("c", "d", write_scopes=("src/**",)),
        step("d", "c"),
        step("d"),
        step("A b"),
    )
    told = list(faults(steps, ("docs/**",)))
    assert [(each.step, each.field) for each in told] == [
        (4, "id"),
        (1, "depends_on"),
        (0, "depends_on"),
        (2, "depends_on"),
        (2, "write_scopes"),
        (5, "id"),
    ]
    assert [each.message for each in told[2:4]] == [
        "The steps a → b → a wait for each other.",
        "The steps c → d → c wait for each other.",
    ]
    assert steps_problem(steps, ("docs/**",)) == told[0].message
    assert [each.field for each in faults((), ())] == ["steps"]


def test_a_plan_nobody_began_stands_with_all_its_steps_pending() -> None:
    stands = standing(desk(plan(step("a"), step("b", "a"))).state, plan(step("a"), step("b", "a")))
    assert stands.status == NOT_BEGUN and not stands.has_ended and stands.failures == ()
    assert [(each.status, each.waits_for) for each in stands.steps] == [(S.PENDING, ()), (S.PENDING, ("a",))]


@pytest.mark.parametrize(
    ("fields", "counts", "waits"),
    [
        ({}, (1, 3), ("b",)),
        ({"optional": True}, (2, 3), ()),
        ({"skip": SkipPolicy.EXCLUDE}, (1, 2), ("b",)),
    ],
)
def test_what_is_put_aside_counts_as_its_policy_says(
    fields: dict[str, object], counts: tuple[int, int], waits: tuple[str, ...]
) -> None:
    document = plan(step("a"), step("b", **fields), step("c", "a", "b"))
    records = (recorded("a", S.VERIFIED_COMPLETED), recorded("b", S.SKIPPED), recorded("c", S.BLOCKED, 0))
    stands = standing(desk(document, begun(), *records).state, document)
    assert (stands.tally.complete, stands.tally.counting) == counts
    last = stands.step("c")
    assert last is not None and last.waits_for == waits and stands.status == "iteration_complete"


def test_a_todo_stands_for_the_run_that_is_on_then_for_its_plan_then_for_the_newest_run() -> None:
    others: list[PlanDocument] = [plan(run=OTHER), plan(run=THIRD)]
    over = begun(ExecutionState.FAILED)
    newer = begun(ExecutionState.COMPLETED, id=OTHER, started_at=START + timedelta(hours=1))
    assert found(desk(), T1) == "run-unknown"
    assert found(desk(plan(), *others), T1) == "id-ambiguous"
    assert found(desk(plan(), *others, begun()), T1) == RUN
    assert found(desk(plan(), others[0], over, newer), T1) == OTHER
    assert found(desk(plan(), *others, over, newer), T1) == THIRD
    assert found(desk(plan(), *others), "BBBB") == OTHER, "a run may be named by its beginning"
    assert found(desk(plan()), "t-aaaa") == RUN and found(desk(plan()), "aaaa") == RUN
    assert found(desk(plan()), "t-zzzz") == "todo-unknown" and found(desk(plan()), "zzzz") == "run-unknown"


def test_a_step_is_named_by_as_much_as_tells_it_apart() -> None:
    document = plan(step("build"), step("test"), step("tell"))
    state = desk(document, begun(archived=("old",)), recorded("old", S.FAILED)).state
    assert [find_step(state, document, each) for each in ("build", "BU", "old", "tes")] == [
        "build",
        "build",
        "old",
        "test",
    ]
    for typed in ("te", "z", ""):
        refused = find_step(state, document, typed)
        assert isinstance(refused, Refused) and refused.code == "step-unknown" and "test" in refused.hint
    unbegun = begun_run(desk(document).state, document)
    assert isinstance(unbegun, Refused) and unbegun.code == "run-unknown"
