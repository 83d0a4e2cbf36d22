"""Steps at the terminal: what became of one, and putting one aside or giving it up by command."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx.kernel.commands import AcquireLease, BlockTodo, DeferTodo
from loopx.loop.keeping.attempting import process_started
from loopx.model.plan import RunSettings
from loopx.model.step import ExecutionState
from tests.support.console import Console, Said
from tests.support.durable import Durable
from tests.support.lab import ANN, Crash, Lab, crash_at
from tests.support.loop import Judge, step

REASON = ("--reason", "not needed")
BY_BOT = ("--actor", "agent:bot")
ASKING = RunSettings(max_retry_attempts=0, max_replans=0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a Goal and an agent; made once."""
    lab = Lab.make(tmp_path_factory.mktemp("made") / "project")
    lab.goal()
    Console(lab)("agent", "add", "bot").expect()
    lab.close()
    return lab.project.root


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Iterator[Lab]:
    copy = Lab.copied(made, tmp_path / "project")
    yield copy
    copy.close()
    shutil.rmtree(tmp_path / "project")


def asked_about_s2(lab: Lab, **more: Any) -> Durable:
    """A run of the agent's that waits for a person: s1 is done, s2 was rejected, s3 and s4 wait for it."""
    steps = (step("s1"), step("s2", "s1", **more), step("s3", "s2"), step("s4", "s3"))
    run = Durable.make(lab, *steps, settings=ASKING, evaluator=Judge({"s2": False}))
    assert run.carry_on().execution_state is ExecutionState.WAITING_FOR_HUMAN
    return run


def begun(lab: Lab, *steps: Any) -> Durable:
    """A run whose first step was begun by a process that is gone."""
    run = Durable.make(lab, *(steps or (step("s1"), step("s2", "s1"))), settings=ASKING)
    with crash_at("run-starting-after"), pytest.raises(Crash):
        run.carry_on()
    lab.restart()
    return run


def data(said: Said) -> Any:
    return said.expect().json["data"]


def refused(said: Said) -> Any:
    assert said.code in (1, 3), said.text
    return said.json["error"]


def test_a_step_is_shown_with_its_attempts_verdicts_and_failures(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab), Console(lab)
    told = data(loopx("step", "show", run.todo, "s2", "--json"))
    assert (told["status"], told["evaluation"], told["verification"]) == ("recovery_pending", False, None)
    assert [(each["number"], each["outcome"], each["evaluation_passed"]) for each in told["tries"]] == [
        (1, "succeeded", False)
    ]
    assert told["failures"][0]["type"] == "evaluation_failed" and told["output"] == "done"
    said = loopx("step", "show", run.run, "s2").expect().out
    assert said.startswith(f"step s2 of {run.run}  Do s2\n  status      recovery_pending\n")
    assert "  try 1       succeeded with 0, " in said and "escalated" in said and "  | done\n" in said
    untouched = data(loopx("step", "show", run.run, "s3", "--json"))
    assert (untouched["status"], untouched["waits_for"], untouched["tries"]) == ("pending", ["s2"], [])
    shown = loopx("plan", "show", run.todo).expect().out
    assert f"asked {run.record().gate}" in shown
    assert f'loopx gate approve {run.record().gate} --option retry --reason "…"' in shown


def test_only_the_end_of_a_long_output_is_shown_unless_all_is_wanted(lab: Lab) -> None:
    from loopx.loop.components.protocols import Acted
    from loopx.model.step import AttemptOutcome
    from tests.support.loop import Actor

    text = "\n".join(f"line {number}" for number in range(100))
    run = Durable.make(lab, step("s1"), actor=Actor({"s1": Acted(AttemptOutcome.SUCCEEDED, text, 0)}))
    run.carry_on()
    loopx = Console(lab)
    told = data(loopx("step", "show", run.run, "s1", "--json"))
    assert told["output"].splitlines()[0] == "line 80" and not told["output_is_whole"]
    assert data(loopx("step", "show", run.run, "s1", "--output", "--json"))["output"] == text


