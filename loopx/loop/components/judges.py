"""The ways an output can be judged, one function each. What keeps one from judging raises; only a look at the work
itself is a verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.loop.components.callables import StepCallable
from loopx.loop.components.callables import judged as judged_by_callable
from loopx.loop.components.commands import Unfit, filled
from loopx.loop.components.processes import Close, Launch, run
from loopx.loop.components.protocols import Verdict
from loopx.model.plan import Judge, JudgeKind
from loopx.model.step import AttemptOutcome

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.step import StepView

_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is judged, and where a judge that runs a program finds itself."""

    step: StepView
    output: Any
    exit_status: int | None
    outcome: AttemptOutcome
    context: LoopContext
    folder: str
    environ: Mapping[str, str]
    callables: Mapping[str, StepCallable]

    @property
    def text(self) -> str:
        """The output as text: what a program said, or the JSON of what a callable returned."""
        if isinstance(self.output, str):
            return self.output
        return "" if self.output is None else json.dumps(self.output, ensure_ascii=False, default=str)


async def judged(judges: Sequence[Judge], case: Case) -> Verdict:
    """The verdict of all ``judges`` together: each must pass. One that rejects stands, whatever broke beside it;
    otherwise the first that broke raises."""
    told: list[dict[str, Any]] = []
    rejections: list[Verdict] = []
    broken: list[Exception] = []
    for each in judges:
        try:
            verdict = await JUDGES[each.kind](each, case)
        except Exception as error:  # noqa: BLE001  (the step boundary: raised below unless another judge rejects)
            broken.append(error)
            told.append({"judge": each.kind.value, "broken": f"{type(error).__name__}: {error}"})
            continue
        told.append({"judge": each.kind.value, "passed": verdict.passed, "message": verdict.message})
        if not verdict.passed:
            rejections.append(verdict)
    if broken and not rejections:
        raise broken[0]
    failed = [each["judge"] for each in told if each.get("passed") is False]
    evidence: dict[str, Any] = {"judges": told, **({"failed": failed} if failed else {})}
    for rejection in rejections:
        evidence.update(rejection.evidence)
    message = "; ".join(each.message for each in rejections)
    return Verdict(not rejections, message, evidence, next((each.failure for each in rejections if each.failure), None))


async def exit_code(judge: Judge, case: Case) -> Verdict:
    """How it ended. What ended without a status, as no program does, passes as 0 when it succeeded."""
    status = case.exit_status
    if status is None and case.outcome is AttemptOutcome.SUCCEEDED:
        status = 0
    if status == judge.exit_code:
        return Verdict(True)
    how = f"it ended with {'no status' if status is None else status}, not {judge.exit_code}"
    lines = case.text.strip().splitlines()
    return Verdict(False, f"{how}: {lines[-1].strip()[:_SHOWN]}" if lines else how)


async def contains(judge: Judge, case: Case) -> Verdict:
    """Whether the output has a text in it."""
    wanted = _value(judge)
    return Verdict(True) if wanted in case.text else Verdict(False, f"the output does not contain {wanted[:_SHOWN]!r}")


async def regex(judge: Judge, case: Case) -> Verdict:
    """Whether a pattern is found in the output; ``^`` and ``$`` stand for the ends of lines."""
    try:
        found = re.search(_value(judge), case.text, re.MULTILINE)
    except re.error as error:
        raise LoopxError("judge-invalid", f"{judge.value!r} is no pattern: {error}") from error
    return Verdict(True) if found else Verdict(False, f"nothing in the output matches {_value(judge)[:_SHOWN]!r}")


async def json_schema(judge: Judge, case: Case) -> Verdict:
    """Whether the output is JSON of a certain form."""
    from loopx.loop.components.schemas import objections

    output = case.output
    if isinstance(output, str):
        try:
            output = json.loads(output)
        except ValueError as error:
            return Verdict(False, f"the output is no JSON: {error}")
    found = objections(_value(judge), output)
    if not found:
        return Verdict(True)
    return Verdict(False, f"the output is not as the schema says: {found[0]}", {"objections": found})


async def command(judge: Judge, case: Case) -> Verdict:
    """What a program says of the output on its standard input: status 0 passes, any other rejects."""
    try:
        argv = filled(judge.argv, case.step, case.context)
    except Unfit as unfit:
        raise LoopxError("judge-invalid", f"a judge of {case.step.id} cannot be run: {unfit}") from unfit
    launch = Launch(
        argv=argv,
        folder=case.folder,
        environ=case.environ,
        timeout_seconds=judge.timeout_seconds,
        given=case.text,
        noted=case.context.noted,
    )
    ran = await run(launch)
    if ran.close is Close.ENDED and ran.status == 0:
        return Verdict(True, evidence={"digest": ran.digest})
    if ran.close is not Close.ENDED or (ran.status or 0) < 0:
        raise LoopxError("judge-broken", _how(argv[0], ran.close, ran.status, ran.output), facts={"judge": argv[0]})
    lines = ran.output.strip().splitlines()
    message = f"{argv[0]} ended with {ran.status}{f': {lines[-1][:_SHOWN]}' if lines else ''}"
    return Verdict(False, message, {"output": ran.output[-4096:]})


async def python(judge: Judge, case: Case) -> Verdict:
    """What a registered callable says."""
    function = case.callables.get(judge.value or "")
    if function is None:
        raise LoopxError("callable-unknown", f"no callable is registered as {judge.value}")
    return await judged_by_callable(function, case.step)


JUDGES: Mapping[JudgeKind, Callable[[Judge, Case], Awaitable[Verdict]]] = {
    JudgeKind.EXIT_CODE: exit_code,
    JudgeKind.CONTAINS: contains,
    JudgeKind.REGEX: regex,
    JudgeKind.JSON_SCHEMA: json_schema,
    JudgeKind.COMMAND: command,
    JudgeKind.PYTHON: python,
}


def _value(judge: Judge) -> str:
    if judge.value is None:
        raise LoopxError("judge-invalid", f"a judge of kind {judge.kind} names nothing to compare with")
    return judge.value


def _how(program: str, close: Close, status: int | None, output: str) -> str:
    match close:
        case Close.ENDED:
            return f"{program} was ended by signal {-(status or 0)}"
        case Close.TIMED_OUT:
            return f"{program} took too long to judge"
        case Close.NOT_STARTED | Close.LOST:
            return f"{program} could not be started: {output}"
