"""The workspace lock among processes: one holder, by any spelling of the path, gone with its process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.lock import WorkspaceLock
from tests.support.clock import FakeClock

HOLDER = """
import sys
from pathlib import Path
from loopx.store.lock import WorkspaceLock
from tests.store.building import RealClock
with WorkspaceLock(Path(sys.argv[1]), RealClock()).held(30, "loopx todo add"):
    print("held", flush=True)
    sys.stdin.read(1)
"""


@pytest.fixture(autouse=True)
def _workspace(root: Path) -> None:
    """The folder the workspace lies in: a lock makes none of it but its own."""
    root.mkdir(parents=True, exist_ok=True)


@contextmanager
def holder(root: Path, cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends or it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        if process.poll() is None:
            process.communicate("x")


def test_C02_a_held_lock_is_waited_for_and_then_refused_naming_its_holder(root: Path, clock: FakeClock) -> None:
    entered = False
    with holder(root) as other:
        with pytest.raises(LoopxError) as refused, WorkspaceLock(root, clock).held(1, "loopx todo done"):
            entered = True
        facts = refused.value.problem.facts
        assert (refused.value.code, facts["pid"], facts["command"]) == ("lock-held", other.pid, "loopx todo add")
        assert f"process {other.pid} (loopx todo add) since " in str(refused.value)
        assert sum(clock.waits) == pytest.approx(1)
        assert clock.waits == sorted(clock.waits[:-1]) + clock.waits[-1:], "the steps grow"
    assert not entered


def test_a_lock_given_back_in_time_is_had(root: Path, clock: FakeClock) -> None:
    with holder(root) as other:
        clock.while_waiting = lambda: other.poll() is None and len(clock.waits) == 2 and other.communicate("x")
        with WorkspaceLock(root, clock).held(5, "loopx todo done"):
            assert len(clock.waits) >= 2


def test_a_lock_is_free_the_moment_its_holder_is_killed(root: Path, clock: FakeClock) -> None:
    with holder(root) as other:
        other.kill()
        other.wait()
        assert json.loads((root / "local/lock").read_text())["pid"] == other.pid
        with WorkspaceLock(root, clock).held(0, "loopx todo done"):
            assert json.loads((root / "local/lock").read_text()) == {
                "pid": os.getpid(),
                "command": "loopx todo done",
                "since": "2026-03-02T09:00:00Z",
            }
    assert (root / "local/lock").read_text() == ""


@pytest.mark.parametrize("spelling", ["link", "link/sub/..", "relative", "doubled//slash"])
def test_C05_one_workspace_has_one_lock_however_its_path_is_spelled(
    root: Path, tmp_path: Path, clock: FakeClock, spelling: str
) -> None:
    (root / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    spelled = {
        "link": tmp_path / "link",
        "link/sub/..": tmp_path / "link" / "sub" / "..",
        "relative": Path("lab/.loopx"),
        "doubled//slash": Path(f"{root.parent}//.loopx/"),
    }[spelling]
    with holder(spelled, cwd=tmp_path), pytest.raises(LoopxError) as refused, WorkspaceLock(root, clock).held(0, "x"):
        raise AssertionError("two locks")
    assert refused.value.code == "lock-held"


def test_C05_two_spellings_exclude_each_other_within_one_process(root: Path, tmp_path: Path, clock: FakeClock) -> None:
    root.mkdir(parents=True, exist_ok=True)
    (tmp_path / "link").symlink_to(root)
    one, two = WorkspaceLock(root, clock), WorkspaceLock(tmp_path / "link", clock)
    with one.held(0, "one"), pytest.raises(LoopxError), two.held(0, "two"):
        raise AssertionError("two locks")


def test_a_lock_file_somebody_deleted_while_we_waited_is_not_trusted(root: Path, clock: FakeClock) -> None:
    lock = root / "local/lock"
    with holder(root) as first:

        def swap() -> None:
            if len(clock.waits) == 1:
                lock.unlink()
                first.communicate("x")

        clock.while_waiting = swap
        with WorkspaceLock(root, clock).held(5, "x"):
            assert json.loads(lock.read_text())["command"] == "x"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "\0\0"])
def test_a_holder_who_cannot_be_read_is_said_to_be_another_process(root: Path, clock: FakeClock, content: str) -> None:
    with holder(root):
        (root / "local/lock").write_text(content)
        with pytest.raises(LoopxError, match="Another process") as refused, WorkspaceLock(root, clock).held(0, "x"):
            raise AssertionError("two locks")
        assert refused.value.code == "lock-held"


def test_a_lock_does_not_begin_a_workspace_that_was_moved_away(root: Path, clock: FakeClock) -> None:
    root.rmdir()
    with pytest.raises(LoopxError) as error, WorkspaceLock(root, clock).held(0, "x"):
        raise AssertionError("held nothing")
    assert error.value.code == "disk-failed"
    assert not root.exists()


def test_the_lock_makes_its_folder_and_says_when_it_cannot(root: Path, clock: FakeClock) -> None:
    with WorkspaceLock(root, clock).held(0, "x"):
        assert (root / "local/lock").exists()
    (root / "local/lock").unlink()
    (root / "local/lock").mkdir()
    with pytest.raises(LoopxError) as error, WorkspaceLock(root, clock).held(0, "x"):
        raise AssertionError("held a folder")
    assert error.value.code == "disk-failed"


def test_a_thread_that_waits_gets_the_lock_when_it_is_given_back(root: Path, clock: FakeClock) -> None:
    lock, order = WorkspaceLock(root, clock), list[str]()
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with lock.held(30, "second"):
            order.append("second")

    thread = threading.Thread(target=second)
    with lock.held(0, "first"):
        thread.start()
        waiting.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert clock.waits == [], "threads of one process do not poll"
