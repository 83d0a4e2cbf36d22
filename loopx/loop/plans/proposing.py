"""Plans as they are proposed by command: a text in YAML or JSON, steps typed as options, or a plan to begin with.

Called by ``loopx plan new``, ``edit`` and ``check``. What is wrong is told at its place; nothing is written here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.documents.proposed import read_proposed
from loopx.errors import LoopxError, Place, Problem
from loopx.kernel.commands import NewPlan
from loopx.kernel.wording import listed
from loopx.model import layout
from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.plan import Action, Judge, JudgeKind, PlanDocument, PlanStep

if TYPE_CHECKING:
    from loopx.documents.reading import Reading
    from loopx.kernel.state import State
    from loopx.model.todo import Todo

NO_TODO = "t-00000000x"
"""Stands for the Todo of a plan that is looked at for itself."""
_RUN = "run-00000000x"
_OWN = ("run", "todo", "rev", "version")
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Proposed:
    """A plan that was read. ``plan`` has a run's name that stands for the one it will get; ``None`` where something is
    wrong with a field. ``problems`` are located in what was typed."""

    plan: PlanDocument | None
    problems: tuple[Problem, ...]
    reading: Reading
    text: str
    name: str

    @property
    def typed(self) -> str | None:
        """The text to keep, comments and all; ``None`` for JSON, which is written anew as YAML."""
        return None if self.text.lstrip().startswith("{") else self.text


def read_plan(text: str, name: str, todo: Todo | None = None, objective: str | None = None) -> Proposed:
    """The plan ``text`` (YAML or JSON, called ``name`` in messages) proposes for ``todo``, whose title stands for an
    objective it leaves out. A field nobody knows is a problem here: nobody would ever look at it again."""
    goal, of = (todo.goal, todo.id) if todo is not None else ("goal", NO_TODO)
    path = layout.run_path(Kind.PLAN, goal, of, _RUN)
    title = objective or (todo.title if todo is not None else "Not said")
    reading = read_proposed(path, text.encode("utf-8", "surrogatepass"), name, {"objective": title})
    problems = [*reading.problems, *(_unknown(each) for each in reading.warnings if each.code == "field-unknown")]
    problems += _written_by_loopx(reading, name)
    plan = reading.bound if isinstance(reading.bound, PlanDocument) else None
    return Proposed(plan, tuple(sorted(problems, key=_line)), reading, text, name)


def refuse_problems(proposed: Proposed) -> PlanDocument:
    """The plan that was read; raises the first problem there is, saying how many more there are."""
    if proposed.problems:
        raise first_of(proposed.problems, proposed.name)
    assert proposed.plan is not None
    return proposed.plan


def first_of(problems: Sequence[Problem], name: str = "") -> LoopxError:
    """The error of the first of ``problems``, which says how many more there are, and how to see them in the file
    ``name``."""
    first, more = problems[0], len(problems) - 1
    if not more:
        return LoopxError.of(first)
    others = f"{more} more problem{'' if more == 1 else 's'}"
    how = f"; `loopx plan check {'-' if name == 'stdin' else name}` tells all" if name else ""
    return LoopxError.of(replace(first, hint=f"{first.hint} ({others}{how}.)"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was typed for a new plan: steps one by one, or ``text``, or neither for a plan to begin with. Each step and
    each ``verify`` is a step's name, the command as typed, and its words."""

    objective: str | None = None
    steps: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    verify: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    is_chain: bool = True
    text: str | None = None
    name: str = ""
    max_retries: int | None = None
    is_verified: bool = True


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A plan that may be proposed, with what its proposer should know."""

    command: NewPlan
    remarks: tuple[str, ...]
    warnings: tuple[Problem, ...]


def proposed_plan(state: State, todo: Todo, wanted: Wanted) -> LaidOut:
    """The plan that is ``wanted`` for ``todo``. Raises the first thing that is wrong with it, at its place."""
    from loopx.loop.plans.checks import check_plan

    remarks: list[str] = []
    reading: Reading | None = None
    typed, name = None, ""
    if wanted.steps:
        steps = _typed_steps(wanted)
        plan = PlanDocument(run=_RUN, todo=todo.id, objective=wanted.objective or todo.title, steps=steps)
        if wanted.is_verified and not wanted.verify:
            plan = _unverified(plan)
            remarks.append("verification is off: no step says how it is verified; --verify 'ID: COMMAND' does")
        elif wanted.is_verified:
            _refuse_unverified(steps)
    else:
        text = wanted.text if wanted.text is not None else starting_text(wanted.objective or todo.title)
        name = wanted.name or "the plan to begin with"
        proposed = read_plan(text, name, todo, wanted.objective)
        plan, reading, typed = refuse_problems(proposed), proposed.reading, proposed.typed
        if wanted.text is None:
            remarks.append("it says hello: put your own steps in")
    others = [each.run for each in state.plans_of(todo.id) if state.run(each.run) is None]
    if others:
        remarks.append(f"nobody has begun {listed(others)} either: name the run you mean, or delete the file of one")
    plan = _with_settings(plan, wanted)
    checked = check_plan(state, plan, todo, reading, name)
    if checked.problems:
        raise first_of(checked.problems, wanted.name)
    command = NewPlan(todo=todo.id, objective=plan.objective, steps=plan.steps, settings=plan.settings, text=typed)
    return LaidOut(command, tuple(remarks), checked.warnings)


def _typed_steps(wanted: Wanted) -> tuple[PlanStep, ...]:
    found: dict[str, PlanStep] = {}
    last: tuple[str, ...] = ()
    for identity, typed, argv in wanted.steps:
        if identity in found:
            raise _bad_option(f"The step {identity} stands twice.", "--step")
        found[identity] = command_step(identity, argv, typed, last)
        last = (identity,) if wanted.is_chain else ()
    for identity, _, argv in wanted.verify:
        if identity not in found:
            raise _bad_option(f"There is no step {identity} to verify.", "--verify")
        found[identity] = verified_by(found[identity], argv)
    return tuple(found.values())


def _refuse_unverified(steps: Sequence[PlanStep]) -> None:
    missing = [each.id for each in steps if not each.verify]
    if missing:
        hint = "Add --verify 'ID: COMMAND' for each, or --no-verify."
        raise LoopxError("verify-missing", f"Nothing verifies {listed(missing)}.", place=Place("--verify"), hint=hint)


def _with_settings(plan: PlanDocument, wanted: Wanted) -> PlanDocument:
    settings = plan.settings
    if wanted.max_retries is not None:
        settings = replace(settings, max_retry_attempts=wanted.max_retries)
    plan = replace(plan, settings=settings, objective=wanted.objective or plan.objective)
    return plan if wanted.is_verified else _unverified(plan)


def _unverified(plan: PlanDocument) -> PlanDocument:
    return replace(plan, settings=replace(plan.settings, enable_verification=False))


def _bad_option(message: str, option: str) -> LoopxError:
    return LoopxError("plan-invalid", message, place=Place(option))


def command_step(identity: str, argv: Sequence[str], typed: str, after: Iterable[str]) -> PlanStep:
    """A step that runs a program, and is called after what was typed."""
    title = " ".join(typed.split())
    title = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"
    return PlanStep(id=identity, title=title, action=Action(argv=tuple(argv)), depends_on=tuple(after))


def verified_by(step: PlanStep, argv: Sequence[str]) -> PlanStep:
    """``step`` with one more program that verifies it."""
    return replace(step, verify=(*step.verify, Judge(kind=JudgeKind.COMMAND, argv=tuple(argv))))


def starting_text(objective: str) -> str:
    """A plan to begin with: one step that does no harm, and what else may be said, as comments."""
    return _STARTING.replace("OBJECTIVE", json.dumps(objective, ensure_ascii=False))


def _unknown(problem: Problem) -> Problem:
    facts: Mapping[str, Any] = problem.facts
    return Problem("plan-invalid", problem.message.partition(";")[0] + ".", problem.place, problem.hint, facts)


def _written_by_loopx(reading: Reading, name: str) -> list[Problem]:
    """Fields a plan nobody has yet cannot have. What the steps may not have, the kernel refuses."""
    return [
        Problem(
            "field-machine-owned",
            f"`{key}` is written by LoopX alone.",
            replace(reading.place_of_key(key), path=name),
            "Leave it out.",
            {"field": key},
        )
        for key in _OWN
        if key in reading.values
    ]


def _line(problem: Problem) -> tuple[int, int]:
    place = problem.place
    return (place.line or 0, place.column or 0) if place is not None else (0, 0)


_STARTING = """\
# A plan to begin with: change it, save it, and look at it with `loopx plan check`.
objective: OBJECTIVE
steps:
  - id: "hello"
    title: Say hello
    action:
      # Program and arguments. No shell; where one is wanted: ["sh", "-c", "make && make test"]
      argv: ["echo", "hello"]
      # timeout_seconds: 600
      # recover: repeat  # what to do when nobody saw how it ended: repeat, probe, or ask a person (the default)
    # depends_on: ["other"]      # steps that must be complete first
    # write_scopes: ["docs/**"]  # what it may write, within what the Todo may
    # evaluate: []               # judgements on its output; without any, exit status 0 passes
    # How it is verified, apart from what carried it out. A program of your own says more:
    #   - kind: command
    #     argv: ["pytest", "-q"]
    verify:
      - kind: contains
        value: hello
# How the run goes about it, where that is to be otherwise:
# settings:
#   max_retry_attempts: 3       # executions again of a step that failed
#   enable_verification: false  # where nothing can verify; the result then claims none
"""
