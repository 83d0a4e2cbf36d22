"""Traces at the terminal: the story of a run, and whether it holds together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.console import Console, Said
from tests.support.durable import Durable
from tests.support.lab import Lab
from tests.support.loop import Judge, step


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Durable]:
    """A run that has ended: s2 was rejected once. Nothing here changes it."""
    lab = Lab.make(tmp_path_factory.mktemp("made") / "project")
    made = Durable.make(lab, step("s1"), step("s2", "s1"), evaluator=Judge({"s2": [False, True]}))
    made.carry_on()
    yield made
    lab.close()


@pytest.fixture(scope="module")
def loopx(run: Durable) -> Console:
    return Console(run.lab)


def data(said: Said) -> Any:
    return said.expect().json["data"]


def test_the_story_is_told_line_by_line(run: Durable, loopx: Console) -> None:
    said = loopx("trace", "show", run.todo).expect().out
    assert said.splitlines()[0].split() == ["LINE", "AT", "BY", "WHAT", "CAME", "TO", "WHY"]
    assert "evaluator  step s2" in said and "executed → evaluation_failed" in said and "run-" in said
    told = data(loopx("trace", "show", run.run, "--json"))
    assert told["count"] == run.record().trace_count and told["left_out"] == 0
    assert told["lines"][-1]["hash"] == run.record().trace_hash


def test_the_newest_lines_or_those_of_one_step(run: Durable, loopx: Console) -> None:
    every = run.record().trace_count
    said = loopx("trace", "show", run.run, "--last", "3").expect().out.splitlines()
    assert said[0] == f"{every - 3} earlier not shown: --last {every}" and len(said) == 5
    told = data(loopx("trace", "show", run.run, "--step", "s1", "--json"))
    assert {each["entity"] for each in told["lines"]} == {"step s1"}
    assert loopx("trace", "show", run.run, "--step", "s9", "--json").expect(1).json["error"]["code"] == "step-unknown"


def test_runs_that_were_begun_are_listed(run: Durable, loopx: Console) -> None:
    [told] = data(loopx("trace", "--json"))["traces"]
    assert (told["run"], told["status"], told["lines"]) == (run.run, "completed", run.record().trace_count)
    assert f"{run.run}  completed  {told['lines']}" in loopx("trace", "list", "--goal", "beta").expect().out


def test_a_trace_that_holds_is_said_to(run: Durable, loopx: Console) -> None:
    told = data(loopx("trace", "verify", run.run, "--json"))
    assert told["holds"] is True and told["problems"] == []
    said = loopx("trace", "verify", run.todo).expect().out
    assert said.startswith(f"run {run.run}: all {told['lines']} lines hold, and the records say the same")


def test_a_plan_nobody_has_begun_has_no_trace(run: Durable, loopx: Console) -> None:
    todo = run.lab.todo("Another one")
    loopx("plan", "new", todo, "--step", "a: true").expect()
    for verb in ("show", "verify"):
        told = loopx("trace", verb, todo, "--json").expect(1).json["error"]
        assert told["code"] == "run-unknown" and f"loopx run {todo}" in told["hint"]


def test_the_first_broken_place_is_named(run: Durable, tmp_path: Path) -> None:
    """A line changed by somebody who commits to history himself."""
    lab = Lab.copied(run.lab.project.root, tmp_path / "project")
    try:
        path = f"goals/beta/plans/{run.todo}/{run.run}/trace/0001.jsonl"
        lines = lab.read(path).decode().splitlines(keepends=True)
        lines[4] = lines[4].replace('"system"', '"planner"').replace('"actor"', '"planner"')
        (lab.root / path).write_text("".join(lines), encoding="utf-8")
        lab.git("add", "-f", path)
        lab.git("-c", "user.name=Eve", "-c", "user.email=eve@example.com", "commit", "-q", "-m", "nothing to see")
        lab.restart()
        changed, loopx = lab.git("rev-parse", "HEAD").strip(), Console(lab)
        assert data(loopx("trace", "verify", run.run, "--json"))["holds"], "what was committed beside LoopX is refused"
        asked = loopx("trace", "verify", run.run, "--at", changed, "--json").expect(1)
        assert asked.json["error"]["code"] == "run-record-untrue" and "line 5" in asked.json["error"]["message"]
        assert asked.json["data"]["holds"] is False
        assert "broken at line 5" in loopx("trace", "verify", run.run, "--at", changed).expect(1).out
    finally:
        lab.close()
