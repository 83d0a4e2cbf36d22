"""Carrying a Todo's plan out in a workspace: decision, Lease, turn, engine, writeback, in this order.

The command line calls :class:`Runner`, and so may any Python caller. What may begin is the kernel's to say; how steps
are carried out the engine's; what becomes of the Todo :mod:`loopx.loop.work.settling`'s. Here they are put one after
the other, so that a process that dies anywhere in between leaves something the next one can go on with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from loopx.errors import LoopxError, Place
from loopx.kernel.claims import holder_name
from loopx.kernel.commands import OpenRun, OpenTurn, ResumeTodo, VoidTurn
from loopx.kernel.turns.past import open_turn
from loopx.kernel.wording import cut
from loopx.loop.allowance import Allowance, Spending
from loopx.loop.engine import LoopEngine
from loopx.loop.keeping.asked import awaited_gates
from loopx.loop.keeping.loading import load
from loopx.loop.keeping.orphans import gone
from loopx.loop.keeping.questions import answers
from loopx.loop.result import LeftOff
from loopx.loop.work.drafting import drafted
from loopx.loop.work.finding import Target, asked_by, chosen, decided, plan_of, refuse_ended, target_of, unsettled
from loopx.loop.work.settling import Following, Settled, Settling
from loopx.loop.work.surroundings import Parts, context_of, fitting
from loopx.loop.work.tenure import Tenure
from loopx.model import layout
from loopx.model.gate import GateStatus
from loopx.model.kind import Kind
from loopx.workspace.crashpoints import reach
from loopx.workspace.results import EditState

if TYPE_CHECKING:
    from loopx.kernel.decision.record import Decision
    from loopx.kernel.state import State
    from loopx.loop.attempt import Attempt
    from loopx.loop.components.protocols import Acted
    from loopx.loop.keeping.durable import WorkspaceRunStore
    from loopx.loop.keeping.store import SavePoint
    from loopx.loop.result import RunResult
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.loop.trace import Line
    from loopx.model.actor import Actor
    from loopx.model.gate import Gate
    from loopx.model.plan import PlanDocument
    from loopx.model.todo import Todo
    from loopx.workspace import Workspace
    from loopx.workspace.results import PendingEdit

_TAKEN_UP = 20
"""How often one request reads a run anew because somebody edited or recorded it meanwhile."""

_RESTS, _REST_SECONDS = 3, 1.0
"""How long a plan that was saved a moment ago is waited for: a file rests before it is taken in."""


class Listener(Protocol):
    """Told what happens while it happens, in the process that carries the run on. It must not raise."""

    def began(self, plan: PlanDocument, todo: Todo, state: LoopState) -> None:
        """A run is begun, or taken up again."""
        ...

    def saved(self, state: LoopState, lines: Sequence[Line]) -> None:
        """``lines`` of its trace were put on record."""
        ...


class Quiet:
    """A :class:`Listener` that tells nobody."""

    def began(self, plan: PlanDocument, todo: Todo, state: LoopState) -> None:
        pass

    def saved(self, state: LoopState, lines: Sequence[Line]) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a run is to be carried on."""

    parts: Parts = field(default_factory=Parts)
    allowance: Allowance | None = None
    """What this process may do before it leaves the run for later."""
    following: Following = field(default_factory=Following)
    lease_key: str | None = None
    """The execution key of a Lease the caller holds already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """One Todo as far as it was carried: how its run stands, and what became of turn and Todo."""

    plan: PlanDocument
    todo: Todo
    result: RunResult
    settled: Settled
    gates: tuple[Gate, ...] = ()
    """What a person is asked by, where nothing can go on before they have answered."""


class Runner:
    """Carries runs on, one after the other. :meth:`stop` and :meth:`interrupt` may be called from anywhere.

    Raises :class:`LoopxError`: what keeps the Todo from being worked on, ``run-held``, ``plan-missing``, what makes the
    plan impossible to carry out, and whatever fences this process out while it works.
    """

    def __init__(
        self,
        workspace: Workspace,
        actor: Actor,
        order: Order | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.workspace = workspace
        self.actor = actor
        self.order = order or Order()
        self.listener = listener or Quiet()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._engine: LoopEngine | None = None
        self._planning: asyncio.Task[Any] | None = None
        self._is_stopped = self._is_interrupted = False
        self._fenced: LoopxError | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether somebody told it to stop."""
        return self._is_stopped

    def stop(self) -> None:
        """Begin nothing more; steps that run come to their end and are recorded."""
        self._is_stopped = True
        self._tell(lambda engine: engine.stop())

    def interrupt(self) -> None:
        """Stop at once: steps that run are ended with all they started, and their outcome is said to be unknown."""
        self._is_stopped = self._is_interrupted = True
        self._tell(lambda engine: engine.interrupt())
        loop, planning = self._loop, self._planning
        if loop is not None and planning is not None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(planning.cancel)

    def decide(self, typed: str) -> tuple[Target, Decision, Todo | None]:
        """What ``typed`` names, the decision about it, and the Todo it lets be carried out, if it lets any."""
        view = self.workspace.read()
        target = target_of(view.state, typed)
        refuse_ended(view.state, target, holder_name(self.actor))
        decision = decided(view.state, target, self.actor, view.at, view.revision)
        return target, decision, chosen(view.state, target, decision)

    def carry_out(self, todo: Todo, plan: PlanDocument | None = None) -> Carried:
        """Carry the plan of ``todo`` on until it has ended, waits for a person, or is left."""
        found = self._drafted(todo, plan) or self._plan_of(todo, plan)
        if not _has_ended(self.workspace.read(take_in=False).state, found):
            fitting(self.workspace, found, self.order.parts)
        self._wake(todo, found)
        with Tenure(self.workspace, todo.id, self.actor, self.order.lease_key) as tenure:
            reach("lease-held")
            turn = self._turn(todo, tenure)
            reach("turn-opened")
            self._open(found, turn, tenure.key)  # a run that has ended is only settled: its engine does nothing
            reach("run-begun")
            result = asyncio.run(self._carried_on(found, todo, turn, tenure))
            is_waiting = result.left_off is LeftOff.PERSON
            gates = self._asked(found.run) if is_waiting else ()
            reach("engine-ended")
            settling = Settling(
                workspace=self.workspace,
                actor=self.actor,
                turn=turn,
                lease_key=tenure.key,
                environ=self.order.parts.environ,
                following=self.order.following,
                is_waiting=is_waiting,
            )
            settled = settling.settle(found.run)
            reach("turn-settled")
            return Carried(plan=found, todo=todo, result=result, settled=settled, gates=gates)

    # before anything runs ------------------------------------------------------------------------

    def _drafted(self, todo: Todo, plan: PlanDocument | None) -> PlanDocument | None:
        """The plan a planner makes for a Todo that has none; ``None`` where it has one, or nobody plans."""
        if plan is not None or next(iter(self.workspace.read().state.plans_of(todo.id)), None) is not None:
            return None
        return asyncio.run(self._planned(todo))

    async def _planned(self, todo: Todo) -> PlanDocument | None:
        self._loop, self._planning = asyncio.get_running_loop(), asyncio.current_task()
        try:
            return await drafted(self.workspace, todo, self.actor, self.order.parts)
        except asyncio.CancelledError:
            raise LoopxError("interrupted", f"The planner of {todo.id} was interrupted.") from None
        finally:
            self._loop = self._planning = None

    def _plan_of(self, todo: Todo, plan: PlanDocument | None) -> PlanDocument:
        """The plan to carry out, with everything that was typed into its file. Raises ``plan-edit-waits`` where that
        is not accepted: what is carried out is what its author sees."""
        for number in range(_RESTS + 1):
            state = self.workspace.read().state
            named = state.plan(plan.run) if plan is not None else None
            found = named or unsettled(state, todo, holder_name(self.actor)) or plan_of(state, todo)
            edit = None if _has_ended(state, found) else self._edit_of(found)
            if edit is None:
                return found
            if edit.state is not EditState.SETTLING or number == _RESTS:
                raise _edit_waits(found, edit)
            self.workspace.clock.wait(_REST_SECONDS)
        raise AssertionError("the last round returns or raises")

    def _asked(self, run: str) -> tuple[Gate, ...]:
        return awaited_gates(self.workspace.read(take_in=False).state, run, self.workspace.clock.now())

    def _edit_of(self, plan: PlanDocument) -> PendingEdit | None:
        path = layout.run_path(Kind.PLAN, plan.goal, plan.todo, plan.run)
        return next((each for each in self.workspace.edits(take_in=False) if each.path == path), None)

    def _wake(self, todo: Todo, plan: PlanDocument) -> None:
        """End the deferral of a Todo that waits for a question of its own run, once that is answered either way. While
        it is not, ``run-waiting`` is raised: nothing of the run could go on."""
        state = self.workspace.read(take_in=False).state
        now = state.todo(todo.id)
        waits_for = asked_by(state, plan.run, now) if now is not None else None
        if waits_for is None:
            return
        if waits_for.status in (GateStatus.OPEN, GateStatus.DEFERRED):
            message = f"{plan.run} waits for {waits_for.id}: {cut(waits_for.question, 200)}"
            hint = f"See `loopx gate show {waits_for.id}`; a person answers with `loopx gate approve` or `reject`."
            raise LoopxError("run-waiting", message, hint=hint, facts={"run": plan.run, "gate": waits_for.id})
        self.workspace.submit(ResumeTodo(todo=todo.id), actor=self.actor)
        reach("todo-woken")

    def _turn(self, todo: Todo, tenure: Tenure) -> str:
        """The turn to work in: the one that was left open on this Todo under the same Lease, or a new one."""
        state, lease = self.workspace.read(take_in=False).state, tenure.lease()
        left = open_turn(state, todo.goal, holder_name(self.actor))
        if left is not None and left.todo == todo.id:
            if left.lease_epoch in (None, lease.epoch if lease is not None else None):
                return left.id
            gone = VoidTurn(turn=left.id, reason="The lease it was opened under has passed.")
            self.workspace.submit(gone, actor=self.actor)
        command = OpenTurn(goal=todo.goal, todo=todo.id, lease_key=tenure.key)
        return str(self.workspace.submit(command, actor=self.actor).receipt.result["id"])

    def _open(self, plan: PlanDocument, turn: str, key: str) -> None:
        if self.workspace.read(take_in=False).state.run(plan.run) is None:
            self.workspace.submit(OpenRun(run=plan.run, turn=turn, lease_key=key), actor=self.actor)

    # while it runs -------------------------------------------------------------------------------

    async def _carried_on(self, plan: PlanDocument, todo: Todo, turn: str, tenure: Tenure) -> RunResult:
        self._loop = asyncio.get_running_loop()
        renewing = asyncio.create_task(tenure.renewing(self._fence))
        try:
            return await self._taken_up(plan, todo, turn, tenure)
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing
            self._loop = self._engine = None

    async def _taken_up(self, plan: PlanDocument, todo: Todo, turn: str, tenure: Tenure) -> RunResult:
        """Read the run and carry it on; where somebody else moved it meanwhile, read it again and go on from there."""
        spending = Spending(self.order.allowance)
        for number in range(1, _TAKEN_UP + 1):
            state, store = load(self.workspace, plan.run, self.actor, tenure.key)
            store.turn = turn
            told = _Told(store, self.listener)
            context = context_of(self.workspace, store, self.order.parts)
            await gone(self.workspace, state, lambda: self._is_interrupted or self._fenced is not None)
            if self._fenced is not None:
                raise self._fenced
            spending.begin(state)
            left = spending.left(state, self.workspace.clock.now()) if self.order.allowance is not None else None
            self._engine = LoopEngine(
                state,
                context,
                policy=self.order.parts.policy,
                registry=self.order.parts.registry,
                store=told,
                answers=answers(store, state),
                allowance=left,
            )
            self.listener.began(store.plan, todo, state)
            if self._is_stopped:
                self._engine.stop()
            try:
                result = await self._engine.run()
            except LoopxError as error:
                if error.code != "run-moved" or number == _TAKEN_UP:
                    raise self._fenced or error from error
                continue
            if self._fenced is not None:
                raise self._fenced
            return result
        raise AssertionError("the last round raises or returns")

    def _fence(self, error: LoopxError) -> None:
        """The Lease is somebody else's: what runs must not go on."""
        self._fenced = error
        self._tell(lambda engine: engine.interrupt())

    def _tell(self, say: Callable[[LoopEngine], None]) -> None:
        loop, engine = self._loop, self._engine
        if loop is not None and engine is not None:
            with suppress(RuntimeError):  # the loop has closed: there is nothing left to stop
                loop.call_soon_threadsafe(say, engine)


def _has_ended(state: State, plan: PlanDocument) -> bool:
    run = state.run(plan.run)
    return run is not None and run.status.is_terminal


def _edit_waits(plan: PlanDocument, edit: PendingEdit) -> LoopxError:
    first = edit.problems[0] if edit.problems else None
    message = f"{edit.path} holds an edit that is not accepted{f': {first.message}' if first is not None else '.'}"
    place = first.place if first is not None and first.place is not None else Place(edit.path)
    return LoopxError("plan-edit-waits", message, place=place, facts={"run": plan.run, "path": edit.path})


class _Told:
    """A store whose saves somebody is told of."""

    def __init__(self, store: WorkspaceRunStore, listener: Listener) -> None:
        self._store = store
        self._listener = listener

    def save(self, state: LoopState, point: SavePoint) -> None:
        lines = list(state.trace.lines)
        self._store.save(state, point)
        self._listener.saved(state, lines)

    def outcome_of(self, step: Step, attempt: Attempt) -> Acted | None:
        return self._store.outcome_of(step, attempt)


__all__ = ["Carried", "Listener", "Order", "Quiet", "Runner"]
