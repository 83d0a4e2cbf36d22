"""Commands beside a daemon: the same words and the same bytes as without one, and never the same write twice."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from loopx.cli.grammar import imported
from loopx.cli.served import SERVED, is_served
from loopx.cli.table import ROWS
from loopx.daemon import line
from tests.support.watched import GUIDE, Watched

ON = {"LOOPX_DAEMON": ""}
CHANGING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d \d\d:\d\d(?: UTC)?|op-\w+")
"""Instants, and operations nobody named."""

READS = [
    ["next", "--json"],
    ["next", "--goal", "beta", "--explain"],
    ["todo"],
    ["todo", "list", "--goal", "beta", "--json"],
    ["goal", "show", "beta", "--json"],
    ["status", "--json"],
    ["log", "--json"],
    ["where", "--json"],
    ["--json", "quota", "should-run", "--goal", "beta"],
    ["todo", "show", "t-nothing", "--json"],
    ["todo", "list", "--no-such-option"],
    ["edit"],
    ["plan", "list", "--json"],
    ["step", "list"],
    ["trace", "list", "--json"],
    ["trace", "verify", "run-nothing", "--json"],
]


def served(watched: Watched) -> int:
    return int((watched.health() or {})["served"])


@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_an_answer_is_the_same_with_and_without_a_daemon(watched: Watched, words: list[str]) -> None:
    watched.flush()
    before = served(watched)
    without, with_one = watched.loopx(*words), watched.loopx(*words, environ=ON)
    assert served(watched) == before + 1
    assert with_one.code == without.code
    assert CHANGING.sub("…", with_one.out) == CHANGING.sub("…", without.out)
    assert with_one.err == without.err


def test_a_write_through_the_daemon_is_one_commit_under_the_operation_it_names(watched: Watched) -> None:
    watched.flush()
    before, commits = served(watched), watched.commits()
    done = watched.loopx("todo", "add", "Through the daemon", "--goal", "beta", "--json", environ=ON).expect()
    assert served(watched) == before + 1
    assert watched.commits() == commits + 1
    named = done.err.split()[1]
    assert watched.loopx("op", "show", named, "--json").expect().json["data"]["state"] == "committed"
    again = watched.loopx("todo", "add", "Through the daemon", "--goal", "beta", "--op", named, "--json", environ=ON)
    assert again.expect().json["data"]["replayed"] is True


def test_a_plan_is_laid_out_and_shown_by_the_daemon(watched: Watched) -> None:
    watched.flush()
    before, commits = served(watched), watched.commits()
    todo = watched.loopx("todo", "add", "Planned beside", "--goal", "beta", "--json", environ=ON).expect()
    identity = str(json.loads(todo.out)["data"]["result"]["id"])
    watched.loopx("plan", "new", identity, "--step", "one: true", "--no-verify", "--json", environ=ON).expect()
    assert (served(watched), watched.commits()) == (before + 2, commits + 2)
    for words in (["plan", "show", identity], ["plan", "graph", identity], ["step", "show", identity, "one", "--json"]):
        assert watched.loopx(*words, environ=ON).out == watched.loopx(*words).out
    assert served(watched) == before + 5


def test_what_was_just_typed_shows_in_an_answer_of_the_daemon(watched: Watched) -> None:
    """No event need have come yet: a command answers for the files as they are."""
    path = "goals/beta/todos/item-5.md"
    for number in range(5):
        text = watched.path(path).read_text()
        watched.path(path).write_text(re.sub(r"^title: .*$", f"title: Typed {number}", text, flags=re.MULTILINE))
        told = watched.loopx("todo", "list", "--json", environ=ON).expect()
        assert f"Typed {number}" in told.out
    watched.flush()


def test_the_askers_folder_actor_and_environment_count(watched: Watched) -> None:
    below = watched.project / "some/folder"
    below.mkdir(parents=True, exist_ok=True)
    environ = {**watched.environ, "LOOPX_ACTOR": "agent:nobody"}
    words = [sys.executable, "-m", "loopx", "todo", "add", "By an agent", "--goal", "beta", "--json"]
    before = served(watched)
    done = subprocess.run(words, cwd=below, env=environ, capture_output=True, text=True)
    assert served(watched) == before + 1
    assert json.loads(done.stdout)["ok"] is True
    assert watched.git("log", "-1", "--format=%ae").strip() == "nobody@agents.invalid"


@pytest.mark.parametrize(
    "environ",
    [{"HOME": "/nowhere"}, {"GIT_CONFIG_GLOBAL": "/dev/null"}, {"LOOPX_IN_HOOK": "1"}, {"GIT_INDEX_FILE": "/dev/null"}],
    ids=str,
)
def test_who_stands_elsewhere_is_not_answered_by_this_daemon(watched: Watched, environ: dict[str, str]) -> None:
    before = served(watched)
    watched.loopx("where", environ={**ON, **environ})
    assert served(watched) == before
    assert (watched.health() or {})["declined"]["another setting of Git"] > 0


def test_a_workspace_named_by_option_is_not_taken_for_the_one_here(watched: Watched, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    watched.loopx("init", str(other)).expect()
    asked = line.Asked(
        line.RUN,
        line.told(*_us(), umask=_umask()),
        "op-abcdefghjk",
        str(watched.project),
        ("where", "--workspace", str(other)),
        watched.environ,
    )
    assert dict(_spoken(watched, asked))[line.DECLINED] == b"another workspace"
    assert str(other) in watched.loopx("where", "--workspace", str(other), environ=ON).expect().out


def test_a_command_that_asks_or_runs_something_stays_with_its_terminal(watched: Watched) -> None:
    before = served(watched)
    for words in (
        ["todo", "done", "t-nothing"],
        ["gate", "approve", "g-nothing"],
        ["check"],
        ["--help"],
        ["todo", "-h"],
    ):
        watched.loopx(*words, environ=ON)
    watched.loopx("todo", "add", "From standard input", "--goal", "beta", "--body", "-", environ=ON).expect()
    assert served(watched) == before


def test_every_served_word_is_one_of_the_command_line_and_asks_nobody() -> None:
    rows = {row.word: row for row in ROWS}
    for word, verbs in SERVED.items():
        command = imported(rows[word].place)
        assert isinstance(command, click.Group) == bool(verbs), word
        if isinstance(command, click.Group):
            assert set(verbs) <= set(command.list_commands(click.Context(command))), word
    asking = {"todo done", "gate approve", "gate reject", "gate defer", "turn open", "goal check", "evidence reassess"}
    asking |= {
        "run beta",
        "recover",
        "step skip t s",
        "step cancel t s",
        "plan edit t",
        "plan migrate f",
        "plan check -",
    }
    asking |= {f"plan new t {each}" for each in ("--from -", "--from=-", "--from /dev/stdin", "--from=/dev/fd/63")}
    assert [each for each in sorted(asking) if is_served(each.split())] == []
    assert not is_served([])
    assert not is_served(["daemon"])
    assert is_served(["--workspace", "x", "--json", "todo", "list"])


@contextlib.contextmanager
def false_daemon(watched: Watched, *answers: bytes) -> Iterator[list[bytes]]:
    """Something at the daemon's socket that takes a request, says ``answers`` and hangs up."""
    path = watched.root / "local" / line.SOCKET
    heard: list[bytes] = []
    listening = socket.socket(socket.AF_UNIX)
    line.from_here(str(path.parent), lambda: listening.bind(line.SOCKET))
    listening.listen()

    def answer() -> None:
        peer, _ = listening.accept()
        with peer:
            heard.append(peer.recv(1 << 20))
            for each in answers:
                peer.sendall(each)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield heard
        thread.join(30)
    finally:
        listening.close()
        path.unlink()


