"""Steps carried out by a program: a command of the step's own, or a host command that is told a prompt.

Which end is known and which is not is settled here: a program that ran to its end has a known outcome, one that was
killed or timed out has none. Called by :mod:`loopx.loop.components.actors` and when a run is resumed.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopx.loop.components.processes import Close, Kept, Launch, execute
from loopx.loop.components.protocols import Acted
from loopx.loop.keeping.attempts import AttemptFile
from loopx.model.plan import Action, ActorKind
from loopx.model.step import AttemptOutcome, FailureType
from loopx.runtime.process import scrubbed

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.step import StepView

TOOL, MODEL = "{tool}", "{model}"
_BY_OTHERS = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
"""Signals by which somebody else ends a program: how far it had come nobody knows. Any other is its own fault."""
_LONGEST_MESSAGE = 300


class Unfit(Exception):
    """A step that cannot be started as it is meant; the message says why."""


class CommandActor:
    """Runs the step's argument list in the project."""

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        return await carried_out(step, attempt, context, given="", is_apart=False)


class AgentActor:
    """Runs a host command that does the work: the prompt on its standard input, JSON or plain text out. What was
    rejected before is told below the prompt."""

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        return await carried_out(step, attempt, context, given=prompt_of(step), is_apart=True)


def prompt_of(step: StepView) -> str:
    """What an agent is told: the step's prompt, and why the last try was not good enough, where there was one."""
    prompt, seen = step.meant.action.prompt or "", step.failure_evidence
    if not seen:
        return prompt
    said = str(seen.get("output") or "").strip()
    told = f"This was tried before and not accepted: {seen.get('message')}"
    return "\n\n".join(each for each in (prompt.rstrip(), told, said) if each) + "\n"


async def carried_out(step: StepView, attempt: str, context: LoopContext, *, given: str, is_apart: bool) -> Acted:
    """Run the program of ``step`` under its keeper."""
    try:
        argv = filled(step.meant.action.argv, step, context, is_in_front=True)
        launch = launch_of(step, context, argv, given, attempt)
    except Unfit as unfit:
        return Acted(AttemptOutcome.NOT_STARTED, failure=FailureType.EXECUTION_ERROR, message=str(unfit))
    told: dict[str, Any] = {"is_apart": is_apart, "keepers": context.keepers}
    if context.attempts is not None:
        kept = await execute(launch, attempt, context.attempts, is_durable=context.is_durable, **told)
        return acted(kept, step.meant.action)
    with tempfile.TemporaryDirectory(prefix="loopx-") as folder:
        kept = await execute(launch, attempt, Path(folder), is_durable=False, **told)
        return acted(kept, step.meant.action)


def launch_of(step: StepView, context: LoopContext, argv: Sequence[str], given: str, attempt: str) -> Launch:
    """How a program of ``step`` is started. Raises :class:`Unfit`."""
    action = step.meant.action
    told = {**names(step, context), "LOOPX_ATTEMPT": attempt}
    return Launch(
        argv=argv,
        folder=folder_of(action.folder, context.project),
        environ={**surroundings(context), **pairs(action.environment), **told},
        timeout_seconds=action.timeout_seconds,
        given=given,
    )


def filled(argv: Sequence[str], step: StepView, context: LoopContext, *, is_in_front: bool = False) -> list[str]:
    """``argv`` with the step's tool where ``{tool}`` stands, and its model where ``{model}`` stands. A tool that stands
    nowhere is put ``in front`` where that is asked for. Raises :class:`Unfit`."""
    tool: Sequence[str] = ()
    if step.tool is not None and (is_in_front or TOOL in argv):
        tool = context.tools.get(step.tool, ())
        if not tool:
            raise Unfit(f"workspace.yaml names no tool {step.tool}")
    elif TOOL in argv:
        raise Unfit("the step names no tool to put in")
    found = [*tool, *argv] if is_in_front and TOOL not in argv else [*argv]
    whole = [part for each in found for part in (tool if each == TOOL else (each,))]
    if not whole:
        raise Unfit("the step names no program")
    if step.model is None and any(MODEL in each for each in whole):
        raise Unfit("the step names no model to put in")
    return [each.replace(MODEL, step.model or "") for each in whole]


def folder_of(folder: str | None, project: str) -> str:
    """The working folder, which lies in the project. Raises :class:`Unfit`."""
    top = os.path.realpath(project)
    found = os.path.realpath(os.path.join(top, folder or "."))
    if found != top and not found.startswith(f"{top.rstrip('/')}/"):
        raise Unfit(f"the folder {folder} lies outside the project")
    return found


def pairs(lines: Sequence[str]) -> dict[str, str]:
    """``NAME=VALUE`` lines. Raises :class:`Unfit`."""
    for line in lines:
        if not line.partition("=")[0] or "=" not in line:
            raise Unfit(f"{line.partition('=')[0]!r} in the environment is no NAME=VALUE")
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def surroundings(context: LoopContext) -> dict[str, str]:
    """The environment a run lends to its programs."""
    return scrubbed(context.environ or os.environ)


