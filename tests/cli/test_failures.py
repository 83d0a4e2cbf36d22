"""Every bad ending has a code, a place, a next step and an exit status of its kind; none shows a traceback."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopx.cli.app import run
from loopx.cli.failures import told, told_warning
from loopx.cli.screen import Screen
from loopx.cli.surroundings import Surroundings
from loopx.errors import LoopxError, Place, Problem
from tests.cli.conftest import Asked, Desk
from tests.support.clock import FakeClock


def failing(error: BaseException, tmp_path: Path) -> Surroundings:
    """Surroundings in which no workspace can be opened because of ``error``."""

    def find(*_given: Any, **_named: Any) -> Any:
        raise error

    return Surroundings({"TMPDIR": str(tmp_path)}, tmp_path, find, find, FakeClock)


def ask(around: Surroundings, *arguments: str) -> Asked:
    out, err, before = io.StringIO(), io.StringIO(), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        code = run(arguments, around)
    finally:
        sys.stdout, sys.stderr = before
    return Asked(code, out.getvalue(), err.getvalue())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("tood", "error[usage]: No such command 'tood'.\n  hint: Did you mean `loopx todo`?\n"),
        ("todo lst", "error[usage]: No such command 'lst'.\n  hint: Did you mean `loopx todo list`?\n"),
        ("xyzzy", "error[usage]: No such command 'xyzzy'.\n  hint: See `loopx --help`.\n"),
        ("todo list --gaol x", "  at --gaol\n  hint: Did you mean `--goal`"),
        ("todo add", "hint: See `loopx todo add --help`.\n"),
        ("todo add T --goal", "  at --goal\n"),
        ("todo add T --goal g --priority p9", "'p0', 'p1', 'p2', 'p3', 'p4'"),
        ("todo list --limit 0", "  at --limit\n"),
        (
            "refresh-state --goal beta",
            "Choose from: test_only, single_surface, multi_surface, implementation\n"
            "  at --scale / --delivery-batch-scale\n",
        ),
        (
            "init a --workspace b",
            "error[usage]: PATH and --workspace name the same thing; give one.\n  at --workspace\n",
        ),
        ("check --yes", "--yes means something with --fix only."),
        ("schema nosuch", "'workspace', 'goal', 'todo'"),
    ],
)
def test_a_command_line_nobody_understands_says_what_was_perhaps_meant(empty: Desk, line: str, says: str) -> None:
    asked = empty(*line.split()).expect(2)
    assert (asked.out, says in asked.err) == ("", True), asked.err
    error = empty("--json", *line.split()).expect(2).json["error"]
    assert error["code"] == "usage"


def test_a_picture_that_goes_on_changing_is_no_single_json_value(empty: Desk) -> None:
    error = empty("status", "--watch", "--json").expect(2).json["error"]
    assert "--watch shows the present to a person" in error["message"]


@pytest.mark.parametrize("line", ["todo show t-1 extra --json", "--json todo list --nope", "todo --json --gaol"])
def test_json_is_json_wherever_the_line_breaks_off(empty: Desk, line: str) -> None:
    asked = empty(*line.split()).expect(2)
    assert asked.json["error"]["code"] == "usage"
    assert asked.err == ""


def test_json_after_the_end_of_options_is_a_text_and_no_option(empty: Desk) -> None:
    assert empty("todo", "add", "--goal", "g", "--", "--json").expect(1).out == ""


def test_outside_a_workspace_the_next_step_is_named(empty: Desk) -> None:
    asked = empty("todo", "list").expect(1)
    assert asked.err.startswith("error[workspace-missing]: ")
    assert "hint: Run `loopx init`, or name one with --workspace." in asked.err


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("todo-unknown", 1),
        ("lock-held", 3),
        ("repository-broken", 4),
        ("disk-full", 4),
        ("validation-failed", 5),
        ("outcome-unknown", 6),
    ],
)
def test_U04_the_exit_status_follows_the_kind_and_the_remedy_the_code(tmp_path: Path, code: str, status: int) -> None:
    around = failing(LoopxError(code, "It did not work.", facts={"n": 1}), tmp_path)
    asked = ask(around, "todo", "list", "--json").expect(status)
    error = asked.json["error"]
    assert (error["code"], error["message"], error["facts"]) == (code, "It did not work.", {"n": 1})
    assert ask(around, "todo", "list").err == f"error[{code}]: It did not work.\n  hint: {error['hint']}\n"


@pytest.mark.parametrize(
    ("number", "code"), [(errno.EACCES, "file-failed"), (errno.EROFS, "file-failed"), (errno.ENOSPC, "disk-full")]
)
def test_U04_what_the_machine_refuses_is_no_bug_of_ours(tmp_path: Path, number: int, code: str) -> None:
    error = ask(failing(OSError(number, "Refused", "/some/file"), tmp_path), "todo", "--json").expect(4).json["error"]
    assert (error["code"], error["message"], error["place"]["path"]) == (code, "Refused.", "/some/file")


def test_what_nobody_expected_goes_into_a_report_and_not_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    around = failing(ZeroDivisionError("oh no"), tmp_path)
    asked = ask(around, "todo", "list", "--goal", "secret").expect(70)
    assert asked.err.startswith(
        "error[bug]: LoopX failed with ZeroDivisionError.\n  hint: Please report it with the text"
    )
    assert "Traceback" not in asked.out + asked.err
    (report,) = tmp_path.glob("loopx-bug-*.txt")
    text = report.read_text(encoding="utf-8")
    assert "ZeroDivisionError: oh no" in text
    assert "'--goal', 'secret'" in text
    assert str(report) in asked.err


def test_a_report_of_an_open_workspace_is_kept_in_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any, **_named: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("loopx.cli.commands.status.overview_lines", fail)
    asked = desk("status").expect(70)
    assert f"{desk.root}/local/bugs/loopx-bug-" in asked.err


def test_a_report_that_cannot_be_written_does_not_hide_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere" / "at" / "all"))
    asked = ask(failing(ZeroDivisionError(), tmp_path), "todo", "list", "--json").expect(70)
    assert asked.json["error"]["code"] == "bug"
    assert "could not be written" in asked.json["error"]["hint"]


def test_an_interrupted_command_says_so(tmp_path: Path) -> None:
    around = failing(KeyboardInterrupt(), tmp_path)
    assert ask(around, "todo", "list").expect(130).err.startswith("error[interrupted]: ")
    assert ask(around, "todo", "list", "--json").expect(130).json["error"]["code"] == "interrupted"


def test_a_refused_write_tells_under_which_operation_it_was_tried(desk: Desk) -> None:
    error = desk("todo", "done", "t-zzzzzzzz", "--op", "mine-1", "--json").expect(1).json["error"]
    assert error["facts"]["operation"] == "mine-1"


class Broken(io.StringIO):
    """A stream nobody reads, or with no room behind it."""

    def __init__(self, error: Callable[[], OSError]) -> None:
        super().__init__()
        self.error = error

    def flush(self) -> None:
        raise self.error()


def test_a_reader_that_goes_away_changes_neither_the_outcome_nor_the_screen(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stdout", Broken(BrokenPipeError))
    monkeypatch.setattr(sys, "stderr", err)
    assert run(["todo", "add", "Once", "--goal", "beta", "--op", "mine-1"], desk.around({})) == 0
    assert err.getvalue() == ""
    assert desk("op", "show", "mine-1", "--json").expect().json["data"]["state"] == "committed"


def test_an_answer_with_no_room_for_it_says_that_the_request_was_carried_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stdout", Broken(lambda: OSError(errno.ENOSPC, "No space left on device")))
    monkeypatch.setattr(sys, "stderr", err)
    assert run(["todo", "list", "--json"], desk.around({})) == 4
    assert err.getvalue() == (
        "error[output-failed]: The answer could not be written: No space left on device.\n"
        "  hint: Make room, or send the output elsewhere; look the outcome up with `loopx log`.\n"
    )


def test_a_problem_is_told_with_place_output_and_hint() -> None:
    problem = Problem("validation-failed", "x\x1b[2J", Place("a.md", 3, 7), "Mend it.", {"output": "one\n\x07two\n"})
    assert list(told(problem, Screen())) == [
        "error[validation-failed]: x\\x1b[2J",
        "  at a.md:3:7",
        "  | one",
        "  | \\x07two",
        "  hint: Mend it.",
    ]


def test_a_warning_takes_one_line() -> None:
    warning = Problem("field-cut", "The title was\ncut.", Place("a.md", 3))
    assert told_warning(warning, Screen()) == "warning[field-cut]: a.md:3: The title was\\ncut."
