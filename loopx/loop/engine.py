"""The loop: from boundary to boundary until the run has ended, waits for a person, or is told to stop for now.

One iteration begins the steps that may begin, takes the first that comes back, has it judged, and looks around. What
a boundary leads to is :mod:`loopx.loop.boundary`'s to say, what becomes of a failure :mod:`loopx.loop.recovering`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop import acting, answering, beginning, configuring, failing, judging, leaving, resuming
from loopx.loop.allowance import Spending
from loopx.loop.awaiting import LOOK_SECONDS, Awaiting
from loopx.loop.boundary import Course, course, seconds_left, to_recover
from loopx.loop.choosing import Choosing
from loopx.loop.components.keepers import Keepers
from loopx.loop.components.protocols import Acted, ComponentType
from loopx.loop.ending import conclude, result_of
from loopx.loop.keeping import ends
from loopx.loop.keeping.store import MemoryRunStore, RunStore, SavePoint
from loopx.loop.recovering import decide, recover
from loopx.loop.result import LeftOff
from loopx.loop.scheduling import next_due, promote
from loopx.loop.step import OBSERVATION, Step, StepView
from loopx.loop.underway import Underway
from loopx.loop.waiting import passing
from loopx.model.step import AttemptOutcome, ExecutionState, FailureStatus, RecoveryStrategy, Resumption

if TYPE_CHECKING:
    from loopx.loop.allowance import Allowance
    from loopx.loop.components.protocols import RecoveryPolicy
    from loopx.loop.context import LoopContext
    from loopx.loop.recovery.registry import RecoveryRegistry
    from loopx.loop.result import RunResult
    from loopx.loop.state import LoopState

_WANT_QUIET = frozenset({RecoveryStrategy.ROLLBACK, RecoveryStrategy.ABSTAIN, RecoveryStrategy.TERMINATE})
"""Recoveries that begin when nothing runs: files go back, or the run ends."""

Answers = Callable[[], tuple[str, str] | None]
"""Looks whether the person who is asked has answered: the option and who chose it, or ``None``."""


class LoopEngine:
    """Runs one plan. Raises :class:`LoopxError` before the first iteration where a component or handler is missing."""

    def __init__(
        self,
        state: LoopState,
        context: LoopContext,
        *,
        policy: RecoveryPolicy | None = None,
        registry: RecoveryRegistry | None = None,
        store: RunStore | None = None,
        answers: Answers | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self.state = state
        self.context = context
        self.settings = context.settings
        self.store = store or MemoryRunStore()
        self.policy, self.registry = configuring.recovery_parts(policy, registry, context)
        context.registry = self.registry
        self._answers = answers
        self._underway = Underway(context)
        self._awaiting = Awaiting(state, context)
        self._spending = Spending(allowance)
        self._choosing = Choosing(state, context, self._spending)
        self._left_off: LeftOff | None = None
        self._task: asyncio.Task[object] | None = None
        self._stopped = asyncio.Event()
        self._is_interrupted = False
        self._is_unsaved = False

    def stop(self) -> None:
        """Begin nothing more; steps that run come to their end and are recorded."""
        self._stopped.set()

    def interrupt(self) -> None:
        """Stop at once: steps that run are cut short and recorded as such, judgements are left for later."""
        self._stopped.set()
        self._is_interrupted = True
        self._underway.interrupt()
        if self._task is not None and not self._underway.is_awaited:
            self._task.cancel()

    async def run(self) -> RunResult:
        """Carry the plan on until it has ended, cannot go on now, or has used up the allowance of this process. May be
        called again, and after a crash.

        Raises what the store raises. Before ``run-moved`` steps that run come to their end, and what is not on record
        is kept on this machine: whoever reads the run anew finds it."""
        configuring.check(self.context, self.registry, self.policy, self.state)
        state, clock = self.state, self.context.clock
        state.resumed_at, self._task = clock.now(), asyncio.current_task()
        self._left_off = None
        self._choosing.begin()
        self.context.keepers = keepers = Keepers()
        try:
            await self._carry_on()
        except LoopxError as error:
            if error.code == "run-moved":
                await ends.let_end(self.state, self.context, self._underway)
            raise
        except asyncio.CancelledError:
            await self._leave_off()
            if not self._is_interrupted or self._task is None:
                raise
            self._task.uncancel()
        finally:
            await self._underway.abandon()
            self.context.keepers = None
            await keepers.close()
            self._task, self._stopped, self._is_interrupted = None, asyncio.Event(), False
            now = clock.now()
            state.counters.active_seconds, state.resumed_at = state.active_seconds(now), now
        if state.execution_state.is_terminal:
            self.store.save(state, SavePoint.FINISHED)
        else:
            self._save_what_ended()
        return result_of(state, self.settings, self._left_off, self._gates())

    async def _carry_on(self) -> None:
        await beginning.begin(self.state, self.context, self.store)
        if not self.state.execution_state.is_terminal:
            await self._take_up()
        while not self.state.execution_state.is_terminal and await self._iterate():
            pass
        if self.state.execution_state.is_terminal:
            await leaving.cancel(self.state, self.context, self._underway, "the run ended")
            self._awaiting.cancel()

    async def _iterate(self) -> bool:
        """One boundary and what follows from it; false when the run is left for later."""
        state = self.state
        if self._stopped.is_set():
            return await self._take_first() if self._underway else self._leave(LeftOff.STOPPED)
        promote(state, self.context.lifecycle)
        if (state.question is not None or self._awaiting) and await self._look_for_answers():
            return True
        found = self._course()
        match found:
            case Course.ACT:
                await self._act()
            case Course.RECOVER:
                await self._recover()
            case Course.LINGER:
                await self._take_first()
            case Course.WAIT:
                await self._wait()
            case Course.LEAVE:
                self._save(SavePoint.WAITING)
                return self._leave(LeftOff.ALLOWANCE)
            case Course.ASK:
                return await self._ask()
            case Course.DEADLOCK:
                self._at_boundary()
                failing.deadlocked(state, self.context)
            case Course.STOP_BY_POLICY | Course.FAIL | Course.COMPLETE | Course.EXHAUSTED:
                await leaving.cancel(state, self.context, self._underway, "the run ended")
                conclude(state, self.context, found, self._choosing.objection)
        return True

    def _course(self) -> Course:
        choosing, running = self._choosing, len(self._underway)
        return course(
            self.state,
            self.settings,
            self.context.clock,
            running,
            choosing.objection,
            may_begin=choosing.may_begin,
            is_too_dear=not running and choosing.is_too_dear,
            is_person_awaited=bool(self._awaiting) or choosing.is_unpermitted,
        )

    def _leave(self, why: LeftOff) -> bool:
        """The run is left for later. Work that came to its end just now is finished all the same."""
        found = self._course()
        if found is Course.COMPLETE and not self._is_interrupted:
            conclude(self.state, self.context, found, None)
        self._left_off = why
        return False

    # acting --------------------------------------------------------------------------------------

    async def _act(self) -> None:
        chosen = self._choosing.chosen([self.state.plan.step(each) for each in self._underway.ids])
        if not chosen:
            if self._underway and self._choosing.objection is None and to_recover(self.state) is None:
                await self._take_first()
            return
        state = self.state
        self._at_boundary()
        state.counters.iterations += 1
        self.context.lifecycle.turn(state, ExecutionState.ACTING)
        leaving.note_others(state, self.context)
        attempts = [acting.begin(state, each, self.context) for each in chosen]
        self._save(SavePoint.STARTING)
        if self.settings.parallel <= 1 and self._task is not None:
            acted = await self._underway.carry_out(chosen[0], attempts[0], self._task)
            await self._came_back(state.plan.step(chosen[0].id), acted)
            return
        for step, attempt in zip(chosen, attempts, strict=True):
            self._underway.start(step, attempt)
        self._at_boundary()

    async def _take_first(self) -> bool:
        """Wait for a step that runs, or for the moment of another one there is room for, and take what came back."""
        self._save_what_ended()
        for identity, acted in await self._underway.first(self._next_moment()):
            await self._take(identity, acted)
        return True

    def _next_moment(self) -> asyncio.Future[None] | None:
        has_room = len(self._underway) < self.settings.parallel and not self._stopped.is_set()
        due = next_due(self.state) if has_room and self._choosing.may_begin else None
        return None if due is None else passing(self.context, leaving.seconds_until(due, self.context))

    async def _take(self, identity: str, acted: Acted) -> None:
        self._at_boundary()
        self.context.lifecycle.turn(self.state, ExecutionState.ACTING, identity)
        await self._came_back(self.state.plan.step(identity), acted)

    async def _came_back(self, step: Step, acted: Acted) -> None:
        """What an execution came to: judged where it has an end, and said to be lost where it has none."""
        state, context = self.state, self.context
        if acted.awaits:
            self._awaiting.add(step.id, acted.awaits)
            self._at_boundary()
            return
        was_left = step.attempts[-1].ended_at is not None
        if acted.outcome in acting.NO_ENDS and not self._is_interrupted:
            acted = await acting.read_back(step, acted, context)
        if acting.end(state, step, acted, context):
            leaving.keep_files(step, context)
            if self.settings.enable_observation:
                await self._observe(step, acted)
            await self._judge(step, acted)
        else:
            if acted.outcome is not AttemptOutcome.NOT_STARTED and not was_left:
                leaving.keep_files(step, context)
            if not self._is_interrupted:
                failing.lost(state, step, acted, context)
        self._is_unsaved = True
        self._at_boundary()

    async def _judge(self, step: Step, acted: Acted) -> None:
        """Have work judged, unless its definition was edited since it began: what it came to is kept, and recovery
        decides."""
        if resuming.is_redefined(step):
            failing.redefined(self.state, step, self.context)
        else:
            await judging.judge(self.state, step, acted, self.context)

    async def _observe(self, step: Step, acted: Acted) -> None:
        self.context.lifecycle.turn(self.state, ExecutionState.OBSERVING, step.id)
        observer = self.context.components[ComponentType.OBSERVER]
        try:
            step.metadata[OBSERVATION] = dict(await observer.observe(StepView.of(step), acted, self.context))
        except Exception as error:  # noqa: BLE001  (the step boundary: an observer that breaks saw nothing)
            step.metadata[OBSERVATION] = {"error": f"{type(error).__name__}: {error}"}

    # around --------------------------------------------------------------------------------------

    async def _take_up(self) -> None:
        """Executions and judgements that were cut short, by a crash or on purpose, come first."""
        state = self.state
        for identity in resuming.left_running(state, [*self._underway.ids, *self._awaiting.ids]):
            step = state.plan.step(identity)
            acted = resuming.recalled(step, self.store)
            if acted.awaits == "":
                acted = await acting.act(step, step.attempts[-1], self.context)
            if acted.awaits:
                self._awaiting.add(identity, acted.awaits)
            else:
                await self._take(identity, acted)
        for identity in resuming.left_unjudged(state):
            self._at_boundary()
            self.context.lifecycle.turn(state, ExecutionState.ACTING, f"{identity} is judged")
            step = state.plan.step(identity)
            await self._judge(step, acting.remembered(step))
            self._is_unsaved = True
            self._at_boundary()

    async def _recover(self) -> None:
        failure = to_recover(self.state)
        assert failure is not None
        if failing.is_moot(self.state, failure):
            failing.settle_moot(self.state, failure, self.context)
            return
        action = decide(self.state, failure, self.context, self.policy) if self.settings.enable_recovery else None
        strategy = None if action is None else action.strategy
        if strategy is RecoveryStrategy.REQUEST_HUMAN and self.state.question is not None:
            self.state.put_off.add(failure.failure_id)
        elif self._underway and (strategy is None or strategy in _WANT_QUIET):
            await self._quieten(strategy)
        elif action is None:
            failing.unrecovered(self.state, failure, self.context)
        else:
            if self.state.execution_state is not ExecutionState.RECOVERING:
                self._at_boundary()
            await recover(self.state, failure, action, self.context, self.registry, self.store)
            self._settle_escalated()

    def _settle_escalated(self) -> None:
        """A question is withdrawn when the recovery of another failure leaves nothing of what it asks about."""
        for each in self.state.open_failures():
            if each.status is FailureStatus.ESCALATED and failing.is_moot(self.state, each):
                failing.settle_moot(self.state, each, self.context)

    async def _quieten(self, strategy: RecoveryStrategy | None) -> None:
        """Take what runs before files go back or the run ends. What may be repeated need not be waited for when its
        work would be undone; cutting anything else short would leave its outcome unknown."""
        if strategy is RecoveryStrategy.ROLLBACK:
            actions = {each: self.state.plan.step(each).meant.action for each in self._underway.ids}
            self._underway.interrupt([each for each, does in actions.items() if does.recover is Resumption.REPEAT])
        await self._take_first()

    async def _leave_off(self) -> None:
        """Cut short what runs and put on record that its end is not known."""
        self._is_interrupted, was_interrupted = True, self._is_interrupted
        await leaving.cut_short(self.state, self.context, self._underway, self._awaiting.ids)
        self._left_off = LeftOff.STOPPED
        self._save(SavePoint.ENDED)
        self._is_interrupted = was_interrupted

    async def _wait(self) -> None:
        """Wait for a retry that is due later, unless a limit or somebody's patience ends first."""
        self._at_boundary()
        due = next_due(self.state)
        assert due is not None
        self._save(SavePoint.WAITING)
        await self._pause(leaving.seconds_until(due, self.context))

    async def _pause(self, seconds: float) -> None:
        clock = self.context.clock
        limits = seconds_left(self.state, self.settings, clock), self._spending.left(self.state, clock.now()).seconds
        await leaving.pause(self.context, self._stopped, (seconds, *limits))

    async def _ask(self) -> bool:
        """Nothing runs before a person answered: the run is left where its record says so. One that is kept nowhere
        looks again after a while instead, where a step waits for them."""
        if answering.is_overdue(self.state, self.context):
            await answering.expire(self.state, self.context)
            return True
        if self._choosing.ask():
            return True
        if self._awaiting and isinstance(self.store, MemoryRunStore):
            await self._pause(LOOK_SECONDS)
            return True
        if self.state.execution_state is not ExecutionState.WAITING_FOR_HUMAN:
            self._at_boundary()
            self.context.lifecycle.turn(self.state, ExecutionState.WAITING_FOR_HUMAN)
        self._save(SavePoint.WAITING)
        self._left_off = LeftOff.PERSON
        return False

    async def _look_for_answers(self) -> bool:
        """Take what people have answered; false while nobody has."""
        ended = self._awaiting.ended()
        for identity, acted in ended:
            await self._take(identity, acted)
        found = self._answers() if self._answers is not None and self.state.question is not None else None
        if found is None:
            return bool(ended)
        await answering.answer_or_ask_again(self.state, *found, self.context)
        await self._take_up()
        return True

    def _gates(self) -> list[str]:
        """By which Gates people are asked now."""
        asked = [] if self.state.question is None or self.state.gate is None else [self.state.gate]
        return [*asked, *self._awaiting.gates, *self._choosing.gates]

    def _at_boundary(self) -> None:
        leaving.at_boundary(self.state, self.context)

    def _save(self, point: SavePoint) -> None:
        self.store.save(self.state, point)
        self._is_unsaved = False

    def _save_what_ended(self) -> None:
        """Put on record what ended since the last save, where the next start does not do so at once."""
        if self._is_unsaved:
            self._save(SavePoint.ENDED)


__all__ = ["LoopEngine"]
