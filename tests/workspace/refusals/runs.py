"""Refusals about what a run records."""

from __future__ import annotations

from loopx.kernel import commands as c
from loopx.loop import acting
from loopx.loop.context import LoopContext
from loopx.loop.keeping.loading import load
from loopx.loop.keeping.store import SavePoint
from loopx.loop.lifecycle import Lifecycle
from loopx.model.plan import Action, PlanStep, RunSettings
from loopx.model.step import ExecutionState, Role, StepEffect, StepStatus
from tests.support.lab import BOT
from tests.workspace.refusals.scene import Called, Provocation, Scene, provokes


@provokes("step-unpermitted")
def _(scene: Scene) -> Provocation:
    lab, settings = scene.lab, RunSettings()
    mail = PlanStep(id="mail", title="Send it", action=Action(argv=("true",)), effects=(StepEffect.SEND,))
    run = str(scene.do(c.NewPlan(todo=scene.todo(), objective="Say it", steps=(mail,), settings=settings))["id"])
    scene.do(c.OpenRun(run=run), BOT)
    state, store = load(lab.ws, run, BOT)
    lifecycle = Lifecycle(settings, lab.clock)
    context = LoopContext(
        run=run, settings=settings, clock=lab.clock, ids=lab.ws.ids, lifecycle=lifecycle, project=str(lab.project.root)
    )
    lifecycle.turn(state, ExecutionState.ITERATION_COMPLETE)
    lifecycle.move(state, state.plan.step("mail"), StepStatus.READY, Role.SYSTEM)
    lifecycle.turn(state, ExecutionState.ACTING)
    acting.begin(state, state.plan.step("mail"), context)
    return Called(lambda: store.save(state, SavePoint.STARTING))
