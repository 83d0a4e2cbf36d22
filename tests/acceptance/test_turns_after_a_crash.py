"""A turn whose answer was lost: the process is killed in mid-write, and another process gets the same answer once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx.kernel.commands import AddAgent
from loopx.workspace.crashpoints import POINTS
from tests.support.killed import run_killed
from tests.support.lab import ENVIRONMENT, Lab
from tests.support.project import Project

BOT = ("--actor", "agent:bot")
AFTER = POINTS[POINTS.index("published") :]
"""From here on the reference has moved: the operation is committed, whatever the caller saw."""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A workspace with one Todo, in which bot has a turn open."""
    made = Lab.make_in(Project.make(tmp_path / "lab"))
    made.goal("beta", "It is built")
    made.submit(AddAgent(agent="bot"))
    made.todo("Build it")
    made.close()
    yield made
    made.close()


def asked(lab: Lab, *arguments: str) -> Any:
    return lab.project.loopx(*arguments, environment=ENVIRONMENT).expect()


def answer(lab: Lab, *arguments: str) -> Any:
    return asked(lab, *arguments, "--json").json["data"]


def opened(lab: Lab) -> str:
    [todo] = answer(lab, "todo", "list")["todos"]
    return str(answer(lab, "turn", "open", "--goal", "beta", "--todo", todo["id"], *BOT)["turn"])


def settling(turn: str, op: str) -> tuple[str, ...]:
    words = ("--scale", "implementation", "--outcome", "outcome_progress", "--evidence", "it runs", "--done")
    return ("refresh-state", "--goal", "beta", "--turn", turn, *words, "--spend", "2", *BOT, "--op", op)


def assert_settled_once(lab: Lab, turn: str, op: str) -> None:
    lab.restart()
    assert lab.operations().count(op) == 1
    [found] = [each for each in lab.look().state.turns("beta") if each.id == turn]
    assert found.spend is not None and (found.spend.slots, found.spend.operation) == (2, op)
    assert answer(lab, "quota", "show", "beta")["spent"] == 2
    lab.assert_sound()


@pytest.mark.parametrize("point", AFTER)
def test_Q06_a_lost_response_is_recovered_under_the_same_operation_in_another_process(lab: Lab, point: str) -> None:
    turn = opened(lab)
    request = settling(turn, "op-lost")
    assert run_killed(point, *request, cwd=lab.project.root) == -signal.SIGKILL
    told = answer(lab, *request)
    assert (told["replayed"], told["operation"]) == (True, "op-lost")
    assert told["result"]["outcome"] == "outcome_progress" and told["result"]["spent"] == 2
    assert_settled_once(lab, turn, "op-lost")


def test_the_turn_itself_is_recovered_by_a_caller_that_lost_the_operation_too(lab: Lab) -> None:
    """The caller kept nothing but the turn's id. Asking again settles nothing a second time, and tells by which
    operation it was settled."""
    turn = opened(lab)
    assert run_killed("published", *settling(turn, "op-lost"), cwd=lab.project.root) == -signal.SIGKILL
    told = answer(lab, *settling(turn, "op-another"))
    assert (told["replayed"], told["operation"]) == (True, "op-lost")
    assert_settled_once(lab, turn, "op-lost")


def test_a_receipt_is_recovered_after_later_commits(lab: Lab) -> None:
    turn = opened(lab)
    request = settling(turn, "op-lost")
    assert run_killed("published", *request, cwd=lab.project.root) == -signal.SIGKILL
    asked(lab, "todo", "add", "Print it", "--goal", "beta")
    told = answer(lab, *request)
    assert told["replayed"] is True and told["result"]["id"] == turn
    assert_settled_once(lab, turn, "op-lost")


@pytest.mark.parametrize("point", ["decided", "objects-written", "journal-written"])
def test_L07_killed_before_the_reference_moved_nothing_is_reserved_and_the_same_key_works(lab: Lab, point: str) -> None:
    turn = opened(lab)
    request = settling(turn, "op-lost")
    assert run_killed(point, *request, cwd=lab.project.root) == -signal.SIGKILL
    told = answer(lab, *request)
    assert told.get("replayed", False) is False and told["result"]["spent"] == 2
    assert_settled_once(lab, turn, "op-lost")


@pytest.mark.parametrize("point", ["decided", "journal-written", "published"])
def test_L07_a_turn_whose_opening_was_killed_is_opened_once(lab: Lab, point: str) -> None:
    [todo] = answer(lab, "todo", "list")["todos"]
    request = ("turn", "open", "--goal", "beta", "--todo", todo["id"], *BOT, "--op", "op-lost")
    assert run_killed(point, *request, cwd=lab.project.root) == -signal.SIGKILL
    turn = answer(lab, *request)["turn"]
    assert [each["id"] for each in answer(lab, "turn", "list")["turns"]] == [turn]
    asked(lab, *settling(turn, "op-next"))
    assert_settled_once(lab, turn, "op-next")
