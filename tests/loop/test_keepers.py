"""Keepers that carry out one execution after the other: what is handed over, when they go, and who replaces them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from loopx.loop.components.commands import CommandActor
from loopx.loop.components.keepers import Keepers, job_of
from loopx.loop.components.processes import Close, Kept, Launch, execute
from loopx.loop.keeping.attempting import end_group, process_started
from loopx.loop.keeping.attempts import AttemptFile, is_kept, read_attempt
from loopx.model.step import ExecutionState
from tests.support.components import until
from tests.support.durable import Durable, command
from tests.support.lab import Lab

Act = Callable[..., Awaitable[Kept]]


def with_keepers(folder: Path, play: Callable[[Act], Awaitable[None]]) -> None:
    """Play something that carries out one execution after the other, and see all keepers gone afterwards."""
    seen: list[AttemptFile] = []

    async def played() -> None:
        keepers = Keepers()

        async def act(*argv: str, place: Path = folder, seconds: float = 30, given: str = "", **told: str) -> Kept:
            environ, attempt = {**os.environ, **told}, f"run-4k9x2m7q/s{len(seen)}/1"
            launch = Launch(argv=argv, folder=str(place), environ=environ, timeout_seconds=seconds, given=given)
            kept = await execute(launch, attempt, folder / "attempts", is_apart=False, is_durable=True, keepers=keepers)
            assert kept.file is not None
            seen.append(kept.file)
            return kept

        try:
            await play(act)
        finally:
            await keepers.close()

    asyncio.run(played())
    assert all(process_started(each.keeper) == "" for each in seen)


def file_of(kept: Kept) -> AttemptFile:
    assert kept.file is not None
    return kept.file


def test_one_keeper_carries_out_what_comes_one_after_the_other(tmp_path: Path) -> None:
    async def play(act: Act) -> None:
        one = await act("sh", "-c", "echo one; exit 3")
        missing = await act("./nowhere")
        two = await act("sh", "-c", "echo two")
        assert (one.close, missing.close, two.close) == (Close.ENDED, Close.NOT_STARTED, Close.ENDED)
        assert file_of(one).keeper == file_of(missing).keeper == file_of(two).keeper
        assert [(file_of(each).output, file_of(each).exit_status) for each in (one, two)] == [
            ("one\n", 3),
            ("two\n", 0),
        ]

    with_keepers(tmp_path, play)


def test_two_at_once_have_a_keeper_each(tmp_path: Path) -> None:
    def meet(own: str, other: str) -> tuple[str, ...]:
        return "sh", "-c", f"touch {own}; until test -e {other}; do sleep 0.01; done"

    async def play(act: Act) -> None:
        await asyncio.gather(act(*meet("a", "b")), act(*meet("b", "a")))

    with_keepers(tmp_path, play)


SHOW = """
import os, sys
sys.stdout.write(ascii([os.fsencode(each) for each in (*sys.argv[1:], os.environ['ODD'], os.getcwd())]))
sys.stdout.write(ascii(sys.stdin.read()))
"""


def test_odd_bytes_arrive_as_they_are(tmp_path: Path) -> None:
    odd = os.fsdecode(b"a\nb \xff\xc3\x28=\t'\"")
    place = tmp_path / "new\nline \u00e9"
    place.mkdir()

    async def play(act: Act) -> None:
        for given in ("", "two\nlines and a \0", ""):
            kept = await act(sys.executable, "-c", SHOW, odd, "", place=place, given=given, ODD=odd)
            there = [os.fsencode(each) for each in (odd, "", odd, os.path.realpath(place))]
            assert file_of(kept).output == ascii(there) + ascii(given)

    with_keepers(tmp_path, play)
    assert not list(tmp_path.glob("attempts/*.given"))


def test_what_no_program_can_be_told_is_refused_before_anything_begins(tmp_path: Path) -> None:
    for argv, environ in ((("a\0b",), {}), (("true",), {"A=B": "c"}), (("true",), {"A": "\ud800"})):
        with pytest.raises(ValueError, match=r"null byte|has a =|surrogates not allowed"):
            job_of("run-1/s1/1", tmp_path, argv, environ, "/")
    launch = Launch(argv=("a\0b",), folder=str(tmp_path), environ={}, timeout_seconds=9)
    kept = asyncio.run(execute(launch, "run-1/s1/1", tmp_path, is_apart=False, is_durable=False))
    assert kept.close is Close.NOT_STARTED and "null byte" in kept.message


def test_nothing_of_an_execution_is_seen_in_a_list_of_processes(tmp_path: Path) -> None:
    looking = "for each in $PPID; do tr '\\0' ' ' < /proc/$each/cmdline; tr '\\0' ' ' < /proc/$each/environ; done"

    async def play(act: Act) -> None:
        await act("true")
        kept = await act("sh", "-c", looking, "argued", ODD="told apart")
        said = file_of(kept).output
        assert "attempting" in said and "argued" not in said and "told apart" not in said and "run-4k9" not in said

    with_keepers(tmp_path, play)


def test_a_keeper_that_died_while_it_waited_is_replaced_and_the_command_begins_once(tmp_path: Path) -> None:
    async def play(act: Act) -> None:
        gone = file_of(await act("true"))
        os.kill(gone.keeper, signal.SIGKILL)
        kept = await act("sh", "-c", "echo once >> log")
        assert kept.close is Close.ENDED and file_of(kept).keeper != gone.keeper
        assert file_of(await act("true")).keeper == file_of(kept).keeper

    with_keepers(tmp_path, play)
    assert (tmp_path / "log").read_text() == "once\n"


def test_a_keeper_that_died_after_it_let_the_command_go_leaves_an_unknown_end(tmp_path: Path) -> None:
    async def play(act: Act) -> None:
        await act("true")
        kept = await act("sh", "-c", "echo once >> log; kill -9 $PPID; sleep 60")
        assert kept.close is Close.LOST and not file_of(kept).has_ended
        assert (await act("true")).close is Close.ENDED

    with_keepers(tmp_path, play)
    assert (tmp_path / "log").read_text() == "once\n"


def test_a_keeper_whose_command_was_cut_short_or_left_its_output_open_takes_no_other(tmp_path: Path) -> None:
    async def play(act: Act) -> None:
        late = await act("sleep", "60", seconds=0.5)
        holding = "setsid sh -c 'touch held; exec sleep 60' & until test -e held; do sleep 0.01; done; echo $!"
        held = await act("sh", "-c", holding)
        last = await act("true")
        assert (late.close, held.close, last.close) == (Close.TIMED_OUT, Close.ENDED, Close.ENDED)
        assert len({file_of(each).keeper for each in (late, held, last)}) == 3
        end_group(int(file_of(held).output))

    with_keepers(tmp_path, play)


def test_a_keeper_that_waits_keeps_nothing_that_has_ended(tmp_path: Path) -> None:
    async def play(act: Act) -> None:
        await act("true")
        seen = []

        async def look() -> None:
            while (file := read_attempt(tmp_path / "attempts", "run-4k9x2m7q/s1/1")) is None:
                await asyncio.sleep(0.005)
            assert is_kept(file) and not file.has_ended
            (tmp_path / "looked").touch()
            seen.append(file)

        await asyncio.gather(act("sh", "-c", "until test -e looked; do sleep 0.01; done"), look())
        assert process_started(seen[0].keeper) and not is_kept(seen[0])

    with_keepers(tmp_path, play)


RUNNER = """
import asyncio, os, sys, time
from pathlib import Path
from loopx.loop.components.keepers import Keepers
from loopx.loop.components.processes import Launch, execute
async def main():
    folder, keepers = Path(sys.argv[1]), Keepers()
    launch = Launch(argv=("true",), folder=str(folder), environ=os.environ, timeout_seconds=30)
    kept = await execute(launch, "run-1/s1/1", folder, is_apart=False, is_durable=False, keepers=keepers)
    holder = os.fork() if sys.argv[2] == "held" else 0
    if holder or sys.argv[2] == "free":
        print(kept.file.keeper, holder, flush=True)
    time.sleep(60)
asyncio.run(main())
"""


@pytest.mark.parametrize("pipe", ["free", "held"])
def test_a_keeper_that_waits_goes_when_its_runner_is_killed(tmp_path: Path, pipe: str) -> None:
    """Even where a process that its runner forked holds the pipe open."""
    with subprocess.Popen([sys.executable, "-c", RUNNER, str(tmp_path), pipe], stdout=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        keeper, holder = map(int, runner.stdout.readline().split())
        assert process_started(keeper)
        runner.kill()
        runner.wait()
        try:
            until(lambda: process_started(keeper) == "")
        finally:
            if holder:
                os.kill(holder, signal.SIGKILL)


def test_the_steps_of_a_run_share_a_keeper_and_it_is_gone_with_the_run(lab: Lab) -> None:
    steps = (command(f"s{n}", "echo $PPID >> keepers") for n in range(3))
    run = Durable.make(lab, *steps)
    run.actor = CommandActor()
    assert run.carry_on().execution_state is ExecutionState.COMPLETED
    told = (lab.project.root / "keepers").read_text().split()
    assert len(told) == 3 and len(set(told)) == 1
    assert process_started(int(told[0])) == ""
