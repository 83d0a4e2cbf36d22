"""Planners: a plan by hand, a program that plans in JSON, and what a plan lacks before it is begun."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.components.planning import CommandPlanner, WrittenPlanner, told_step
from loopx.loop.components.protocols import ComponentType, Revised
from loopx.loop.components.shipped import check_steps, shipped
from loopx.loop.failure import Failure, FailureView
from loopx.model.plan import Action, ActorKind, Judge, JudgeKind, PlanStep, RunSettings
from loopx.model.step import FailureType
from loopx.model.step import RecoveryStrategy as R
from tests.support.clock import START
from tests.support.components import context_in, planned, view_of
from tests.support.loop import Scene, step

FAILURE = FailureView.of(Failure("f-1", FailureType.EVALUATION_FAILED, "it is too short", START, step_id="s1"))
STEP = {"id": "s1", "title": "Write it", "action": {"argv": ["make"]}}


def answering(tmp_path: Path, answer: Any, status: int = 0) -> CommandPlanner:
    """A planner that keeps what it was asked and says ``answer``."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    (tmp_path / "answer").write_text(text)
    script = f"cat > {tmp_path}/asked; echo thinking >&2; cat {tmp_path}/answer; exit {status}"
    return CommandPlanner(("sh", "-c", script))


def created(tmp_path: Path, answer: Any, status: int = 0) -> Revised:
    planner = answering(tmp_path, answer, status)
    return asyncio.run(planner.create_plan("A guide", context_in(tmp_path, tools={"make": ("make",)})))


def asked(tmp_path: Path) -> Any:
    return json.loads((tmp_path / "asked").read_text())


def test_a_program_plans_in_json(tmp_path: Path) -> None:
    found = created(tmp_path, {"steps": [STEP, {**STEP, "id": "s2", "depends_on": ["s1"]}], "objective": "Better"})
    first, second = found.steps
    assert first == PlanStep(id="s1", title="Write it", action=Action(argv=("make",)))
    assert second.depends_on == ("s1",) and found.objective == "Better"
    told = asked(tmp_path)
    assert (told["asked"], told["objective"], told["tools"]) == ("create_plan", "A guide", ["make"])


def test_a_program_revises_a_step_and_knows_why(tmp_path: Path) -> None:
    planner = answering(tmp_path, {"step": {**STEP, "title": "Write more"}})
    view = view_of(planned("make"), "short", 1)
    revised = asyncio.run(planner.revise_step(view, FAILURE, context_in(tmp_path)))
    assert revised.title == "Write more"
    told = asked(tmp_path)
    assert told["failure"]["message"] == "it is too short" and told["step"]["output"] == "short"


def test_a_program_revises_a_plan_and_may_hand_definitions_back_as_it_got_them(tmp_path: Path) -> None:
    meant = replace(planned("make", write_scopes=("src/**",)), version=3, lineage="s0", replaces="s0")
    view = view_of(meant)
    answer = {"steps": [told_step(view)["step"]]}
    revised = asyncio.run(answering(tmp_path, answer).revise_plan([view], None, context_in(tmp_path)))
    assert revised.steps == (planned("make", write_scopes=("src/**",)),) and revised.objective is None
    assert asked(tmp_path)["steps"][0]["status"] == "pending" and asked(tmp_path)["failure"] is None


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("no json", "no JSON"),
        ([], "no JSON object"),
        ({}, "steps is missing"),
        ({"steps": {}}, "steps is no list"),
        ({"steps": [], "more": 1}, "more is unknown"),
        ({"steps": [], "objective": " "}, "objective"),
        ({"steps": [7]}, "steps.0"),
        ({"steps": [STEP, {**STEP, "id": "S 2"}]}, "steps.1.id"),
        ({"steps": [{"id": "s1", "title": "x"}]}, "steps.0.action"),
        ({"steps": [{**STEP, "status": "verified_completed"}]}, "steps.0.status"),
        ({"steps": [{**STEP, "version": 9}]}, "steps.0.version: version is written by LoopX alone"),
        ({"steps": [{**STEP, "optional": "yes"}]}, "steps.0.optional"),
        ({"steps": [{**STEP, "action": {"argv": ["a", 1]}}]}, "steps.0.action.argv.1"),
        ({"steps": [{**STEP, "action": {"argw": ["a"]}}]}, "steps.0.action.argw"),
        ({"steps": [{**STEP, "evaluate": [{"kind": "regex"}, {"kind": "guess"}]}]}, "steps.0.evaluate.1.kind"),
        ({"steps": [{**STEP, "evaluate": [{"kind": "regex", "valeu": "x"}]}]}, "steps.0.evaluate.0.valeu"),
    ],
)
def test_a_wrong_answer_is_told_by_its_place(tmp_path: Path, answer: Any, told: str) -> None:
    with pytest.raises(LoopxError) as no:
        created(tmp_path, answer)
    assert no.value.code == "planner-output" and told in str(no.value)


