"""The facts themselves: lanes, totals, and what loading them costs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from loopx.model.todo import TodoStatus
from loopx.projections.facts import Lane
from tests.unit.projections.sample import READER, SMALL
from tests.unit.projections.surveys import todo


@pytest.mark.parametrize(
    ("status", "is_runnable", "lane"),
    [
        (TodoStatus.OPEN, True, Lane.RUNNABLE),
        (TodoStatus.OPEN, False, Lane.WAITING),
        (TodoStatus.BLOCKED, False, Lane.BLOCKED),
        (TodoStatus.DEFERRED, False, Lane.DEFERRED),
        (TodoStatus.DONE, False, Lane.DONE),
        (TodoStatus.SUPERSEDED, False, Lane.DONE),
        (TodoStatus.CANCELLED, False, Lane.DONE),
    ],
)
def test_a_todo_stands_in_the_lane_of_its_status_and_verdict(status: TodoStatus, is_runnable: bool, lane: Lane) -> None:
    assert todo(1, "x", status=status, is_runnable=is_runnable).lane is lane


def test_the_total_of_a_section_includes_what_was_left_out() -> None:
    assert SMALL.total("waiting") == 3
    assert replace(SMALL, truncated={"waiting": 97}).total("waiting") == 100


def test_settled_criteria_are_those_met_or_waived() -> None:
    assert READER.criteria_settled == 1


def test_loading_the_facts_loads_no_library() -> None:
    code = "import sys, loopx.projections.facts; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "loopx.projections.facts" in loaded
    assert not {"jinja2", "markdown_it", "markupsafe", "pydantic", "json", "rich", "click"} & set(loaded)
