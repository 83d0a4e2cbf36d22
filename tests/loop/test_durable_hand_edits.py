"""A plan edited by hand between executions: taken over where the run stands, and never a verdict."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.loop.components.commands import CommandActor
from loopx.loop.components.protocols import Acted
from loopx.loop.step import StepView
from loopx.model.plan import RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState
from tests.support.durable import Durable, command
from tests.support.lab import Crash, Lab, crash_at
from tests.support.loop import DONE, Actor, Judge, step

ADDED = """\
  - id: s9
    title: Do s9
    action:
      actor: python
      callable: work
      recover: repeat
    depends_on:
      - s1
"""


def edited(run: Durable, old: str, new: str) -> None:
    """Edit the plan as an editor would, and let it rest."""
    run.lab.change(run.plan_path, old, new)


def waiting_for_a_person(lab: Lab, *more: str) -> Durable:
    """A run that waits with s1 done and s2 rejected."""
    steps = [step("s1"), step("s2", "s1"), *(step(each, "s2") for each in more)]
    settings = RunSettings(max_retry_attempts=0, max_replans=0)
    run = Durable.make(lab, *steps, settings=settings, evaluator=Judge({"s2": [False, True]}))
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    return run


def test_a_step_added_by_hand_is_carried_out(lab: Lab) -> None:
    run = waiting_for_a_person(lab)
    edited(run, "settings:", f"{ADDED}settings:")
    run.decide("retry")
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert run.statuses()["s9"] == "verified_completed"


def test_a_step_taken_out_by_hand_is_carried_out_no_more(lab: Lab) -> None:
    run = waiting_for_a_person(lab, "s3")
    text = lab.read(run.plan_path).decode()
    start = text.index('  - id: "s3"')
    end = text.index("settings:")
    lab.save(run.plan_path, text[:start] + text[end:])
    run.decide("retry")
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert "s3" not in run.actor.asked and "s3" not in (each.id for each in run.plan().steps)


def test_a_step_changed_by_hand_is_carried_out_as_it_now_reads(lab: Lab) -> None:
    run = waiting_for_a_person(lab)
    edited(run, "title: Do s2", "title: Do s2 with care")
    run.decide("retry")
    run.carry_on()
    assert [each.meant.title for each in run.actor.views] == ["Do s1", "Do s2", "Do s2 with care"]


def test_an_edit_made_while_a_step_runs_is_taken_over_before_the_next_one(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"), settings=RunSettings(max_retry_attempts=2))

    def type_meanwhile(view: StepView, attempt: str) -> Acted:
        edited(run, "settings:", f"{ADDED}settings:")
        return DONE

    run.actor = Actor({"s1": type_meanwhile})
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    assert sorted(run.actor.asked) == ["s1", "s2", "s9"]
    assert run.plan().step("s9") is not None


def test_the_outcome_of_a_step_edited_while_it_ran_is_kept_and_a_person_decides(lab: Lab) -> None:
    settings = RunSettings(max_retry_attempts=0, max_replans=0)
    run = Durable.make(lab, command("s1", "echo once >> log"), settings=settings)
    run.actor = CommandActor()
    with crash_at("run-finished-before"), pytest.raises(Crash):
        run.carry_on()
    assert run.statuses() == {"s1": "in_progress"}
    edited(run, "echo once", "echo twice")
    lab.restart()
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    record = run.records()["s1"]
    assert record.status.value == "recovery_pending" and record.evaluation_passed is None
    assert record.attempts[0].outcome is AttemptOutcome.SUCCEEDED
    assert (lab.project.root / "log").read_text() == "once\n"


def test_an_execution_that_ran_on_another_definition_is_told_apart_when_the_run_is_read(lab: Lab) -> None:
    from loopx.loop.resuming import is_redefined

    run = Durable.make(lab, step("s1"))
    with crash_at("run-starting-after"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    state, _ = run.load()
    assert not is_redefined(state.plan.step("s1"))
    edited(run, "callable: work", "callable: other")
    state, _ = run.load()
    assert is_redefined(state.plan.step("s1"))
    edited(run, "title: Do s1", "title: Do s1 anew")
    edited(run, "callable: other", "callable: work")
    state, _ = run.load()
    assert not is_redefined(state.plan.step("s1")), "a title changes nothing about what an execution did"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("title: Do s1", "title: Do s1 otherwise", "plan-step-begun"),
        ('id: "s2"', 'id: "s7"', "plan-step-begun"),
        ('depends_on:\n      - "s1"', 'depends_on:\n      - "s8"', "plan-invalid"),
        ("title: Do s2", "title: Do s2\n    version: 4", "field-machine-owned"),
        ("objective: Reach it", "objective: Reach it\nversion: 7", "field-machine-owned"),
    ],
)
def test_what_is_done_or_was_begun_stays_as_it_was(lab: Lab, old: str, new: str, code: str) -> None:
    run = waiting_for_a_person(lab)
    before = run.plan()
    edited(run, old, new)
    lab.look()
    [waiting] = lab.ws.edits()
    assert [each.code for each in waiting.problems] == [code]
    assert run.plan() == before


@pytest.mark.parametrize("name", ["run.yaml", "steps/s1.yaml", "trace/0001.jsonl"])
def test_what_happened_cannot_be_edited(lab: Lab, name: str) -> None:
    run = waiting_for_a_person(lab)
    path = f"{run.folder.relative_to(lab.root).as_posix()}/{name}"
    text = lab.read(path).decode()
    changed = text.replace("verified_completed", "executed").replace("waiting_for_human", "completed")
    assert changed != text
    lab.save(path, changed)
    lab.look()
    assert (
        any(problem.code == "record-machine-owned" for edit in lab.ws.edits(take_in=False) for problem in edit.problems)
        or lab.ws.doctor().findings
    )
    run.check()


def test_nobody_begins_a_step_under_settings_that_were_edited(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), step("s2", "s1"), settings=RunSettings(max_retry_attempts=2))

    def type_meanwhile(view: StepView, attempt: str) -> Acted:
        edited(run, "max_retry_attempts: 2", "max_retry_attempts: 1")
        lab.look()
        return DONE

    run.actor = Actor({"s1": type_meanwhile})
    with pytest.raises(LoopxError) as error:
        run.carry_on()
    assert error.value.code == "run-moved"
    assert "s2" not in run.actor.asked