def names(step: StepView, context: LoopContext) -> dict[str, str]:
    """What a program is told of where it runs."""
    told = {"LOOPX_RUN": context.run, "LOOPX_STEP": step.id, "LOOPX_TODO": context.todo, "LOOPX_GOAL": context.goal}
    return {name: value for name, value in told.items() if value}


def acted(kept: Kept, action: Action) -> Acted:
    """What an execution under its keeper came to."""
    if kept.file is not None and kept.close in (Close.ENDED, Close.NOT_STARTED):
        return acted_of(kept.file, action)
    match kept.close:
        case Close.NOT_STARTED:
            message = f"it could not be started: {kept.message}"
            return Acted(AttemptOutcome.NOT_STARTED, failure=FailureType.EXECUTION_ERROR, message=message)
        case Close.TIMED_OUT:
            message = f"it took longer than {action.timeout_seconds} s and was ended"
            return _unknown(FailureType.TIMEOUT, message, kept.file)
        case Close.LOST | Close.ENDED:
            return _unknown(FailureType.EXECUTION_ERROR, "nobody saw how it ended", kept.file)


def acted_of(file: AttemptFile, action: Action) -> Acted:
    """What is known of an execution from its file, whoever wrote it."""
    if file.not_started is not None:
        message = f"it could not be started: {file.not_started}"
        return Acted(AttemptOutcome.NOT_STARTED, failure=FailureType.EXECUTION_ERROR, message=message)
    if file.exit_status is None:
        return _unknown(FailureType.INTERRUPTED, "nobody saw how it ended", file)
    if file.exit_status < 0 and -file.exit_status in _BY_OTHERS:
        message = f"it was ended from outside ({signal.Signals(-file.exit_status).name})"
        return _unknown(FailureType.INTERRUPTED, message, file)
    if file.exit_status == 0 and action.actor is ActorKind.AGENT:
        return _told(file)
    outcome = AttemptOutcome.SUCCEEDED if file.exit_status == 0 else AttemptOutcome.FAILED
    message = "" if file.exit_status == 0 else _failing(file)
    return Acted(outcome, file.output, file.exit_status, file.output_digest, message=message)


def _unknown(kind: FailureType, message: str, file: AttemptFile | None) -> Acted:
    if file is None:
        return Acted(AttemptOutcome.UNKNOWN, failure=kind, message=message)
    return Acted(AttemptOutcome.UNKNOWN, file.output, None, file.output_digest, failure=kind, message=message)


def _failing(file: AttemptFile) -> str:
    lines = (file.errors or file.output).strip().splitlines()
    how = f"status {file.exit_status}" if (file.exit_status or 0) > 0 else f"signal {-(file.exit_status or 0)}"
    return f"it ended with {how}{f': {lines[-1][:_LONGEST_MESSAGE]}' if lines else ''}"


def _told(file: AttemptFile) -> Acted:
    """What an agent says in JSON; whatever is no JSON object is plain text."""
    text = file.output.strip()
    try:
        said = json.loads(text) if text.startswith("{") else None
    except ValueError:
        said = None
    if not isinstance(said, dict) or not _FIELDS & said.keys():
        return Acted(AttemptOutcome.SUCCEEDED, file.output, 0, file.output_digest)
    wrong = next((name for name, is_right in _FORMS.items() if name in said and not is_right(said[name])), None)
    if wrong is not None:
        message = f"{wrong} in what the agent said is not {_WANTED[wrong]}"
        kind = FailureType.INVALID_OUTPUT
        return Acted(AttemptOutcome.SUCCEEDED, file.output, 0, file.output_digest, kind, message)
    admitted, message = _admitted(said)
    cost, tokens = float(said["cost"]) if "cost" in said else None, int(said.get("tokens") or 0)
    return Acted(AttemptOutcome.SUCCEEDED, said.get("output"), 0, file.output_digest, admitted, message, cost, tokens)


def _admitted(said: Mapping[str, Any]) -> tuple[FailureType | None, str]:
    """What an agent says against its own work. ``true`` admits it, a text says more."""
    for name, kind in (("hijack", FailureType.GOAL_HIJACKING), ("drift", FailureType.SEMANTIC_DRIFT)):
        if said.get(name):
            return kind, said[name] if isinstance(said[name], str) else f"the agent reports {name}"
    return None, ""


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: object) -> bool:
    return isinstance(value, bool | str)


_FORMS = {"cost": _is_amount, "tokens": _is_count, "drift": _is_flag, "hijack": _is_flag}
_WANTED = {
    "cost": "an amount from 0",
    "tokens": "a number from 0",
    "drift": "true, false or a text",
    "hijack": "true, false or a text",
}
_FIELDS = frozenset({"output", *_FORMS})
"""What a JSON object may carry to be read as an agent's answer; any other object is its output as it stands."""
