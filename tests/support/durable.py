"""A run kept in a real workspace, carried on by one process after the other, with scripted components."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopx.kernel.commands import DecideGate, NewPlan, OpenRun
from loopx.kernel.plans import chain
from loopx.loop.components.protocols import ComponentType
from loopx.loop.context import LoopContext
from loopx.loop.engine import LoopEngine
from loopx.loop.keeping.durable import WorkspaceRunStore
from loopx.loop.keeping.loading import load
from loopx.loop.keeping.permits import GatePermits
from loopx.loop.keeping.questions import GateChannel, answers
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.result import RunResult
from loopx.loop.state import LoopState
from loopx.model.actor import Actor as Who
from loopx.model.actor import Channel
from loopx.model.plan import Action, PlanDocument, PlanStep, RunSettings
from loopx.model.run import RunRecord, StepRecord
from loopx.workspace import Workspace
from tests.support.lab import ANN, BOT, Lab
from tests.support.loop import Actor, Judge


@dataclass
class Durable:
    """A Todo, its plan, and a run of it that was begun."""

    lab: Lab
    todo: str
    run: str
    actor: Any = field(default_factory=Actor)
    evaluator: Judge = field(default_factory=Judge)
    verifier: Judge = field(default_factory=Judge)
    others: dict[ComponentType, Any] = field(default_factory=dict)
    who: Who = BOT
    lease_key: str | None = None
    state: LoopState | None = None
    store: WorkspaceRunStore | None = None

    @classmethod
    def make(
        cls, lab: Lab, *steps: PlanStep, settings: RunSettings | None = None, title: str = "Ship it", **parts: Any
    ) -> Durable:
        """Lay the plan out and begin it."""
        if lab.look().state.goal("beta") is None:
            lab.goal()
        todo = lab.todo(title)
        plan = NewPlan(todo=todo, objective="Reach it", steps=steps, settings=settings or RunSettings())
        run = str(lab.submit(plan).receipt.result["id"])
        lab.submit(OpenRun(run=run), BOT)
        return cls(lab, todo, run, **parts)

    def load(self, workspace: Workspace | None = None) -> tuple[LoopState, WorkspaceRunStore]:
        """The run as another process reads it."""
        self.state, self.store = load(workspace or self.lab.ws, self.run, self.who, self.lease_key)
        return self.state, self.store

    def engine(self, workspace: Workspace | None = None) -> LoopEngine:
        """An engine of another process."""
        state, store = self.load(workspace)
        ws, settings = store.workspace, store.plan.settings
        context = LoopContext(
            run=self.run,
            settings=settings,
            clock=ws.clock,
            ids=ws.ids,
            lifecycle=Lifecycle(settings, ws.clock),
            project=str(ws.places.project),
            components={
                ComponentType.ACTOR: self.actor,
                ComponentType.EVALUATOR: self.evaluator,
                ComponentType.VERIFIER: self.verifier,
                **self.others,
            },
            human=GateChannel(store),
            permits=GatePermits(store),
            environ=os.environ,
            attempts=ws.places.attempts,
            is_durable=False,
            todo=self.todo,
            goal="beta",
        )
        return LoopEngine(state, context, store=store, answers=answers(store, state))

    def carry_on(self, workspace: Workspace | None = None) -> RunResult:
        """Carry the run on in a process of its own, and see that its records hold together."""
        result = asyncio.run(self.engine(workspace).run())
        self.check()
        return result

    def decide(self, option: str | None, verb: str = "approve") -> None:
        """A person answers the run's question."""
        gate = self.record().gate
        assert gate is not None
        answer = DecideGate(
            gate=gate, verb=verb, reason="so it is", option=option, channel=Channel.TERMINAL, confirmed=True
        )
        self.lab.submit(answer, ANN)

    # what is on record ---------------------------------------------------------------------------

    def record(self) -> RunRecord:
        found: RunRecord | None = self.lab.look().state.run(self.run)
        assert found is not None
        return found

    def plan(self) -> PlanDocument:
        found: PlanDocument | None = self.lab.look().state.plan(self.run)
        assert found is not None
        return found

    def records(self) -> dict[str, StepRecord]:
        return {each.step: each for each in self.lab.look().state.steps_of(self.run)}

    def statuses(self) -> dict[str, str]:
        return {name: each.status.value for name, each in self.records().items()}

    @property
    def folder(self) -> Path:
        return self.lab.root / "goals" / "beta" / "plans" / self.todo / self.run

    @property
    def plan_path(self) -> str:
        return (self.folder / "plan.yaml").relative_to(self.lab.root).as_posix()

    def check(self) -> None:
        """The chain holds over all segments, and every record says what the trace says."""
        from loopx.loop.keeping.retelling import verify

        state, record = self.lab.look().state, self.record()
        entries = [each for segment in state.trace_of(self.run) for each in segment.entries]
        assert chain.first_break(entries) is None
        assert (len(entries), entries[-1].hash if entries else "") == (record.trace_count, record.trace_hash)
        told = chain.statuses(entries)
        assert told.get("run", "initialized") == record.status.value
        for name, each in self.records().items():
            assert told.get(f"step {name}", "pending") == each.status.value
        assert verify(state, self.run) == []


def command(identity: str, script: str, *after: str, seconds: int = 30) -> PlanStep:
    """A step that runs ``script`` in a shell."""
    action = Action(argv=("sh", "-c", script), timeout_seconds=seconds)
    return PlanStep(id=identity, title=f"Do {identity}", action=action, depends_on=after)


def kept(state: LoopState) -> Mapping[str, Any]:
    """Everything about a run that its next process must know, for comparing two readings of it."""
    steps = [*state.plan.steps, *state.plan.archived.values()]
    return {
        "steps": {
            each.id: (
                each.meant if each.id in state.plan else None,
                each.status,
                each.retry_count,
                each.output,
                each.evaluation_passed,
                each.verification_passed,
                [(one.id, one.outcome, one.exit_status, one.definition) for one in each.attempts],
                each.metadata,
            )
            for each in steps
        },
        "order": state.plan.ids,
        "archived": list(state.plan.archived),
        "state": state.execution_state,
        "failures": [
            (each.failure_id, each.status, each.recovery_attempts, [one.strategy for one in each.actions])
            for each in state.failures.values()
        ],
        "counters": (state.counters.iterations, state.counters.steps_executed, state.counters.recoveries),
        "trace": (state.trace.count, state.trace.head),
        "replans": state.replans_of,
        "gate": state.gate,
    }
