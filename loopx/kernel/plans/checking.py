"""Whether steps make a plan: named once, waiting for steps there are, in no circle, within their scopes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from loopx.kernel.scopes import within
from loopx.kernel.wording import listed
from loopx.model.ids import STEP_PATTERN
from loopx.model.plan import ActorKind, PlanStep
from loopx.model.step import Resumption


def plan_problem(steps: Sequence[PlanStep]) -> str | None:
    """What is wrong with the shape of a plan, in one sentence; ``None`` when nothing is."""
    if not steps:
        return "A plan needs at least one step."
    seen: dict[str, PlanStep] = {}
    for each in steps:
        if each.id in seen:
            return f"The step {each.id} stands twice."
        seen[each.id] = each
    for each in steps:
        unknown = [name for name in each.depends_on if name not in seen]
        if unknown:
            return f"The step {each.id} waits for {listed(unknown)}, which the plan does not have."
    circle = first_circle({each.id: each.depends_on for each in steps})
    return f"The steps {' → '.join(circle)} wait for each other." if circle else None


def steps_problem(steps: Sequence[PlanStep], todo_scopes: Sequence[str]) -> str | None:
    """What is wrong with a plan as it is written: its shape, what its steps lack, or where they would write beyond
    ``todo_scopes`` (the Todo's; none: anywhere)."""
    if problem := plan_problem(steps):
        return problem
    for each in steps:
        if problem := _lack(each):
            return f"The step {each.id} {problem}."
        beyond = next((scope for scope in each.write_scopes if todo_scopes and not within(todo_scopes, scope)), None)
        if beyond is not None:
            return f"The step {each.id} would write {beyond}, and its Todo may write {listed(todo_scopes)} alone."
    return None


def _lack(step: PlanStep) -> str | None:
    """What a step lacks to be carried out, as a clause; ``None`` when it lacks nothing."""
    if not re.fullmatch(STEP_PATTERN, step.id):
        return "needs a name of lower-case letters, digits, dots, dashes and underscores"
    if not step.title.strip() or len(step.title.splitlines()) > 1:
        return "needs a title of one line"
    action = step.action
    missing = _WANTED[action.actor]
    if not getattr(action, missing):
        return f"is for the actor {action.actor} and has no {missing}"
    if action.recover is Resumption.PROBE and action.actor is ActorKind.COMMAND and not action.probe:
        return "is recovered by a probe and names none"
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
