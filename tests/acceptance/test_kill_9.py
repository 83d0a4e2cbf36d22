"""``kill -9`` in mid-write, at every named point and at random ones: no lost edit, no half state, nothing done twice.

Afterwards history, index and files agree, no lock is left that blocks a later write, and every commit says who it was.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, Command, CompleteTodo, EditTodo
from loopx.model.actor import Actor
from loopx.workspace.crashpoints import POINTS
from tests.support.killed import run_killed
from tests.support.lab import BOT, ENVIRONMENT, Crash, Lab, crash_at
from tests.support.process import kill_hard, start_loopx
from tests.support.project import Project

LOCKS = ("index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/loopx/admitted.lock", "packed-refs.lock")
KILLS = 200
PERSON = Actor.parse("human:Test Person")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    project = Project.make(tmp_path / "lab")
    before = project.snapshot()
    made = Lab.make_in(project)
    yield made
    made.close()
    project.assert_untouched(before)


# at every named point ------------------------------------------------------------------------


@pytest.mark.parametrize("point", POINTS)
def test_C08_a_process_killed_at_any_point_has_exactly_one_effect(lab: Lab, point: str) -> None:
    """A person's edit waits in one file while an agent's command, in a process of its own, is killed."""
    edited, completed = _scene(lab)
    request = ("todo", "done", completed, "--actor", "agent:bot", "--op", "op-killed")
    assert run_killed(point, *request, cwd=lab.project.root) == -signal.SIGKILL
    lab.project.loopx(*request, environment=ENVIRONMENT).expect()
    _assert_once(lab, edited, completed)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_C08_a_process_killed_between_two_files_leaves_no_half_state(lab: Lab, number: int) -> None:
    edited, completed = _scene(lab)
    request = ("todo", "done", completed, "--successor", "Next", "--actor", "agent:bot", "--op", "op-killed")
    assert run_killed("materialised", *request, cwd=lab.project.root, number=number) == -signal.SIGKILL
    shown = lab.project.loopx("op", "show", "op-killed", "--json", environment=ENVIRONMENT).json
    assert shown["data"]["state"] == "committed_receipt_missing", "main holds it; its receipt is told from its commit"
    lab.project.loopx(*request, environment=ENVIRONMENT).expect()
    _assert_once(lab, edited, completed)
    assert [each.title for each in lab.todos().values()].count("Next") == 1


def _scene(lab: Lab) -> tuple[str, str]:
    lab.goal()
    edited, completed = lab.todo("Edited by hand"), lab.todo("Completed by an agent")
    path = lab.path_of(edited)
    lab.save(path, lab.read(path) + b"\nTyped by hand.\n")
    lab.close()
    return edited, completed


def _assert_once(lab: Lab, edited: str, completed: str) -> None:
    lab.restart()
    assert lab.todos()[completed].status == "done"
    assert lab.operations().count("op-killed") == 1
    assert lab.at_head(lab.path_of(edited)).count(b"Typed by hand.") == 1
    authors = {each.headline.split(" ")[1]: each.author for each in lab.ws.log(every=True) if each.actor != "human:Ann"}
    assert authors["done"].startswith("bot <")
    assert authors["edit"].startswith("Test Person <")
    lab.assert_sound()


# between the renames Git makes for a reference ------------------------------------------------


@pytest.mark.parametrize("point", ["journal-written", "published", "index-placed", "admitted"])
@pytest.mark.parametrize("locks", [(each,) for each in LOCKS] + [("HEAD.lock", "refs/heads/main.lock"), LOCKS])
def test_C08_whatever_git_had_renamed_when_it_was_killed(lab: Lab, point: str, locks: tuple[str, ...]) -> None:
    """``main`` moved or not, ``admitted`` behind it or not, and any of the lock files Git leaves behind."""
    lab.goal()
    todo = lab.todo("Completed")
    with crash_at(point), pytest.raises(Crash):
        lab.submit(CompleteTodo(todo=todo), BOT, op="op-killed")
    for name in locks:
        _leave(lab, name)
    lab.clock.wait(2)
    lab.restart()
    happened = POINTS.index(point) >= POINTS.index("published")
    assert lab.todos()[todo].status == ("done" if happened else "open")
    again = lab.submit(CompleteTodo(todo=todo), BOT, op="op-killed")
    assert again.replayed == happened
    assert lab.operations().count("op-killed") == 1
    lab.submit(EditTodo(todo=todo, body="A later write.\n"))
    lab.assert_sound()


@pytest.mark.parametrize("name", LOCKS)
def test_C08_a_lock_left_this_very_moment_does_not_fail_the_next_command(lab: Lab, name: str) -> None:
    """Nobody can tell it is dead yet: the command waits until somebody can."""
    lab.goal()
    lab.close()
    _leave(lab, name)
    ran = lab.project.loopx("todo", "add", "Written after all", "--goal", "beta", environment=ENVIRONMENT).expect()
    assert "busy" not in ran.err
    lab.clock.wait(2)
    lab.restart()
    assert [each.title for each in lab.todos().values()] == ["Written after all"]
    lab.submit(AddTodo(goal="beta", title="And one more"))
    lab.assert_sound()


@pytest.mark.parametrize("name", LOCKS)
def test_C08_a_lock_left_this_very_moment_is_waited_for_one_second_and_not_twenty(lab: Lab, name: str) -> None:
    lab.goal()
    _leave(lab, name)
    before = lab.clock.shift
    lab.todo("Written after all")
    assert (lab.clock.shift - before).total_seconds() < 2
    lab.assert_sound()


def test_C08_a_lock_somebody_holds_open_is_never_removed(lab: Lab) -> None:
    lab.goal()
    _leave(lab, "index.lock")
    lock = lab.root / ".git" / "index.lock"
    with open(lock):
        lab.clock.wait(10)
        with pytest.raises(LoopxError) as refused:
            lab.todo("Too early")
        assert refused.value.code == "repository-busy"
        assert lock.exists()
    lab.todo("In time")
    lab.assert_sound()


def _leave(lab: Lab, name: str) -> None:
    lock = lab.root / ".git" / name
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()


# two hundred random kills ----------------------------------------------------------------------


@dataclass(frozen=True)
class Attempt:
    """One command of the storm: how it is typed, and the same as the Python API takes it."""

    op: str
    actor: Actor
    command: Command
    typed: tuple[str, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        as_agent = () if self.actor.is_human else ("--actor", str(self.actor))
        return (*self.typed, "--op", self.op, *as_agent)


def test_C08_two_hundred_random_kills_lose_nothing_and_repeat_nothing(lab: Lab) -> None:
    chance = random.Random(9)
    attempts, typed = _storm_begins(lab)
    path = lab.root / lab.path_of(typed)
    lab.close()
    lines: list[bytes] = []
    whole = _run(lab, attempts[0])
    killed = 0
    for number, attempt in enumerate(attempts):
        if number % 3 == 0:
            lines.append(f"hand {number}.\n".encode())
            _save(path, path.read_bytes() + lines[-1])
        if number % 20 == 19:
            whole = _run(lab, attempts[chance.randrange(number)])  # an earlier one, perhaps done, perhaps not
        killed += _killed(lab, attempt, chance.uniform(0.15, 1.1) * whole)
    assert killed > KILLS / 2
    _storm_is_over(lab, attempts, path, lines)


def _storm_begins(lab: Lab) -> tuple[list[Attempt], str]:
    lab.goal()
    typed, *todos = [lab.todo(f"To do {number}") for number in range(1 + KILLS // 4)]
    attempts = [_attempt(number, typed, todos) for number in range(KILLS)]
    return attempts, typed


def _attempt(number: int, typed: str, todos: list[str]) -> Attempt:
    """Adding, tagging the Todo the person types into, tagging another, and finishing one, in turn."""
    actor = BOT if number % 2 else PERSON
    op = f"op-storm-{number}"
    todo, tag = todos[number // 4], f"n{number}"
    match number % 4:
        case 0:
            command: Command = AddTodo(goal="beta", title=f"Added {number}")
            return Attempt(op, actor, command, ("todo", "add", f"Added {number}", "--goal", "beta"))
        case 1:
            command = EditTodo(todo=typed, add={"tags": (tag,)})
            return Attempt(op, actor, command, ("todo", "edit", typed, "--add", f"tags={tag}"))
        case 2:
            command = EditTodo(todo=todo, add={"tags": (tag,)})
            return Attempt(op, actor, command, ("todo", "edit", todo, "--add", f"tags={tag}"))
        case _:
            return Attempt(op, actor, CompleteTodo(todo=todo), ("todo", "done", todo))


def _run(lab: Lab, attempt: Attempt) -> float:
    """Let one command live; how many seconds it took."""
    began = time.monotonic()
    lab.project.loopx(*attempt.argv, environment=ENVIRONMENT).expect()
    return time.monotonic() - began


def _killed(lab: Lab, attempt: Attempt, after_seconds: float) -> bool:
    process = start_loopx(*attempt.argv, cwd=lab.project.root, environment=ENVIRONMENT)
    try:
        process.communicate(timeout=after_seconds)
    except subprocess.TimeoutExpired:
        kill_hard(process.pid)
        process.communicate()
    return process.returncode == -signal.SIGKILL


def _save(path: Path, content: bytes) -> None:
    fresh = path.with_name(f".{path.name}.save~")
    fresh.write_bytes(content)
    fresh.replace(path)


def _storm_is_over(lab: Lab, attempts: list[Attempt], path: Path, lines: list[bytes]) -> None:
    lab.clock.wait(10)
    lab.restart()
    lab.look()
    done = set(lab.operations())
    _assert_repeating_gives_one(lab, attempts, done)
    lab.clock.wait(10)
    assert [str(each) for each in lab.ws.edits()] == []
    content = lab.at_head(path.relative_to(lab.root).as_posix())
    assert [each for each in lines if content.count(each) != 1] == []
    _assert_nobody_is_taken_for_another(lab)
    lab.assert_sound()


def _assert_repeating_gives_one(lab: Lab, attempts: list[Attempt], done: set[str]) -> None:
    """What had happened is answered from its receipt, what had not happens now: one commit each, either way."""
    for each in attempts:
        answer = lab.submit(each.command, each.actor, op=each.op)
        assert answer.replayed == (each.op in done), each
    operations = lab.operations()
    assert [each.op for each in attempts if operations.count(each.op) != 1] == []
    titles = [each.title for each in lab.todos().values()]
    assert len(titles) == len(set(titles)) == 1 + KILLS // 4 * 2


def _assert_nobody_is_taken_for_another(lab: Lab) -> None:
    for each in lab.ws.log(every=True):
        storm = (each.operation or "").startswith("op-storm-")
        wanted = "bot <" if storm and int(str(each.operation).rpartition("-")[2]) % 2 else "Test Person <"
        assert each.author.startswith(wanted), each
        if each.origin == "hand":
            patch = lab.git("show", "--format=", "--unified=0", each.revision).splitlines()
            changed = [line for line in patch if line[0] in "+-" and line[:3] not in ("+++", "---")]
            assert [line for line in changed if not line.startswith("+hand ")] == []
