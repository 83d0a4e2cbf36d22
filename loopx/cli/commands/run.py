"""``loopx run`` and ``loopx recover``: carrying plans out, and settling what an interrupted run left."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.keys import execution_key
from loopx.cli.options import settles
from loopx.cli.request import Request
from loopx.cli.texts.runs import carried_facts, carried_lines, dry_facts, dry_lines
from loopx.cli.writing import render_pages
from loopx.errors import LoopxError, Problem

if TYPE_CHECKING:
    from types import FrameType

    from loopx.kernel.decision.record import Decision
    from loopx.loop.work.running import Carried, Order, Runner
    from loopx.model.plan import PlanDocument
    from loopx.model.todo import Todo

_MOST = 100
"""Todos one request carries out before it says so and ends."""


def _number(kind: type, minimum: float) -> click.ParamType[Any]:
    return click.IntRange(min=int(minimum)) if kind is int else click.FloatRange(min=minimum)


@click.command(
    "run",
    cls=Verb,
    epilog="  loopx run t-4k9x2m7q\n  loopx run beta --once\n  loopx run t-4k9x2m7q --dry-run\n"
    "  loopx run t-4k9x2m7q --parallel 4 --max-seconds 3600",
)
@click.argument("target", metavar="[GOAL|TODO|RUN]", required=False)
@click.option("--parallel", type=_number(int, 1), metavar="N", help="Steps at once (default: what the plan says).")
@click.option("--max-steps", type=_number(int, 0), metavar="N", help="Leave the run after this many executions.")
@click.option("--max-seconds", type=_number(float, 0), metavar="S", help="Leave it after this long.")
@click.option("--max-cost", type=_number(float, 0), metavar="C", help="Leave it after this much was spent.")
@click.option("--once", is_flag=True, help="One Todo only; a Goal is otherwise gone on with as long as it delivers.")
@click.option("--dry-run", is_flag=True, help="Say what would be carried out, and change nothing.")
@click.option("--planner", metavar="TOOL", help="The tool that plans and replans (default: the one called planner).")
@click.option("--successor", "successors", metavar="TITLE|T", multiple=True, help="If it is done: what carries on.")
@click.option("--no-follow-up", metavar="REASON", help="If it is done: nothing follows, and why.")
@click.option("--meets", metavar="A", multiple=True, help="If it is done: a criterion that is met then (repeatable).")
@click.option("--vision-unchanged-reason", metavar="TEXT", help="The Vision from before it holds, and why.")
@click.option("--lease", metavar="KEY", help="A lease you hold (default: $LOOPX_LEASE_KEY, else one is taken).")
@settles
def run(request: Request, target: str | None, once: bool, dry_run: bool, **given: Any) -> Answer:
    """Carry out a Todo's plan: to its end, to a question, or to your Ctrl-C."""
    from loopx.loop.work.running import Runner

    runner = Runner(request.door, request.who, _order(request, given))
    if dry_run:
        return _dry(request, runner, target)
    carried: list[Carried] = []
    with _shown(request, runner):
        decision = _carry_on(request, runner, target, once, carried)
    return _answer(request, carried, decision, runner.is_stopped)


@click.command(
    "recover",
    cls=Verb,
    epilog="  loopx recover\n  loopx recover run-4k9x2m7q",
)
@click.argument("target", metavar="[RUN|TODO]", required=False)
@click.option("--lease", metavar="KEY", help="A lease you hold (default: $LOOPX_LEASE_KEY, else one is taken).")
@settles
def recover(request: Request, target: str | None, lease: str | None) -> Answer:
    """Settle what interrupted runs left: find how their steps ended, judge them, decide recoveries. Begins nothing."""
    from loopx.loop.work.finding import left, plan_of, target_of
    from loopx.loop.work.running import Runner

    runner = Runner(request.door, request.who, _order(request, {"lease": lease, "max_steps": 0}))
    state = request.view().state
    if target is None:
        found = left(state)
    else:
        named = target_of(state, target)
        if named.todo is None:
            raise LoopxError("run-unknown", f"{target} is a Goal, and a run is wanted.", facts={"goal": named.goal})
        todo, plan = named.todo, named.plan
        found = [each for each in left(state) if each[0].id == todo.id and (plan is None or each[1].run == plan.run)]
        found = found or [(todo, plan or plan_of(state, todo))]
    carried: list[Carried] = []
    problems: list[Problem] = []
    with _shown(request, runner):
        for todo, plan in found:
            try:
                carried.append(runner.carry_out(todo, plan))
            except LoopxError as error:
                if target is not None:
                    raise
                problems.append(error.problem)
    return _recovered(request, carried, problems)


