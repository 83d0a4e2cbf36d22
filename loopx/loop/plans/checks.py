"""Everything that would keep a plan from being carried out, all at once and each thing at its place.

Called by ``loopx plan check``, and by ``plan new`` and ``edit`` before and after they write. Decides nothing: the
kernel and the engine refuse the same things, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loopx.documents.places import dotted
from loopx.documents.proposed import place_in
from loopx.errors import Problem
from loopx.kernel.plans.checking import faults
from loopx.loop.components.shipped import step_faults
from loopx.model.defining import dataclass
from loopx.model.plan import ActorKind, Judge, JudgeKind, PlanDocument, PlanStep, RunSettings
from loopx.model.step import StepEffect

if TYPE_CHECKING:
    from pathlib import Path

    from loopx.documents.reading import Reading
    from loopx.kernel.state import State
    from loopx.model.todo import Todo

Where = tuple[str | int, ...]
_FOR_PYTHON = "callable-unknown"
"""What only whoever starts the run from Python can tell."""


_REMARK = "plan-remark"
_PROGRAMS = frozenset({ActorKind.COMMAND, ActorKind.AGENT})
_SEES_THE_END = frozenset({JudgeKind.EXIT_CODE, JudgeKind.COMMAND, JudgeKind.PYTHON})


@dataclass(frozen=True, slots=True)
class Named:
    """What the workspace has for steps to name, and what the plan wants of them."""

    tools: Mapping[str, tuple[str, ...]]
    models: tuple[str, ...]
    settings: RunSettings


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found. ``problems`` keep the plan from being carried out, ``warnings`` may."""

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def check_plan(state: State, plan: PlanDocument, todo: Todo | None, reading: Reading | None, name: str) -> Checked:
    """Everything wrong with ``plan``, which is for ``todo``. Places are told from ``reading`` (its text), in ``name``;
    without it, by the field alone."""
    found = [_problem(code, where, message, reading, name) for code, where, message in _all(state, plan, todo)]
    problems = [each for each in found if each.code != _FOR_PYTHON]
    warnings = [each for each in found if each.code == _FOR_PYTHON]
    warnings += [_problem(_REMARK, where, message, reading, name) for where, message in _remarks(plan)]
    return Checked(tuple(sorted(problems, key=_line)), tuple(sorted(warnings, key=_line)))


def _all(state: State, plan: PlanDocument, todo: Todo | None) -> Iterator[tuple[str, Where, str]]:
    steps = plan.steps
    for fault in faults(steps, todo.write_scopes if todo is not None else ()):
        yield "plan-invalid", _where(fault.step, *fault.field.split(".")), fault.message
    known = _named(state, plan)
    for number, each in enumerate(steps):
        for found in step_faults(each, known):
            if not (found.code == "action-invalid" and _is_told(each)):
                yield found.code, _where(number, *found.where), f"{each.id}: {found.message}."
    yield from _unsnapped(steps, plan.settings)


def _remarks(plan: PlanDocument) -> Iterator[tuple[Where, str]]:
    """What can be carried out as it stands, and may be meant otherwise."""
    for number, each in enumerate(plan.steps):
        if plan.settings.enable_evaluation and each.action.actor in _PROGRAMS and _is_blind(each.evaluate):
            message = f"{each.id}: its exit status is not looked at; name exit_code beside the others if it should be."
            yield _where(number, "evaluate"), message
        if plan.settings.parallel > 1 and not each.write_scopes and set(each.effects) != {StepEffect.READ}:
            message = f"{each.id}: it names no write scopes, so that nothing else that writes is run beside it."
            yield _where(number), message


def _is_blind(judges: Sequence[Judge]) -> bool:
    """Whether there are judges, and none of them looks at how a program ended."""
    return bool(judges) and not any(each.kind in _SEES_THE_END for each in judges)


def _is_told(step: PlanStep) -> bool:
    """Whether the kernel's rules have said already that the action lacks something."""
    return not (step.action.argv or step.action.prompt or step.action.callable or step.action.question)


def _unsnapped(steps: Sequence[PlanStep], settings: RunSettings) -> Iterator[tuple[str, Where, str]]:
    """Judges that want a clean checkout where nothing may be written, so that no snapshot is ever taken."""
    if not settings.enable_verification or any(each.write_scopes for each in steps):
        return
    for number, each in enumerate(steps):
        for position, judge in enumerate(each.verify):
            if judge.clean_checkout:
                message = f"{each.id}: a clean checkout holds what the plan's write scopes cover, and it names none."
                yield "checkout-missing", _where(number, "verify", position), message


def _named(state: State, plan: PlanDocument) -> Named:
    config = state.config()
    tools = {each.name: each.argv for each in config.tools} if config is not None else {}
    return Named(tools, config.models if config is not None else (), plan.settings)


def _where(step: int | None, *field: str | int) -> Where:
    return ("steps",) if step is None else ("steps", step, *field)


def _problem(code: str, where: Where, message: str, reading: Reading | None, name: str) -> Problem:
    place = place_in(reading, where, name) if reading is not None else None
    return Problem(code, message, place, facts={"field": dotted(where)})


def _line(problem: Problem) -> tuple[int, int]:
    place = problem.place
    return (place.line or 0, place.column or 0) if place is not None else (0, 0)


def check_text(state: State, text: str, name: str, todo: Todo | None) -> Checked:
    """Everything wrong with the plan in ``text``, which is called ``name``: its fields, and the plan they make."""
    from loopx.loop.plans.proposing import read_plan

    proposed = read_plan(text, name, todo)
    if proposed.plan is None:
        return Checked(proposed.problems, ())
    found = check_plan(state, proposed.plan, todo, proposed.reading, name)
    return Checked(tuple(sorted((*proposed.problems, *found.problems), key=_line)), found.warnings)


def check_laid_out(state: State, plan: PlanDocument, root: Path) -> Checked:
    """Everything wrong with a plan of the workspace at ``root``, located in its file as that is on disk."""
    todo = state.todo(plan.todo)
    found = check_plan(state, plan, todo, None, "")
    if not (found.problems or found.warnings):
        return found  # nothing to locate: the text need not be read
    from loopx.documents import read
    from loopx.model.kind import Kind
    from loopx.model.layout import run_path

    path = run_path(Kind.PLAN, plan.goal, plan.todo, plan.run)
    try:
        reading = read(path, (root / path).read_bytes())
    except OSError:
        return found
    return check_plan(state, plan, todo, reading, path)
