"""Plans in words: the list, and one plan with its steps, what went wrong, and what a person is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown, table
from loopx.cli.documents import values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import named
from loopx.kernel.plans.standing import NOT_BEGUN
from loopx.model.codec import encode, plain
from loopx.model.gate import GateStatus
from loopx.model.kind import Kind
from loopx.model.layout import run_path
from loopx.model.plan import ActorKind
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from loopx.kernel.plans.standing import PlanStanding, StepStanding
    from loopx.kernel.state import State
    from loopx.model.run import FailureRecord
    from loopx.workspace.results import View

_COLOURS = {
    StepStatus.VERIFIED_COMPLETED: "green",
    StepStatus.IN_PROGRESS: "cyan",
    StepStatus.FAILED: "red",
    StepStatus.EVALUATION_FAILED: "red",
    StepStatus.VERIFICATION_FAILED: "red",
    StepStatus.RECOVERY_PENDING: "yellow",
}
_WAITED_FOR = (GateStatus.OPEN, GateStatus.DEFERRED)
_STATES = {"iteration_complete": "between steps"}
"""States of a run that are said in other words to people."""
_NAMED = 3
"""Steps another one waits for that are named in a line."""


def brief_facts(stands: PlanStanding) -> dict[str, Any]:
    """A plan as lists and Todos tell it."""
    plan, run, tally = stands.plan, stands.run, stands.tally
    return {
        "id": plan.run,
        "todo": plan.todo,
        "goal": plan.goal,
        "objective": plan.objective,
        "status": stands.status,
        "steps": len(stands.steps),
        "complete": tally.complete,
        "counting": tally.counting,
        "running": tally.running,
        "gate": run.gate if run is not None and not stands.has_ended else None,
        "started_at": plain(run.started_at) if run is not None else None,
        "started_by": run.started_by if run is not None else None,
        "ended_at": plain(run.ended_at) if run is not None else None,
        "verification": run.verification_status.value if run is not None else None,
    }


def plan_row(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The plan's line in the list."""
    return (
        facts["id"],
        state_of(facts),
        f"{facts['complete']}/{facts['counting']}",
        facts["todo"],
        facts["goal"],
        facts["objective"],
    )


def state_of(facts: Mapping[str, Any]) -> str:
    """Where the run is, in a few words, with whom it waits for."""
    state = _STATES.get(facts["status"]) or str(facts["status"]).replace("_", " ")
    return f"{state} ({facts['gate']})" if facts["gate"] and facts["status"] == "waiting_for_human" else state


def brief_line(facts: Mapping[str, Any]) -> str:
    """``run-4k9x2m7q  waiting for human (g-…), 3 of 7 steps complete``: one run where its Todo is told."""
    return f"{facts['id']}  {state_of(facts)}, {facts['complete']} of {facts['counting']} steps complete"


def plan_facts(view: View, stands: PlanStanding, limit: int) -> dict[str, Any]:
    """One plan, with ``limit`` of its steps: those that are not over come first where not all are given."""
    plan, run = stands.plan, stands.run
    steps = stands.steps
    if len(steps) > limit:
        chosen = {each.meant.id for each in sorted(steps, key=lambda each: each.status.is_terminal)[:limit]}
        steps = tuple(each for each in steps if each.meant.id in chosen)
    return {
        **brief_facts(stands),
        "version": plan.version,
        "path": run_path(Kind.PLAN, plan.goal, plan.todo, plan.run),
        "settings": encode(plan.settings),
        "scope": values(plan.scope) if plan.scope is not None else None,
        "counters": _counters(stands),
        "error": (run.error or run.abstention) if run is not None else None,
        "plan": [step_facts(each) for each in steps],
        "left_out": len(stands.steps) - len(steps),
        "failures": [failure_facts(each) for each in stands.failures if each.status.is_open],
        "asked": list(_asked(view.state, stands)),
        "next": _next(stands),
    }


def step_facts(stands: StepStanding) -> dict[str, Any]:
    """One step as its plan tells it."""
    meant, record = stands.meant, stands.record
    last = record.attempts[-1] if record is not None and record.attempts else None
    return {
        "id": meant.id,
        "title": meant.title,
        "status": stands.status.value,
        "attempts": len(record.attempts) if record is not None else 0,
        "outcome": last.outcome.value if last is not None else None,
        "actor": meant.action.actor.value,
        "tool": (record.tool if record is not None and record.attempts else None) or meant.tool,
        "model": (record.model if record is not None and record.attempts else None) or meant.model,
        "optional": meant.optional,
        "waits_for": list(stands.waits_for),
        "not_before": plain(record.not_before) if record is not None else None,
    }


def failure_facts(failure: FailureRecord) -> dict[str, Any]:
    """A failure with the recoveries that were chosen for it."""
    return {
        "id": failure.failure_id,
        "type": failure.type.value,
        "step": failure.step,
        "status": failure.status.value,
        "message": failure.message,
        "outcome_unknown": failure.outcome_unknown,
        "raised_at": plain(failure.raised_at),
        "recoveries": [
            {"strategy": each.strategy.value, "executed": each.executed, "success": each.success, "said": each.message}
            for each in failure.actions
        ],
    }


