"""Reading a run back from its records, so that any process can go on with it where the last one stopped.

Everything is told by the plan, the run's record, the records of its steps and the Gate a person is asked by. What was
typed into the plan since is taken over; an execution that ran on another definition keeps its digest, so that it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loopx.loop.failure import Failures
from loopx.loop.keeping.durable import WorkspaceRunStore
from loopx.loop.keeping.records import counters_of, failure_of, gone, is_waiting, step_of
from loopx.loop.keeping.takeover import retire
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.plan import Plan
from loopx.loop.recovery.limits import replans_by_lineage
from loopx.loop.state import LoopState
from loopx.loop.trace import Trace
from loopx.model.step import FailureStatus
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.model.actor import Actor
    from loopx.model.run import FailureRecord, StepRecord
    from loopx.workspace import Workspace


def load(
    workspace: Workspace, run: str, actor: Actor, lease_key: str | None = None
) -> tuple[LoopState, WorkspaceRunStore]:
    """The run as it stands, and the store that goes on recording it. Raises ``run-unknown``."""
    store = WorkspaceRunStore(workspace, run, actor, lease_key)
    view = workspace.read(take_in=False)
    records = {each.step: each for each in view.state.steps_of(run)}
    failures = _failures(store, records)
    store.know(failures)
    record, now = store.record, workspace.clock.now()
    state = LoopState(
        run=run,
        plan=_plan(store, records),
        started_at=record.started_at,
        resumed_at=now,
        execution_state=record.status,
        failures=Failures(map(failure_of, failures)),
        counters=counters_of(record),
        trace=Trace(record.trace_count, record.trace_hash),
        verification_status=record.verification_status,
        gate=record.gate,
        baseline=record.baseline,
        last_snapshot=record.last_snapshot,
        error=record.error,
        abstention=record.abstention,
    )
    state.replans_of = replans_by_lineage(state.failures.values())
    state.waiting = {each.id: each.not_before for each in state.plan.steps if is_waiting(each) and each.not_before}
    state.question = _question(view.state, state)
    _retire_removed(state, records, store)
    return state, store


def _plan(store: WorkspaceRunStore, records: Mapping[str, StepRecord]) -> Plan:
    document = store.plan
    plan = Plan(document.objective, (step_of(each, records.get(each.id)) for each in document.steps), document.version)
    plan.scope = document.scope
    there = {each.id for each in document.steps}
    archived = [each for each in store.record.archived if each not in there and each in records]
    plan.archived = {each: step_of(gone(records[each]), records[each]) for each in archived}
    plan.rebuild(list(plan.steps))  # who waits for what is archived is only told with it in place
    return plan


def _retire_removed(state: LoopState, records: Mapping[str, StepRecord], store: WorkspaceRunStore) -> None:
    """Steps that were on record and are in the plan no more: a person took them out."""
    lifecycle = Lifecycle(store.plan.settings, store.workspace.clock)
    removed = [each for each in records if each not in state.plan and each not in state.plan.archived]
    for name in removed:
        step = step_of(gone(records[name]), records[name])
        state.plan.archived = {**state.plan.archived, name: step}
        retire(state, step, lifecycle)


def _failures(store: WorkspaceRunStore, records: Mapping[str, StepRecord]) -> list[FailureRecord]:
    found = [*store.record.failures, *(failure for each in records.values() for failure in each.failures)]
    return sorted(found, key=lambda each: each.number)


def _question(view: State, state: LoopState) -> dict[str, Any] | None:
    """What a person is asked, told from the failure that waits for them and the Gate."""
    gate = view.gate(state.gate) if state.gate is not None else None
    failure = next((each for each in state.open_failures() if each.status is FailureStatus.ESCALATED), None)
    if gate is None or failure is None:
        return None
    return {
        "failure": failure.failure_id,
        "question": gate.question,
        "options": list(gate.options),
        "message": failure.message,
        "type": failure.type.value,
        "step": failure.step_id,
        "recoveries": [each.strategy.value for each in failure.actions if each.executed],
        "outcome_unknown": failure.is_outcome_unknown,
        "evidence": failure.evidence,
        "deadline": format_instant(gate.deadline) if gate.deadline is not None else None,
    }