@pytest.mark.parametrize(
    "answers", [[], [line.frame(line.ACCEPTED)], [b"nonsense\n"], [line.frame(line.OUT, b"half")[:-2]]]
)
def test_an_answer_that_is_lost_is_silently_done_without(own: Watched, answers: list[bytes]) -> None:
    with false_daemon(own, *answers) as heard:
        done = own.loopx("todo", "add", "Once", "--goal", "beta", environ=ON).expect()
    asked = line.decoded(heard[0])
    assert asked is not None
    assert asked.operation in done.err, "it ran here under the id it was handed over with"


def test_a_write_whose_answer_was_lost_never_happens_twice(own: Watched) -> None:
    """The daemon carried it out, and its answer never came: played by doing it under the id that was handed over."""
    before = own.commits()
    path = own.root / "local" / line.SOCKET
    listening = socket.socket(socket.AF_UNIX)
    line.from_here(str(path.parent), lambda: listening.bind(line.SOCKET))
    listening.listen()

    def carry_out_and_vanish() -> None:
        peer, _ = listening.accept()
        with peer:
            asked = line.decoded(peer.recv(1 << 20))
            assert asked is not None
            peer.sendall(line.frame(line.ACCEPTED))
            own.loopx("todo", "add", "Once", "--goal", "beta", "--op", asked.operation).expect()

    thread = threading.Thread(target=carry_out_and_vanish)
    thread.start()
    try:
        done = own.loopx("todo", "add", "Once", "--goal", "beta", "--json", environ=ON).expect()
    finally:
        thread.join(60)
        listening.close()
        path.unlink()
    assert done.json["data"]["replayed"] is True
    assert own.commits() == before + 1


