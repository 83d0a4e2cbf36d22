"""A plan of six steps over a real project: a build that fails, a tool that does not do, an agent that strays, a person.

The first part is carried out in this process, where nobody waits for a back-off; the answer comes from a second process
and a third one goes on. Every step is a real command, every test of the project a real test.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopx.kernel.commands import NewGoal
from loopx.loop.state import LoopState
from loopx.loop.trace import Line
from loopx.loop.work.running import Carried, Order, Quiet, Runner
from loopx.loop.work.surroundings import Parts
from tests.acceptance import words_project
from tests.support.lab import ANN, ENVIRONMENT, Lab
from tests.support.project import Project

ID = re.compile(r" (?:run|turn|[teg])-[0-9a-z]+(?= |$)")
SCOPES = ("words/**", "docs/**", "dist/**")


class Watching(Quiet):
    """Does something in the middle of a run, each thing once, as soon as the trace tells of its moment."""

    def __init__(self, **moments: tuple[Callable[[Line], bool], Callable[[], object]]) -> None:
        self._left = moments
        self.done: list[str] = []

    def saved(self, state: LoopState, lines: Sequence[Line]) -> None:
        for name, (is_now, do) in list(self._left.items()):
            if any(is_now(each) for each in lines):
                del self._left[name]
                do()
                self.done.append(name)


@dataclass
class Work:
    """The project with its workspace, a Todo, and a plan laid out."""

    project: Project
    lab: Lab
    todo: str
    run: str

    def carry_on(self, listener: Quiet | None = None) -> Carried:
        """In this process, at the lab's time, as Ann."""
        runner = Runner(self.lab.ws, ANN, Order(parts=Parts(environ=dict(os.environ))), listener)
        _, _, todo = runner.decide(self.todo)
        assert todo is not None
        return runner.carry_out(todo)

    def __call__(self, *arguments: str, ends: int = 0) -> Any:
        """Run ``loopx`` in a process of its own; its ``data``, or its ``error`` where it ends otherwise than well."""
        told = self.project.loopx(*arguments, "--json", environment=ENVIRONMENT).expect(ends).json
        return told["error"] if ends else told["data"]

    def headlines(self) -> list[str]:
        """What the log says happened since the plan was laid out, oldest first, without ids."""
        told = [each["headline"] for each in reversed(self("log", "--all")["entries"])]
        [begin] = [number for number, each in enumerate(told) if each.startswith("plan: new")]
        return [ID.sub("", each).replace(self.run, "the run") for each in told[begin:]]


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    project = words_project.make(tmp_path / "lab")
    lab = Lab.make_in(project)
    lab.submit(NewGoal(goal="beta", title="Titles become links", acceptance=("Slugs are right",)))
    path = "workspace.yaml"
    lab.save(path, lab.read(path).decode() + words_project.TOOLS)
    (tmp_path / "plan.yaml").write_text(words_project.PLAN, encoding="utf-8")
    scopes = [each for scope in SCOPES for each in ("--write-scope", scope)]
    one = Work(project, lab, "", "")
    added = one(
        "todo", "add", "Write slugs", "--goal", "beta", "--accept", "a1", *scopes, "--validate", "./make.sh test"
    )
    one.todo = added["result"]["id"]
    one.run = one("plan", "new", one.todo, "--from", str(tmp_path / "plan.yaml"))["result"]["id"]
    yield one
    lab.close()


def test_real_work_goes_wrong_in_every_way_and_is_done(work: Work) -> None:
    project, before = work.project, work.project.snapshot()

    first = work.carry_on(watching := bobs_day(work))
    assert watching.done == ["writes", "finds the draft gone"]
    assert (first.result.execution_state, first.settled.todo) == ("waiting_for_human", "deferred")
    assert work.lab.clock.shift.total_seconds() > 2  # a back-off passed, and nobody waited for it
    work.lab.close()

    with_an_answer_from_another_process(work, first.gates[0].id)

    [last] = work("run", work.todo)["runs"]  # and gone on with in a third one
    assert (last["state"], last["verification_status"], last["todo_became"]) == ("completed", "VERIFIED", "done")
    assert project.read("docs/slugs.md") == "# Slugs\n\nFor editors.\n"
    assert project.read("docs/notes.md") == "Bob's notes.\n"
    assert work.headlines() == STORY
    told = work("trace", "verify", work.run)
    assert told["holds"] and work("todo", "show", work.todo)["completions"][0]["validated"]
    evidence = work("evidence", "list", "--about", work.todo)["evidence"]
    assert {each["verdict"] for each in evidence if each["result"] == "passed"} == {"applies"}
    assert_untouched_outside(project, before)
    assert project.loopx_git("fsck", "--strict", "--no-dangling").strip() == ""