def test_the_steps_on_their_way_are_listed(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab), Console(lab)
    assert [each["id"] for each in data(loopx("step", "--json"))["steps"]] == ["s2"]
    assert len(data(loopx("step", "list", "--all", "--goal", "beta", "--json"))["steps"]) == 4
    assert f"{run.run}  s2    recovery_pending  1      python  Do s2\n" in loopx("step").expect().out


def test_a_rejected_step_that_is_optional_is_put_aside_and_the_run_completes(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab, optional=True), Console(lab)
    gate = run.record().gate
    lab.submit(DeferTodo(todo=run.todo, until=f"gate_approved:{gate}"))
    told = data(loopx("step", "skip", run.todo, "s2", *REASON, *BY_BOT, "--json"))
    assert (told["before"], told["after"], told["holds_completion"]) == ("recovery_pending", "skipped", False)
    assert told["others"] == {"s3": "ready"} and (told["withdrawn"], told["resumed"]) == (gate, True)
    assert run.record().gate is None and run.record().status is ExecutionState.ITERATION_COMPLETE
    assert [each.status.value for each in run.records()["s2"].failures] == ["recovered"]
    assert lab.todos()[run.todo].status == "open"
    run.check()
    assert run.carry_on().execution_state is ExecutionState.PARTIALLY_COMPLETED
    assert "skipped by agent:bot: not needed" in loopx("trace", "show", run.run, "--step", "s2").expect().out


def test_a_required_step_put_aside_blocks_what_waits_for_it_until_it_counts(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab), Console(lab)
    said = loopx("step", "skip", run.run, "s2", *REASON, *BY_BOT).expect().out
    assert said.startswith(f"step s2 of {run.run}: recovery_pending → skipped · ")
    assert "  then        s3 is blocked\n" in said and "cannot complete without it" in said
    assert run.statuses()["s3"] == "blocked" and run.statuses().get("s4", "pending") == "pending"
    assert f"loopx plan edit {run.run} --set steps.s2.optional=true" in said
    loopx("plan", "edit", run.run, "--set", "steps.s2.optional=true").expect()
    assert run.carry_on().execution_state is ExecutionState.PARTIALLY_COMPLETED
    assert run.statuses()["s4"] == "verified_completed"


def test_a_step_given_up_blocks_what_waits_for_it(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab), Console(lab)
    told = data(loopx("step", "cancel", run.run, "s3", *REASON, *BY_BOT, "--json"))
    assert (told["before"], told["after"], told["holds_completion"]) == ("pending", "cancelled", True)
    assert told["others"] == {"s4": "blocked"} and told["withdrawn"] is None
    assert run.record().gate is not None, "the question about s2 still stands"
    run.check()
    assert data(loopx("step", "cancel", run.run, "s2", *REASON, *BY_BOT, "--json"))["settled"]
    assert run.record().gate is None
    run.check()


def test_a_step_nobody_saw_the_end_of_is_given_up_and_that_stays_unknown(lab: Lab) -> None:
    run, loopx = begun(lab), Console(lab)
    told = refused(loopx("step", "skip", run.run, "s1", *REASON, *BY_BOT, "--json"))
    assert told["code"] == "transition-illegal" and "loopx run" in told["hint"]
    assert data(loopx("step", "cancel", run.run, "s1", *REASON, *BY_BOT, "--json"))["others"] == {"s2": "blocked"}
    [attempt] = run.records()["s1"].attempts
    assert attempt.outcome.value == "unknown" and attempt.ended_at is not None
    run.check()


def test_a_step_that_is_carried_out_right_now_is_left_alone(lab: Lab) -> None:
    import os

    from loopx.loop.keeping.attempting import boot

    run, loopx = begun(lab), Console(lab)
    attempt = run.records()["s1"].attempts[0].id
    own = process_started(os.getpid())
    facts = {
        "attempt": attempt,
        "pid": os.getpid(),
        "boot": boot(),
        "process_started": own,
        "keeper": os.getpid(),
        "keeper_started": own,
    }
    path = lab.root / "local" / "attempts" / f"{attempt.replace('/', '+')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts), encoding="utf-8")
    before = run.record()
    told = loopx("step", "cancel", run.run, "s1", *REASON, *BY_BOT, "--json").expect(3).json["error"]
    assert told["code"] == "step-underway" and "Ctrl-C" in told["hint"] and "plan.yaml" in told["hint"]
    assert run.record() == before


