"""Running one outside program: how it ends, what is kept of its output, and that nothing of it is left running."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from loopx.runtime.process import OUTPUT_KEPT, Ending, Ran, run, scrubbed

LONG = 30.0


def python(code: str, folder: Path, timeout_seconds: float = LONG, **environ: str) -> Ran:
    argv = [sys.executable, "-S", "-c", code]
    return run(argv, folder=str(folder), environ={**os.environ, **environ}, timeout_seconds=timeout_seconds)


def test_a_program_that_ends_with_status_0_passed(tmp_path: Path) -> None:
    assert python("print('fine')", tmp_path) == Ran(Ending.EXITED, 0, "fine\n")


def test_another_status_is_kept_and_is_no_pass(tmp_path: Path) -> None:
    ran = python("import sys; print('bad', file=sys.stderr); sys.exit(7)", tmp_path)
    assert (ran.ending, ran.status, ran.output, ran.passed) == (Ending.EXITED, 7, "bad\n", False)


def test_an_end_by_a_signal_is_a_negative_status(tmp_path: Path) -> None:
    ran = python("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", tmp_path)
    assert (ran.ending, ran.status) == (Ending.EXITED, -15)


def test_a_program_that_does_not_exist_is_unavailable(tmp_path: Path) -> None:
    ran = run(["no-such-program-here"], folder=str(tmp_path), environ=os.environ, timeout_seconds=LONG)
    assert ran.ending is Ending.UNAVAILABLE
    assert "no-such-program-here" in ran.output


@pytest.mark.parametrize("argv", [["a\0b"], [""]])
def test_an_argument_no_system_takes_is_unavailable(tmp_path: Path, argv: list[str]) -> None:
    ran = run(argv, folder=str(tmp_path), environ=os.environ, timeout_seconds=LONG)
    assert (ran.ending, ran.status) == (Ending.UNAVAILABLE, None)


def test_only_the_end_of_a_long_output_is_kept(tmp_path: Path) -> None:
    ran = python("print('x' * 1_000_000 + 'end')", tmp_path)
    assert ran.passed
    assert ran.output.endswith("xend\n")
    assert len(ran.output) == OUTPUT_KEPT


def test_output_that_is_no_text_does_not_matter(tmp_path: Path) -> None:
    assert python("import sys; sys.stdout.buffer.write(b'a\\xffb')", tmp_path).output == "a\N{REPLACEMENT CHARACTER}b"


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "alive"
    child = f"import time\nwhile True: open({str(note)!r}, 'a').write('x'); time.sleep(0.02)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-S', '-c', {child!r}]); time.sleep(60)"
    ran = python(code, tmp_path, timeout_seconds=1.0)
    assert (ran.ending, ran.status) == (Ending.TIMED_OUT, None)
    assert note.exists(), "the child never ran, so its end proves nothing"
    assert _stops_growing(note)


def _stops_growing(note: Path) -> bool:
    """Whether nothing writes to ``note`` any more; a child that lived would write every 20 ms."""
    size = note.stat().st_size
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        if note.stat().st_size != size:
            return False
    return True


def test_what_was_said_before_the_time_ran_out_is_kept(tmp_path: Path) -> None:
    ran = python("import time; print('so far', flush=True); time.sleep(60)", tmp_path, timeout_seconds=1.0)
    assert ran.output == "so far\n"


def test_a_child_left_in_the_background_is_not_waited_for(tmp_path: Path) -> None:
    started = time.monotonic()
    code = "import subprocess; subprocess.Popen(['sleep', '10']); print('done')"
    ran = python(code, tmp_path)
    assert (ran.passed, ran.output) == (True, "done\n")
    assert time.monotonic() - started < 8


def test_a_program_reads_nothing_of_the_persons_input(tmp_path: Path) -> None:
    assert python("import sys; print(repr(sys.stdin.read()))", tmp_path).output == "''\n"


def test_it_runs_in_the_folder_and_environment_given(tmp_path: Path) -> None:
    ran = python("import os; print(os.getcwd(), os.environ['LOOPX_TODO'])", tmp_path, LOOPX_TODO="t-a0000001")
    assert ran.output == f"{tmp_path} t-a0000001\n"


def test_variables_that_point_git_elsewhere_are_taken_out() -> None:
    found = scrubbed({"GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_CONFIG_GLOBAL": "/z", "PATH": "/bin"})
    assert found == {"GIT_CONFIG_GLOBAL": "/z", "PATH": "/bin"}
