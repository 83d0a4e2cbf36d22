"""Planners: a plan a person wrote, which nobody else can revise, and a program that plans in JSON.

The program is told on its standard input what is asked and what is known, and answers on its standard output. Whatever
it answers is checked as strictly as a file a person wrote; where it is wrong, the error says at which field.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.loop.components.commands import surroundings
from loopx.loop.components.processes import Close, Launch, run
from loopx.loop.components.protocols import Revised
from loopx.model.codec import encode
from loopx.model.fields import Owner, marks
from loopx.model.plan import PlanStep

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.failure import FailureView
    from loopx.loop.step import StepView

SCHEMA = "loopx/planner/1"
_LONGEST_ANSWER = 8 << 20
_TOLD_OF_OUTPUT = 4096
_ANSWERS = {"create_plan": ("steps", "objective"), "revise_plan": ("steps", "objective"), "revise_step": ("step",)}


class WrittenPlanner:
    """Plans are written by hand: it has none to offer, and none to change."""

    can_revise = False
    """So that recovery passes replanning over, instead of finding out by asking."""

    async def create_plan(self, objective: str, context: LoopContext) -> Revised:
        raise _by_hand("the plan has no steps")

    async def revise_step(self, step: StepView, failure: FailureView, context: LoopContext) -> PlanStep:
        raise _by_hand(f"{step.id} cannot be revised")

    async def revise_plan(
        self, views: Sequence[StepView], failure: FailureView | None, context: LoopContext
    ) -> Revised:
        raise _by_hand("the plan cannot be revised")


class CommandPlanner:
    """Asks a program."""

    def __init__(self, argv: Sequence[str], *, timeout_seconds: float = 600) -> None:
        self._argv = tuple(argv)
        self._timeout_seconds = timeout_seconds

    async def create_plan(self, objective: str, context: LoopContext) -> Revised:
        return _revised(await self._asked("create_plan", context, objective=objective))

    async def revise_step(self, step: StepView, failure: FailureView, context: LoopContext) -> PlanStep:
        said = await self._asked("revise_step", context, step=told_step(step), failure=told_failure(failure))
        return _bound(said.get("step"), ("step",))

    async def revise_plan(
        self, views: Sequence[StepView], failure: FailureView | None, context: LoopContext
    ) -> Revised:
        told = told_failure(failure) if failure is not None else None
        return _revised(
            await self._asked("revise_plan", context, steps=[told_step(each) for each in views], failure=told)
        )

    async def _asked(self, what: str, context: LoopContext, **known: Any) -> dict[str, Any]:
        """What the program answers to ``what``. Raises ``planner-failed`` and ``planner-output``."""
        request = {
            "schema": SCHEMA,
            "asked": what,
            "run": context.run,
            "todo": context.todo,
            "goal": context.goal,
            "tools": list(context.tools),
            "models": list(context.models),
            **known,
        }
        launch = Launch(
            argv=self._argv,
            folder=context.project,
            environ=surroundings(context),
            timeout_seconds=self._timeout_seconds,
            given=json.dumps(request, ensure_ascii=False, default=str),
            kept=_LONGEST_ANSWER,
            noted=context.noted,
        )
        ran = await run(launch, is_apart=True)
        if ran.close is not Close.ENDED or ran.status != 0:
            how = f"ended with {ran.status}" if ran.close is Close.ENDED else ran.close.value
            said = (ran.errors or ran.output).strip().splitlines()
            raise LoopxError("planner-failed", f"the planner {how}{f': {said[-1][:200]}' if said else ''}")
        return _read(ran.output, _ANSWERS[what])


def told_step(view: StepView) -> dict[str, Any]:
    """A step as a planner is told it: its definition, as it may hand it back, and what became of it."""
    editable = [name for name, mark in marks(PlanStep).items() if mark.owner is Owner.HUMAN]
    definition = {name: value for name, value in encode(view.meant).items() if name in editable}
    return {
        "step": definition,
        "status": view.status.value,
        "retries": view.retry_count,
        "output": view.output[-_TOLD_OF_OUTPUT:] if isinstance(view.output, str) else view.output,
        "attempts": [{"outcome": each.outcome.value, "exit_status": each.exit_status} for each in view.attempts],
    }


def told_failure(failure: FailureView) -> dict[str, Any]:
    """A failure as a planner is told it."""
    return {
        "type": failure.type.value,
        "step": failure.step_id,
        "message": failure.message,
        "evidence": failure.evidence,
        "tried": [each.value for each in failure.strategies],
    }


def _read(output: str, known: Sequence[str]) -> dict[str, Any]:
    try:
        said = json.loads(output)
    except ValueError as error:
        raise LoopxError("planner-output", f"the planner's answer is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise LoopxError("planner-output", "the planner's answer is no JSON object")
    unknown = sorted(said.keys() - set(known))
    if unknown or known[0] not in said:
        message = f"{unknown[0]} is unknown" if unknown else f"{known[0]} is missing"
        raise LoopxError("planner-output", f"the planner's answer: {message}", facts={"where": [*unknown[:1]]})
    return said


def _revised(said: Mapping[str, Any]) -> Revised:
    steps, objective = said["steps"], said.get("objective")
    if not isinstance(steps, list):
        raise LoopxError("planner-output", "the planner's answer: steps is no list", facts={"where": ["steps"]})
    if objective is not None and (not isinstance(objective, str) or not objective.strip() or "\n" in objective):
        raise LoopxError("planner-output", "the planner's answer: objective is no line of text")
    return Revised(tuple(_bound(each, ("steps", number)) for number, each in enumerate(steps)), objective)


def _bound(values: object, where: tuple[str | int, ...]) -> PlanStep:
    from loopx.model.parts import bind_part
    from loopx.model.validation import Unbound

    try:
        return bind_part(PlanStep, values, where)
    except Unbound as error:
        first = error.problems[0]
        place = ".".join(map(str, (*where, *first.where) if first.where[: len(where)] != where else first.where))
        raise LoopxError(
            "planner-output", f"the planner's answer: {place}: {first.message}", facts={"where": list(first.where)}
        ) from error


def _by_hand(what: str) -> LoopxError:
    return LoopxError("plan-by-hand", f"{what}: it is written by hand, and no planner is configured")