def bobs_day(work: Work) -> Watching:
    """Bob types into the run's own scopes while it waits, and looks at its files once they were put back."""
    files = work.project.root

    def looks() -> None:
        assert not (files / "docs/novels.md").exists() and not (files / "docs/slugs.md").exists()
        assert "re.findall" in (files / "words/slugs.py").read_text()

    return Watching(
        **{
            "writes": (
                lambda line: ": in 2 s" in line[5],
                lambda: work.project.write("docs/notes.md", "Bob's notes.\n"),
            ),
            "finds the draft gone": (lambda line: line[1] == "artifact", looks),
        }
    )


def with_an_answer_from_another_process(work: Work, gate: str) -> None:
    """Nothing goes on before; the answer counts once, and only a person may give it."""
    work("run", work.todo, ends=1)
    answer = ("gate", "approve", gate, "--option", "retry", "--reason", "It is for editors", "--confirm", gate)
    work(*answer, "--actor", "agent:claude", ends=1)
    work.project.write("AUDIENCE", "editors\n")
    work(*answer)
    assert work(*answer)["result"]["already"] is True  # said twice, it was said once


def assert_untouched_outside(project: Project, before: Any) -> None:
    """Whatever lies outside the write scopes is as it was, the project's own repository as well."""
    now = project.snapshot()
    changed = {each for each in before.keys() | now.keys() if before.get(each) != now.get(each)}
    assert {each for each in changed if not each.startswith(("words/", "docs/", "dist/"))} == {"AUDIENCE"}


STORY = [
    'plan: new "Titles become links, and it is written down"',
    'lease: acquire "Write slugs"',
    'turn: open "Write slugs"',
    'run: open "Titles become links, and it is written down"',
    'run: opened "iteration_complete"',
    'run: starting "survey in_progress"',
    'run: starting "start in_progress, survey verified_completed"',
    'run: starting "slugs in_progress, start verified_completed"',
    'run: recovery_decided "slugs: retry chosen"',
    'run: recovered "slugs: retry succeeded"',
    'run: starting "slugs in_progress"',
    'run: recovery_decided "slugs: retry_with_backoff chosen"',
    'run: recovered "slugs: retry_with_backoff succeeded"',
    'run: starting "slugs in_progress"',
    'run: recovery_decided "slugs: change_tool chosen"',
    'run: recovered "slugs: change_tool succeeded"',
    'run: starting "slugs in_progress"',
    'run: starting "explain in_progress, slugs verified_completed"',
    'run: recovery_decided "explain: rollback chosen"',
    'run: recovered "explain: rollback succeeded"',
    'run: starting "explain in_progress"',
    'run: recovery_decided "explain: request_human chosen"',
    'run: recovered "explain: request_human succeeded"',
    'evidence: record "the run is waiting_for_human: 3 of 6 steps are done so…"',
    'turn: settle "Write slugs"',
    'lease: release "Write slugs"',
    'gate: approve "What about step explain (Say what slugs are for)? I wrote a…"',
    'todo: resume "Write slugs"',
    'lease: acquire "Write slugs"',
    'turn: open "Write slugs"',
    'run: starting "explain in_progress"',
    'run: starting "build in_progress, explain verified_completed"',
    'run: starting "build verified_completed, count in_progress"',
    'run: finished "completed"',
    'evidence: record "the run is completed: 6 of 6 steps are done, and every…"',
    'turn: settle "Write slugs"',
]
"""Everything that happened, as the log tells it."""


def test_a_rollback_does_not_undo_what_somebody_else_typed(work: Work) -> None:
    """Bob types between two executions. The agent strays again and again; nothing of Bob's is ever put back."""
    project, path = work.project, work("plan", "show", work.run)["path"]
    work.lab.change(path, "tool: quick", "tool: careful")
    typed = Watching(types=(strays, lambda: project.write("docs/notes.md", "Bob's notes.\n")))
    first = work.carry_on(typed)
    assert (typed.done, first.result.execution_state) == (["types"], "waiting_for_human")
    assert why_no_rollback(work) == ["Somebody else changed docs/notes.md since."]
    work("gate", "approve", first.gates[0].id, "--option", "retry", "--reason", "Again", "--confirm", first.gates[0].id)
    again = work.carry_on()  # the agent finds Bob's notes there, and strays once more
    assert again.result.execution_state == "waiting_for_human"
    assert why_no_rollback(work) == ["Somebody else changed docs/notes.md since."] * 2
    assert project.read("docs/notes.md") == "Bob's notes.\n"


def strays(line: Line) -> bool:
    return line[3] == "recovery_planned" and line[5] == "rollback chosen"


def why_no_rollback(work: Work) -> list[str]:
    """What speaks against each rollback that was tried."""
    shown = work("step", "show", work.run, "explain")
    tried = [each for failure in shown["failures"] for each in failure["recoveries"] if each["strategy"] == "rollback"]
    assert not any(each["success"] for each in tried)
    return [each["said"] for each in tried]