def _order(request: Request, given: dict[str, Any]) -> Order:
    from loopx.loop.allowance import Allowance
    from loopx.loop.work.running import Order
    from loopx.loop.work.settling import Following
    from loopx.loop.work.surroundings import Parts

    limits = {name: given.get(f"max_{name}") for name in ("steps", "seconds", "cost")}
    return Order(
        parts=Parts(environ=request.around.environ, planner=given.get("planner"), parallel=given.get("parallel")),
        allowance=Allowance(**limits) if any(each is not None for each in limits.values()) else None,
        following=Following(
            successors=given.get("successors", ()),
            no_follow_up=given.get("no_follow_up"),
            meets=given.get("meets", ()),
            vision_unchanged=given.get("vision_unchanged_reason"),
        ),
        lease_key=execution_key(request, given.get("lease")),
    )


def _carry_on(
    request: Request, runner: Runner, target: str | None, once: bool, carried: list[Carried]
) -> Decision | Problem | None:
    """Carry out what the decision lets be carried out; what ended that: a decision that calls for something else, or
    what kept the next Todo from being carried out."""
    for _ in range(_MOST):
        try:
            named, decision, todo = runner.decide(target or _anywhere(request))
            if todo is None and named.todo is not None:
                raise _not_now(named.todo, decision)
            if todo is None or any(each.todo.id == todo.id for each in carried):
                return decision
            carried.append(runner.carry_out(todo, named.plan))
        except LoopxError as error:
            if not carried:
                raise
            return error.problem  # what was carried out before is told all the same
        if once or named.todo is not None or runner.is_stopped or not carried[-1].result.is_finished:
            return None
    return None


def _not_now(todo: Todo, decision: Decision) -> LoopxError:
    """Why a Todo that was named is not carried out. Nobody who asked for it may take that for done."""
    message = f"{todo.id} is not carried out now: {decision.message}"
    facts = {"todo": todo.id, "goal": todo.goal, "mode": decision.mode.value, "reason": decision.reason}
    return LoopxError("todo-not-runnable", message, hint=f"See `loopx next --goal {todo.goal}`.", facts=facts)


def _anywhere(request: Request) -> str:
    """The Goal to work on where none was named."""
    from loopx.cli.request import found
    from loopx.kernel.decision.choosing import next_anywhere

    view = request.view()
    return found(next_anywhere(view.state, request.who, view.at, view.revision)).goal


def _answer(request: Request, carried: list[Carried], then: Decision | Problem | None, is_stopped: bool) -> Answer:
    from loopx.cli.texts.decisions import decision_lines
    from loopx.kernel.decision.plain import decision_facts

    warnings = render_pages(request) if request.render else ()
    decision, kept = (None, then) if isinstance(then, Problem) else (then, None)
    facts = {
        "runs": [carried_facts(each) for each in carried],
        "decision": decision_facts(decision, limit=2000) if decision is not None else None,
    }

    def lines(screen: Any) -> Iterator[str]:
        for each in carried:
            yield from carried_lines(each, screen)
        if decision is not None and not carried:
            yield from decision_lines(decision, screen)
        elif decision is not None:
            yield f"then: {decision.mode.value}: {decision.message}"
        if kept is not None:
            yield f"then: [{kept.code}] {kept.message}{f' {kept.hint}' if kept.hint else ''}"

    revision = request.door.read(take_in=False).revision
    return Answer(facts, lines, revision, warnings, _problem(carried, is_stopped) or kept)