def test_a_socket_of_a_daemon_that_was_killed_is_done_without_and_then_replaced(own: Watched) -> None:
    own.start()
    own.kill()
    assert (own.root / "local" / line.SOCKET).exists()
    own.loopx("todo", "list", environ=ON).expect()
    own.start()
    own.loopx("todo", "list", environ=ON).expect()
    assert served(own) == 1


def test_the_socket_is_for_its_owner_alone(watched: Watched) -> None:
    found = (watched.root / "local" / line.SOCKET).stat()
    assert found.st_mode & 0o777 == 0o600


def test_nonsense_on_the_socket_is_hung_up_on(watched: Watched) -> None:
    for said in (b"GET / HTTP/1.1\r\n\r\n", b"loopx 1 x\n", b"loopx 1 99999999\n", b"loopx 1 3\nab\0", b"\0" * 100):
        peer = line.connect(str(watched.root / "local"))
        peer.settimeout(30)  # type: ignore[attr-defined]
        peer.sendall(said)  # type: ignore[attr-defined]
        assert peer.recv(10) == b"", said  # type: ignore[attr-defined]
        peer.close()  # type: ignore[attr-defined]
    watched.flush()


def test_watch_tells_what_happens_as_it_happens(watched: Watched) -> None:
    watched.flush()
    words = [sys.executable, "-m", "loopx", "watch", "--count", "2"]
    following = subprocess.Popen(words, cwd=watched.project, env=watched.environ, stdout=subprocess.PIPE, text=True)
    assert following.stdout is not None
    first = ""
    for number in range(100):  # until it has begun to listen
        content = watched.path(GUIDE).read_bytes() + f"followed {number}\n".encode()
        watched.path(GUIDE).write_bytes(content)
        watched.until_accepted(GUIDE, content)
        if select.select([following.stdout], [], [], 0.5)[0]:
            first = following.stdout.readline()
            break
    assert "accepted" in first
    assert "Guide" in first
    watched.flush()
    rest, _ = following.communicate(timeout=60)
    assert following.returncode == 0
    assert rest.count("\n") == 1


def test_watch_without_a_daemon_says_how_to_start_one(own: Watched) -> None:
    told = own.loopx("watch", "--count", "1", "--json").expect(1).json["error"]
    assert told["code"] == "daemon-missing"
    assert "loopx daemon start" in told["hint"]
    assert own.loopx("watch", "--json").expect(2).json["error"]["code"] == "usage"


def _us() -> tuple[str, str]:
    import loopx

    return loopx.__version__, os.path.dirname(loopx.__file__)


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def _spoken(watched: Watched, asked: line.Asked) -> list[tuple[bytes, bytes]]:
    peer = line.connect(str(watched.root / "local"))
    peer.settimeout(30)  # type: ignore[attr-defined]
    peer.sendall(line.encoded(asked))  # type: ignore[attr-defined]
    received = b""
    while said := peer.recv(1 << 16):  # type: ignore[attr-defined]
        received += said
    peer.close()  # type: ignore[attr-defined]
    return line.frames(received)[0]
