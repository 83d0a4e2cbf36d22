"""The components that come with LoopX, put together for one run, and whether a plan can be carried out with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.loop.components.actors import Actors
from loopx.loop.components.callables import StepCallable
from loopx.loop.components.commands import MODEL, TOOL
from loopx.loop.components.evaluators import Evaluators
from loopx.loop.components.planning import CommandPlanner, WrittenPlanner
from loopx.loop.components.protocols import ComponentType
from loopx.loop.components.verifiers import Verifiers
from loopx.model.plan import Action, ActorKind, Judge, JudgeKind, PlanStep, RunSettings

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext

NONE: Mapping[str, StepCallable] = MappingProxyType({})


def shipped(
    *,
    callables: Mapping[str, StepCallable] = NONE,
    judges: Mapping[str, StepCallable] = NONE,
    planner: Sequence[str] = (),
) -> dict[ComponentType, Any]:
    """The components of a run. ``callables`` act and ``judges`` judge under the names plans use; ``planner`` is the
    argument list of a program that plans, without which plans are written by hand."""
    return {
        ComponentType.PLANNER: CommandPlanner(planner) if planner else WrittenPlanner(),
        ComponentType.ACTOR: Actors(callables),
        ComponentType.EVALUATOR: Evaluators(judges),
        ComponentType.VERIFIER: Verifiers(judges),
    }


def check_steps(
    steps: Iterable[PlanStep],
    context: LoopContext,
    *,
    callables: Mapping[str, StepCallable] = NONE,
    judges: Mapping[str, StepCallable] = NONE,
) -> None:
    """Raise for the first thing that keeps one of ``steps`` from being carried out or judged as it is written:
    ``tool-unknown``, ``action-invalid``, ``callable-unknown``, ``judge-invalid`` or ``verify-missing``."""
    for step in steps:
        for problem in (*_action(step, context, callables), *_judges(step, context.settings, judges)):
            code, message = problem
            raise LoopxError(code, f"{step.id}: {message}", facts={"step": step.id})


def _action(step: PlanStep, context: LoopContext, callables: Mapping[str, StepCallable]) -> Iterator[tuple[str, str]]:
    if step.tool is not None and step.tool not in context.tools:
        yield "tool-unknown", f"workspace.yaml names no tool {step.tool}"
    if step.model is not None and step.model not in context.models:
        yield "tool-unknown", f"workspace.yaml names no model {step.model}"
    missing = _missing(step.action, step.tool)
    if missing is not None:
        yield "action-invalid", f"{step.action.actor} needs {missing}"
    if TOOL in step.action.argv and step.tool is None:
        yield "action-invalid", "its argv wants a tool, and the step names none"
    if any(MODEL in each for each in step.action.argv) and step.model is None:
        yield "action-invalid", "its argv wants a model, and the step names none"
    if step.action.actor is ActorKind.PYTHON and step.action.callable not in callables:
        yield "callable-unknown", f"no callable is registered as {step.action.callable}"


def _missing(action: Action, tool: str | None) -> str | None:
    match action.actor:
        case ActorKind.COMMAND:
            return None if action.argv or tool else "argv or a tool"
        case ActorKind.AGENT:
            return "a prompt" if not action.prompt else None if action.argv or tool else "argv or a tool"
        case ActorKind.PYTHON:
            return None if action.callable else "callable"
        case ActorKind.HUMAN:
            return None


def _judges(step: PlanStep, settings: RunSettings, judges: Mapping[str, StepCallable]) -> Iterator[tuple[str, str]]:
    wanted = [*(step.evaluate if settings.enable_evaluation else ())]
    if settings.enable_verification:
        if not step.verify:
            yield "verify-missing", "it names no independent judgement"
        wanted += step.verify
    for each in wanted:
        if each.kind is JudgeKind.PYTHON and each.value is not None and each.value not in judges:
            yield "callable-unknown", f"no callable is registered as {each.value}"
        elif (wrong := _wrong(each)) is not None:
            yield "judge-invalid", f"a judge of kind {each.kind} {wrong}"


def _wrong(judge: Judge) -> str | None:
    match judge.kind:
        case JudgeKind.EXIT_CODE:
            return None
        case JudgeKind.COMMAND:
            return None if judge.argv else "names no program"
        case JudgeKind.REGEX if judge.value is not None:
            import re

            try:
                re.compile(judge.value)
            except re.error as error:
                return f"has no pattern: {error}"
            return None
        case JudgeKind.JSON_SCHEMA if judge.value is not None:
            from loopx.loop.components.schemas import objections

            try:
                objections(judge.value, None)
            except LoopxError as error:
                return str(error)
            return None
        case JudgeKind.CONTAINS | JudgeKind.PYTHON | JudgeKind.REGEX | JudgeKind.JSON_SCHEMA:
            return None if judge.value is not None else "names nothing to compare with"
