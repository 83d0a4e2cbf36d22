"""The lifecycles of plans for the page of transitions: steps with the roles that move them, runs, and failures.

All of it from the tables in ``kernel.plans``, which the loop moves by and the kernel judges records by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docs.generate.markdown import code, fenced, table
from loopx.kernel.plans import failures, runs, steps
from loopx.model.step import ExecutionState, FailureStatus, Role, StepStatus

_STEP = """\
The life of a step of a plan. The loop makes the moves, each in a role; by command a step is only put aside
(`loopx step skip`) or given up (`loopx step cancel`), in the role the table has for that. The kernel holds every record
of a run against it. A move that stands here for no role is [`transition-illegal`](errors.md#transition-illegal), one
that stands here for another role [`transition-not-permitted`](errors.md#transition-not-permitted); either changes
nothing, and where the loop tried it, it is a line of the trace."""

_MATRIX = """\
The same by role: where each may take a step from each status. What is not here is refused; a status without a row is
left by nobody."""

_MORE = "These ask for more than the role:"
_UNMET = "- planner, made ready: only with nothing to wait for that is not complete"

_RUN = """\
The life of a run. Any other turn is [`run-transition-illegal`](errors.md#run-transition-illegal). Completion, budgets,
failures and people are looked at in `iteration_complete` alone; a phase that is switched off is passed over."""

_FAILURE = """\
The life of a failure of a run. What is recovered or terminal is never taken up again; a new failure has a new id."""

NEW = "(new)"
"""How the tables call a step that is being made."""


def sections() -> tuple[str, ...]:
    """The three sections of the page."""
    return _steps(), _runs(), _failures()


def _steps() -> str:
    matrix = table(["from", *(code(each) for each in Role)], matrix_rows())
    parts = ("## step", _STEP, fenced("mermaid", step_diagram()), _MATRIX, matrix, _MORE)
    return "\n\n".join((*parts, "\n".join((_UNMET, *conditions()))))


def step_diagram() -> Iterator[str]:
    """The lines of a Mermaid state diagram: an arrow a move, with the roles that make it."""
    yield "stateDiagram-v2"
    for after, roles in steps.CREATION.items():
        yield f"  [*] --> {after}: {_names(roles)}"
    for (before, after), roles in steps.TRANSITIONS.items():
        yield f"  {before} --> {after}: {_names(roles)}"
    yield from (f"  {each} --> [*]" for each in StepStatus if each.is_terminal)


def matrix_rows() -> Iterator[list[str]]:
    """A row a status: where each role may take a step from there."""
    yield [NEW, *(_cell(after for after, roles in steps.CREATION.items() if each in roles) for each in Role)]
    for before in StepStatus:
        ways = list(steps.ways_out(before))
        if ways:
            yield [str(before), *(_cell(after for after, roles in ways if each in roles) for each in Role)]


def conditions() -> Iterator[str]:
    """A line for each move that needs more than its role."""
    for (before, after), roles in steps.TRANSITIONS.items():
        for role in _ordered(roles):
            condition = steps.condition(before, after, role)
            if condition is not steps.Condition.NONE:
                yield f"- {role}, from {before} to {after}: only with {condition}"


def _names(roles: Iterable[Role]) -> str:
    return ", ".join(_ordered(roles))


def _ordered(roles: Iterable[Role]) -> list[Role]:
    found = set(roles)
    return [each for each in Role if each in found]


def _cell(statuses: Iterable[StepStatus]) -> str:
    return ", ".join(statuses) or "·"


def _runs() -> str:
    rows = ([str(each), _turns(each) or "it has ended"] for each in ExecutionState)
    return "\n\n".join(("## run", _RUN, fenced("mermaid", run_diagram()), table(["from", "to"], rows)))


def _turns(before: ExecutionState) -> str:
    return ", ".join(each for each in ExecutionState if runs.may_turn(before, each))


def run_diagram() -> Iterator[str]:
    """The lines of a Mermaid state diagram of a run."""
    yield from ("stateDiagram-v2", f"  [*] --> {ExecutionState.INITIALIZED}")
    yield from (
        f"  {one} --> {other}" for one in ExecutionState for other in ExecutionState if runs.may_turn(one, other)
    )
    yield from (f"  {each} --> [*]" for each in ExecutionState if each.is_terminal)


def _failures() -> str:
    return "\n\n".join(("## failure", _FAILURE, fenced("mermaid", failure_diagram())))


def failure_diagram() -> Iterator[str]:
    """The lines of a Mermaid state diagram of a failure."""
    yield from ("stateDiagram-v2", f"  [*] --> {FailureStatus.UNHANDLED}")
    pairs = ((one, other) for one in FailureStatus for other in FailureStatus)
    yield from (f"  {one} --> {other}" for one, other in pairs if failures.may_follow(one, other))
    yield from (f"  {each} --> [*]" for each in FailureStatus if not each.is_open)
