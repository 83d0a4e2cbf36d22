"""Plans laid out and edited by commands, runs begun, and who may: everything but what a run records."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import AcquireLease, EditPlan, NewPlan, OpenRun
from loopx.kernel.scopes import within
from loopx.model.plan import Action, ActorKind, PlanDocument, PlanStep, RunSettings
from loopx.model.run import Attempt, RunRecord, StepRecord
from loopx.model.step import AttemptOutcome, ExecutionState, Resumption, StepStatus
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, T1, Desk, edited, facts, goal, todo
from tests.unit.kernel.deciding import AGENTS

RUN = "run-aaaa1111"


def step(identity: str, *after: str, **fields: Any) -> PlanStep:
    return PlanStep(
        **{"id": identity, "title": f"Do {identity}", "action": Action(argv=("true",)), "depends_on": after, **fields}
    )


def plan(*steps: PlanStep, **fields: Any) -> PlanDocument:
    return PlanDocument(
        **{"run": RUN, "todo": T1, "objective": "Reach it", "steps": steps or (step("s1"),), "goal": "beta", **fields}
    )


def begun(status: ExecutionState = ExecutionState.ITERATION_COMPLETE, **fields: Any) -> RunRecord:
    return RunRecord(
        **{
            "id": RUN,
            "todo": T1,
            "goal": "beta",
            "status": status,
            "started_at": START,
            "started_by": str(BOT),
            "operation": "op-1",
            "plan_version": 1,
            **fields,
        }
    )


def recorded(identity: str, status: StepStatus, executions: int = 1) -> StepRecord:
    attempts = tuple(
        Attempt(
            id=f"{RUN}/{identity}/{number}",
            number=number,
            definition="x",
            started_at=START,
            outcome=AttemptOutcome.SUCCEEDED,
        )
        for number in range(1, executions + 1)
    )
    made = {"step": identity, "run": RUN, "todo": T1, "goal": "beta", "lineage": identity, "version": 1}
    return StepRecord(**made, status=status, attempts=attempts)


def desk(*entities: Any, **fields: Any) -> Desk:
    return Desk.of(AGENTS, goal(), todo(**fields), *entities)


def test_a_plan_is_laid_out_in_a_run_of_its_own() -> None:
    made = desk()
    found = made.do(NewPlan(todo=T1, steps=(step("s1"), step("s2", "s1"))))
    [document] = made.records(document_kind())
    assert facts(found)["id"] == document.run and document.objective == "Write the guide" and document.todo == T1
    assert made.do(NewPlan(todo=T1, steps=())).changes != (), "a plan without steps is for a planner"


def document_kind() -> Any:
    return PlanDocument.KIND


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((step("s1"), step("s1")), "stands twice"),
        ((step("s1", "s9"),), "does not have"),
        ((step("s1", "s2"), step("s2", "s1")), "wait for each other"),
        ((step("S 1"),), "needs a name"),
        ((step("s1", title="one\ntwo"),), "title of one line"),
        ((step("s1", action=Action()),), "no argv"),
        ((step("s1", action=Action(actor=ActorKind.HUMAN)),), "no question"),
        ((step("s1", action=Action(argv=("true",), recover=Resumption.PROBE)),), "probe"),
        ((step("s1", requires=("deploying",)),), "kind:granularity:key"),
        ((step("s1", write_scopes=("docs/**",)),), "would write docs/**"),
    ],
)
def test_what_makes_no_plan_is_refused_by_name(steps: tuple[PlanStep, ...], said: str) -> None:
    refused = desk(write_scopes=("src/**",)).no(NewPlan(todo=T1, steps=steps))
    assert refused.code == "plan-invalid" and said in refused.message


@pytest.mark.parametrize(
    ("pattern", "inside"),
    [
        ("src/app.py", True),
        ("src/**", True),
        ("src/*.py", True),
        ("src", True),
        ("docs/a.md", True),
        ("docs/b.md", False),
        ("docs/?.md", False),
        ("docs/*.md", False),
        ("**/src", False),
        ("**", False),
        ("s*", False),
    ],
)
def test_a_pattern_lies_within_scopes_when_all_it_takes_in_does(pattern: str, inside: bool) -> None:
    assert within(("src", "docs/a.md"), pattern) is inside


def test_a_plan_of_a_closed_todo_is_refused() -> None:
    refused = desk(status=TodoStatus.CANCELLED).no(NewPlan(todo=T1, steps=(step("s1"),)))
    assert refused.code == "todo-closed"


def test_a_step_that_claims_a_descent_is_refused() -> None:
    refused = desk().no(NewPlan(todo=T1, steps=(step("s1", replaces="s0"),)))
    assert refused.code == "field-machine-owned"


def test_a_plan_nobody_began_is_edited_freely() -> None:
    made = desk(plan())
    found = made.do(EditPlan(run=RUN, steps=(step("s7"),), objective="Something else"), BOT)
    assert facts(found)["changed"] == ["objective", "steps"]
    assert made.do(EditPlan(run=RUN, objective="Something else")).changes == ()


def test_an_agent_edits_no_plan_that_was_begun() -> None:
    made = desk(plan(), begun())
    assert made.no(EditPlan(run=RUN, steps=(step("s7"),)), BOT).code == "actor-not-permitted"


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((step("s1", title="Otherwise"), step("s2")), "plan-step-begun"),
        ((step("s1"),), "plan-step-begun"),
        ((step("s2"),), "plan-step-begun"),
        ((step("s1"), step("s2"), step("old")), "plan-step-begun"),
        ((step("s1"), step("s2", version=2)), "field-machine-owned"),
    ],
)
def test_what_is_done_or_was_begun_stays(steps: tuple[PlanStep, ...], code: str) -> None:
    made = desk(
        plan(step("s1"), step("s2"), step("s3")),
        begun(archived=("old",)),
        recorded("s1", StepStatus.VERIFIED_COMPLETED),
        recorded("s2", StepStatus.EVALUATION_FAILED),
        recorded("s3", StepStatus.READY, 0),
        recorded("old", StepStatus.FAILED),
    )
    assert made.no(EditPlan(run=RUN, steps=steps)).code == code
    made.do(EditPlan(run=RUN, steps=(step("s1"), step("s2", title="Otherwise"), step("s4"))))


def test_nothing_of_a_run_that_has_ended_is_edited() -> None:
    made = desk(plan(), begun(ExecutionState.COMPLETED, ended_at=START))
    assert made.no(EditPlan(run=RUN, objective="More")).code == "run-over"


def test_a_run_nobody_laid_out_is_unknown() -> None:
    assert desk().no(OpenRun(run="run-zzzz9999")).code == "run-unknown"


def test_a_run_is_begun_once_and_alone() -> None:
    other = "run-bbbb2222"
    made = desk(plan(), plan(run=other))
    found = made.do(OpenRun(run=RUN), BOT)
    assert facts(found) == {"id": RUN, "todo": T1}
    assert made.no(OpenRun(run=RUN), BOT).code == "run-begun"
    assert made.no(OpenRun(run=other), BOT).code == "run-underway"


def test_a_run_is_begun_by_whoever_may_execute_the_todo() -> None:
    made = desk(plan())
    made.do(AcquireLease(todo=T1, key="k-1"), REX)
    assert made.no(OpenRun(run=RUN), BOT).code == "lease-held"
    assert made.no(OpenRun(run=RUN, lease_key="k-9"), REX).code == "lease-key-wrong"
    made.do(OpenRun(run=RUN, lease_key="k-1"), REX)
    run = made.state.run(RUN)
    assert run is not None and run.lease_epoch == 1 and run.started_by == str(REX)


@pytest.mark.parametrize("status", [TodoStatus.BLOCKED, TodoStatus.DONE])
def test_no_run_of_a_todo_that_is_not_open_begins(status: TodoStatus) -> None:
    refused = desk(plan(), status=status).no(OpenRun(run=RUN))
    assert refused.code == ("todo-closed" if status.is_closed else "todo-not-open")


def test_a_run_begins_in_no_turn_there_is_none_of() -> None:
    assert desk(plan()).no(OpenRun(run=RUN, turn="turn-zzzz9999"), BOT).code == "turn-unknown"


def test_a_plan_typed_by_hand_is_judged_like_one_by_command() -> None:
    made = desk()
    assert made.typed(None, plan()).changes
    assert made.mistyped(None, plan(run="nonsense")).code == "field-value"
    assert made.mistyped(None, plan(run="run-cccc3333", todo="t-zzzz9999")).code == "todo-unknown"
    assert made.mistyped(None, plan(run="run-cccc3333", version=3)).code == "field-machine-owned"
    before = made.state.plan(RUN)
    assert made.typed(before, edited(before, steps=(step("s9"),))).changes
    made.do(OpenRun(run=RUN))
    assert made.mistyped(made.state.plan(RUN), None).code == "document-referenced"
    assert made.mistyped(made.state.run(RUN), begun(ExecutionState.COMPLETED)).code == "record-machine-owned"


def test_settings_may_be_edited_by_a_person_while_the_run_rests() -> None:
    made = desk(plan(), begun())
    made.do(EditPlan(run=RUN, settings=RunSettings(max_retry_attempts=9)), ANN)
    found = made.state.plan(RUN)
    assert found is not None and found.settings.max_retry_attempts == 9
