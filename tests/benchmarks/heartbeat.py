"""The heartbeat of an agent: ask what may happen, do it, write it back; as whole processes, and in one that stays."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from pathlib import Path

from loopx.daemon.watch import FolderWatch
from loopx.kernel.commands import SettleTurn
from loopx.kernel.commands.turns import TodoSettlement
from loopx.kernel.decision.deciding import next_action
from loopx.kernel.decision.plain import decision_facts
from loopx.kernel.decision.record import Decision
from loopx.model.actor import Actor
from loopx.model.turn import DeliveryOutcome, Scale
from loopx.runtime.settling import refresh
from loopx.workspace import Workspace
from tests.benchmarks.places import command, environment
from tests.benchmarks.timing import Timed, timed

GOAL = "goal-001"
BOT = Actor.parse("agent:bot")
_SCRIPT = """
"$0" next --goal "$1" --actor agent:bot --json > decision.json
todo=$(sed 's/.*"selected": {"kind": "todo", "id": "\\([^"]*\\)".*/\\1/' decision.json)
exec "$0" refresh-state --goal "$1" --todo "$todo" --scale single_surface --outcome outcome_progress \\
  --evidence "It works" --done --actor agent:bot --json
"""
"""As an agent's host would: two cold processes, and a little shell between them."""


def ready(root: Path) -> None:
    """Make the agent known."""
    subprocess.run(command("agent", "add", "bot"), cwd=root, env=environment(), check=True, capture_output=True)


def cold(root: Path, runs: int) -> Timed:
    """``next``, then ``refresh-state`` whose Todo declares the validation ``true``. Each run finishes a Todo."""
    return timed(["/bin/sh", "-ec", _SCRIPT, command()[0], GOAL], root, environment(), runs, warm=1)


def decision_size(root: Path) -> int:
    """Bytes of a decision as JSON."""
    done = subprocess.run(
        command("next", "--goal", GOAL, "--actor", "agent:bot", "--json"),
        cwd=root, env=environment(), check=True, capture_output=True,
    )  # fmt: skip
    return len(json.dumps(json.loads(done.stdout)["data"], ensure_ascii=False).encode())


def warm(root: Path, count: int) -> float:
    """Median milliseconds of a heartbeat in a process that stays, the validation's own process included."""
    watch = FolderWatch(root / ".loopx")
    took: list[float] = []
    try:
        with Workspace.find(root, environ={"LOOPX_PAGES": "off"}, watch=watch) as ws:
            for _ in range(count + 1):
                started = time.perf_counter()
                _beat(ws)
                took.append(time.perf_counter() - started)
    finally:
        watch.stop()
    return statistics.median(took[1:]) * 1e3


def _beat(ws: Workspace) -> None:
    view = ws.read()
    decided = next_action(view.state, GOAL, BOT, view.at, view.revision)
    assert isinstance(decided, Decision), decided
    assert decided.selected is not None, decision_facts(decided, explain=True)
    command = SettleTurn(
        goal=GOAL,
        todo=decided.selected.id,
        scale=Scale.SINGLE_SURFACE,
        outcome=DeliveryOutcome.OUTCOME_PROGRESS,
        evidence=("It works",),
        settlement=TodoSettlement(done=True),
    )
    refresh(ws, command, actor=BOT)
