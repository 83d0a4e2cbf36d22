"""Whatever people answer, permit and refuse, and however little each process may do: nobody is gone round, nothing is
counted against anybody, and what a run says about why it was left is true."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.errors import LoopxError
from loopx.kernel.plans.permitting import needs_permission
from loopx.loop.allowance import Allowance
from loopx.loop.attempt import Attempt
from loopx.loop.components.people import deadline, known
from loopx.loop.components.protocols import Acted
from loopx.loop.context import Answer
from loopx.loop.engine import LoopEngine
from loopx.loop.keeping.permits import Permit
from loopx.loop.result import LeftOff, RunResult
from loopx.loop.step import Step
from loopx.model.plan import ActorKind, PlanStep, RunSettings
from loopx.model.step import AttemptOutcome, StepEffect, StepStatus
from tests.loop.engine.test_whatever_happens import OPTIONS, hold
from tests.support.loop import Human, Kept, Planner, Scene, step
from tests.support.people import Hands, asked

NAMES = ("s0", "s1", "s2", "s3", "s4")


class Desk(Human):
    """People who are asked by one Gate an attempt."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: dict[str, str] = {}

    def ask(self, question: str, options: tuple[str, ...], facts: Any) -> str:
        attempt = facts.get("attempt")
        if attempt is None:
            return super().ask(question, options, facts)
        return self.gates.setdefault(attempt, f"gate-of-{attempt}")


class Yes:
    """What people permit by now."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.refused: set[str] = set()

    def standing(self, meant: PlanStep) -> Permit:
        name = (meant.lineage or meant.id)[:2]
        return Permit(name in self.given, name in self.refused and name not in self.given, f"not {name}")

    def ask(self, meant: PlanStep) -> tuple[str, ...]:
        return (f"yes-{meant.id}",)


class Watched(Hands):
    """Sees to it that nothing begins without its yes."""

    def __init__(self, permits: Yes) -> None:
        super().__init__()
        self._permits = permits

    async def act(self, view: Any, attempt: str, context: Any) -> Acted:
        assert not needs_permission(view.meant) or self._permits.standing(view.meant).is_given
        return await super().act(view, attempt, context)


class Remembering(Kept):
    """Knows what the person who was asked said."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.scene: Scene | None = None

    def outcome_of(self, step: Step, attempt: Attempt) -> Acted | None:
        gate, scene = self.desk.gates.get(attempt.id), self.scene
        if attempt.meant.action.actor is not ActorKind.HUMAN or scene is None:
            return None
        if gate is None:
            return Acted(AttemptOutcome.RUNNING, awaits="")
        until = deadline(attempt.started_at, scene.settings.human_deadline_hours)
        return known(self.desk.answer(gate), gate, until, scene.clock.now())


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    found = []
    for number, name in enumerate(NAMES[: draw(st.integers(1, 5))]):
        after = draw(st.lists(st.sampled_from(NAMES[:number]), max_size=2, unique=True)) if number else []
        make = draw(st.sampled_from([step, asked, step]))
        effects = draw(st.sampled_from([(), (), (StepEffect.SEND,)]))
        found.append(make(name, *after, effects=effects, cost=draw(st.sampled_from([0.0, 1.0]))))
    desk, permits = Desk(), Yes()
    store = Remembering(desk)
    made = RunSettings(
        parallel=draw(st.integers(1, 3)),
        max_retry_attempts=draw(st.integers(0, 2)),
        max_replans=draw(st.integers(0, 1)),
        human_deadline_hours=draw(st.sampled_from([None, 2])),
        backoff_base=draw(st.sampled_from([0.0, 60.0])),
    )
    said = {name: draw(st.lists(st.booleans(), min_size=1, max_size=3)) for name in NAMES}
    planner = Planner() if draw(st.booleans()) else None
    scene = Scene(
        *found, settings=made, actor=Watched(permits), evaluator=said, human=desk, store=store, planner=planner
    )
    scene.context.permits, store.scene = permits, scene
    return scene


MOVES = st.tuples(st.sampled_from(["answer", "permit", "refuse", "decide", "pass"]), st.integers(0, 9))
PROCESSES = st.lists(
    st.tuples(st.lists(MOVES, max_size=3), st.sampled_from([None, None, 0, 1, 2]), st.sampled_from([None, None, 1.5])),
    min_size=1,
    max_size=6,
)


@settings(max_examples=150)
@given(scenes(), PROCESSES)
def test_whatever_people_do_the_invariants_hold(scene: Scene, processes: list[Any]) -> None:
    verified: dict[str, Any] = {}
    for moves, steps, cost in processes:
        for kind, number in moves:
            move(scene, kind, number)
        if scene.state.execution_state.is_terminal:
            break
        allowance = Allowance(steps=steps, cost=cost)
        before = replace(scene.state.counters)
        scene.engine = LoopEngine(scene.state, scene.context, store=scene.store, allowance=allowance)
        result = scene.run()
        hold(scene, verified)
        told_truly(scene, result, allowance, before)


def move(scene: Scene, kind: str, number: int) -> None:
    desk, permits = scene.human, scene.context.permits
    assert isinstance(desk, Desk) and isinstance(permits, Yes)
    if kind == "answer" and desk.gates:
        gate = list(desk.gates.values())[number % len(desk.gates)]
        option = ("done", "not_done")[number % 2]
        desk.answers.setdefault(gate, Answer(number != 7, option, at=scene.clock.now()))
    elif kind == "permit":
        permits.given.add(NAMES[number % len(NAMES)])
    elif kind == "refuse":
        permits.refused.add(NAMES[number % len(NAMES)])
    elif kind == "decide" and scene.state.question is not None:
        try:
            scene.answer(OPTIONS[number % len(OPTIONS)])
        except LoopxError as error:
            assert error.code in ("answer-impossible", "answer-not-awaited"), error
    elif kind == "pass":
        scene.clock.advance(hours=number / 4)


def told_truly(scene: Scene, result: RunResult, allowance: Allowance, before: Any) -> None:
    state, permits = scene.state, scene.context.permits
    assert permits is not None
    begun = state.counters.steps_executed - before.steps_executed
    assert allowance.steps is None or begun <= allowance.steps
    assert (result.left_off is None) is result.is_finished
    plan = state.plan
    ready = [plan.peek(each) for each in plan.in_status(StepStatus.READY)]
    free = [each for each in ready if not needs_permission(each.meant) or permits.standing(each.meant).is_given]
    waiting = plan.in_status(StepStatus.IN_PROGRESS)
    if result.left_off is LeftOff.PERSON:
        assert free == [] and state.waiting == {}
        assert result.gates, "somebody is asked"
    elif result.left_off is LeftOff.ALLOWANCE:
        spent = state.counters.cost - before.cost
        is_spent = begun == allowance.steps or (allowance.cost is not None and spent >= allowance.cost)
        is_too_dear = allowance.cost is not None and any(each.meant.cost + spent > allowance.cost for each in free)
        assert is_spent or is_too_dear
    for name in waiting:
        found = plan.peek(name)
        assert found.meant.action.actor is ActorKind.HUMAN and not result.is_finished
        assert found.attempts[-1].outcome is AttemptOutcome.RUNNING
        until = deadline(found.attempts[-1].started_at, scene.settings.human_deadline_hours)
        assert until is None or scene.clock.now() < until or result.left_off is not LeftOff.PERSON
    assert timedelta(0) <= scene.clock.now() - state.started_at
