"""What a command loads: a read of plain Todos needs no library but click, a write none that parses or checks files."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Desk

HEAVY = {"rich", "pydantic", "ruamel", "git", "gitdb", "jinja2", "markdown_it", "watchdog"}
_RUN = "import sys; from loopx.cli import main; sys.argv = sys.argv[1:]; main(); print(*sys.modules, file=sys.stderr)"


@pytest.fixture
def stocked(desk: Desk) -> Desk:
    for title in ("Write the guide", "Record"):
        desk("todo", "add", title, "--goal", "beta").expect()
    desk("todo", "done", "t-a0000002").expect()
    return desk


def loaded(desk: Desk, *words: str) -> set[str]:
    """Every module a process has loaded once it has answered."""
    argv = [sys.executable, "-c", _RUN, "loopx", *words]
    ran = subprocess.run(argv, cwd=desk.project, capture_output=True, text=True, check=True)
    return set(ran.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "line",
    ["todo list --goal beta", "todo list --json", "status", "log", "goal", "gate", "op show op-x", "where", "board"],
)
def test_a_read_loads_no_heavy_library(stocked: Desk, line: str) -> None:
    assert not HEAVY & {name.partition(".")[0] for name in loaded(stocked, *line.split())}


@pytest.mark.parametrize("line", ["todo add New --goal beta", "todo claim t-a0000001", "todo done t-a0000001"])
def test_a_write_by_command_loads_no_heavy_library(stocked: Desk, line: str) -> None:
    found = {name.partition(".")[0] for name in loaded(stocked, *line.split())}
    assert not (HEAVY - {"ruamel", "pydantic"}) & found
    if line.startswith("todo add"):
        assert not HEAVY & found


def test_a_list_of_plain_todos_loads_neither_the_commands_nor_the_rules(stocked: Desk) -> None:
    found = loaded(stocked, "todo", "list", "--goal", "beta")
    assert not {"loopx.kernel.commands", "loopx.kernel.verdicts", "loopx.cli.commands.todo_writes"} & found


def test_help_loads_no_workspace(stocked: Desk) -> None:
    assert not {"loopx.workspace", "loopx.store", "sqlite3"} & loaded(stocked, "todo", "list", "--help")
    assert "loopx.cli.commands.todo" not in loaded(stocked, "--help")


def test_a_decision_about_open_work_loads_neither_commands_nor_records_nor_what_a_standstill_takes(desk: Desk) -> None:
    desk("agent", "add", "bot").expect()
    desk("todo", "add", "Write the guide", "--goal", "beta", "--accept", "a1").expect()
    found = loaded(desk, "next", "--agent", "bot")
    unneeded = {"loopx.kernel.outcome", "loopx.kernel.commands.todos", "loopx.model.records", "loopx.model.turn"}
    assert not (unneeded | {"loopx.kernel.decision.standstill", "loopx.kernel.checkpoints"}) & found