def test_a_planner_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(LoopxError) as no:
        created(tmp_path, {"steps": []}, status=3)
    assert no.value.code == "planner-failed" and "thinking" in str(no.value)
    with pytest.raises(LoopxError) as no:
        asyncio.run(CommandPlanner(("./no",)).create_plan("x", context_in(tmp_path)))
    assert no.value.code == "planner-failed"


def test_a_plan_by_hand_is_nobodys_to_revise(tmp_path: Path) -> None:
    planner, view, context = WrittenPlanner(), view_of(planned("true")), context_in(tmp_path)
    for asking in (
        planner.create_plan("x", context),
        planner.revise_step(view, FAILURE, context),
        planner.revise_plan([view], FAILURE, context),
    ):
        with pytest.raises(LoopxError) as no:
            asyncio.run(asking)
        assert no.value.code == "plan-by-hand"


def test_recovery_does_not_ask_for_what_nobody_can_plan() -> None:
    ladder = (R.REPLAN_STEP, R.REPLAN_REMAINING_TASK, R.REDUCE_SCOPE, R.TERMINATE)
    settings = RunSettings(ladder=ladder, allow_partial=True)
    needed = Scene(
        step("a"), step("b", optional=True), evaluator={"a": False}, planner=WrittenPlanner(), settings=settings
    )
    needed.run()
    assert (needed.chosen(), needed.statuses()) == (["terminate"], {"a": "failed", "b": "ready"})
    other = Scene(
        step("a", optional=True), step("b"), evaluator={"a": False}, planner=WrittenPlanner(), settings=settings
    )
    other.run()
    assert (other.chosen(), other.statuses()) == (["reduce_scope"], {"a": "skipped", "b": "verified_completed"})


def test_the_shipped_components_are_all_there() -> None:
    found = shipped()
    wanted = {ComponentType.PLANNER, ComponentType.ACTOR, ComponentType.EVALUATOR, ComponentType.VERIFIER}
    assert found.keys() == wanted and isinstance(found[ComponentType.PLANNER], WrittenPlanner)
    assert isinstance(shipped(planner=("x",))[ComponentType.PLANNER], CommandPlanner)


YES = (Judge(kind=JudgeKind.EXIT_CODE),)
A = ActorKind


@pytest.mark.parametrize(
    ("meant", "code"),
    [
        (planned("true", verify=YES), None),
        (planned(tool="make", model="small", verify=YES), None),
        (planned(actor=A.HUMAN, verify=YES), None),
        (planned(actor=A.PYTHON, callable="work", verify=YES), None),
        (planned("claude", actor=A.AGENT, prompt="do it", verify=YES), None),
        (planned("true", tool="gone", verify=YES), "tool-unknown"),
        (planned("true", model="gone", verify=YES), "tool-unknown"),
        (planned(verify=YES), "action-invalid"),
        (planned("claude", actor=A.AGENT, verify=YES), "action-invalid"),
        (planned(actor=A.AGENT, prompt="do it", verify=YES), "action-invalid"),
        (planned(actor=A.PYTHON, verify=YES), "action-invalid"),
        (planned("{tool}", verify=YES), "action-invalid"),
        (planned("x", "{model}", verify=YES), "action-invalid"),
        (planned(actor=A.PYTHON, callable="gone", verify=YES), "callable-unknown"),
        (planned("true"), "verify-missing"),
        (planned("true", verify=YES, evaluate=(Judge(kind=JudgeKind.REGEX, value="("),)), "judge-invalid"),
        (planned("true", verify=(Judge(kind=JudgeKind.COMMAND),)), "judge-invalid"),
        (planned("true", verify=(Judge(kind=JudgeKind.CONTAINS),)), "judge-invalid"),
        (planned("true", verify=(Judge(kind=JudgeKind.JSON_SCHEMA, value="{"),)), "judge-invalid"),
        (planned("true", verify=(Judge(kind=JudgeKind.JSON_SCHEMA, value="{}"),)), None),
        (planned("true", verify=(Judge(kind=JudgeKind.PYTHON, value="look"),)), None),
        (planned("true", verify=(Judge(kind=JudgeKind.PYTHON, value="gone"),)), "callable-unknown"),
    ],
)
def test_what_a_plan_lacks_is_told_before_it_is_begun(tmp_path: Path, meant: PlanStep, code: str | None) -> None:
    context = context_in(tmp_path, tools={"make": ("make",)}, models=("small",))

    def check() -> None:
        check_steps([meant], context, callables={"work": id}, judges={"look": bool})

    if code is None:
        check()
        return
    with pytest.raises(LoopxError) as no:
        check()
    assert no.value.code == code and str(no.value).startswith("s1: ")


def test_a_step_without_verification_is_fine_where_it_is_switched_off(tmp_path: Path) -> None:
    check_steps([planned("true")], context_in(tmp_path, settings=RunSettings(enable_verification=False)))
