"""Runs in words: what one that was carried on came to, and what a dry run finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.texts.fields import named
from loopx.loop.keeping.asked import awaited_gates
from loopx.model.step import AttemptOutcome, StepStatus

if TYPE_CHECKING:
    from loopx.cli.screen import Screen
    from loopx.kernel.decision.record import Decision
    from loopx.loop.state import LoopState
    from loopx.loop.work.running import Carried
    from loopx.model.plan import PlanDocument
    from loopx.model.todo import Todo
    from loopx.workspace.results import View

_GOOD = frozenset({"completed"})
_STATES = {"iteration_complete": "under way"}
_STOPPED = {
    "stopped": "stopped as you asked; `loopx run {run}` goes on with it",
    "allowance": "left as you asked; `loopx run {run}` goes on with it",
    "person": "waits for a person",
}


def carried_facts(carried: Carried) -> dict[str, Any]:
    """One run as programs see it."""
    result, settled, state = carried.result, carried.settled, carried.result.state
    counters = state.counters
    problem = settled.problem
    return {
        "run": carried.plan.run,
        "todo": carried.todo.id,
        "goal": carried.todo.goal,
        "state": result.execution_state.value,
        "is_finished": result.is_finished,
        "left_off": result.left_off.value if result.left_off is not None else None,
        "verification_status": result.verification_status.value,
        "progress": round(result.progress, 4),
        "steps": dict(sorted(Counter(state.plan.status(each).value for each in state.plan.ids).items())),
        "executions": counters.steps_executed,
        "recoveries": counters.recoveries,
        "seconds": round(counters.active_seconds, 3),
        "cost": counters.cost,
        "error": result.error,
        "abstention": result.abstention,
        "gates": [{"id": each.id, "question": each.question, "options": list(each.options)} for each in carried.gates],
        "turn": settled.turn,
        "evidence": settled.evidence,
        "todo_became": settled.todo,
        "not_completed": {"code": problem.code, "message": problem.message} if problem is not None else None,
    }


def carried_lines(carried: Carried, screen: Screen) -> Iterator[str]:
    """What one run came to, and what to do next."""
    facts = carried_facts(carried)
    word = _STATES.get(facts["state"]) or facts["state"].replace("_", " ")
    colour = "green" if facts["state"] in _GOOD else "red" if facts["is_finished"] else "yellow"
    state = carried.result.state
    done, skipped = (state.plan.count(each) for each in (StepStatus.VERIFIED_COMPLETED, StepStatus.SKIPPED))
    aside = f", {skipped} skipped" if skipped else ""
    name = screen.paint(f"run {facts['run']}", "bold")
    yield f"{name}  {screen.paint(word, colour)}  {shown(carried.plan.objective)}"
    tries = f"{_counted(facts['executions'], 'execution')}, {facts['seconds']:.1f} s"
    yield named("steps", f"{done} of {len(state.plan)} done{aside} · {tries}" + _recovered(facts["recoveries"]))
    yield named("verified", facts["verification_status"].lower().replace("_", " "))
    if facts["error"] or facts["abstention"]:
        yield named("because", facts["error"] or facts["abstention"])
    if facts["left_off"] is not None:
        yield named("now", _STOPPED[facts["left_off"]].format(run=facts["run"]))
    if cut_short := _cut_short(state):
        yield named("cut short", f"{', '.join(cut_short)}; nobody saw how it ended, so that is settled first")
    yield from _questions(facts["gates"])
    yield named("todo", _todo(facts))
    if carried.settled.problem is not None:
        yield named("not done", f"[{carried.settled.problem.code}] {carried.settled.problem.message}")
        if carried.settled.problem.hint:
            yield named("next", carried.settled.problem.hint)
        yield named("then", f"loopx todo done {facts['todo']}")


def _cut_short(state: LoopState) -> list[str]:
    """Steps whose newest execution has no known end yet."""
    running = (state.plan.peek(each) for each in state.plan.in_status(StepStatus.IN_PROGRESS))
    return [each.id for each in running if each.attempts and each.attempts[-1].outcome is AttemptOutcome.UNKNOWN]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _recovered(count: int) -> str:
    return f" · {count} {'recovery' if count == 1 else 'recoveries'}" if count else ""


def _todo(facts: dict[str, Any]) -> str:
    became = facts["todo_became"] or "open"
    return f"{facts['todo']} is {became}"


def _questions(gates: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in gates:
        yield named("asked", each["question"])
        chosen = f" --option {'|'.join(each['options'])}" if each["options"] else ""
        yield named("answer", f'loopx gate approve {each["id"]}{chosen} --reason "…"')


def dry_facts(
    view: View, decision: Decision, todo: Todo | None, plan: PlanDocument | None, waves: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """What a request would do, as programs see it."""
    state = view.state
    run = state.run(plan.run) if plan is not None else None
    asked = awaited_gates(state, run.id, view.at) if run is not None else ()
    return {
        "mode": decision.mode.value,
        "reason": decision.reason,
        "message": decision.message,
        "todo": todo.id if todo is not None else None,
        "run": plan.run if plan is not None else None,
        "state": run.status.value if run is not None else None,
        "gates": [each.id for each in asked],
        "waves": [list(each) for each in waves],
    }


def dry_lines(facts: dict[str, Any], plan: PlanDocument | None, screen: Screen) -> Iterator[str]:
    """What a request would do, for people."""
    yield f"{screen.paint('dry run', 'bold')}  nothing is changed"
    yield named("decision", f"{facts['mode']}: {facts['message']}")
    if facts["todo"] is not None and facts["refused"]:
        yield named("would", f"refuse {facts['todo']}: {facts['refused']}")
        return
    if facts["planner"]:
        yield named("would", f"have {facts['planner']} plan {facts['todo']}, and carry that out")
        return
    if facts["todo"] is None or plan is None:
        yield named("would", "carry out nothing")
        return
    began = f"go on with {facts['run']}, which is {facts['state']}" if facts["state"] else f"begin {facts['run']}"
    yield named("would", f"{began}, for {facts['todo']}")
    if facts["gates"]:
        yield named("waits for", ", ".join(facts["gates"]))
    left = [(number, plan.step(each)) for number, wave in enumerate(facts["waves"], 1) for each in wave]
    for number, step in left[:_SHOWN]:
        assert step is not None
        does = " ".join((step.tool or "", *step.action.argv))[:_LONGEST].strip()
        yield named(f"{number}. {step.id}", f"{step.title}  [{step.action.actor}] {does}".rstrip())
    if len(left) > _SHOWN:
        yield named("…", f"and {len(left) - _SHOWN} more; `loopx plan show {plan.run}`")


_LONGEST = 100
_SHOWN = 12