def plan_lines(facts: Mapping[str, Any], root: Path, screen: Screen) -> Iterator[str]:
    """One plan."""
    yield screen.paint(f"plan {facts['id']}  {shown(facts['objective'])}", "bold")
    yield named("todo", f"{facts['todo']} of {facts['goal']}")
    yield named("state", f"{state_of(facts)}, {facts['complete']} of {facts['counting']} steps complete")
    if facts["error"]:
        yield named("because", facts["error"])
    if facts["verification"] not in (None, "NOT_RUN"):
        yield named("verified", facts["verification"])
    yield named("file", str(root / facts["path"]))
    yield ""
    yield from table(("STEP", "STATUS", "TRIES", "BY", "WAITS FOR", "TITLE"), list(map(_row, facts["plan"])), screen)
    if facts["left_out"]:
        yield f"and {facts['left_out']} more: --limit {facts['steps']}"
    for each in facts["failures"]:
        yield ""
        yield from failure_lines(each, screen)
    for each in facts["asked"]:
        yield ""
        yield from _question_lines(each, screen)
    yield from (f"  next: {each}" for each in facts["next"])


def failure_lines(failure: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One failure: what went wrong, and what was chosen to be done about it."""
    about = f" of {failure['step']}" if failure["step"] else ""
    unknown = ", outcome unknown" if failure["outcome_unknown"] else ""
    mark = screen.paint(f"{failure['type']}{about}", "red" if failure["status"] != "recovered" else "dim")
    yield f"failure {failure['id']}  {mark}  {failure['status']}{unknown}"
    yield named("said", failure["message"])
    for each in failure["recoveries"]:
        ended = "succeeded" if each["success"] else "did not succeed" if each["executed"] else "chosen"
        said = f": {each['said']}" if each["said"] else ""
        yield named("recovery", f"{each['strategy']} {ended}{said}")


def status_text(status: str, screen: Screen) -> str:
    """A step's status in its colour."""
    return screen.paint(status, _COLOURS.get(StepStatus(status), "dim"))


def _row(step: Mapping[str, Any]) -> tuple[str, ...]:
    by = step["tool"] or step["model"] or step["actor"]
    waits = step["waits_for"]
    for_whom = ", ".join(waits[:_NAMED]) + (f" +{len(waits) - _NAMED}" if len(waits) > _NAMED else "")
    if step["not_before"] and step["status"] == StepStatus.RETRY_PENDING:
        for_whom = step["not_before"]
    title = f"{step['title']} (optional)" if step["optional"] else step["title"]
    return (step["id"], step["status"], str(step["attempts"] or "-"), by, for_whom or "-", title)


def _question_lines(asked: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield f"{screen.paint('asked', 'yellow')} {asked['gate']}  {shown(asked['question'])}"
    if asked["deadline"]:
        yield named("wanted by", asked["deadline"])
    yield from (named("" if number else "answer", each) for number, each in enumerate(asked["commands"]))


def _counters(stands: PlanStanding) -> dict[str, Any]:
    if stands.run is None:
        return {}
    names = ("iterations", "steps_executed", "recoveries", "replans", "cost", "tokens", "active_seconds")
    return {name: getattr(stands.run, name) for name in names}


def _asked(state: State, stands: PlanStanding) -> Iterator[dict[str, Any]]:
    """What a person is asked now, by the run or by a step that is carried out by a person."""
    gates = [stands.run.gate] if stands.run is not None and stands.run.gate and not stands.has_ended else []
    gates += list(_asked_by_steps(state, stands))
    for identity in gates:
        gate = state.gate(identity)
        if gate is None or gate.status not in _WAITED_FOR:
            continue
        answers = [f" --option {each}" for each in gate.options] or [""]
        yield {
            "gate": gate.id,
            "question": gate.question,
            "options": list(gate.options),
            "deadline": plain(gate.deadline),
            "commands": [f'loopx gate approve {gate.id}{each} --reason "…"' for each in answers],
        }


def _asked_by_steps(state: State, stands: PlanStanding) -> Iterator[str]:
    for each in stands.steps:
        if each.status is StepStatus.IN_PROGRESS and each.meant.action.actor is ActorKind.HUMAN and each.record:
            from loopx.loop.keeping.questions import gate_of_attempt  # most runs ask nobody to do a step

            gate = gate_of_attempt(state, each.record.attempts[-1].id)
            if gate is not None:
                yield gate


def _next(stands: PlanStanding) -> list[str]:
    """What to type to go on."""
    if stands.status == NOT_BEGUN:
        return [f"loopx plan check {stands.plan.run}", f"loopx run {stands.plan.todo}"]
    return [] if stands.has_ended else [f"loopx run {stands.plan.todo}"]
