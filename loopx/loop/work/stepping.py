"""Moving one step of a run by command: put aside, or given up, by a person or whoever may record the run.

Called for ``loopx step skip`` and ``cancel``. The table says from where and in which role; the kernel who may. Nothing
is carried out here: those who wait for the step are brought to where the table puts them, and the run goes on when
somebody carries it on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from loopx.errors import LoopxError
from loopx.kernel.commands import ResumeTodo, WithdrawGate
from loopx.kernel.plans import steps as table
from loopx.kernel.plans.planning import over
from loopx.loop.context import LoopContext
from loopx.loop.failing import settle_moot
from loopx.loop.keeping.loading import load
from loopx.loop.keeping.questions import gate_of_attempt
from loopx.loop.keeping.store import SavePoint
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.scheduling import promote
from loopx.model.gate import GateStatus
from loopx.model.plan import ActorKind
from loopx.model.step import AttemptOutcome, ExecutionState, Role, SkipPolicy, StepStatus
from loopx.model.todo import TodoStatus

if TYPE_CHECKING:
    from loopx.errors import Problem
    from loopx.loop.keeping.durable import WorkspaceRunStore
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.model.actor import Actor
    from loopx.workspace import Workspace

_BY_RECOVERY = frozenset({StepStatus.EVALUATION_FAILED, StepStatus.VERIFICATION_FAILED, StepStatus.RECOVERY_PENDING})
_WAYS = {
    StepStatus.RETRY_PENDING: "its next execution is decided; cancel it, or take it out of the plan",
    StepStatus.IN_PROGRESS: "it was begun and nobody saw its end, which the next `loopx run` finds out",
    StepStatus.EXECUTED: "it was carried out and is to be judged, which the next `loopx run` does",
    StepStatus.EVALUATED: "it was carried out and is to be verified, which the next `loopx run` does",
}
"""Why a step cannot be put aside from where it is, and what to do."""


class Moved(NamedTuple):
    """What a move did."""

    run: str
    todo: str
    step: str
    before: StepStatus
    after: StepStatus
    settled: tuple[str, ...]
    """Failures nothing is left of."""
    others: dict[str, str]
    """Other steps that stand elsewhere because of it, and where."""
    withdrawn: str | None
    """The Gate that need not be answered any more."""
    is_resumed: bool
    """Whether the Todo waited for that answer, and waits no more."""
    problem: Problem | None
    """What kept the Gate from being withdrawn, or the Todo from being taken up again."""
    is_holding: bool
    """Whether the run cannot complete as it is: the step counts, and is not complete."""
    revision: str | None


def skip(workspace: Workspace, run: str, step: str, reason: str, actor: Actor, lease_key: str | None = None) -> Moved:
    """Put a step aside. Raises ``step-unknown``, ``step-underway``, ``run-over``, ``transition-illegal``, and whatever
    keeps ``actor`` from recording the run."""
    return _moved(workspace, run, step, StepStatus.SKIPPED, reason, actor, lease_key)


def cancel(workspace: Workspace, run: str, step: str, reason: str, actor: Actor, lease_key: str | None = None) -> Moved:
    """Give a step up. Raises as :func:`skip` does."""
    return _moved(workspace, run, step, StepStatus.CANCELLED, reason, actor, lease_key)


def _moved(
    workspace: Workspace, run: str, name: str, to: StepStatus, reason: str, actor: Actor, lease_key: str | None
) -> Moved:
    if workspace.read().state.run(run) is None:
        hint = "Take the step out of the plan: `loopx plan edit --remove-step`."
        raise LoopxError("run-unknown", f"Nobody has begun to carry {run} out.", hint=hint, facts={"run": run})
    state, store = load(workspace, run, actor, lease_key)
    if state.execution_state.is_terminal:
        raise LoopxError.of(over(store.record).problem)
    if name not in state.plan:
        raise LoopxError("step-unknown", f"{run} has no step {name!r}.", facts={"run": run, "step": name})
    step = state.plan.step(name)
    _refuse_underway(workspace, store, step)
    before, standing = step.status, _statuses(state)
    role = _role(state, step, to)
    said = " ".join(f"{to} by {actor}: {reason}".split())
    context = _context(workspace, state, store)
    if before is StepStatus.IN_PROGRESS:
        _end_attempt(state, step, workspace)
    context.lifecycle.move(state, step, to, role, said)
    state.waiting.pop(step.id, None)
    gate = state.gate
    settled = _settle(state, step, context)
    promote(state, context.lifecycle)
    if state.execution_state is ExecutionState.WAITING_FOR_HUMAN and state.question is None:
        context.lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE, said)
    _leave_turn(workspace, store, actor)
    store.save(state, SavePoint.MOVED)
    after = _statuses(state)
    others = {each: after[each] for each in after if each != name and after[each] != standing.get(each)}
    asked = _asked_by_step(workspace, step, before) or (gate if state.gate is None else None)
    withdrawn, is_resumed, problem = _withdrawn(
        workspace, asked, store.record.todo, f"The step {name} was {to}.", actor
    )
    is_holding = to is StepStatus.CANCELLED or step.skip_policy is SkipPolicy.BLOCK
    revision = workspace.read(take_in=False).revision
    ended = (withdrawn, is_resumed, problem, is_holding, revision)
    return Moved(run, store.record.todo, name, before, to, settled, others, *ended)


def _refuse_underway(workspace: Workspace, store: WorkspaceRunStore, step: Step) -> None:
    """The refusal of a step some process of this machine carries out right now."""
    if step.status is not StepStatus.IN_PROGRESS:
        return
    from loopx.loop.keeping.attempts import is_alive, is_kept, read_attempt
    from loopx.loop.work.tenure import is_held

    file = read_attempt(workspace.places.attempts, step.attempts[-1].id)
    if is_held(workspace, store.record.todo) or (file is not None and (is_alive(file) or is_kept(file))):
        message = f"{step.id} is being carried out right now."
        raise LoopxError("step-underway", message, facts={"run": store.run, "step": step.id})


def _role(state: LoopState, step: Step, to: StepStatus) -> Role:
    """In which role the step is moved there. Raises ``transition-illegal`` where nobody may."""
    roles = table.TRANSITIONS.get((step.status, to), frozenset())
    if to is StepStatus.CANCELLED and Role.SYSTEM in roles:
        return Role.SYSTEM
    if to is StepStatus.SKIPPED and roles:
        return Role.RECOVERY if step.status in _BY_RECOVERY else Role.PLANNER
    raise _refusal(state, step, to)


def _refusal(state: LoopState, step: Step, to: StepStatus) -> LoopxError:
    why = f"it is {step.status}, and stays so" if step.status.is_terminal else _WAYS.get(step.status, "")
    if step.status is StepStatus.IN_PROGRESS and step.meant.action.actor is ActorKind.HUMAN:
        why = "a person is asked to do it; answer the Gate, or cancel the step"
    message = f"{step.id} is {step.status} and cannot become {to}."
    facts = {"run": state.run, "step": step.id, "from": step.status.value, "to": to.value}
    return LoopxError("transition-illegal", message, hint=f"{why[:1].upper()}{why[1:]}.", facts=facts)


def _context(workspace: Workspace, state: LoopState, store: WorkspaceRunStore) -> LoopContext:
    settings = store.plan.settings
    return LoopContext(
        run=state.run,
        settings=settings,
        clock=workspace.clock,
        ids=workspace.ids,
        lifecycle=Lifecycle(settings, workspace.clock),
        project=str(workspace.places.project),
    )


def _end_attempt(state: LoopState, step: Step, workspace: Workspace) -> None:
    """Write down what this machine knows of an execution that is given up: how it ended, or that nobody saw it."""
    from loopx.loop.keeping.attempts import read_attempt

    attempt = step.attempts[-1]
    file = read_attempt(workspace.places.attempts, attempt.id)
    attempt.ended_at = workspace.clock.now()
    attempt.outcome = AttemptOutcome.UNKNOWN
    if file is not None and file.exit_status is not None:
        attempt.exit_status, attempt.output_digest = file.exit_status, file.output_digest
        attempt.outcome = AttemptOutcome.FAILED if file.exit_status else AttemptOutcome.SUCCEEDED
    elif file is not None and file.not_started is not None:
        attempt.outcome = AttemptOutcome.NOT_STARTED
    state.changed.add(step.id)


def _settle(state: LoopState, step: Step, context: LoopContext) -> tuple[str, ...]:
    """Nothing is left of what went wrong with the step; a question asked about it is withdrawn."""
    found = [each for each in state.open_failures() if each.lineage == step.lineage]
    for each in found:
        settle_moot(state, each, context)
    return tuple(each.failure_id for each in found)


def _leave_turn(workspace: Workspace, store: WorkspaceRunStore, actor: Actor) -> None:
    """The run works in no turn of somebody else's, nor in one that has ended, while this is recorded."""
    from loopx.kernel.claims import holder_name

    turn = workspace.read(take_in=False).state.turn(store.turn) if store.turn is not None else None
    if turn is None or turn.status != "open" or turn.agent != holder_name(actor):
        store.turn = None


