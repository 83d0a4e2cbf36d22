"""Executions under their keeper, with real processes: what is on file when, and who is still alive."""

from __future__ import annotations

import asyncio
import json
import os
import py_compile
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from loopx.kernel.privacy import CREDENTIAL_HINTS, CREDENTIAL_PATTERNS
from loopx.loop.components import keepers
from loopx.loop.components.keepers import job_of
from loopx.loop.components.processes import Close, Kept, Launch, execute
from loopx.loop.keeping import attempting
from loopx.loop.keeping.attempting import KEPT, Mask, process_started
from loopx.loop.keeping.attempts import attempt_path, end, forget_attempt, forget_run, is_alive, is_kept, read_attempt
from tests.support.components import until
from tests.support.keeping import keeper_of

ID = "run-4k9x2m7q/s1/1"


@pytest.fixture(autouse=True)
def _nobody_left(tmp_path: Path) -> Iterator[None]:
    yield
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is None or not is_alive(file)


def carry_out(tmp_path: Path, *argv: str, seconds: float = 30, given: str = "", **told: str) -> Kept:
    environ = {**os.environ, **told}
    launch = Launch(argv=argv, folder=str(tmp_path), environ=environ, timeout_seconds=seconds, given=given)
    return asyncio.run(execute(launch, ID, tmp_path / "attempts", is_apart=False, is_durable=True))


def keeper(tmp_path: Path, *argv: str, starter: int = 0) -> subprocess.Popen[bytes]:
    """A keeper whose starter may go away; ``starter`` is who it takes for it."""
    folder = tmp_path / "attempts"
    folder.mkdir(exist_ok=True)
    return keeper_of(job_of(ID, folder, argv, os.environ, str(tmp_path)), starter)


@pytest.mark.parametrize("status", [0, 1, 77])
def test_a_command_that_ran_to_its_end_is_on_file_with_status_and_digest(tmp_path: Path, status: int) -> None:
    kept = carry_out(tmp_path, "sh", "-c", f"echo out; echo err >&2; exit {status}")
    file = read_attempt(tmp_path / "attempts", ID)
    assert kept.close is Close.ENDED and kept.file == file and file is not None
    assert (file.exit_status, file.output, file.output_size, file.has_ended) == (status, "out\nerr\n", 8, True)
    assert file.output_digest == subprocess.check_output(["sha256sum"], input=b"out\nerr\n").decode().split()[0]
    assert oct(attempt_path(tmp_path / "attempts", ID).stat().st_mode & 0o777) == "0o600"


def test_a_program_that_is_not_there_did_not_start(tmp_path: Path) -> None:
    kept = carry_out(tmp_path, "./nowhere")
    assert kept.close is Close.NOT_STARTED and "nowhere" in kept.message
    assert kept.file is not None and kept.file.has_ended and kept.file.exit_status is None


def test_a_folder_that_is_not_there_did_not_start(tmp_path: Path) -> None:
    launch = Launch(argv=("true",), folder=str(tmp_path / "gone"), environ=os.environ, timeout_seconds=9)
    kept = asyncio.run(execute(launch, ID, tmp_path / "attempts", is_apart=False, is_durable=False))
    assert kept.close is Close.NOT_STARTED and kept.file is not None and "gone" in kept.message


def test_a_keeper_whose_starter_is_gone_before_the_record_is_written_begins_nothing(tmp_path: Path) -> None:
    """Whoever goes on may have found no record, and does it again: the two must not run beside each other."""
    process = keeper(tmp_path, "touch", str(tmp_path / "begun"), starter=os.getppid())
    assert process.wait() == attempting.CANNOT_START
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is not None and file.has_ended and "its runner had ended" in str(file.not_started)
    assert not (tmp_path / "begun").exists()


def test_the_record_is_on_disk_before_the_command_begins(tmp_path: Path) -> None:
    path = attempt_path(tmp_path / "attempts", ID)
    kept = carry_out(tmp_path, "sh", "-c", f"cat '{path}'; echo $$")
    assert kept.file is not None
    line, own = kept.file.output.splitlines()
    facts = json.loads(line)
    assert facts["attempt"] == ID and facts["pid"] == int(own) == kept.file.pid and facts["process_started"]
    assert "exit_status" not in facts


