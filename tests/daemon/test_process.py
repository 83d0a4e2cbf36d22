"""One daemon a workspace, begun and ended however it may be: by command, by signal, by force, ten at once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from loopx.cli.app import outcome
from loopx.cli.surroundings import Surroundings
from loopx.daemon.asking import health
from loopx.daemon.single import note_of
from loopx.errors import Problem
from loopx.workspace.places import Places
from tests.support.process import run_at_once
from tests.support.watched import GUIDE, Watched


def test_commands_start_tell_of_and_stop_a_daemon(own: Watched) -> None:
    assert own.loopx("daemon", "status", "--json").expect().json["data"]["running"] is False
    assert own.loopx("daemon", "stop").expect().out == "no daemon was running\n"
    made = own.loopx("daemon", "start", "--no-page", "--json").expect().json["data"]
    try:
        again = own.loopx("daemon", "start", "--json").expect().json["data"]
        assert (made["started"], again["started"], again["pid"]) == (True, False, made["pid"])
        refused = own.loopx("daemon", "--json").expect(3).json["error"]
        assert refused["code"] == "daemon-running"
        assert refused["facts"]["pid"] == made["pid"]
        told = own.loopx("daemon", "status").expect().out
        assert f"process {made['pid']}" in told
        assert "mode        events" in told
    finally:
        stopped = own.loopx("daemon", "stop").expect()
    assert stopped.out == f"stopped · process {made['pid']}\n"
    assert not note_of(Places(own.root)).exists()
    assert not own.path("local/daemon.sock").exists()
    assert list(own.path("goals").glob(".*")) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_leaves_no_lock(own: Watched, number: signal.Signals) -> None:
    own.start()
    process = own.process
    assert process is not None
    own.path(GUIDE).write_bytes(own.path(GUIDE).read_bytes() + b"saved just before\n")
    time.sleep(0.2)  # so that it may come in the middle of the pass
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(30) == 0
    print(f"ended within {time.monotonic() - began:.2f} s")
    own.process = None
    assert list(own.path(".git").rglob("*.lock")) == []
    own.loopx("todo", "list").expect()
    own.assert_sound()


def test_a_killed_daemon_is_followed_by_the_next_one(own: Watched) -> None:
    own.start()
    own.path(GUIDE).write_bytes(own.path(GUIDE).read_bytes() + b"saved and killed\n")
    time.sleep(0.2)
    own.kill()
    content = own.path(GUIDE).read_bytes()
    own.start()
    own.until_accepted(GUIDE, content)
    own.flush()
    own.assert_sound()


def test_D11_of_ten_at_once_one_watches_and_the_others_name_it(own: Watched) -> None:
    log = str(own.log)
    words = ["daemon", "run", "--no-page", "--json", "--log", log]
    environ = {**own.environ, "LOOPX_DAEMON": "off"}
    first = own.start().process
    assert first is not None
    ended = run_at_once([words] * 6, own.project, environ)
    assert {each.code for each in ended} == {3}
    assert {each.json["error"]["facts"]["pid"] for each in ended} == {first.pid}
    assert (own.health() or {})["pid"] == first.pid


def test_D11_when_none_runs_exactly_one_of_several_begins(own: Watched) -> None:
    words = [sys.executable, "-m", "loopx", "daemon", "run", "--no-page", "--log", str(own.log)]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen(words, cwd=own.project, env=own.environ, **silent) for _ in range(4)]  # type: ignore[call-overload]
    try:
        own.wait(lambda: sum(each.poll() is None for each in started) == 1 and own.health() is not None)
        [left] = [each for each in started if each.poll() is None]
        assert (own.health() or {})["pid"] == left.pid
        assert {each.returncode for each in started if each is not left} == {3}
    finally:
        for each in started:
            if each.poll() is None:
                each.terminate()
                each.wait(30)


def test_D12_a_note_with_another_programs_number_is_reclaimed(own: Watched) -> None:
    other = subprocess.Popen(["sleep", "60"])
    try:
        noted = {"pid": other.pid, "started": "1", "boot": "of another day", "since": "2020-01-01T00:00:00Z"}
        note_of(Places(own.root)).write_text(json.dumps(noted))
        assert own.loopx("daemon", "status", "--json").expect().json["data"]["running"] is False
        own.start()
        assert own.process is not None
        assert (own.health() or {})["pid"] == own.process.pid
        own.stop()
        assert other.poll() is None, "nobody ended the program that has the number now"
    finally:
        other.kill()
        other.wait()


def test_D12_a_daemon_that_sleeps_is_never_robbed(own: Watched) -> None:
    own.start()
    process = own.process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    try:
        refused = own.loopx("daemon", "run", "--json", "--no-page").expect(3)
        assert refused.json["error"]["facts"]["pid"] == process.pid
        # A command is not kept waiting by it.
        own.loopx("todo", "list", environ={"LOOPX_DAEMON": ""}).expect()
    finally:
        process.send_signal(signal.SIGCONT)
    own.flush()


def test_D13_a_daemon_older_than_the_command_is_told_of_and_not_asked(own: Watched) -> None:
    """A version that was installed later: played by a package of another version, elsewhere."""
    own.start()
    newer = own.project.parent / "newer"
    code = "import sys, loopx; loopx.__version__ = '9.9.9'; from loopx.cli import main; sys.exit(main())"
    newer.write_text(code)
    environ = {**own.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, str(newer), *words]
        return subprocess.run(argv, cwd=own.project, env=environ, capture_output=True, text=True, check=True)

    run("todo", "list")
    found = own.health() or {}
    assert found["served"] == 0
    assert found["declined"] == {"another version or umask": 1}
    [warning] = json.loads(run("daemon", "status", "--json").stdout)["warnings"]
    assert warning["code"] == "daemon-outdated"
    assert "9.9.9" in warning["message"]


def test_D13_a_workspace_of_a_newer_version_is_not_written_to(own: Watched) -> None:
    own.start()
    assert own.process is not None
    own.process.send_signal(signal.SIGSTOP)
    file = own.path("workspace.yaml")
    text = file.read_text()
    newer = re.sub(r"^version: .*$", "version: 99", text, flags=re.MULTILINE)
    assert newer != text
    file.write_text(newer)
    own.git("commit", "-q", "-a", "-m", "a newer version writes its own")
    own.git("update-ref", "refs/loopx/admitted", "HEAD")
    before = own.commits()
    own.process.send_signal(signal.SIGCONT)
    own.path(GUIDE).write_bytes(own.path(GUIDE).read_bytes() + b"typed meanwhile\n")
    own.wait(lambda: "workspace-version" in {each["code"] for each in (own.health() or {})["problems"]})
    assert own.commits() == before
    assert "newer LoopX" in own.said or "version 99" in own.said


def test_a_daemon_that_cannot_start_says_why(own: Watched) -> None:
    own.path("local/daemon.sock").mkdir()  # something is in the way
    told = own.loopx("daemon", "start", "--no-page", "--json").expect(4).json["error"]
    assert told["code"] == "daemon-failed"
    assert "socket" in told["facts"]["output"]
    assert own.loopx("daemon", "status", "--json").expect().json["data"]["running"] is False


def test_a_unit_is_written_where_the_system_looks_for_it_and_enabled_by_the_person(own: Watched) -> None:
    printed = own.loopx("daemon", "install", "--print").expect().out
    assert str(own.root) in printed
    made = own.loopx("daemon", "install", "--json").expect().json["data"]
    assert Path(made["path"]).read_text() == printed
    assert made["written"] is True


def test_a_system_without_user_services_is_told_so(monkeypatch: pytest.MonkeyPatch, own: Watched) -> None:
    monkeypatch.setattr("platform.system", lambda: "Plan9")
    around = replace(Surroundings.real(), environ=own.environ, folder=own.project)
    found = outcome(["daemon", "install"], around)
    assert isinstance(found, Problem)
    assert found.code == "service-unknown"


def test_the_page_is_optional_and_its_absence_told(own: Watched) -> None:
    hidden = own.project.parent / "starlette.py"
    hidden.write_text("raise ImportError('not here', name='starlette')\n")
    words = [sys.executable, "-m", "loopx", "daemon", "run", "--log", str(own.log)]
    path = os.pathsep.join([str(hidden.parent), *sys.path])
    own.process = subprocess.Popen(words, cwd=own.project, env={**own.environ, "PYTHONPATH": path})
    own.wait(lambda: health(Places(own.root)) is not None)
    found = own.health() or {}
    assert found["page"] is None
    assert found["page_why"] == "starlette is not installed"
    own.flush()
