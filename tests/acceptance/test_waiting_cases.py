"""Waits that are neither forgotten nor taken for an answer: Gates nobody answers, pauses that run out.

Every request opens the workspace anew, as a process of its own does; the cache may be thrown away in between.
"""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.commands import AddAgent
from loopx.model.times import format_instant
from tests.support.console import Console
from tests.support.lab import ENVIRONMENT, Lab
from tests.support.process import LOOPX, TIME_LIMIT

SCOPE = "production:goal:deploy"
BOT = ("--actor", "agent:bot")


@pytest.fixture
def ask(lab: Lab) -> Console:
    lab.submit(AddAgent(agent="bot"))
    return Console(lab)


def forget(lab: Lab) -> None:
    """End every process and throw away what can be made again."""
    lab.close()
    for file in (lab.root / "local").glob("cache.sqlite*"):
        file.unlink()
    lab.restart()


def decided(ask: Console) -> tuple[str, str | None]:
    """The mode for the agent, and what it is about."""
    told: Any = ask("next", "--goal", "beta", "--agent", "bot", *BOT, "--json").expect().json["data"]
    selected = told.get("selected") or {}
    return told["mode"], selected.get("id")


def killed_while_asking(lab: Lab, *arguments: str) -> None:
    """A person's ``loopx`` at a terminal, killed while it waits for their answer."""
    outer, inner = pty.openpty()
    environment = {**os.environ, **ENVIRONMENT}
    process = subprocess.Popen(
        [LOOPX, *arguments], cwd=lab.project.root, stdin=inner, stdout=inner, stderr=inner, env=environment
    )
    os.close(inner)
    said = b""
    while b"Type y" not in said:
        said += os.read(outer, 1024)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(TIME_LIMIT) == -signal.SIGKILL
    os.close(outer)


def test_Q09_a_gate_nobody_answers_holds_whatever_time_passes_and_whoever_is_killed(lab: Lab, ask: Console) -> None:
    deadline = format_instant(lab.clock.now() + timedelta(seconds=2))
    words = ("--scope", SCOPE, "--question", "May it go live?", "--deadline", deadline)
    gate = ask("gate", "open", "--goal", "beta", *words, *BOT, "--json").expect().json["data"]["result"]["id"]
    todo = lab.todo("Deploy", requires=(SCOPE,))
    killed_while_asking(lab, "gate", "approve", gate, "--reason", "Fine")
    for length in (1, 2, 3600, 10 * 366 * 86400):
        lab.clock.wait(length)
        forget(lab)
        assert ask("todo", "done", todo, *BOT, "--json").expect(1).json["error"]["code"] == "gate-pending"
        acted = ask("effect", "open", "Deploy it", "--goal", "beta", "--todo", todo, *BOT, "--json").expect(1)
        assert acted.json["error"]["facts"]["reason"] == "gate-pending"
        assert ask("gate", "approve", gate, "--reason", "Late", "--confirm", gate, *BOT).code == 1
        assert decided(ask)[0] == "ask_user"
        waits = ask("gate", "list", "--json").expect().json["data"]["gates"][0]
        assert (waits["id"], waits["standing"], waits["covers"]) == (gate, "open", False)
    assert waits["is_overdue"] is True
    assert lab.look().state.decisions(gate) is None, "nothing was ever recorded as an answer"
    ask("gate", "approve", gate, "--reason", "Now", "--confirm", gate).expect()
    assert decided(ask) == ("deliver", todo)
    ask("todo", "done", todo, *BOT).expect()


def test_Q10_a_pause_ends_exactly_once_across_restarts(lab: Lab, ask: Console) -> None:
    todo = lab.todo("Look again")
    until = lab.clock.now().replace(microsecond=0) + timedelta(hours=6)
    ask("todo", "defer", todo, "--until", f"at:{format_instant(until)}", *BOT).expect()
    for _ in range(3):
        forget(lab)
        assert decided(ask)[1] != todo
        assert ask("todo", "done", todo, *BOT, "--json").expect(1).json["error"]["code"] == "todo-not-open"
        lab.clock.wait(3600)
    lab.clock.wait((until - lab.clock.now()).total_seconds())
    for _ in range(2):
        forget(lab)
        assert decided(ask) == ("deliver", todo), "it is back, and stays back until it is taken up"
    ask("todo", "resume", todo, *BOT).expect()
    assert b"resume_when" not in lab.read(lab.path_of(todo)), "one record of the pause, and it is gone"
    assert "needed no change" in ask("todo", "resume", todo, *BOT).expect().out
    ask("todo", "done", todo, *BOT).expect()
    for _ in range(3):
        lab.clock.wait(86400)
        forget(lab)
        assert decided(ask)[1] != todo
    assert sum(each.startswith("todo: resume") for each in lab.subjects()) == 1
    lab.assert_sound()


def test_Q10_a_pause_that_ran_out_while_nothing_ran_is_back_at_the_first_look(lab: Lab, ask: Console) -> None:
    todo = lab.todo("Look again")
    ask("todo", "defer", todo, "--until", f"at:{format_instant(lab.clock.now() + timedelta(minutes=1))}").expect()
    lab.close()
    lab.clock.wait(366 * 86400)
    lab.restart()
    assert decided(ask) == ("deliver", todo)
