"""The components that come with LoopX, put together for one run, and whether a plan can be carried out with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

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
        for code, _, message in step_faults(step, context, callables=callables, judges=judges):
            raise LoopxError(code, f"{step.id}: {message}", facts={"step": step.id})


class Known(Protocol):
    """What steps may name, and what is wanted of them."""

    @property
    def tools(self) -> Mapping[str, tuple[str, ...]]: ...

    @property
    def models(self) -> tuple[str, ...]: ...

    @property
    def settings(self) -> RunSettings: ...


class StepFault(NamedTuple):
    """One thing that keeps a step from being carried out or judged: its code, the field it is about, a clause."""

    code: str
    where: tuple[str | int, ...]
    message: str


def step_faults(
    step: PlanStep,
    known: Known,
    *,
    callables: Mapping[str, StepCallable] = NONE,
    judges: Mapping[str, StepCallable] = NONE,
) -> Iterator[StepFault]:
    """Everything that keeps ``step`` from being carried out or judged as it is written."""
    yield from _action(step, known, callables)
    yield from _judges(step, known.settings, judges)


def _action(step: PlanStep, known: Known, callables: Mapping[str, StepCallable]) -> Iterator[StepFault]:
    if step.tool is not None and step.tool not in known.tools:
        yield StepFault("tool-unknown", ("tool",), f"workspace.yaml names no tool {step.tool}")
    if step.model is not None and step.model not in known.models:
        yield StepFault("tool-unknown", ("model",), f"workspace.yaml names no model {step.model}")
    missing = _missing(step.action, step.tool)
    if missing is not None:
        yield StepFault("action-invalid", ("action",), f"{step.action.actor} needs {missing}")
    if TOOL in step.action.argv and step.tool is None:
        yield StepFault("action-invalid", ("action", "argv"), "its argv wants a tool, and the step names none")
    if any(MODEL in each for each in step.action.argv) and step.model is None:
        yield StepFault("action-invalid", ("action", "argv"), "its argv wants a model, and the step names none")
    if step.action.actor is ActorKind.PYTHON and step.action.callable not in callables:
        message = f"no callable is registered as {step.action.callable}"
        yield StepFault("callable-unknown", ("action", "callable"), message)


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


def _judges(step: PlanStep, settings: RunSettings, judges: Mapping[str, StepCallable]) -> Iterator[StepFault]:
    wanted = [*_placed("evaluate", step.evaluate if settings.enable_evaluation else ())]
    if settings.enable_verification:
        if not step.verify:
            yield StepFault("verify-missing", (), "it names no independent judgement")
        wanted += _placed("verify", step.verify)
    for where, each in wanted:
        if each.kind is JudgeKind.PYTHON and each.value is not None and each.value not in judges:
            yield StepFault("callable-unknown", where, f"no callable is registered as {each.value}")
        elif (wrong := _wrong(each)) is not None:
            yield StepFault("judge-invalid", where, f"a judge of kind {each.kind} {wrong}")


def _placed(field: str, judges: Sequence[Judge]) -> Iterator[tuple[tuple[str | int, ...], Judge]]:
    return (((field, number), each) for number, each in enumerate(judges))


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
