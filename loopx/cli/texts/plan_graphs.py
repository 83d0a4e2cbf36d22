"""Which step of a plan waits for which: as lines for people, as Mermaid and as DOT for programs that draw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import cut, padded, shown, width_of
from loopx.kernel.plans.ordering import waves

if TYPE_CHECKING:
    from loopx.kernel.plans.standing import PlanStanding, StepStanding

_WIDTH = 80
_LABEL = 60
_SMALLEST = 20
_LOOKS = {
    "verified_completed": ("done", "#d9f2e3"),
    "skipped": ("aside", "#e8eaed"),
    "cancelled": ("aside", "#e8eaed"),
    "in_progress": ("running", "#cfe4fb"),
    "ready": ("ready", "#ffffff"),
    "pending": ("waiting", "#ffffff"),
    "blocked": ("blocked", "#fbdcd8"),
    "failed": ("failed", "#fbdcd8"),
}
_OTHER = ("trouble", "#fbeccc")
"""Looks of statuses that are on their way: rejected, recovered, awaited."""


def graph_facts(stands: PlanStanding) -> dict[str, Any]:
    """The graph for programs: steps with their level (1: waits for nobody), and who waits for whom."""
    levels = levels_of(stands)
    nodes = [
        {"id": each.meant.id, "title": each.meant.title, "status": each.status.value, "level": levels[each.meant.id]}
        for each in stands.steps
    ]
    edges = [{"from": name, "to": each.meant.id} for each in stands.steps for name in each.meant.depends_on]
    return {"run": stands.plan.run, "todo": stands.plan.todo, "steps": nodes, "edges": edges}


def levels_of(stands: PlanStanding) -> dict[str, int]:
    """The length of the longest way to each step, itself included."""
    found = enumerate(waves([each.meant for each in stands.steps]), 1)
    return {identity: level for level, wave in found for identity in wave}


def drawn(stands: PlanStanding, form: str) -> Iterator[str]:
    """The graph as lines."""
    return {"text": _text, "mermaid": _mermaid, "dot": _dot}[form](stands)


def _text(stands: PlanStanding) -> Iterator[str]:
    tally, levels = stands.tally, levels_of(stands)
    yield cut(f"plan {stands.plan.run}  {shown(stands.plan.objective)}", _WIDTH)
    yield f"{stands.status.replace('_', ' ')}, {tally.complete} of {tally.counting} steps complete"
    steps = sorted(stands.steps, key=lambda each: levels[each.meant.id])
    names = min(max(width_of(each.meant.id) for each in steps), 24) if steps else 0
    words = max((len(each.status) for each in steps), default=0)
    before = 0
    for each in steps:
        level = levels[each.meant.id]
        mark = f"{level:>3}" if level != before else "   "
        before = level
        head = f"{mark}  {padded(each.status, words)}  {padded(cut(each.meant.id, 24), names)}"
        yield from _with_dependencies(head, each)


def _with_dependencies(head: str, each: StepStanding) -> Iterator[str]:
    """The line of a step, and as many more as the names it waits for take."""
    if not each.meant.depends_on:
        yield head.rstrip()
        return
    room = max(_WIDTH - width_of(head) - 4, _SMALLEST)
    line, first = "", True
    for number, name in enumerate(each.meant.depends_on):
        word = name if number == len(each.meant.depends_on) - 1 else f"{name},"
        if line and width_of(line) + 1 + width_of(word) > room:
            yield f"{head}  ← {line}" if first else f"{' ' * width_of(head)}    {line}"
            line, first = "", False
        line = f"{line} {word}".strip()
    yield f"{head}  ← {line}" if first else f"{' ' * width_of(head)}    {line}"


def _mermaid(stands: PlanStanding) -> Iterator[str]:
    from loopx.projections.escape import mermaid

    names = {each.meant.id: f"s{number}" for number, each in enumerate(stands.steps, 1)}
    yield "flowchart TD"
    for each in stands.steps:
        label = mermaid(cut(f"{each.meant.id}: {shown(each.meant.title)} ({each.status.value})", _LABEL))
        yield f'  {names[each.meant.id]}["{label}"]:::{_look(each)[0]}'
    for each in stands.steps:
        yield from (f"  {names[name]} --> {names[each.meant.id]}" for name in each.meant.depends_on if name in names)
    for look, fill in dict(map(_look, stands.steps)).items():
        yield f"  classDef {look} fill:{fill},stroke:#6b7280,color:#111827"


def _dot(stands: PlanStanding) -> Iterator[str]:
    yield f"digraph {_quoted(stands.plan.run)} {{"
    yield "  rankdir=TB;"
    yield '  node [shape=box, style="rounded,filled", fontname="sans-serif"];'
    for each in stands.steps:
        label = _quoted(f"{each.meant.id}\n{cut(shown(each.meant.title), _LABEL)}\n{each.status.value}")
        yield f'  {_quoted(each.meant.id)} [label={label}, fillcolor="{_look(each)[1]}"];'
    for each in stands.steps:
        yield from (f"  {_quoted(name)} -> {_quoted(each.meant.id)};" for name in each.meant.depends_on)
    yield "}"


def _look(each: StepStanding) -> tuple[str, str]:
    return _LOOKS.get(each.status.value, _OTHER)


def _quoted(text: str) -> str:
    """A DOT string: what JSON escapes, DOT does too, as far as plain texts go."""
    return json.dumps(text, ensure_ascii=False)
