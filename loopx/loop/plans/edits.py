"""Changes of a plan as they are typed: fields by their path, steps added and taken out, or another text.

Called for ``loopx plan edit``. What may be changed is the kernel's to say; here it is only understood.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.documents.places import dotted
from loopx.errors import LoopxError, Place
from loopx.kernel.commands import EditPlan
from loopx.loop.plans.checks import check_plan
from loopx.loop.plans.proposing import command_step, read_plan, refuse_problems, verified_by
from loopx.model.codec import encode
from loopx.model.defining import dataclass
from loopx.model.fields import Owner, marks
from loopx.model.plan import PlanDocument, PlanStep, RunSettings

if TYPE_CHECKING:
    from loopx.errors import Problem
    from loopx.kernel.state import State

P = TypeVar("P")
_SET = "--set"
_SETTINGS, _STEPS, _OBJECTIVE = "settings", "steps", "objective"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed. Steps and verifications are a name, the command as typed, and its words."""

    objective: str | None = None
    text: str | None = None
    name: str = ""
    added: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    verify: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    removed: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    is_chain: bool = True

    @property
    def is_empty(self) -> bool:
        typed = (self.added, self.verify, self.removed, self.settings)
        return self.objective is None and self.text is None and not any(typed)


@dataclass(frozen=True, slots=True)
class Edited:
    """A change that may be proposed, and what would keep the plan from being carried out afterwards."""

    command: EditPlan
    left: tuple[Problem, ...]


def edited_plan(state: State, before: PlanDocument, typed: Typed) -> Edited:
    """The change of ``before`` that was typed. Raises the first thing that is no plan, no field or no value."""
    after = before
    if typed.text is not None:
        after = _replaced(state, before, typed)
    after = replace(after, steps=_steps(after.steps, typed), objective=typed.objective or after.objective)
    for each in typed.settings:
        after = _assigned(after, each)
    todo = state.todo(before.todo)
    checked = check_plan(state, after, todo, None, "")
    command = EditPlan(
        run=before.run,
        objective=after.objective if after.objective != before.objective else None,
        steps=after.steps if after.steps != before.steps else None,
        settings=after.settings if after.settings != before.settings else None,
    )
    left = (*checked.problems, *checked.warnings)
    return Edited(command, tuple(each for each in left if each.code != "plan-invalid"))


def _replaced(state: State, before: PlanDocument, typed: Typed) -> PlanDocument:
    """The plan with the steps of another text, and its objective and settings where that says any."""
    proposed = read_plan(typed.text or "", typed.name, state.todo(before.todo), before.objective)
    plan = refuse_problems(proposed)
    known = {each.id: each for each in before.steps}
    steps = tuple(_as_before(each, known.get(each.id)) for each in plan.steps)
    settings = plan.settings if _SETTINGS in proposed.reading.values else before.settings
    return replace(before, steps=steps, settings=settings, objective=plan.objective)


def _as_before(step: PlanStep, before: PlanStep | None) -> PlanStep:
    """``step`` with what only LoopX says of it."""
    if before is None:
        return step
    return replace(step, version=before.version, lineage=before.lineage, replaces=before.replaces)


def _steps(before: Sequence[PlanStep], typed: Typed) -> tuple[PlanStep, ...]:
    unknown = [each for each in typed.removed if each not in {step.id for step in before}]
    if unknown:
        raise LoopxError("step-unknown", f"The plan has no step {unknown[0]!r}.", place=Place("--remove-step"))
    steps = {each.id: each for each in before if each.id not in typed.removed}
    for identity, command, argv in typed.added:
        if identity in steps:
            raise LoopxError("plan-invalid", f"The step {identity} stands twice.", place=Place("--add-step"))
        last = next(reversed(steps), None) if typed.is_chain else None
        steps[identity] = command_step(identity, argv, command, (last,) if last is not None else ())
    for identity, _, argv in typed.verify:
        if identity not in steps:
            raise LoopxError("step-unknown", f"The plan has no step {identity!r}.", place=Place("--verify"))
        steps[identity] = verified_by(steps[identity], argv)
    return tuple(steps.values())


def _assigned(plan: PlanDocument, text: str) -> PlanDocument:
    """The plan with ``settings.NAME=VALUE``, ``steps.ID.NAME=VALUE`` or ``objective=VALUE`` done."""
    path, equals, value = text.partition("=")
    first, _, rest = path.strip().partition(".")
    if not equals:
        raise LoopxError("field-value", f"{text!r} is not PATH=VALUE.", place=Place(_SET))
    if first == _OBJECTIVE and not rest:
        return replace(plan, objective=value)
    if first == _SETTINGS and rest:
        return replace(plan, settings=_with(RunSettings, plan.settings, rest.split("."), value, (_SETTINGS,)))
    if first == _STEPS and rest:
        return _with_step(plan, rest, value)
    hint = "Write settings.NAME=VALUE, steps.ID.NAME=VALUE or objective=VALUE."
    raise LoopxError("field-value", f"{path.strip()!r} is no field of a plan.", place=Place(_SET), hint=hint)


def _with_step(plan: PlanDocument, rest: str, value: str) -> PlanDocument:
    fitting = [each for each in plan.steps if rest.startswith(f"{each.id}.")]
    if not fitting:
        raise LoopxError("step-unknown", f"The plan has no step {rest.partition('.')[0]!r}.", place=Place(_SET))
    step = max(fitting, key=lambda each: len(each.id))
    changed = _with(PlanStep, step, rest[len(step.id) + 1 :].split("."), value, (_STEPS, step.id))
    changed = _as_before(changed, step)
    return replace(plan, steps=tuple(changed if each is step else each for each in plan.steps))


def _with(cls: Any, part: P, path: Sequence[str], value: str, where: tuple[str | int, ...]) -> P:
    """``part`` with the value at ``path``, checked as strictly as a file would be."""
    from loopx.model.parts import bind_part
    from loopx.model.validation import Unbound

    own = [name for name, mark in marks(cls).items() if mark.owner is Owner.HUMAN]
    values: dict[str, Any] = {name: each for name, each in encode(part).items() if name in own}
    inner: Any = values
    for name in path[:-1]:
        inner = inner.setdefault(name, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        raise LoopxError("field-value", f"{dotted((*where, *path))} is no field.", place=Place(_SET))
    if value:
        inner[path[-1]] = _read(value)
    else:
        inner.pop(path[-1], None)
    try:
        bound: P = bind_part(cls, values, where)
    except Unbound as error:
        found = error.problems[0]
        said = found.where if found.where[: len(where)] == where else (*where, *found.where)
        message = f"`{dotted(said)}`: {found.message[:1].lower()}{found.message[1:]}."
        raise LoopxError("field-value", message, place=Place(_SET), facts={"field": dotted(said)}) from error
    return bound


def _read(value: str) -> Any:
    """A value as typed: JSON where it is any, text otherwise."""
    try:
        found: Any = json.loads(value)
    except ValueError:
        return value
    return found
