"""Cases of Git's hooks, locks and unfinished operations, in the project's own repository and in the workspace's."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.errors.exits import Exit
from loopx.kernel.commands import EditTodo
from tests.acceptance.gitscene import GitScene, git_scene, hook, plain
from tests.support.process import LOOPX, finish, start_loopx

IN_PROGRESS = {
    "a merge": ("merge", "side"),
    "a rebase": ("rebase", "side"),
    "a cherry-pick": ("cherry-pick", "side"),
    "a bisection": ("bisect", "start"),
    "detached": ("checkout", "--quiet", "--detach"),
    "the branch side": ("checkout", "--quiet", "side"),
    "the branch new": ("symbolic-ref", "HEAD", "refs/heads/new"),
}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[GitScene]:
    with git_scene(tmp_path / "lab") as made:
        yield made


# --- hooks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["status", "todo add Nested --goal beta", "edit list"])
def test_G07_a_hook_of_the_workspace_that_calls_loopx_ends_at_once(scene: GitScene, asked: str) -> None:
    """The command holds the lock while its hook runs: what the hook calls must not wait for it."""
    said = scene.project.parent / "said"
    hook(scene.root / ".git", "pre-commit", f"'{LOOPX}' {asked} --json > '{said}' 2>/dev/null; exit 0")
    scene.lab.change(scene.lab.path_of(scene.first), "priority: p2", "priority: p0")
    scene.lab.close()
    begun = time.monotonic()
    scene.run("todo", "done", scene.second).expect()
    assert time.monotonic() - begun < 10
    answer = said.read_text()
    assert "lock-held" in answer or "edits-pending" in answer
    assert scene.ask("todo", "show", scene.second, "--json").json["data"]["status"] == "done"
    assert scene.ask("todo", "show", scene.first, "--json").json["data"]["priority"] == "p0"
    assert "Nested" not in scene.ask("todo", "list").out
    assert scene.status() == []


@pytest.mark.parametrize("asked", ["status", "todo done {second}"])
def test_G07_a_hook_of_the_project_may_call_loopx(scene: GitScene, asked: str) -> None:
    """Git runs the hook with variables that name the project's index: they must not reach the workspace's Git."""
    called = asked.format(second=scene.second)
    hook(scene.project / ".git", "pre-commit", f"'{LOOPX}' {called} >/dev/null || exit 1")
    scene.lab.change(scene.lab.path_of(scene.first), "priority: p2", "priority: p0")
    scene.lab.close()
    scene.lab.project.write("app.py", "x = 3\n")
    scene.lab.project.git("commit", "--quiet", "--all", "--message=by the person")
    assert scene.lab.project.git("show", "--format=", "--name-only", "HEAD") == "app.py\n"
    assert scene.lab.project.git("status", "--porcelain") == ""
    scene.mine()
    scene.lab.restart()
    todos = scene.lab.todos()
    assert todos[scene.first].priority == "p0"
    assert todos[scene.second].status == ("done" if "done" in asked else "open")
    scene.lab.assert_sound()


@pytest.mark.parametrize("how", [("commit", "--all"), ("commit",)])
def test_G07_a_persons_own_commit_in_the_workspace_survives_a_hook_that_reads(
    scene: GitScene, how: tuple[str, ...]
) -> None:
    hook(scene.root / ".git", "pre-commit", f"'{LOOPX}' status >/dev/null; exit 0")
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "priority: p2", "priority: p0")
    scene.lab.git("add", path)
    scene.lab.close()
    begun = time.monotonic()
    done = plain(scene.root, *how, "--message=by the person", LOOPX_PAGES="off")
    assert time.monotonic() - begun < 4
    assert done.returncode == 0, done.stderr
    scene.lab.restart()
    assert scene.lab.todos()[scene.first].priority == "p0"
    assert "by the person" in scene.lab.subjects()
    scene.lab.assert_sound()


@pytest.mark.parametrize("how", [("commit", "--all"), ("commit",)])
def test_G07_a_persons_own_commit_is_not_overtaken_by_a_hook_that_writes(scene: GitScene, how: tuple[str, ...]) -> None:
    said = scene.project.parent / "said"
    hook(scene.root / ".git", "pre-commit", f"'{LOOPX}' todo done {scene.second} --json > '{said}' 2>/dev/null; exit 0")
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "priority: p2", "priority: p0")
    scene.lab.git("add", path)
    scene.lab.close()
    done = plain(scene.root, *how, "--message=by the person", LOOPX_PAGES="off")
    assert done.returncode == 0, done.stderr
    assert "repository-busy" in said.read_text()
    scene.lab.restart()
    todos = scene.lab.todos()
    assert (todos[scene.first].priority, todos[scene.second].status) == ("p0", "open")
    scene.lab.assert_sound()


def test_G08_a_hook_that_refuses_leaves_everything_as_it_was(scene: GitScene) -> None:
    refusing = hook(scene.root / ".git", "pre-commit", "echo not on Sundays; exit 1")
    (scene.root / "notes.txt").write_text("mine\n")
    scene.lab.git("add", "notes.txt")
    path = scene.lab.path_of(scene.first)
    before = scene.lab.read(path), (scene.root / ".git/index").read_bytes(), scene.lab.git("rev-parse", "HEAD")
    told = scene.ask("todo", "done", scene.first, "--op", "op-sunday", "--json").expect(Exit.REFUSED).json["error"]
    assert told["code"] == "hook-refused"
    assert "not on Sundays" in told["message"]
    after = scene.lab.read(path), (scene.root / ".git/index").read_bytes(), scene.lab.git("rev-parse", "HEAD")
    assert after == before
    assert scene.ask("op", "show", "op-sunday", "--json").json["data"]["state"] == "absent"
    refusing.unlink()
    scene.ask("todo", "done", scene.first, "--op", "op-sunday").expect()
    assert scene.status() == ["A  notes.txt"]


def test_G08_a_refusing_hook_of_the_project_is_not_asked(scene: GitScene) -> None:
    for name in ("pre-commit", "commit-msg", "reference-transaction"):
        hook(scene.project / ".git", name, "exit 1")
    scene.mine()
    scene.done(scene.first)


def test_G08_reads_answer_while_a_hook_refuses_what_was_typed(scene: GitScene) -> None:
    refusing = hook(scene.root / ".git", "pre-commit", "echo no; exit 1")
    path = scene.lab.path_of(scene.first)
    scene.lab.change(path, "priority: p2", "priority: p0")
    typed = scene.lab.read(path)
    told = scene.ask("todo", "list", "--json").expect()
    assert "edits-pending" in [each["code"] for each in told.json["warnings"]]
    assert scene.lab.read(path) == typed
    refusing.unlink()
    assert scene.ask("todo", "show", scene.first, "--json").json["data"]["priority"] == "p0"


# --- locks and operations in progress --------------------------------------------------------


def test_G10_a_dead_index_lock_is_cleared_and_a_lock_of_the_projects_never_touched(scene: GitScene) -> None:
    for folder in (scene.project, scene.root):
        (folder / ".git" / "index.lock").touch()
    scene.mine()
    scene.done(scene.first)
    assert not (scene.root / ".git" / "index.lock").exists()
    assert (scene.project / ".git" / "index.lock").exists()
    (scene.project / ".git" / "index.lock").unlink()
    scene.mine()


@pytest.mark.parametrize("verb", ["read", "write"])
def test_G10_a_lock_held_by_a_living_git_is_waited_for_then_named_and_kept(
    scene: GitScene, tmp_path: Path, verb: str
) -> None:
    """``git commit -a`` keeps the index locked while the person writes the message."""
    path, pipe = scene.lab.path_of(scene.first), tmp_path / "editing"
    scene.lab.change(path, "priority: p2", "priority: p0")
    os.mkfifo(pipe)
    environ = {**os.environ, "GIT_EDITOR": f"sh -c 'echo > {pipe}; read x; echo message > $0'"}
    editing = subprocess.Popen(["git", "commit", "-a"], cwd=scene.root, env=environ, stdin=subprocess.PIPE)
    with editing:
        pipe.read_text()
        lock = scene.root / ".git" / "index.lock"
        inode = lock.stat().st_ino
        if verb == "write":
            told = scene.ask("todo", "done", scene.second, "--op", "op-busy", "--json").expect(Exit.UNAVAILABLE)
            assert told.json["error"]["code"] == "repository-busy"
            assert str(lock) in told.json["error"]["message"]
            assert "age_seconds" in told.json["error"]["facts"]
        else:
            told = scene.ask("todo", "list", "--json").expect()
            assert "edits-pending" in [each["code"] for each in told.json["warnings"]]
        assert lock.stat().st_ino == inode
        assert not list(scene.root.rglob("*.loopx-tmp"))
        editing.communicate(b"\n")
    assert editing.returncode == 0
    scene.ask("todo", "done", scene.second, "--op", "op-busy").expect()
    assert scene.ask("todo", "show", scene.first, "--json").json["data"]["priority"] == "p0"
    assert scene.status() == []


def test_G10_a_lock_given_back_in_time_is_waited_for(scene: GitScene) -> None:
    lock = scene.root / ".git" / "index.lock"
    scene.lab.close()
    with lock.open("w"):
        running = start_loopx("todo", "done", scene.first, cwd=scene.project, environment={"LOOPX_PAGES": "off"})
        time.sleep(0.6)
        assert running.poll() is None
        lock.unlink()
    finish(running).expect()


def test_G11_a_git_that_was_killed_leaves_no_lock_that_stops_us(scene: GitScene, tmp_path: Path) -> None:
    scene.lab.change(scene.lab.path_of(scene.first), "priority: p2", "priority: p0")
    pipe = tmp_path / "editing"
    os.mkfifo(pipe)
    environ = {**os.environ, "GIT_EDITOR": f"sh -c 'echo > {pipe}; read x' #"}
    with subprocess.Popen(
        ["git", "commit", "-a"], cwd=scene.root, env=environ, stdin=subprocess.PIPE, start_new_session=True
    ) as editing:
        pipe.read_text()
        os.killpg(editing.pid, 9)
    assert (scene.root / ".git" / "index.lock").exists()
    scene.lab.clock.wait(2)
    scene.done(scene.second)
    assert not (scene.root / ".git" / "index.lock").exists()
    assert scene.status() == []


def test_G12_reading_all_the_time_disturbs_no_rebase(scene: GitScene) -> None:
    """In the project a rebase goes on while we read and write; in the workspace, while we read."""
    for number in range(8):
        scene.lab.project.write(f"file{number}", str(number))
        scene.lab.project.git("add", "--all")
        scene.lab.project.git("commit", "--quiet", f"--message={number}")
        scene.lab.submit(EditTodo(todo=scene.first, fields={"priority": f"p{number % 4}"}))
    over, failed = threading.Event(), list[Exception]()

    def look() -> None:
        while not over.is_set():
            try:
                scene.lab.look()
            except (LoopxError, OSError) as error:
                failed.append(error)
                return

    looking = threading.Thread(target=look)
    looking.start()
    for folder in (scene.project, scene.project, scene.root, scene.project):
        done = plain(folder, "rebase", "--quiet", "--force-rebase", "HEAD~5")
        assert done.returncode == 0, done.stderr
    over.set()
    looking.join()
    assert failed == []
    scene.mine()
    scene.lab.look()
    scene.lab.assert_sound()


@pytest.mark.parametrize("said", IN_PROGRESS)
def test_G13_what_is_in_progress_in_the_workspace_stops_writes_and_no_reads(scene: GitScene, said: str) -> None:
    path = scene.lab.path_of(scene.first)
    scene.lab.git("branch", "side")
    scene.ask("todo", "edit", scene.first, "--set", "title=Ours").expect()
    side = scene.project.parent / "side"
    scene.lab.git("worktree", "add", "--quiet", str(side), "side")
    (side / path).write_bytes((side / path).read_bytes().replace(b"Write the guide", b"Theirs"))
    assert plain(side, "commit", "--quiet", "--all", "--message=theirs").returncode == 0
    scene.lab.git("worktree", "remove", str(side))
    plain(scene.root, *IN_PROGRESS[said])
    state = sorted(each.name for each in (scene.root / ".git").iterdir()), scene.lab.read(path)
    told = scene.ask("todo", "done", scene.second, "--op", "op-busy", "--json").expect(Exit.UNAVAILABLE).json["error"]
    assert told["code"] == "repository-busy"
    assert said.replace("the branch", "branch") in told["message"].replace("the branch", "branch")
    listed = scene.ask("todo", "list", "--json").expect()
    assert "Ours" in [each["title"] for each in listed.json["data"]["todos"]]
    scene.ask("log").expect()
    assert (sorted(each.name for each in (scene.root / ".git").iterdir()), scene.lab.read(path)) == state
    ends = {"merge": ("merge", "--abort"), "rebase": ("rebase", "--abort"), "cherry-pick": ("cherry-pick", "--abort")}
    end = ends.get(IN_PROGRESS[said][0], ("checkout", "--quiet", "--force", "main"))
    plain(scene.root, "bisect", "reset")
    assert plain(scene.root, *end).returncode == 0
    scene.lab.clock.wait(5)
    scene.ask("todo", "done", scene.second, "--op", "op-busy").expect()
    assert scene.status() == []


def test_G13_a_merge_in_the_project_stops_nothing_and_stays_as_it_is(scene: GitScene) -> None:
    project = scene.lab.project
    project.git("checkout", "--quiet", "-b", "side")
    project.write("app.py", "x = 'side'\n")
    project.git("commit", "--quiet", "--all", "--message=side")
    project.git("checkout", "--quiet", "main")
    project.write("app.py", "x = 'main'\n")
    project.git("commit", "--quiet", "--all", "--message=main")
    assert plain(scene.project, "merge", "side").returncode != 0
    scene.mine()
    scene.done(scene.first)
    assert (scene.project / ".git" / "MERGE_HEAD").exists()


def test_G27_a_long_lived_workspace_keeps_its_processes_and_descriptors_few(scene: GitScene) -> None:
    workspace = scene.lab.restart()

    def use(count: int) -> tuple[int, int]:
        for number in range(count):
            scene.lab.submit(EditTodo(todo=scene.first, fields={"priority": f"p{number % 4}"}))
            scene.lab.change(scene.lab.path_of(scene.second), "title: ", "title: x")
            scene.lab.look()
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        return len(os.listdir("/proc/self/fd")), len(children)

    warm = use(5)
    assert use(25) == warm
    assert workspace is scene.lab.ws