def test_the_command_leads_a_session_of_its_own_and_gets_signals_as_usual(tmp_path: Path) -> None:
    script = "import os,signal; print(os.getsid(0)==os.getpgrp()==os.getpid(), signal.getsignal(13).name)"
    kept = carry_out(tmp_path, sys.executable, "-c", script + "; import os; print(len(os.listdir('/proc/self/fd')))")
    assert kept.file is not None
    assert kept.file.output.splitlines()[0] == "True SIG_IGN"  # Python's own choice, made after it was started
    kept = carry_out(tmp_path, "sh", "-c", "grep SigIgn /proc/self/status")
    assert kept.file is not None and int(kept.file.output.split()[1], 16) & (1 << 12) == 0


def test_the_input_is_there_whole_and_none_means_none(tmp_path: Path) -> None:
    told = "what to do\n" * 20_000
    assert (kept := carry_out(tmp_path, "sh", "-c", "wc -c", given=told).file) and kept.output.strip() == "220000"
    assert (kept := carry_out(tmp_path, "sh", "-c", "wc -c").file) and kept.output.strip() == "0"


def test_of_a_long_output_the_end_is_kept_and_all_of_it_digested(tmp_path: Path) -> None:
    kept = carry_out(tmp_path, "sh", "-c", "yes line | head -c 200000; echo THE END")
    assert kept.file is not None and kept.file.output_size == 200_008
    assert kept.file.output.startswith("… 134472 bytes before this are not kept\n")
    assert kept.file.output.endswith("THE END\n") and len(kept.file.output) < KEPT + 100


def test_secrets_are_masked_before_anything_is_on_file(tmp_path: Path) -> None:
    token, own = "ghp_" + "a1" * 18, "correct-horse-battery"
    kept = carry_out(tmp_path, "sh", "-c", f"echo {token}; echo $DEPLOY_SECRET and more", DEPLOY_SECRET=own)
    assert kept.file is not None and kept.file.output == "***\n*** and more\n"
    text = attempt_path(tmp_path / "attempts", ID).read_text()
    assert token not in text and own not in text


KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\ndef\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (f"a\n{KEY}\nb", "a\n***\nb"),
        (f"{KEY[40:]}\nb", "***\nb"),
        (f"a\n{KEY[:40]}", "a\n***"),
        (f"{KEY}\nkept\n{KEY}", "***\nkept\n***"),
        ("password = hunter22", "password = ***"),
        ('{"api_key": "hunter22", "x": 1}', '{"api_key": "***", "x": 1}'),
        ("https://ann:pw1234@example.org/x", "https://ann:***example.org/x"),
        ("Authorization: Bearer abc123def456ghi7", "Authorization: Bearer ***"),
        ("the password is asked for, and the token too", "the password is asked for, and the token too"),
        ("AKIAABCDEFGHIJKLMNOP", "***"),
    ],
)
def test_what_looks_like_a_credential_is_masked_whole(typed: str, kept: str) -> None:
    assert Mask(CREDENTIAL_HINTS, CREDENTIAL_PATTERNS).over(typed, {}) == kept


def test_what_a_command_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    kept = carry_out(tmp_path, "sh", "-c", "sleep 60 & echo $!")
    assert kept.close is Close.ENDED and kept.file is not None
    until(lambda: process_started(int(kept.file.output)) == "")  # type: ignore[union-attr]


def test_who_left_the_group_and_holds_the_output_is_not_waited_for(tmp_path: Path) -> None:
    kept = carry_out(tmp_path, "sh", "-c", "setsid sleep 60 & echo $!")
    assert kept.close is Close.ENDED and kept.file is not None and kept.file.exit_status == 0
    os.kill(int(kept.file.output), signal.SIGKILL)


def test_a_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    kept = carry_out(tmp_path, "sh", "-c", "sleep 60 & echo $!; wait", seconds=0.3)
    assert kept.close is Close.TIMED_OUT and kept.file is not None and kept.file.exit_status == -signal.SIGTERM
    until(lambda: process_started(int(kept.file.output)) == "")  # type: ignore[union-attr]


def test_cancelling_ends_the_group_before_it_returns(tmp_path: Path) -> None:
    folder = tmp_path / "attempts"

    async def cancelled() -> None:
        launch = Launch(argv=("sleep", "60"), folder=str(tmp_path), environ=os.environ, timeout_seconds=None)
        task = asyncio.create_task(execute(launch, ID, folder, is_apart=False, is_durable=False))
        while read_attempt(folder, ID) is None:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    file = read_attempt(folder, ID)
    assert file is not None and file.exit_status == -signal.SIGTERM and not is_alive(file) and not is_kept(file)


