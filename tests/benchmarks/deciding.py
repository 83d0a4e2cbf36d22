"""One decision in this process: on the workspaces of the other figures, and on Goals that are full of everything."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from statistics import median

from loopx.kernel.decision.deciding import next_action
from loopx.kernel.state import State
from loopx.model.actor import Actor
from loopx.model.entities import Entity, goal_of, identity, kind_of
from loopx.model.goal import GoalPolicies
from loopx.model.todo import TodoClass, TodoStatus
from loopx.store.cache import Cache
from loopx.workspace import Workspace
from loopx.workspace.rows import row_of
from loopx.workspace.source import CacheSource
from tests.support.clock import START
from tests.support.kernel import criterion, gate
from tests.unit.kernel.deciding import AGENTS, beta, hours, looked_at, monitor, settled, work

PERSON = Actor.parse("human:Bench")
BOT = Actor.parse("agent:bot")
RUNS = 25


def decision(root: Path) -> float:
    """Milliseconds a decision about ``goal-000`` takes in a workspace that is open already."""
    workspace = Workspace.find(root)
    try:
        view = workspace.read()
        return _timed(lambda: next_action(view.state, "goal-000", PERSON, view.at))
    finally:
        workspace.close()


def decision_among(turns: int) -> float:
    """Milliseconds a decision takes on a Goal of 500 Todos and 20 Gates with so many settled turns behind it."""
    state = State(CacheSource(_filled([*_crowd(), *_past(turns)])))
    return _timed(lambda: next_action(state, "beta", BOT, hours(1)))


def _timed(decide: object) -> float:
    assert callable(decide)
    decide()
    taken = []
    for _ in range(RUNS):
        started = time.perf_counter()
        decide()
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000


def _crowd() -> list[Entity]:
    """500 Todos of every sort, most of them plain, and 20 Gates."""
    acceptance = tuple(criterion(f"a{number}") for number in range(1, 6))
    found: list[Entity] = [AGENTS, beta(acceptance=acceptance, policies=GoalPolicies(replan_above_open_todos=0))]
    for number in range(500):
        name, advances = f"t-w{number:05}x", (f"a{number % 5 + 1}",)
        if number % 20 == 0:
            watched = monitor(name, acceptance=advances)
            found += [watched, looked_at(name)]
            continue
        fields = [
            {"claimed_by": "rex"},
            {"requires": (f"production:goal:key-{number % 20}",)},
            {"status": TodoStatus.BLOCKED, "reason": "legal"},
            {"status": TodoStatus.DEFERRED, "resume_when": "at:2027-01-01T00:00:00Z"},
            {"todo_class": TodoClass.USER_ACTION},
        ][number % 5 : number % 5 + 1] if number % 3 == 0 else [{}]  # fmt: skip
        found.append(work(name, acceptance=advances, created_at=START + timedelta(seconds=number), **fields[0]))
    found += [gate(f"g-g{number:05}x", f"production:goal:key-{number}") for number in range(20)]
    return found


def _past(turns: int) -> list[Entity]:
    outcomes = ("outcome_progress", "surface_only", "outcome_gap")
    return [settled(number, hours(-number - 100), outcomes[number % 3]) for number in range(turns)]


def _filled(entities: list[Entity]) -> Cache:
    cache = Cache(None)
    cache.begin()
    for each in entities:
        cache.put_entity(*row_of(each, f"goals/{goal_of(each)}/{kind_of(each)}/{identity(each)}", "b" * 40))
    cache.commit()
    return cache