def test_what_the_table_does_not_allow_is_refused_and_changes_nothing(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab), Console(lab)
    before = (run.record(), run.records())
    for verb in ("skip", "cancel"):
        told = refused(loopx("step", verb, run.run, "s1", *REASON, *BY_BOT, "--json"))
        assert told["code"] == "transition-illegal" and "verified_completed" in told["message"]
    told = refused(loopx("step", "skip", run.run, "s9", *REASON, *BY_BOT, "--json"))
    assert told["code"] == "step-unknown" and "s1, s2, s3, s4" in told["hint"]
    assert loopx("step", "skip", run.run, "s2").code == 2, "a reason is wanted"
    assert (run.record(), run.records()) == before


def test_a_run_that_has_ended_or_was_not_begun_has_no_step_to_move(lab: Lab) -> None:
    run, loopx = Durable.make(lab, step("s1")), Console(lab)
    run.carry_on()
    assert refused(loopx("step", "cancel", run.run, "s1", *REASON, *BY_BOT, "--json"))["code"] == "run-over"
    other = lab.todo("Another one")
    loopx("plan", "new", other, "--step", "a: true").expect()
    told = refused(loopx("step", "skip", other, "a", *REASON, "--json"))
    assert told["code"] == "run-unknown" and "plan edit" in told["hint"]


def test_whoever_did_not_begin_the_run_needs_the_lease(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab, optional=True), Console(lab)
    told = refused(loopx("step", "skip", run.run, "s2", *REASON, "--actor", "human:Ann", "--json"))
    assert told["code"] == "actor-not-permitted" and run.statuses()["s2"] == "recovery_pending"
    lab.submit(AcquireLease(todo=run.todo, key="k-mine1111"), ANN)
    lease = ("--lease", "k-mine1111")
    told = data(loopx("step", "skip", run.run, "s2", *REASON, "--actor", "human:Ann", *lease, "--json"))
    assert told["after"] == "skipped"


def test_a_todo_that_waits_for_something_else_is_left_as_it_is(lab: Lab) -> None:
    run, loopx = asked_about_s2(lab, optional=True), Console(lab)
    lab.submit(BlockTodo(todo=run.todo, reason="The network is down"))
    told = data(loopx("step", "skip", run.run, "s2", *REASON, *BY_BOT, "--json"))
    assert told["resumed"] is False and lab.todos()[run.todo].status == "blocked"


def test_a_step_a_person_is_asked_to_do_shows_the_question_and_takes_it_along(lab: Lab) -> None:
    loopx, todo = Console(lab), lab.todo("Look")
    action = {"actor": "human", "question": "Does the page look right?"}
    plan = {"steps": [{"id": "ask", "title": "Look", "action": action, "verify": [{"kind": "exit_code"}]}]}
    (lab.project.root / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    run = data(loopx("plan", "new", todo, "--from", "plan.json", "--json"))["result"]["id"]
    loopx("run", todo)
    [asked] = data(loopx("plan", "show", todo, "--json"))["asked"]
    gate = asked["gate"]
    assert asked["question"] == "Does the page look right?" and asked["options"] == ["done", "not_done"]
    assert asked["commands"][0] == f'loopx gate approve {gate} --option done --reason "…"'
    told = refused(loopx("step", "skip", run, "ask", *REASON, "--json"))
    assert told["code"] == "transition-illegal" and "answer the Gate" in told["hint"]
    assert data(loopx("step", "cancel", run, "ask", *REASON, "--json"))["withdrawn"] == gate
    assert data(loopx("gate", "list", "--json"))["count"] == 0
