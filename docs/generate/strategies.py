"""The reference page of recovery: what each handler's methods say of themselves, and the ladders the policy climbs.

The sentences are the docstrings of the handlers, the states those their source names, and the ladders are asked for.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime

from docs.generate.markdown import code, document, table
from loopx.loop.attempt import Attempt
from loopx.loop.context import LoopContext
from loopx.loop.failure import Failure, success_recovers
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.plan import Plan
from loopx.loop.recovery.handler import RecoveryHandler
from loopx.loop.recovery.handlers import HANDLERS
from loopx.loop.recovery.policy import Ladder
from loopx.loop.state import LoopState
from loopx.loop.step import Step
from loopx.model.fields import marks
from loopx.model.plan import Action, PlanStep, RunSettings
from loopx.model.step import AttemptOutcome, ExecutionState, FailureStatus, FailureType, RecoveryStrategy

_INTRODUCTION = """\
What may be done about a failure of a run. Each strategy is a handler that works on a copy of the run's state: the copy
is taken over when the postcondition holds, and thrown away whole when it does not, so that a recovery that fails leaves
counters, the failure and the trace changed, and nothing else. Where a postcondition is not met, the recovery was
unsuccessful whatever the handler says.

How a run comes to need one of these, and what a person who is asked may answer, is told in
[How a plan is carried out](../explanation/loop.md). [Write a recovery handler](../how-to/write-a-recovery-handler.md)
shows how to put one of your own in the place of any of them."""

_LADDERS = """\
Every failure asks anew: the first rung whose precondition holds is taken, and when its recovery fails, the next one. A
rung this failure has tried is passed over, and so is a replan, a rollback or a reduction that an earlier failure of the
same lineage was recovered by. Retries, tools and models share one counter (`max_retry_attempts`, {retries} unless the
plan says otherwise, which is {executions} executions in all). A plan may name a ladder of its own in `settings.ladder`;
what is marked * stands whatever it names. Work declared as `repeat` is never taken for one nobody knows about."""

_LIMITS = """\
Asked before anything is counted. Where one of the limits on recoveries ends it, `recovery_exhausted` is put on record
beside the failure, and the run terminates."""

_LIMIT_NAMES = ("max_retry_attempts", "max_replans", "max_attempts_per_failure", "max_recoveries")
_START = datetime(2026, 1, 1, tzinfo=UTC)


def page() -> str:
    """The page's text."""
    strategies = (_strategy(each) for each in RecoveryStrategy)
    ladders = "\n\n".join(("## Which comes next", _ladder_words(), table(["failure", *_MOMENTS], ladder_rows())))
    limits = "\n\n".join(("## Limits", _LIMITS, table(["setting", "what it limits", "unless set"], _limit_rows())))
    return document("Strategies of recovery", _INTRODUCTION, overview(), *strategies, ladders, limits)


def overview() -> str:
    """The table of all strategies: where the run goes, and what the failure is then."""
    heads = ["strategy", "in one sentence", "the run goes to", "the failure is then"]
    rows = (
        [f"[{each}](#{each})", _sentence(type(HANDLERS[each]())), " or ".join(goes_to(each)), failure_after(each)]
        for each in RecoveryStrategy
    )
    return table(heads, rows)


def goes_to(strategy: RecoveryStrategy) -> list[ExecutionState]:
    """The states the handler's own source names, in the order of a run's life."""
    named = set[str]()
    for cls in _own(type(HANDLERS[strategy]())):
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(cls)))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ExecutionState":
                named.add(node.attr)
    return [each for each in ExecutionState if each.name in named]


def failure_after(strategy: RecoveryStrategy) -> FailureStatus:
    """What a failure is once ``strategy`` succeeded: a test looks whether it really is."""
    if success_recovers(strategy):
        return FailureStatus.RECOVERED
    return FailureStatus.ESCALATED if strategy is RecoveryStrategy.REQUEST_HUMAN else FailureStatus.TERMINAL


