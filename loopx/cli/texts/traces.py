"""A run's trace in words: one line for each thing that happened, and whether all of it holds together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import table
from loopx.cli.failures import told
from loopx.cli.screen import Screen
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.errors import Problem
    from loopx.model.run import RunRecord, TraceEntry


def listed_facts(run: RunRecord) -> dict[str, Any]:
    """A run as the list tells it."""
    return {
        "run": run.id,
        "todo": run.todo,
        "goal": run.goal,
        "status": run.status.value,
        "lines": run.trace_count,
        "head": run.trace_hash,
        "started_at": format_instant(run.started_at),
        "started_by": run.started_by,
    }


def listed_row(run: RunRecord) -> tuple[str, ...]:
    """Its line."""
    state = run.status.replace("_", " ")
    return (run.id, state, str(run.trace_count), format_instant(run.started_at), run.started_by, run.todo)


def trace_facts(run: RunRecord, entries: Sequence[TraceEntry], left_out: int) -> dict[str, Any]:
    """Lines for programs, with their hashes."""
    lines = [{**each._asdict(), "at": format_instant(each.at)} for each in entries]
    return {"run": run.id, "todo": run.todo, "lines": lines, "count": len(lines), "left_out": left_out}


def trace_lines(run: RunRecord, entries: Sequence[TraceEntry], left_out: int, screen: Screen) -> Iterator[str]:
    """Lines for people. A refused try is told as one."""
    if left_out:
        yield screen.paint(f"{left_out} earlier not shown: --last {left_out + len(entries)}", "dim")
    rows = [
        (str(each.number), format_instant(each.at), each.role, each.entity, _move(each), each.cause) for each in entries
    ]
    yield from table(("LINE", "AT", "BY", "WHAT", "CAME TO", "WHY"), rows, screen) or ["nothing has happened"]


def verified_facts(run: RunRecord, problems: Sequence[Problem]) -> dict[str, Any]:
    """Whether a trace holds, for programs."""
    return {
        "run": run.id,
        "lines": run.trace_count,
        "head": run.trace_hash,
        "holds": not problems,
        "problems": [each.as_json() for each in problems],
    }


def verified_lines(run: RunRecord, problems: Sequence[Problem], screen: Screen) -> Iterator[str]:
    """The same for people, the first broken place first."""
    if not problems:
        yield f"run {run.id}: all {run.trace_count} lines hold, and the records say the same · {run.trace_hash[:12]}"
    for each in problems:
        yield from told(each, screen)


def _move(entry: TraceEntry) -> str:
    move = entry.after if entry.before in (None, entry.after) else f"{entry.before} → {entry.after}"
    return f"{move}, refused: {entry.refused}" if entry.refused else move
