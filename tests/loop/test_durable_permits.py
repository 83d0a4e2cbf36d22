"""A yes by Gates, over several processes: asked once, about the step as it is written, and never gone round."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import DecideGate, OpenGate
from loopx.loop.keeping.asked import awaited_gates
from loopx.loop.keeping.permits import Granted
from loopx.loop.result import LeftOff
from loopx.model.actor import Channel
from loopx.model.gate import Gate, GateStatus
from loopx.model.plan import Budgets, RunSettings
from loopx.model.step import ExecutionState, StepEffect
from tests.support.durable import Durable
from tests.support.lab import ANN, BOT, Lab
from tests.support.loop import DONE, step

E = ExecutionState
DEPLOY = "production:goal:deploy"


def gates(lab: Lab) -> list[Gate]:
    return sorted(lab.look().state.gates("beta", {GateStatus.OPEN}), key=lambda each: each.scope)


def decided(lab: Lab, gate: str, verb: str = "approve", option: str | None = None) -> None:
    answer = DecideGate(gate=gate, verb=verb, reason="so", option=option, channel=Channel.TERMINAL, confirmed=True)
    lab.submit(answer, ANN)


def awaited(lab: Lab, run: Durable) -> list[str]:
    return sorted(each.id for each in awaited_gates(lab.look().state, run.run, lab.clock.now()))


def mail(**fields: Any) -> Any:
    return step("mail", "s1", title="Send the mail", effects=(StepEffect.SEND,), **fields)


def test_a_step_waits_for_its_gates_and_goes_on_in_another_process(lab: Lab) -> None:
    lab.goal()
    known = lab.submit(OpenGate(goal="beta", scope=DEPLOY, question="May it go live?"), BOT).receipt.result["id"]
    run = Durable.make(lab, step("s1"), mail(requires=(DEPLOY,)))
    result = run.carry_on()
    assert (result.execution_state, result.left_off) == (E.WAITING_FOR_HUMAN, LeftOff.PERSON)
    own, wide = gates(lab)
    assert wide.id == known, "a Gate that asks it already is the one that is waited for"
    assert sorted(result.gates) == sorted((own.id, wide.id)) == awaited(lab, run)
    assert own.scope.startswith(f"other:action:{run.run}/mail@")
    assert own.question == f"May the step mail (Send the mail) of {run.run} send?"
    subjects = len(lab.subjects())
    lab.restart()
    assert run.carry_on().left_off is LeftOff.PERSON
    assert (len(lab.subjects()), len(gates(lab))) == (subjects, 2), "nobody is asked twice, and nothing is written"
    decided(lab, own.id)
    assert run.carry_on().gates == (wide.id,)
    decided(lab, wide.id)
    lab.restart()
    assert run.carry_on().execution_state is E.COMPLETED
    assert run.actor.asked == ["s1", "mail"] and run.records()["mail"].retry_count == 0
    lab.assert_sound()


def test_a_yes_lapses_when_the_step_is_edited(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), mail())
    run.carry_on()
    [first] = gates(lab)
    decided(lab, first.id)
    text = lab.read(run.plan_path).decode()
    lab.save(run.plan_path, text.replace("- send\n", "- send\n      - publish\n"))
    lab.look()
    assert run.plan().steps[1].effects == (StepEffect.SEND, StepEffect.PUBLISH)
    result = run.carry_on()
    assert result.left_off is LeftOff.PERSON and "mail" not in run.actor.asked
    assert len(gates(lab)) == 2 and first.id not in result.gates


def test_a_no_leaves_what_becomes_of_the_step_to_a_person(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), mail())
    run.carry_on()
    [gate] = gates(lab)
    decided(lab, gate.id, "reject")
    lab.restart()
    result = run.carry_on()
    assert (result.left_off, "mail" in run.actor.asked) == (LeftOff.PERSON, False)
    [question] = gates(lab)
    assert awaited(lab, run) == [question.id]
    assert question.id == run.record().gate and "skip" in question.options
    [failure] = run.records()["mail"].failures
    assert failure.evidence == "refused" and gate.id in failure.message
    lab.restart()
    assert run.carry_on().left_off is LeftOff.PERSON and len(gates(lab)) == 1
    run.decide("abort")
    assert run.carry_on().execution_state is E.FAILED


def test_a_run_that_ends_otherwise_asks_for_no_yes_any_more_but_leaves_what_others_may_need(lab: Lab) -> None:
    def slow(*_: Any) -> Any:
        lab.clock.wait(60)
        return DONE

    settings = RunSettings(budgets=Budgets(seconds=30.0))
    run = Durable.make(lab, step("s1"), mail(requires=(DEPLOY,)), step("s2", "s1"), settings=settings)
    assert run.carry_on().left_off is LeftOff.PERSON
    assert len(gates(lab)) == 2
    lab.change(run.plan_path, "settings:", LATER)
    run.actor.lines = {"s3": [slow]}
    assert run.carry_on().execution_state is E.BUDGET_EXHAUSTED
    assert [each.scope for each in gates(lab)] == [DEPLOY]


LATER = """\
  - id: s3
    title: Do s3
    action:
      actor: python
      callable: work
settings:"""


def test_an_engine_that_goes_round_the_gates_records_nothing(lab: Lab) -> None:
    run = Durable.make(lab, step("s1"), mail())
    engine = run.engine()
    engine.context.permits = Granted(("send",))
    engine = type(engine)(engine.state, engine.context, store=engine.store)
    with pytest.raises(LoopxError) as error:
        asyncio.run(engine.run())
    assert error.value.code == "step-unpermitted"
    assert run.actor.asked == ["s1"] and run.statuses().get("mail") != "in_progress"
