"""A run in memory with scripted components: what each does the first time, the second time, and from then on."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loopx.errors import LoopxError
from loopx.loop import trace
from loopx.loop.answering import answer
from loopx.loop.attempt import Attempt
from loopx.loop.components.protocols import Acted, ComponentType, Probed, Revised, Verdict
from loopx.loop.context import Answer, LoopContext
from loopx.loop.engine import LoopEngine
from loopx.loop.failure import FailureView
from loopx.loop.keeping.store import SavePoint
from loopx.loop.lifecycle import Lifecycle
from loopx.loop.plan import Plan
from loopx.loop.recovery.registry import RecoveryRegistry
from loopx.loop.result import RunResult
from loopx.loop.state import LoopState
from loopx.loop.step import Step, StepView
from loopx.model.plan import Action, ActorKind, PlanStep, RunSettings
from loopx.model.step import AttemptOutcome, FailureStatus, Resumption, Role, SkipPolicy, StepStatus
from tests.support.clock import FakeClock
from tests.support.ids import FixedIds

DONE = Acted(AttemptOutcome.SUCCEEDED, "done", 0)
BROKEN = Acted(AttemptOutcome.FAILED, "broken", 1)
GONE = Acted(AttemptOutcome.UNKNOWN, message="nobody saw its end")
YES, NO = Verdict(True), Verdict(False, "not good enough")

S = StepStatus


def step(identity: str, *after: str, recover: Resumption = Resumption.ASK, **fields: Any) -> PlanStep:
    """A step that waits for ``after``."""
    action = Action(actor=ActorKind.PYTHON, callable="work", recover=recover)
    return PlanStep(**{"id": identity, "title": f"Do {identity}", "action": action, "depends_on": after, **fields})


class Script:
    """What is done for each step, in order; the last of it is done for ever. Without a line the default is done.

    A line is a value to come back with, an exception to raise, or a callable that gets what the component got.
    """

    def __init__(self, default: Any, lines: Mapping[str, Any] | None = None) -> None:
        self.default = default
        self.lines = {name: list(line) if isinstance(line, list) else [line] for name, line in (lines or {}).items()}
        self.asked: list[str] = []
        self._times: dict[str, int] = defaultdict(int)

    async def next(self, identity: str, *given: Any) -> Any:
        self.asked.append(identity)
        line = self.lines.get(identity, [self.default])
        found = line[min(self._times[identity], len(line) - 1)]
        self._times[identity] += 1
        if isinstance(found, BaseException):
            raise found
        if callable(found):
            found = found(*given)
            if isinstance(found, Coroutine):
                found = await found
        return found

    def times(self, identity: str) -> int:
        """How often it was asked about a step."""
        return self.asked.count(identity)


class Actor(Script):
    """Carries steps out as scripted."""

    def __init__(self, lines: Mapping[str, Any] | None = None) -> None:
        super().__init__(DONE, lines)
        self.keys: list[str] = []
        self.views: list[StepView] = []

    async def act(self, view: StepView, attempt: str, context: LoopContext) -> Acted:
        self.keys.append(attempt)
        self.views.append(view)
        found: Acted = await self.next(view.id, view, attempt)
        return found


class Judge(Script):
    """Evaluates or verifies as scripted: ``True``, ``False``, a verdict, or an exception."""

    def __init__(self, lines: Mapping[str, Any] | None = None) -> None:
        super().__init__(True, lines)
        self.seen: list[Acted] = []

    async def evaluate(self, view: StepView, acted: Acted, context: LoopContext) -> Verdict:
        self.seen.append(acted)
        return self._verdict(await self.next(view.id, view))

    async def verify(self, view: StepView, context: LoopContext) -> Verdict:
        return self._verdict(await self.next(view.id, view))

    def _verdict(self, found: Any) -> Verdict:
        if isinstance(found, bool):
            return YES if found else NO
        return found  # type: ignore[no-any-return]


class Prober(Script):
    """Reads back as scripted: ``True``, ``False``, a :class:`Probed`, or an exception."""

    def __init__(self, lines: Mapping[str, Any] | None = None) -> None:
        super().__init__(True, lines)

    async def probe(self, view: StepView, attempt: str, context: LoopContext) -> Probed:
        found = await self.next(view.id, view)
        return Probed(found) if isinstance(found, bool) else found


@dataclass
class Planner:
    """Plans with the callables it was given."""

    create: Callable[[str], Sequence[PlanStep]] = lambda objective: ()
    step: Callable[[StepView, FailureView], PlanStep] = lambda view, failure: replace(
        view.meant, title=f"{view.meant.title} better"
    )
    rest: Callable[[Sequence[StepView], FailureView | None], Sequence[PlanStep]] = lambda views, failure: [
        replace(each.meant, title=f"{each.meant.title} anew") for each in views
    ]
    objective: str | None = None
    calls: list[str] = field(default_factory=list)

    async def create_plan(self, objective: str, context: LoopContext) -> Revised:
        self.calls.append("create_plan")
        return Revised(tuple(self.create(objective)), self.objective)

    async def revise_step(self, view: StepView, failure: FailureView, context: LoopContext) -> PlanStep:
        self.calls.append("revise_step")
        return self.step(view, failure)

    async def revise_plan(
        self, views: Sequence[StepView], failure: FailureView | None, context: LoopContext
    ) -> Revised:
        self.calls.append("revise_plan")
        return Revised(tuple(self.rest(views, failure)), self.objective)


class Files:
    """The project's files as one text, with snapshots of it. ``spoil`` makes a restore put back something else."""

    def __init__(self, text: str = "start") -> None:
        self.text = text
        self.kept: dict[str, str] = {}
        self.restored: list[str] = []
        self.spoil = False
        self.refuse: LoopxError | None = None

    def take(self, label: str) -> str:
        if self.refuse is not None:
            raise self.refuse
        name = f"snapshot-{len(self.kept) + 1}"
        self.kept[name] = self.text
        return name

    def found(self) -> None:
        """Nobody else works here."""

    def restore(self, snapshot: str) -> str:
        self.restored.append(snapshot)
        self.text = "spoiled" if self.spoil else self.kept[snapshot]
        return self.text

    def tree(self, snapshot: str) -> str:
        return self.kept[snapshot]


