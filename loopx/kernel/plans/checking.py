"""Whether steps make a plan: named once, waiting for steps there are, in no circle, within their scopes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from loopx.kernel.scopes import within
from loopx.kernel.wording import listed
from loopx.model.gate import DecisionScope
from loopx.model.ids import STEP_PATTERN
from loopx.model.plan import ActorKind, PlanStep
from loopx.model.step import Resumption

_MOST_CIRCLES = 20


class Fault(NamedTuple):
    """One thing that is wrong with a plan: at which of its steps (from 0), at which of its fields, in one sentence."""

    step: int | None
    field: str
    message: str


def plan_problem(steps: Sequence[PlanStep]) -> str | None:
    """What is wrong with the shape of a plan, in one sentence; ``None`` when nothing is."""
    return next((each.message for each in shape_faults(steps)), None)


def steps_problem(steps: Sequence[PlanStep], todo_scopes: Sequence[str]) -> str | None:
    """What is wrong with a plan as it is written: its shape, what its steps lack, or where they would write beyond
    ``todo_scopes`` (the Todo's; none: anywhere)."""
    return next((each.message for each in faults(steps, todo_scopes)), None)


def faults(steps: Sequence[PlanStep], todo_scopes: Sequence[str]) -> Iterator[Fault]:
    """Everything that is wrong with a plan as it is written, what is worst first."""
    yield from shape_faults(steps)
    for number, each in enumerate(steps):
        if lack := _lack(each):
            yield Fault(number, lack[0], f"The step {each.id} {lack[1]}.")
        for scope in each.write_scopes:
            if todo_scopes and not within(todo_scopes, scope):
                message = f"The step {each.id} would write {scope}, and its Todo may write {listed(todo_scopes)} alone."
                yield Fault(number, "write_scopes", message)


def shape_faults(steps: Sequence[PlanStep]) -> Iterator[Fault]:
    """Everything that is wrong with the shape of a plan."""
    if not steps:
        yield Fault(None, "steps", "A plan needs at least one step.")
        return
    seen: dict[str, int] = {}
    for number, each in enumerate(steps):
        if each.id in seen:
            yield Fault(number, "id", f"The step {each.id} stands twice.")
        seen.setdefault(each.id, number)
    for number, each in enumerate(steps):
        unknown = [name for name in each.depends_on if name not in seen]
        if unknown:
            message = f"The step {each.id} waits for {listed(unknown)}, which the plan does not have."
            yield Fault(number, "depends_on", message)
    for circle in _circles({name: steps[number].depends_on for name, number in seen.items()}):
        yield Fault(seen[circle[0]], "depends_on", f"The steps {' → '.join(circle)} wait for each other.")


def _circles(waiting: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Circles that share no link, a few at most: the first one, and what is left once it was cut."""
    left = dict(waiting)
    for _ in range(_MOST_CIRCLES):
        circle = first_circle(left)
        if not circle:
            return
        yield circle
        for name, following in pairwise(circle):
            left[name] = [each for each in left[name] if each != following]


def _lack(step: PlanStep) -> tuple[str, str] | None:
    """What a step lacks to be carried out: the field, and a clause; ``None`` when it lacks nothing."""
    if not re.fullmatch(STEP_PATTERN, step.id):
        return "id", "needs a name of lower-case letters, digits, dots, dashes and underscores"
    if not step.title.strip() or len(step.title.splitlines()) > 1:
        return "title", "needs a title of one line"
    action = step.action
    missing = _WANTED[action.actor]
    if not getattr(action, missing):
        return f"action.{missing}", f"is for the actor {action.actor} and has no {missing}"
    if action.recover is Resumption.PROBE and action.actor is ActorKind.COMMAND and not action.probe:
        return "action.probe", "is recovered by a probe and names none"
    for each in step.requires:
        try:
            DecisionScope.parse(each)
        except ValueError as error:
            return "requires", f"requires what no Gate can cover: {error}"
    return None


_WANTED = {
    ActorKind.COMMAND: "argv",
    ActorKind.AGENT: "prompt",
    ActorKind.HUMAN: "question",
    ActorKind.PYTHON: "callable",
}
"""What an action of each actor cannot do without."""


def first_circle(waiting: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that wait for each other, the first one again at the end; empty when none do."""
    done: set[str] = set()
    for start in waiting:
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            name, number = stack.pop()
            if number == 0:
                if name in done:
                    continue
                path.append(name)
                on_path.add(name)
            following = waiting.get(name, ())
            if number < len(following):
                stack.append((name, number + 1))
                after = following[number]
                if after in on_path:
                    return [*path[path.index(after) :], after]
                if after not in done:
                    stack.append((after, 0))
            else:
                done.add(name)
                on_path.discard(name)
                path.pop()
    return []