def test_a_keeper_that_was_killed_leaves_a_command_that_is_known_to_live_and_can_be_ended(tmp_path: Path) -> None:
    process = keeper(tmp_path, "sh", "-c", f"touch {tmp_path}/ready; exec sleep 60")
    until((tmp_path / "ready").exists)
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is not None and is_alive(file) and is_kept(file) and not file.has_ended
    process.kill()
    process.wait()
    assert is_alive(file) and not is_kept(file)
    assert end(file) and not is_alive(file)
    assert read_attempt(tmp_path / "attempts", ID) == file  # nobody saw the end, and nobody says so


def test_a_keeper_that_was_killed_before_it_let_the_command_go_leaves_nothing_begun(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    for number in range(8):
        process = keeper(tmp_path, "touch", str(begun))
        time.sleep(0.004 * number)
        process.kill()
        process.wait()
        file = read_attempt(tmp_path / "attempts", ID)
        assert file is not None or not begun.exists()
        until(lambda file=file: file is None or not is_alive(file))
        begun.unlink(missing_ok=True)
        forget_attempt(tmp_path / "attempts", ID)


def test_a_keeper_puts_the_end_on_file_though_nobody_waits(tmp_path: Path) -> None:
    process = keeper(tmp_path, "sh", "-c", "echo done; exit 4")
    process.wait()
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is not None and (file.exit_status, file.output) == (4, "done\n") and not is_alive(file)


def test_a_leader_that_ended_does_not_hide_its_group(tmp_path: Path) -> None:
    process = keeper(tmp_path, "sh", "-c", f"sleep 60 & touch {tmp_path}/ready; sleep 60")
    until((tmp_path / "ready").exists)
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is not None
    process.kill()
    process.wait()
    os.kill(file.pid, signal.SIGKILL)
    until(lambda: process_started(file.pid) == "")
    assert is_alive(file) and end(file) and not is_alive(file)


def test_another_process_with_the_same_number_is_not_the_same(tmp_path: Path) -> None:
    carry_out(tmp_path, "true")
    file = read_attempt(tmp_path / "attempts", ID)
    assert file is not None
    ours = replace(file, pid=os.getpid(), process_started=process_started(os.getpid()))
    assert is_alive(ours)
    assert not is_alive(replace(ours, process_started="1")) and not is_alive(replace(ours, boot="another"))


def test_a_file_that_is_torn_foreign_or_forgotten_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "attempts"
    assert read_attempt(folder, ID) is None
    carry_out(tmp_path, "true")
    path = attempt_path(folder, ID)
    whole = path.read_bytes()
    for torn in (whole[:40], b"[]", b"", whole.replace(b'"pid"', b'"pod"'), whole.replace(b"s1/1", b"s1/2")):
        path.write_bytes(torn)
        assert read_attempt(folder, ID) is None
    forget_attempt(folder, ID)
    assert not list(folder.iterdir())
    forget_attempt(folder, ID)


def test_the_compiled_keeper_is_used_only_when_it_is_made_of_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, compiled = tmp_path / "keeper.py", tmp_path / "keeper.pyc"
    shutil.copy(attempting.__file__, text)
    py_compile.compile(str(text), cfile=str(compiled))
    monkeypatch.setattr(keepers.attempting, "__file__", str(text))
    monkeypatch.setattr(keepers.attempting.__spec__, "cached", str(compiled))
    choose = keepers.program.__wrapped__
    assert choose() == str(compiled)
    monkeypatch.setattr(keepers, "program", choose)
    assert carry_out(tmp_path, "true").close is Close.ENDED
    text.write_text(f"{text.read_text()}# changed\n")
    assert choose() == str(text)
    compiled.unlink()
    assert choose() == str(text)


def test_a_run_that_has_ended_leaves_no_file_and_those_of_others_stay(tmp_path: Path) -> None:
    for name in ("run-1/s1/1", "run-1/s1/2", "run-12/s1/1"):
        attempt_path(tmp_path, name).write_text("{}")
    attempt_path(tmp_path, "run-1/s2/1").with_suffix(".json.given").write_text("{}")
    forget_run(tmp_path, "run-1")
    assert list(tmp_path.iterdir()) == [attempt_path(tmp_path, "run-12/s1/1")]