def _strategy(strategy: RecoveryStrategy) -> str:
    cls = type(HANDLERS[strategy]())
    rows = [
        ["precondition", _said(cls, "precondition")],
        ["effect", _said(cls, "execute")],
        ["postcondition", _said(cls, "validate_postconditions")],
        ["the run goes to", " or ".join(code(each) for each in goes_to(strategy))],
        ["the failure is then", code(failure_after(strategy))],
    ]
    return "\n\n".join((f"## {strategy}", _sentence(cls, whole=True), table(["", ""], rows)))


def _sentence(cls: type, *, whole: bool = False) -> str:
    text = " ".join((inspect.getdoc(cls) or "").split())
    return text if whole else f"{text.split('. ')[0].rstrip('.')}."


def _said(cls: type, method: str) -> str:
    """What a handler says of one of its methods; nothing is asked for where it has none of its own."""
    owner = next((each for each in _own(cls) if method in vars(each)), None)
    return "none" if owner is None else " ".join((inspect.getdoc(vars(owner)[method]) or "").split())


def _own(cls: type) -> list[type]:
    """The handler's class and those it shares with others, without the contract of all of them."""
    return [each for each in cls.__mro__ if issubclass(each, RecoveryHandler) and each is not RecoveryHandler]


# ladders -----------------------------------------------------------------------------------------


def _ladder_words() -> str:
    return _LADDERS.format(retries=_LIMIT, executions=_LIMIT + 1)


_MOMENTS = ("never tried again yet", "some retries left", "one retry left", "no retry left")
"""When a failure is looked at: by how often its lineage was tried again."""
_LIMIT = RunSettings().max_retry_attempts
_COUNTS = (0, 1, _LIMIT - 1, _LIMIT)
_IRREVERSIBLE = "irreversible"


def ladder_rows() -> Iterator[list[str]]:
    """A row for all that climb the same ladder, at each moment, as the policy says when it is asked."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name, about in _cases().items():
        cells = tuple(", ".join(_rungs(about, count)) for count in _COUNTS)
        is_fixed = _rungs(about, 0) == _rungs(about, 0, RunSettings(ladder=(RecoveryStrategy.RETRY,)))
        rows.setdefault(cells, []).append(f"{name} *" if is_fixed else name)
    for cells, names in rows.items():
        yield [", ".join(names), *cells]


def _cases() -> dict[str, Failure]:
    """What may go wrong, and a failure of that sort. One of work that cannot be undone has been carried out once."""
    found = {code(kind): Failure(kind, kind, "it failed", _START, "s1", "s1") for kind in FailureType}
    kind = FailureType.EXECUTION_ERROR
    found["a judge that broke"] = Failure("judge", kind, "", _START, "s1", "s1", is_judge_outage=True)
    found["an outcome nobody knows"] = Failure("unknown", kind, "", _START, "s1", "s1", is_outcome_unknown=True)
    found["work that cannot be undone"] = Failure(_IRREVERSIBLE, kind, "", _START, "s1", "s1")
    return found


def _rungs(about: Failure, retry_count: int, settings: RunSettings | None = None) -> tuple[RecoveryStrategy, ...]:
    """What the policy would try, in order, whatever stands open."""
    given, still = settings or RunSettings(), _Still()
    is_irreversible = about.failure_id == _IRREVERSIBLE
    step = Step(PlanStep(id="s1", title="a step", action=Action(), irreversible=is_irreversible), retry_count)
    if is_irreversible or about.is_outcome_unknown:
        outcome = AttemptOutcome.UNKNOWN if about.is_outcome_unknown else AttemptOutcome.FAILED
        step.attempts.append(Attempt("run/s1/1", 1, step.meant, None, None, _START, outcome))
    state = LoopState("run", Plan("an objective", [step]), _START, _START)
    lifecycle = Lifecycle(given, still)
    context = LoopContext(run="run", settings=given, clock=still, ids=still, lifecycle=lifecycle, project=".")
    return tuple(Ladder().rungs(about, step, state, context))


class _Still:
    """A clock that stands and ids that are none: a ladder asks for neither."""

    def now(self) -> datetime:
        return _START

    def wait(self, seconds: float) -> None:
        return

    def fresh(self, prefix: str) -> str:
        return prefix


def _limit_rows() -> Iterator[list[str]]:
    about, unset = marks(RunSettings), RunSettings()
    for name in _LIMIT_NAMES:
        yield [code(name), about[name].about, str(getattr(unset, name))]
