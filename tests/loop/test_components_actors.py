"""Actors, with real programs: what each comes back with, and which of its ends are known."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.components.actors import Actors
from loopx.loop.components.callables import called
from loopx.loop.components.commands import acted_of
from loopx.loop.components.protocols import Acted
from loopx.loop.context import Answer
from loopx.loop.keeping.attempts import is_alive, read_attempt
from loopx.loop.step import StepView
from loopx.model.plan import ActorKind, RunSettings
from loopx.model.step import AttemptOutcome, FailureType
from tests.support.clock import START, FakeClock
from tests.support.components import ID, RUN, act, context_in, planned, probe, view_of

End, F = AttemptOutcome, FailureType
SHOW = (sys.executable, "-c", "import sys; print(sys.argv[1:])")

# commands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "outcome"), [(0, End.SUCCEEDED), (1, End.FAILED), (127, End.FAILED)])
def test_a_command_that_ran_to_its_end_has_a_known_outcome(tmp_path: Path, status: int, outcome: End) -> None:
    found = act(planned("sh", "-c", f"echo said; exit {status}"), context_in(tmp_path))
    assert (found.outcome, found.exit_status, found.output, found.failure) == (outcome, status, "said\n", None)
    assert found.output_digest is not None and ("said" in found.message) is (status != 0)


def test_a_command_that_cannot_be_started_never_began(tmp_path: Path) -> None:
    found = act(planned("./nowhere"), context_in(tmp_path))
    assert (found.outcome, found.failure) == (End.NOT_STARTED, F.EXECUTION_ERROR) and "nowhere" in found.message


def test_a_command_that_timed_out_is_unknown_first_and_a_timeout_second(tmp_path: Path) -> None:
    found = act(planned("sh", "-c", "echo begun; sleep 60", timeout_seconds=0.3), context_in(tmp_path))
    assert (found.outcome, found.failure, found.exit_status) == (End.UNKNOWN, F.TIMEOUT, None)
    assert found.output == "begun\n"


@pytest.mark.parametrize(
    ("number", "outcome"),
    [
        (signal.SIGKILL, End.UNKNOWN),
        (signal.SIGTERM, End.UNKNOWN),
        (signal.SIGSEGV, End.FAILED),
        (signal.SIGABRT, End.FAILED),
    ],
)
def test_who_was_ended_from_outside_is_unknown_and_who_broke_down_failed(
    tmp_path: Path, number: int, outcome: End
) -> None:
    found = act(planned("sh", "-c", f"ulimit -c 0; kill -{number:d} $$"), context_in(tmp_path))
    assert found.outcome is outcome


def test_a_step_is_told_who_it_is_and_gets_what_its_action_adds(tmp_path: Path) -> None:
    environ = {**os.environ, "GIT_DIR": "/elsewhere", "KEPT": "yes"}
    context = context_in(tmp_path, todo="t-4k9x2m7q", goal="beta", environ=environ)
    found = act(planned("env", environment=("A=1", "B=x=y")), context)
    told = dict(line.split("=", 1) for line in found.output.splitlines())
    assert {name: value for name, value in told.items() if name.startswith("LOOPX_")} == {
        "LOOPX_ATTEMPT": ID,
        "LOOPX_RUN": RUN,
        "LOOPX_STEP": "s1",
        "LOOPX_TODO": "t-4k9x2m7q",
        "LOOPX_GOAL": "beta",
    }
    assert (told["A"], told["B"], told["KEPT"]) == ("1", "x=y", "yes") and "GIT_DIR" not in told


def test_a_step_works_in_its_folder_below_the_project_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "lab" / "sub").mkdir(parents=True)
    (tmp_path / "lab" / "out").symlink_to(tmp_path)
    context = context_in(tmp_path / "lab")
    assert act(planned("pwd", folder="sub"), context).output == f"{tmp_path}/lab/sub\n"
    for folder in ("..", "out", "/tmp", "sub/../.."):
        found = act(planned("pwd", folder=folder), context)
        assert found.outcome is End.NOT_STARTED and "outside" in found.message


@pytest.mark.parametrize(
    ("argv", "more", "said"),
    [
        (SHOW, {}, []),
        ((*SHOW, "{model}", "-m={model}"), {"model": "small"}, ["small", "-m=small"]),
        (("x", "{tool}"), {"tool": "show"}, ["{tool}"]),
        (("y",), {"tool": "show"}, ["y"]),
        ((), {"tool": "show"}, []),
        (("y",), {"tool": "big", "model": "m1"}, ["--with", "m1", "y"]),
    ],
)
def test_tool_and_model_stand_where_the_argument_list_says(
    tmp_path: Path, argv: tuple[str, ...], more: Mapping[str, str], said: list[str]
) -> None:
    tools = {"show": SHOW, "big": (*SHOW, "--with", "{model}")}
    if argv[:1] == ("x",):
        argv, said = ("env", "X=1", "{tool}", "z"), ["z"]
    assert act(planned(*argv, **more), context_in(tmp_path, tools=tools)).output == f"{said}\n"


@pytest.mark.parametrize(
    ("argv", "more"),
    [
        ((), {}),
        (("true",), {"tool": "gone"}),
        (("{tool}", "x"), {}),
        (("true", "{model}"), {}),
        (("true",), {"environment": ("=x",)}),
        (("true",), {"environment": ("A",)}),
    ],
)
def test_a_step_that_lacks_something_is_not_started(tmp_path: Path, argv: tuple[str, ...], more: Any) -> None:
    found = act(planned(*argv, **more), context_in(tmp_path))
    assert (found.outcome, found.failure) == (End.NOT_STARTED, F.EXECUTION_ERROR) and found.message


def test_the_end_is_on_file_for_whoever_resumes_and_reads_the_same(tmp_path: Path) -> None:
    meant = planned("sh", "-c", "echo said; exit 3")
    found = act(meant, context_in(tmp_path, attempts=tmp_path / "attempts"))
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is not None and acted_of(file, meant.action) == found


def test_a_file_without_an_end_is_unknown(tmp_path: Path) -> None:
    from loopx.loop.keeping.attempts import AttemptFile

    file = AttemptFile(ID, 1, "b", "1", 2, "1")
    found = acted_of(file, planned("true").action)
    assert (found.outcome, found.failure) == (End.UNKNOWN, F.INTERRUPTED)


def test_cancelling_a_step_ends_what_it_began(tmp_path: Path) -> None:
    folder = tmp_path / "attempts"
    context = context_in(tmp_path, attempts=folder)

    async def cancelled() -> None:
        task = asyncio.create_task(Actors().act(view_of(planned("sleep", "60")), ID, context))
        while read_attempt(folder, ID) is None:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    file = read_attempt(folder, ID)
    assert file is not None and not is_alive(file)


# agents ------------------------------------------------------------------------------------------


def agent(tmp_path: Path, script: str, prompt: str = "do it") -> Acted:
    return act(planned("sh", "-c", script, actor=ActorKind.AGENT, prompt=prompt), context_in(tmp_path))


def test_an_agent_is_told_on_its_input_and_answers_in_plain_text(tmp_path: Path) -> None:
    found = agent(tmp_path, "echo thinking >&2; cat", "write the guide")
    assert (found.outcome, found.output, found.cost) == (End.SUCCEEDED, "write the guide", None)


def test_an_agent_is_told_why_the_last_try_was_not_accepted(tmp_path: Path) -> None:
    seen = {"message": "it is short", "output": "3 < 9"}
    view = view_of(planned("cat", actor=ActorKind.AGENT, prompt="write it\n"), metadata={"failure_evidence": seen})
    found = asyncio.run(Actors().act(view, ID, context_in(tmp_path)))
    assert found.output == "write it\n\nThis was tried before and not accepted: it is short\n\n3 < 9\n"


def test_an_agent_may_answer_in_json(tmp_path: Path) -> None:
    said = {"output": {"files": 2}, "cost": 0.25, "tokens": 1200, "drift": False, "session": "abc"}
    found = agent(tmp_path, f"cat >/dev/null; echo '{json.dumps(said)}'")
    assert (found.output, found.cost, found.tokens, found.failure) == ({"files": 2}, 0.25, 1200, None)


@pytest.mark.parametrize(
    ("said", "failure", "message"),
    [
        ({"output": "x", "drift": True}, F.SEMANTIC_DRIFT, "drift"),
        ({"output": "x", "drift": "went off"}, F.SEMANTIC_DRIFT, "went off"),
        ({"output": "x", "hijack": "a page told me to", "drift": True}, F.GOAL_HIJACKING, "a page told me to"),
        ({"output": "x", "cost": "much"}, F.INVALID_OUTPUT, "cost"),
        ({"output": "x", "cost": -1}, F.INVALID_OUTPUT, "cost"),
        ({"output": "x", "tokens": 1.5}, F.INVALID_OUTPUT, "tokens"),
        ({"output": "x", "tokens": True}, F.INVALID_OUTPUT, "tokens"),
        ({"drift": 1}, F.INVALID_OUTPUT, "drift"),
    ],
)
def test_what_an_agent_says_against_its_work_is_heard(tmp_path: Path, said: Any, failure: F, message: str) -> None:
    found = agent(tmp_path, f"echo '{json.dumps(said)}'")
    assert (found.outcome, found.failure) == (End.SUCCEEDED, failure) and message in found.message


@pytest.mark.parametrize("text", ['{"a": 1}', "{not json", "[1, 2]", "{}"])
def test_other_output_of_an_agent_is_taken_as_it_stands(tmp_path: Path, text: str) -> None:
    assert agent(tmp_path, f"echo '{text}'").output == f"{text}\n"


def test_an_agent_that_fails_has_failed_whatever_it_says(tmp_path: Path) -> None:
    found = agent(tmp_path, """echo '{"output": "fine"}'; echo no quota >&2; exit 2""")
    assert (found.outcome, found.exit_status) == (End.FAILED, 2) and "no quota" in found.message


# people ------------------------------------------------------------------------------------------


class Channel:
    """Answers at the n-th look."""

    def __init__(self, answer: Answer | None) -> None:
        self.asked: list[Any] = []
        self._answer = answer

    def ask(self, question: str, options: tuple[str, ...], facts: Mapping[str, Any]) -> str:
        self.asked.append((question, options, dict(facts)))
        return "g-4k9x2m7q"

    def answer(self, gate: str) -> Answer | None:
        return self._answer

    def withdraw(self, gate: str) -> None:
        raise AssertionError("nobody takes it back")


HUMAN = planned(actor=ActorKind.HUMAN, question="Please plug it in.")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer(True, "done", "it is in"), End.SUCCEEDED),
        (Answer(True), End.SUCCEEDED),
        (Answer(True, "not_done"), End.FAILED),
        (Answer(False), End.FAILED),
    ],
)
def test_a_person_is_asked_and_their_answer_is_the_outcome(tmp_path: Path, answer: Answer, outcome: End) -> None:
    channel, clock = Channel(answer), FakeClock()
    found = act(HUMAN, context_in(tmp_path, human=channel, clock=clock))
    assert (found.outcome, found.awaits) == (outcome, None)
    facts = {"step": "s1", "attempt": ID, "deadline": None}
    assert channel.asked == [("Please plug it in.", ("done", "not_done"), facts)]


def test_while_nobody_has_answered_the_actor_says_whom_it_waits_for_and_waits_for_nobody(tmp_path: Path) -> None:
    clock = FakeClock()
    found = act(HUMAN, context_in(tmp_path, human=Channel(None), clock=clock))
    assert (found.outcome, found.awaits, clock.waits) == (End.RUNNING, "g-4k9x2m7q", [])


@pytest.mark.parametrize("answer", [None, Answer(True, "done", at=START + timedelta(hours=1, seconds=1))])
def test_nobody_answers_for_a_person(tmp_path: Path, answer: Answer | None) -> None:
    clock, settings = FakeClock(), RunSettings(human_deadline_hours=1)
    clock.advance(hours=2)
    channel = Channel(answer)
    found = act(HUMAN, context_in(tmp_path, human=channel, settings=settings, clock=clock))
    assert (found.outcome, found.failure) == (End.UNKNOWN, F.TIMEOUT)
    assert channel.asked[0][2]["deadline"] == "2026-03-02T10:00:00Z"


def test_an_answer_in_time_counts_whenever_it_is_found(tmp_path: Path) -> None:
    clock, settings = FakeClock(), RunSettings(human_deadline_hours=1)
    clock.advance(days=2)
    channel = Channel(Answer(True, "done", at=START + timedelta(hours=1)))
    assert act(HUMAN, context_in(tmp_path, human=channel, settings=settings, clock=clock)).outcome is End.SUCCEEDED


def test_without_a_way_to_ask_a_person_nothing_is_begun(tmp_path: Path) -> None:
    assert act(HUMAN, context_in(tmp_path)).outcome is End.NOT_STARTED


# callables ---------------------------------------------------------------------------------------

PYTHON = planned(actor=ActorKind.PYTHON, callable="work", timeout_seconds=0.2)


async def shout(step: StepView) -> str:
    return step.id.upper()


class Shouting:
    async def __call__(self, step: StepView) -> str:
        return step.id.upper()


@pytest.mark.parametrize("work", [shout, lambda step: step.id.upper(), lambda step: shout(step), Shouting()])
def test_a_callable_may_be_of_any_sort(tmp_path: Path, work: Any) -> None:
    found = act(PYTHON, context_in(tmp_path), work=work)
    assert (found.outcome, found.output, found.exit_status) == (End.SUCCEEDED, "S1", 0)


def test_a_callable_may_say_itself_how_it_ended(tmp_path: Path) -> None:
    said = Acted(End.FAILED, "x", 3, cost=2.0)
    assert act(PYTHON, context_in(tmp_path), work=lambda step: said) is said


def test_what_a_callable_raises_reaches_the_engine(tmp_path: Path) -> None:
    def work(step: StepView) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        act(PYTHON, context_in(tmp_path), work=work)


def test_a_callable_nobody_registered_is_not_started(tmp_path: Path) -> None:
    assert act(PYTHON, context_in(tmp_path)).outcome is End.NOT_STARTED


def test_a_callable_that_hangs_is_unknown_and_holds_nobody_up(tmp_path: Path) -> None:
    release = threading.Event()
    found = act(PYTHON, context_in(tmp_path), work=lambda step: release.wait(60))
    release.set()
    assert (found.outcome, found.failure) == (End.UNKNOWN, F.TIMEOUT)


def test_callables_run_beside_each_other() -> None:
    both = threading.Barrier(2, timeout=10)

    async def together() -> None:
        view = view_of(PYTHON)
        await asyncio.gather(called(lambda step: both.wait(), view), called(lambda step: both.wait(), view))

    asyncio.run(together())


# probes ------------------------------------------------------------------------------------------


def test_a_probe_says_whether_it_happened(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    found = probe(planned("true", probe=("sh", "-c", "echo sent as $LOOPX_ATTEMPT")), context)
    assert found.happened and found.message == f"sent as {ID}" and found.exit_status == 0
    assert not probe(planned("true", tool="t", probe=("sh", "-c", "exit 1")), context).happened


@pytest.mark.parametrize("argv", [None, ("sh", "-c", "exit 2"), ("sh", "-c", "kill -9 $$"), ("./no",), ("{tool}",)])
def test_a_probe_that_breaks_says_nothing(tmp_path: Path, argv: tuple[str, ...] | None) -> None:
    with pytest.raises(LoopxError) as no:
        probe(planned("true", probe=argv), context_in(tmp_path))
    assert no.value.code == "probe-broken"


def test_a_probe_that_takes_too_long_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(LoopxError) as no:
        probe(planned("true", probe=("sleep", "60"), timeout_seconds=0.2), context_in(tmp_path))
    assert no.value.code == "probe-broken"