def _problem(carried: list[Carried], is_stopped: bool) -> Problem | None:
    """What of it is not good: it was interrupted, its Todo could not be completed, or a run ended otherwise."""
    if is_stopped:
        return Problem("interrupted", "The run was interrupted; what ran is on record.")
    for each in carried:
        if each.settled.problem is not None:
            return each.settled.problem
        state = each.result.execution_state
        if state.is_terminal and state.value != "completed":
            message = f"{each.plan.run} is {state}: {each.result.error or each.result.abstention or 'see its steps'}"
            return Problem("run-not-completed", message.rstrip(".") + ".", facts={"run": each.plan.run})
    return None


def _recovered(request: Request, carried: list[Carried], problems: list[Problem]) -> Answer:
    warnings = render_pages(request) if request.render else ()

    def lines(screen: Any) -> Iterator[str]:
        if not carried and not problems:
            yield "No run was left: nothing to recover."
        for each in carried:
            yield from carried_lines(each, screen)

    facts = {"runs": [carried_facts(each) for each in carried]}
    revision = request.door.read(take_in=False).revision
    return Answer(facts, lines, revision, (*problems, *warnings), problems[0] if problems and not carried else None)


def _dry(request: Request, runner: Runner, target: str | None) -> Answer:
    from loopx.kernel.plans.ordering import waves
    from loopx.loop.work.drafting import planner_for
    from loopx.loop.work.finding import plan_of

    named, decision, todo = runner.decide(target or _anywhere(request))
    view = request.view()
    plan: PlanDocument | None = None
    planner: str | None = None
    order: list[list[str]] = []
    if todo is not None:
        planner = planner_for(view.state, todo, runner.order.parts)
        plan = named.plan or (plan_of(view.state, todo) if planner is None else None)
    if plan is not None:
        done = {each.step for each in view.state.steps_of(plan.run) if each.status.is_terminal}
        order = [[one for one in each if one not in done] for each in waves(plan.steps)]
    facts = dry_facts(view, decision, todo, plan, [each for each in order if each])
    facts["planner"] = planner
    facts["refused"] = _refused(request, todo, decision) if todo is not None else None
    return Answer(facts, lambda screen: dry_lines(facts, plan, screen), view.revision, view.warnings)


def _refused(request: Request, todo: Todo, decision: Decision) -> str | None:
    """Why the Todo would not be begun after all, as its turn would be told."""
    from loopx.kernel.verdicts import verdict
    from loopx.loop.work.finding import is_answered

    view = request.view()
    if is_answered(view.state, todo):
        return None
    found = verdict(view.state, todo, request.who, view.at)
    return None if found.is_runnable else (found.reasons[0].message if found.reasons else decision.message)


@contextmanager
def _shown(request: Request, runner: Runner) -> Iterator[None]:
    """Show what goes on, and let the person stop it: the first signal ends it in order, the second at once."""
    with ExitStack() as stack:
        note: Callable[[str], None] = _silent
        if not request.as_json:
            from loopx.cli.live import watching

            shown = stack.enter_context(watching(request.around.environ, request.door.clock))
            runner.listener, note = shown, shown.note
        stack.enter_context(_stopped_by_signals(runner, note))
        yield


@contextmanager
def _stopped_by_signals(runner: Runner, note: Callable[[str], None]) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        if runner.is_stopped:
            runner.interrupt()
        else:
            runner.stop()
            note("Stopping once the steps that run have ended; again to end them now.")

    before: list[tuple[signal.Signals, Any]] = []
    try:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before.append((each, signal.signal(each, stop)))
    except ValueError:  # not the main thread: whoever called stops it some other way
        pass
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _silent(_text: str) -> None:
    """Nobody is told."""


__all__ = ["recover", "run"]