def _withdrawn(
    workspace: Workspace, gate: str | None, todo: str, reason: str, actor: Actor
) -> tuple[str | None, bool, Problem | None]:
    """Take back the question about the step, and take up the Todo that waited for the answer. What cannot be done is
    left to a person, and said."""
    state = workspace.read(take_in=False).state
    found = state.gate(gate) if gate is not None else None
    if found is None or found.status not in (GateStatus.OPEN, GateStatus.DEFERRED):
        return None, False, None
    waiting = state.todo(todo)
    waits = waiting is not None and waiting.status is TodoStatus.DEFERRED and found.id in (waiting.resume_when or "")
    withdrawn = None
    try:
        workspace.submit(WithdrawGate(gate=found.id, reason=reason), actor=actor)
        withdrawn = found.id
        if waits:
            workspace.submit(ResumeTodo(todo=todo), actor=actor)
    except LoopxError as error:
        return withdrawn, False, error.problem
    return withdrawn, waits, None


def _asked_by_step(workspace: Workspace, step: Step, before: StepStatus) -> str | None:
    """The Gate by which a person was asked to do the step."""
    if before is not StepStatus.IN_PROGRESS or step.meant.action.actor is not ActorKind.HUMAN:
        return None
    return gate_of_attempt(workspace.read(take_in=False).state, step.attempts[-1].id)


def _statuses(state: LoopState) -> dict[str, str]:
    return {each: state.plan.status(each).value for each in state.plan.ids}
