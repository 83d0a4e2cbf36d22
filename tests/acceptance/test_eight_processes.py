"""Many writers on one workspace: eight cold processes beside a person who saves files, and eight threads of one process.

Whatever is accepted is in history exactly once; whoever comes second gets a conflict that may be tried again under the
same operation id. How quick it is is printed, not asserted.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopx.kernel.commands import AddTodo, EditTodo
from loopx.model.actor import Actor
from tests.support.editor import line, start
from tests.support.lab import ENVIRONMENT, Lab, ShiftedClock
from tests.support.process import Ran, finish, start_loopx
from tests.support.project import Project

PROCESSES, WRITES = 8, 20
THREADS, THREAD_WRITES = 8, 40
SAVES = 24
"""Saves of the person, one every third of a second."""
_CONFLICT = 3
_MOST_TRIES = 10


def request(todo: str, worker: int, number: int) -> list[str]:
    """The ``number``-th write of a worker: every second one adds a Todo, the others edit one and the same."""
    op = f"op-{worker}-{number}"
    if number % 2:
        return ["todo", "add", f"Work {worker} {number}", "--goal", "beta", "--op", op, "--json"]
    return ["todo", "edit", todo, "--add", f"tags=w{worker}-{number}", "--op", op, "--json"]


def carried_out(arguments: list[str], root: Path) -> tuple[int, Ran]:
    """Run one request in a process of its own until it is done; a conflict is tried again under the same id."""
    for tries in range(_MOST_TRIES):
        ran = finish(start_loopx(*arguments, cwd=root, environment=ENVIRONMENT))
        if ran.code != _CONFLICT:
            return tries, ran.expect()
        assert ran.json["error"]["code"] in ("lock-held", "head-moved", "revision-conflict"), ran.out
    raise AssertionError(f"still in conflict after {_MOST_TRIES} tries: {arguments}")


def test_C01_eight_cold_processes_and_a_person_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    project = Project.make(tmp_path / "lab")
    before = project.snapshot()
    lab, todo, typed = _ready(project)
    file = lab.root / lab.path_of(typed)
    began = time.monotonic()
    person = start("rename", file, SAVES, 1)
    with ThreadPoolExecutor(PROCESSES) as pool:
        work = [pool.submit(_worker, project.root, todo, worker) for worker in range(PROCESSES)]
        retried = sum(each.result() for each in work)
    seconds = time.monotonic() - began
    assert person.wait(timeout=60) == 0
    commits = len(lab.subjects())
    print(
        f"\n{PROCESSES * WRITES} writes of cold processes, {retried} retried: {commits / seconds:.1f} commits a second"
    )
    _settle(lab, project)
    _assert_all_once(lab, todo, PROCESSES, WRITES)
    assert [n for n in range(SAVES) if lab.at_head(lab.path_of(typed)).count(line("rename", n)) != 1] == []
    _assert_nobody_is_taken_for_another(lab)
    lab.assert_sound()
    lab.close()
    project.assert_untouched(before)


def test_C01_eight_threads_of_one_process_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    lab = Lab.make(tmp_path / "lab")
    lab.goal()
    todo = lab.todo("Shared")

    def write(worker: int) -> None:
        bot = Actor.parse(f"agent:bot-{worker}")
        for number in range(THREAD_WRITES):
            command: AddTodo | EditTodo = EditTodo(todo=todo, add={"tags": (f"w{worker}-{number}",)})
            if number % 2:
                command = AddTodo(goal="beta", title=f"Work {worker} {number}")
            lab.submit(command, bot, op=f"op-{worker}-{number}")

    began = time.monotonic()
    with ThreadPoolExecutor(THREADS) as pool:
        for each in [pool.submit(write, worker) for worker in range(THREADS)]:
            each.result()
    seconds = time.monotonic() - began
    print(f"\n{THREADS * THREAD_WRITES} writes of threads: {THREADS * THREAD_WRITES / seconds:.1f} commits a second")
    _assert_all_once(lab, todo, THREADS, THREAD_WRITES)
    authors = {each.operation: each.author for each in lab.ws.log(every=True)}
    assert all(authors[f"op-{w}-{n}"].startswith(f"bot-{w} ") for w in range(THREADS) for n in range(THREAD_WRITES))
    lab.assert_sound()
    lab.close()


def _ready(project: Project) -> tuple[Lab, str, str]:
    """A workspace with one Todo everybody edits and one whose file the person has open."""
    lab = Lab.make_in(project)
    lab.goal()
    todo, typed = lab.todo("Shared"), lab.todo("Typed by hand")
    lab.close()
    return lab, todo, typed


def _worker(root: Path, todo: str, worker: int) -> int:
    """The writes of one worker, one process after the other; how often it had to try again."""
    actor = ["--actor", f"agent:bot-{worker}"] if worker % 2 else []
    return sum(carried_out([*request(todo, worker, number), *actor], root)[0] for number in range(WRITES))


def _settle(lab: Lab, project: Project) -> None:
    """Let time pass until the last saves are old enough, by the clock of a process that starts later."""
    lab.clock = ShiftedClock()
    lab.clock.wait(5)
    lab.restart()
    lab.look()
    lab.clock.wait(5)
    assert [str(each) for each in lab.ws.edits()] == []


def _assert_all_once(lab: Lab, todo: str, workers: int, writes: int) -> None:
    operations = lab.operations()
    wanted = [f"op-{worker}-{number}" for worker in range(workers) for number in range(writes)]
    assert [op for op in wanted if operations.count(op) != 1] == []
    todos = lab.todos()
    tags = {f"w{w}-{n}" for w in range(workers) for n in range(0, writes, 2)}
    titles = [f"Work {w} {n}" for w in range(workers) for n in range(1, writes, 2)]
    assert set(todos[todo].tags) == tags
    assert sorted(each.title for each in todos.values() if each.title.startswith("Work")) == sorted(titles)
    assert len({*todos}) == len(todos)


def _assert_nobody_is_taken_for_another(lab: Lab) -> None:
    """Commits of agents are theirs, those of commands without an actor and of the files are the person's."""
    for each in lab.ws.log(every=True):
        author = each.author.partition(" <")[0]
        worker = each.operation.split("-")[1] if each.operation and each.operation.startswith("op-") else ""
        is_agents = each.operation is not None and each.operation.count("-") == 2 and worker in {"1", "3", "5", "7"}
        assert author == (f"bot-{worker}" if is_agents else os.environ.get("GIT_AUTHOR_NAME", "Test Person")), each
