"""One step of a run in words: attempts, output, verdicts, failures; and what moving one by command did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown
from loopx.cli.documents import values
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import field_lines, named
from loopx.cli.texts.plans import failure_facts, failure_lines, status_text, step_facts
from loopx.cli.texts.receipts import short
from loopx.kernel.plans.standing import StepStanding, standing
from loopx.model.codec import encode, plain
from loopx.model.step import StepStatus

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.loop.work.stepping import Moved
    from loopx.model.plan import PlanDocument
    from loopx.model.run import StepRecord

_TAIL = 20
"""Lines of an output that are shown where not all were asked for."""
_TAIL_CHARACTERS = 2000
_OTHERS = 10
_FIELDS = (
    "tool",
    "model",
    "lineage",
    "replaces",
    "superseded_by",
    "retry_count",
    "not_before",
    "snapshot",
    "waits_for",
)


def one_step_facts(state: State, plan: PlanDocument, step: str, *, is_whole: bool) -> dict[str, Any]:
    """Everything about one step. One that a replan replaced has its record alone."""
    found = standing(state, plan).step(step)
    record = found.record if found is not None else state.step(plan.run, step)
    return {
        "run": plan.run,
        "todo": plan.todo,
        "id": step,
        **(_meant(found) if found is not None else {"title": step, "status": _status(record)}),
        **_became(record, is_whole),
    }


def step_row(step: Mapping[str, Any]) -> tuple[str, ...]:
    """The step's line in the list of all that are on their way."""
    by = step["tool"] or step["model"] or step["actor"]
    return (step["run"], step["id"], step["status"], str(step["attempts"] or "-"), by, step["title"])


def step_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One step."""
    head = screen.paint(f"step {facts['id']}", "bold")
    yield f"{head} of {facts['run']}  {shown(facts['title'])}"
    yield named("status", facts["status"]).replace(facts["status"], status_text(facts["status"], screen))
    does = facts.get("definition", {}).get("action", {})
    if does.get("argv"):
        yield named("runs", " ".join(does["argv"]))
    yield from field_lines({name: facts[name] for name in _FIELDS if facts.get(name)})
    for name in ("evaluation", "verification"):
        if facts[name] is not None:
            yield named(name, "passed" if facts[name] else "rejected")
    for each in facts["tries"]:
        yield named(f"try {each['number']}", _attempt(each))
    for each in facts["failures"]:
        yield from failure_lines(each, screen)
    if facts["output"]:
        kept = "" if facts["output_is_whole"] else f" (the last {_TAIL} lines; --output for all)"
        yield f"  output{kept}"
        yield from (f"  | {shown(line.expandtabs(4))}" for line in facts["output"].splitlines())


def moved_facts(moved: Moved) -> dict[str, Any]:
    """What moving a step did."""
    return {
        "run": moved.run,
        "todo": moved.todo,
        "step": moved.step,
        "before": moved.before.value,
        "after": moved.after.value,
        "settled": list(moved.settled),
        "others": moved.others,
        "withdrawn": moved.withdrawn,
        "resumed": moved.is_resumed,
        "holds_completion": moved.is_holding,
    }


def moved_lines(moved: Moved, screen: Screen) -> Iterator[str]:
    """The same for people, with what to type next."""
    mark = f" · {screen.paint(short(moved.revision), 'yellow')}" if moved.revision else ""
    yield f"step {moved.step} of {moved.run}: {moved.before} → {moved.after}{mark}"
    if moved.settled:
        yield named("settled", f"{', '.join(moved.settled)}: nothing is left of what went wrong")
    if moved.withdrawn:
        yield named("withdrawn", f"{moved.withdrawn}: nobody need answer any more")
    if moved.is_resumed:
        yield named("resumed", f"{moved.todo} waited for that answer")
    others = list(moved.others.items())
    yield from (named("then", f"{name} is {status}") for name, status in others[:_OTHERS])
    if len(others) > _OTHERS:
        yield named("", f"and {len(others) - _OTHERS} more: loopx plan show {moved.run}")
    if moved.is_holding:
        yield named("note", f"{moved.step} counts, so the run cannot complete without it")
        if moved.after is StepStatus.SKIPPED:
            edit = f"loopx plan edit {moved.run} --set steps.{moved.step}.optional=true"
            yield named("", f"{edit} makes it count as done")
    yield f"  next: loopx run {moved.todo}"


def _meant(found: StepStanding) -> dict[str, Any]:
    return {**step_facts(found), "definition": encode(found.meant), "lineage": found.meant.lineage}


def _status(record: StepRecord | None) -> str:
    return (record.status if record is not None else StepStatus.PENDING).value


def _became(record: StepRecord | None, is_whole: bool) -> dict[str, Any]:
    if record is None:
        nothing = dict.fromkeys(("output", "evaluation", "verification", "snapshot", "superseded_by", "replaces"))
        return {**nothing, "retry_count": 0, "output_is_whole": True, "tries": [], "failures": []}
    output = record.output or ""
    tail = output if is_whole else "\n".join(output[-_TAIL_CHARACTERS:].splitlines()[-_TAIL:])
    return {
        "lineage": record.lineage if record.lineage != record.step else None,
        "replaces": record.replaces,
        "superseded_by": record.superseded_by,
        "retry_count": record.retry_count,
        "not_before": plain(record.not_before),
        "evaluation": record.evaluation_passed,
        "verification": record.verification_passed,
        "snapshot": record.snapshot,
        "metadata": record.metadata,
        "tries": [values(each) for each in record.attempts],
        "failures": [failure_facts(each) for each in record.failures],
        "output": tail or None,
        "output_is_whole": len(tail) >= len(output.rstrip("\n")),
    }


def _attempt(attempt: Mapping[str, Any]) -> str:
    status = f" with {attempt['exit_status']}" if attempt["exit_status"] is not None else ""
    ended = f" until {attempt['ended_at']}" if attempt["ended_at"] else ""
    verdicts = [
        f"{name} {'passed' if attempt[f'{name}_passed'] else 'rejected'}"
        for name in ("evaluation", "verification")
        if attempt[f"{name}_passed"] is not None
    ]
    return ", ".join((f"{attempt['outcome']}{status}, {attempt['started_at']}{ended}", *verdicts))