class Human:
    """A channel to a person who has been asked. ``answers`` are by Gate."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...], dict[str, Any]]] = []
        self.answers: dict[str, Answer] = {}
        self.withdrawn: list[str] = []

    def ask(self, question: str, options: tuple[str, ...], facts: Mapping[str, Any]) -> str:
        self.asked.append((question, options, dict(facts)))
        return f"gate-{len(self.asked)}"

    def answer(self, gate: str) -> Answer | None:
        return self.answers.get(gate)

    def withdraw(self, gate: str) -> None:
        self.withdrawn.append(gate)


class Kept:
    """A store that remembers each save: its point and where every step stood. ``outcomes`` are known on resume."""

    def __init__(self, outcomes: Mapping[str, Acted] | None = None) -> None:
        self.saves: list[tuple[SavePoint, dict[str, StepStatus]]] = []
        self.outcomes = dict(outcomes or {})
        self.fail_at: SavePoint | None = None
        self.fail_with = "run-moved"

    def save(self, state: LoopState, point: SavePoint) -> None:
        if point is self.fail_at:
            raise LoopxError(self.fail_with, "somebody else wrote it")
        self.saves.append((point, {each: state.plan.status(each) for each in state.plan.ids}))
        state.changed.clear()
        state.plan_changed = False

    def outcome_of(self, step: Step, attempt: Attempt) -> Acted | None:
        return self.outcomes.get(step.id)

    @property
    def points(self) -> list[SavePoint]:
        return [point for point, _ in self.saves]


class Scene:
    """One run and everything around it. Phases whose component is ``None`` are to be switched off in ``settings``."""

    def __init__(
        self,
        *steps: PlanStep,
        settings: RunSettings | None = None,
        actor: Any = None,
        evaluator: Any = None,
        verifier: Any = None,
        planner: Any = None,
        human: Human | None = None,
        files: Files | None = None,
        others: Mapping[ComponentType, Any] | None = None,
        tools: Sequence[str] = (),
        models: Sequence[str] = (),
        policy: Any = None,
        registry: RecoveryRegistry | None = None,
        store: Any = None,
        answers: Any = None,
    ) -> None:
        self.clock, self.ids = FakeClock(), FixedIds()
        self.settings = settings or RunSettings()
        self.actor = Actor(actor) if actor is None or isinstance(actor, dict) else actor
        self.evaluator = Judge(evaluator) if evaluator is None or isinstance(evaluator, dict) else evaluator
        self.verifier = Judge(verifier) if verifier is None or isinstance(verifier, dict) else verifier
        self.human, self.files, self.store = human, files, store or Kept()
        components = {
            ComponentType.ACTOR: self.actor,
            ComponentType.EVALUATOR: self.evaluator,
            ComponentType.VERIFIER: self.verifier,
            **({ComponentType.PLANNER: planner} if planner is not None else {}),
            **(others or {}),
        }
        plan = Plan("reach it", [Step(each, tool=each.tool, model=each.model) for each in steps])
        self.state = LoopState("run-1", plan, self.clock.now(), self.clock.now())
        self.context = LoopContext(
            run="run-1",
            settings=self.settings,
            clock=self.clock,
            ids=self.ids,
            lifecycle=Lifecycle(self.settings, self.clock),
            project=".",
            components=components,
            tools={each: (each,) for each in tools},
            models=tuple(models),
            artifacts=files,
            human=human,
        )
        self._parts = {"policy": policy, "registry": registry, "store": self.store, "answers": answers}
        self.engine = LoopEngine(self.state, self.context, **self._parts)

    def run(self) -> RunResult:
        """Carry the run on, and see that what is always so is so."""
        result = asyncio.run(self.engine.run())
        self.check()
        return result

    def again(self) -> RunResult:
        """Carry it on with another engine, as another process would."""
        self.engine = LoopEngine(self.state, self.context, **self._parts)
        return self.run()

    def answer(self, option: str, by: str = "ada") -> None:
        asyncio.run(answer(self.state, option, by, self.context))

    def step(self, identity: str) -> Step:
        return self.state.plan.step(identity)

    def statuses(self) -> dict[str, str]:
        return {each: self.state.plan.status(each).value for each in self.state.plan.ids}

    def moves(self, entity: str) -> list[tuple[str | None, str, str]]:
        """What the trace tells of one entity: from, to and role of each move that was made."""
        lines = [each for each in self.state.trace.entries if each.entity == entity and each.refused is None]
        return [(each.before, each.after, each.role) for each in lines]

    def walk(self, identity: str) -> list[str]:
        """The statuses a step went through after its first."""
        return [after for _, after, _ in self.moves(f"step {identity}")]

    def run_states(self) -> list[str]:
        return [after for _, after, _ in self.moves("run")]

    def failure(self, number: int = 0) -> Any:
        return list(self.state.failures.values())[number]

    def chosen(self) -> list[str]:
        """Every strategy that was chosen, failure by failure."""
        return [action.strategy.value for each in self.state.failures.values() for action in each.actions]

    def check(self) -> None:
        """What holds of every run at every rest."""
        state, entries = self.state, self.state.trace.entries
        assert trace.first_break(entries) is None
        told = trace.statuses(entries)
        for each in (*state.plan.steps, *state.plan.archived.values()):
            assert told.get(f"step {each.id}", "pending") == each.status.value, each.id
            assert all(later.number == number for number, later in enumerate(each.attempts, 1))
        assert told.get("run", "initialized") == state.execution_state.value
        for failure in state.failures.values():
            assert told[f"failure {failure.failure_id}"] == failure.status.value
            assert failure.recovery_attempts <= self.settings.max_attempts_per_failure
        assert 0.0 <= state.plan.get_progress() <= 1.0
        assert state.counters.recoveries <= self.settings.max_recoveries


def stuck(**parts: Any) -> Scene:
    """``b`` waits for ``a``, which is skipped and does not count."""
    scene = Scene(step("a", skip=SkipPolicy.EXCLUDE), step("b", "a"), **parts)
    scene.context.lifecycle.move(scene.state, scene.step("a"), S.SKIPPED, Role.PLANNER)
    return scene


def at(scene: Scene, identity: str, status: StepStatus) -> Step:
    """A step of the scene, put into ``status`` by legal moves alone."""
    found, move = scene.step(identity), scene.context.lifecycle.move
    for to, role in _WAYS[status]:
        move(scene.state, found, to, role)
        if to is S.IN_PROGRESS:
            found.attempts.append(Attempt(f"run-1/{identity}/1", 1, found.meant, None, None, scene.clock.now()))
        if to is S.EXECUTED:
            found.attempts[-1].outcome, found.output = AttemptOutcome.SUCCEEDED, "done"
    return found


_READY = ((S.READY, Role.SYSTEM),)
_STARTED = (*_READY, (S.IN_PROGRESS, Role.ACTOR))
_EXECUTED = (*_STARTED, (S.EXECUTED, Role.ACTOR))
_EVALUATED = (*_EXECUTED, (S.EVALUATED, Role.EVALUATOR))
_REJECTED = (*_EXECUTED, (S.EVALUATION_FAILED, Role.EVALUATOR))
_PUT_OFF = (*_REJECTED, (S.RETRY_PENDING, Role.RECOVERY))
_WAYS: Mapping[StepStatus, tuple[tuple[StepStatus, Role], ...]] = {
    S.PENDING: (),
    S.READY: _READY,
    S.IN_PROGRESS: _STARTED,
    S.EXECUTED: _EXECUTED,
    S.EVALUATION_FAILED: _REJECTED,
    S.EVALUATED: _EVALUATED,
    S.VERIFICATION_FAILED: (*_EVALUATED, (S.VERIFICATION_FAILED, Role.VERIFIER)),
    S.VERIFIED_COMPLETED: (*_EVALUATED, (S.VERIFIED_COMPLETED, Role.VERIFIER)),
    S.RECOVERY_PENDING: (*_REJECTED, (S.RECOVERY_PENDING, Role.RECOVERY)),
    S.RETRY_PENDING: _PUT_OFF,
    S.BLOCKED: ((S.BLOCKED, Role.SYSTEM),),
    S.SKIPPED: ((S.SKIPPED, Role.RECOVERY),),
    S.FAILED: (*_REJECTED, (S.FAILED, Role.RECOVERY)),
    S.CANCELLED: ((S.CANCELLED, Role.SYSTEM),),
}

OPEN = frozenset(each for each in FailureStatus if each.is_open)
