"""A run kept in the workspace: one commit a save, so that any process can go on with it after any crash.

The engine calls :class:`WorkspaceRunStore`; every save is one command that the kernel judges line by line. What was
typed into the plan meanwhile is taken over after each save. Nothing here moves a step.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.kernel.commands import RecordRun
from loopx.kernel.plans.planning import meaning_of
from loopx.loop.ending import verification_of
from loopx.loop.keeping import orphans
from loopx.loop.keeping.attempts import forget_attempt, forget_run
from loopx.loop.keeping.records import document_of, failure_record, run_record, step_record
from loopx.loop.keeping.store import SavePoint
from loopx.loop.keeping.takeover import take_over
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.trace import Trace
from loopx.model.codec import encode, plain
from loopx.model.step import AttemptOutcome
from loopx.workspace.crashpoints import reach

if TYPE_CHECKING:
    from loopx.kernel.commands.gates import OpenGate
    from loopx.loop.attempt import Attempt
    from loopx.loop.components.protocols import Acted
    from loopx.loop.state import LoopState
    from loopx.loop.step import Step
    from loopx.model.actor import Actor
    from loopx.model.plan import PlanDocument
    from loopx.model.run import FailureRecord, RunRecord, StepRecord
    from loopx.workspace import Workspace

_TRIES = 3
"""How often a save whose answer was lost is asked for again; the same save is never done twice."""


class WorkspaceRunStore:
    """A :class:`loopx.loop.keeping.store.RunStore` over the records of one run.

    Raises ``run-moved`` when somebody else recorded the run or edited what cannot be taken over, ``run-unknown`` where
    it was not begun, and whatever fences the writer. After ``run-moved`` the run is read anew.
    """

    def __init__(self, workspace: Workspace, run: str, actor: Actor, lease_key: str | None = None) -> None:
        self.workspace = workspace
        self.run = run
        self.actor = actor
        self.lease_key = lease_key
        self.question: tuple[str, OpenGate] | None = None
        """What a person is to be asked with the next save, and the id its Gate gets."""
        state = workspace.read().state
        self.plan: PlanDocument = _found(state.plan(run), run)
        """The plan as it was last read or written."""
        self.record: RunRecord = _found(state.run(run), run)
        """The run as it is on record."""
        self.turn: str | None = self.record.turn
        self._writer = workspace.ids.fresh("k")
        self._known: dict[str, FailureRecord] = {}
        self._numbers: dict[str, int] = {}

    def know(self, failures: list[FailureRecord]) -> None:
        """Failures that are on record, oldest first."""
        self._known = {each.failure_id: each for each in failures}
        self._numbers = {each.failure_id: number for number, each in enumerate(failures, 1)}

    def save(self, state: LoopState, point: SavePoint) -> None:
        """Put on record what changed since the last time."""
        reach(f"run-{point}-before")
        self._refuse_outdated(point)
        command = self._command(state, point)
        if command is not None:
            self._submit(state, command)
            if point is SavePoint.FINISHED:
                self._tidy()
        if point is SavePoint.FINISHED:  # whoever was killed between a save and what follows it had no time to
            forget_run(self.workspace.places.attempts, self.run)
        reach(f"run-{point}-after")

    def outcome_of(self, step: Step, attempt: Attempt) -> Acted | None:
        """What this machine, or the person who was asked, knows of an execution whose end is not on record."""
        return orphans.outcome_of(self.workspace, step, attempt, self.plan.settings.human_deadline_hours)

    # one save ------------------------------------------------------------------------------------

    def _command(self, state: LoopState, point: SavePoint) -> RecordRun | None:
        """What is to be recorded; ``None`` when nothing is."""
        if state.execution_state.is_terminal:
            state.verification_status = verification_of(state, self.plan.settings)
        failures = self._changed_failures(state)
        steps = self._steps(state, failures)
        record = run_record(state, self.record, self.workspace.clock.now(), self.turn)
        record = replace(record, failures=self._of_run(failures))
        plan = document_of(state, self.plan) if state.plan_changed else None
        entries = tuple(state.trace.entries)
        asked = self.question[1] if self.question is not None and self.question[0] == state.gate else None
        if not entries and not steps and plan is None and asked is None:
            return None
        return RecordRun(
            run=self.run,
            head=state.trace.head,
            point=point.value,
            steps=steps,
            entries=entries,
            record=record,
            plan=plan,
            replaces=meaning_of(self.plan) if plan is not None else None,
            question=asked,
            lease_key=self.lease_key,
            writer=self._writer,
        )

    def _submit(self, state: LoopState, command: RecordRun) -> None:
        committed = None
        for number in range(1, _TRIES + 1):
            try:
                committed = self.workspace.submit(command, actor=self.actor, op=_operation(command))
                break
            except LoopxError as error:
                if error.code == "operation-reused":
                    raise _moved(self.run) from error
                if error.code != "outcome-unknown" or number == _TRIES:
                    raise
        assert committed is not None
        gate = committed.receipt.result.get("gate")
        self._took(state, replace(command, record=replace(command.record, gate=gate)))

    def _took(self, state: LoopState, command: RecordRun) -> None:
        """The save is on record: what it held is no news any more."""
        self.record = command.record
        state.gate = command.record.gate
        for each in (*command.record.failures, *(one for record in command.steps for one in record.failures)):
            self._known[each.failure_id] = each
        state.changed.clear()
        state.trace = Trace(command.record.trace_count, command.head)
        if command.question is not None:
            self.question = None
        if command.plan is not None:
            self.plan, state.plan_changed = command.plan, False
        self._forget(command)
        self._take_over(state)

    def _tidy(self) -> None:
        """The run has ended: take back what it still asks, and drop snapshots that are old enough, of runs that have
        ended. Failing to changes nothing about the run."""
        from loopx.loop.keeping.questions import take_back
        from loopx.loop.keeping.snapshots import sweep

        workspace = self.workspace
        take_back(self)
        kept = {self.run, *(each.id for each in workspace.read(take_in=False).state.open_runs())}
        with suppress(LoopxError):
            sweep(workspace.store.snapshots, kept, workspace.clock.now())

    def _forget(self, command: RecordRun) -> None:
        """Drop what this machine has on file of executions whose end is on record."""
        for step in command.steps:
            last = step.attempts[-1] if step.attempts else None
            if last is not None and last.outcome is not AttemptOutcome.RUNNING:
                forget_attempt(self.workspace.places.attempts, last.id)

    def _take_over(self, state: LoopState) -> None:
        """Take what was typed into the plan meanwhile. Settings are taken up when the run is read anew."""
        now = self._now()
        is_same = (now.steps, now.objective) == (self.plan.steps, self.plan.objective)
        if is_same or state.execution_state.is_terminal:
            return
        take_over(state, now, Lifecycle(self.plan.settings, self.workspace.clock))
        self.plan = replace(now, settings=self.plan.settings)

    def _refuse_outdated(self, point: SavePoint) -> None:
        """Nothing is begun under settings that somebody has changed."""
        if point is SavePoint.STARTING and self._now().settings != self.plan.settings:
            raise LoopxError("run-moved", f"the settings of {self.run} were edited", facts={"run": self.run})

    def _now(self) -> PlanDocument:
        """The plan as it was last accepted."""
        found: PlanDocument = _found(self.workspace.read(take_in=False).state.plan(self.run), self.run)
        return found

    # failures ------------------------------------------------------------------------------------

    def _changed_failures(self, state: LoopState) -> dict[str, FailureRecord]:
        """Every failure that is not on record as it is, by id."""
        for each in islice(state.failures, len(self._numbers), None):
            self._numbers[each] = len(self._numbers) + 1
        found = {}
        for lineage in self._lineages(state):
            for failure in state.failures.of_lineage(lineage):
                record = failure_record(failure, self._numbers[failure.failure_id])
                if self._known.get(failure.failure_id) != record:
                    found[failure.failure_id] = record
        return found

    def _lineages(self, state: LoopState) -> list[str | None]:
        """The lineages whose failures may have changed; ``None`` stands for those of no step."""
        touched = {state.plan.peek(each).lineage for each in state.changed if _is_there(state, each)}
        return [None, *sorted(touched)]

    def _of_run(self, changed: dict[str, FailureRecord]) -> tuple[FailureRecord, ...]:
        """All failures that belong to no step."""
        every = {**self._known, **changed}.values()
        return tuple(sorted((each for each in every if each.step is None), key=lambda each: each.number))

    def _steps(self, state: LoopState, changed: dict[str, FailureRecord]) -> tuple[StepRecord, ...]:
        """Records of the steps that changed, and of those whose failures did."""
        names = {each for each in state.changed if _is_there(state, each)}
        names |= {each.step for each in changed.values() if each.step is not None and _is_there(state, each.step)}
        every = {**self._known, **changed}
        found = []
        for name in sorted(names):
            step = state.plan.peek(name)
            ids = (each.failure_id for each in state.failures.of_lineage(step.lineage))
            own = (every[each] for each in ids if every[each].step == name)
            found.append(step_record(step, self.record, own))
        return tuple(found)


def _operation(command: RecordRun) -> str:
    """The identity of a save: the run and its newest line, and what is said where no line is new."""
    operation = f"{command.run}.{command.record.trace_count}"
    if command.entries:
        return operation
    said = repr((plain(command.steps), encode(command.record), command.question, command.writer))
    return f"{operation}.{sha256(said.encode()).hexdigest()[:12]}"


def _is_there(state: LoopState, identity: str) -> bool:
    return identity in state.plan or identity in state.plan.archived


def _moved(run: str) -> LoopxError:
    return LoopxError("run-moved", f"somebody else recorded {run} since it was read", facts={"run": run})


def _found(found: Any, run: str) -> Any:
    if found is None:
        raise LoopxError("run-unknown", f"there is no run {run} that was begun", facts={"run": run})
    return found
