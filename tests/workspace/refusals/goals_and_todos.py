"""Refusals about Goals, criteria and Todos, asked for by command."""

from __future__ import annotations

from dataclasses import replace

from loopx.errors import LoopxError
from loopx.kernel import commands as c
from loopx.kernel.decision.choosing import next_anywhere
from loopx.kernel.refusal import Refused
from loopx.model.actor import Actor, Origin
from loopx.model.goal import GoalStatus
from loopx.model.records import EvidenceResult
from tests.support.lab import BOT
from tests.workspace.refusals.scene import REX, TRUE, Asked, Called, Provocation, Scene, provokes


@provokes("actor-not-permitted")
def _(scene: Scene) -> Provocation:
    return Asked(c.SetGoalStatus(goal=scene.name, verb="pause", to=GoalStatus.PAUSED), BOT)


@provokes("operator-required")
def _(scene: Scene) -> Provocation:
    scene.do(c.EditWorkspace(fields={"operators": ["Ann"]}))
    return Asked(c.SetGoalStatus(goal=scene.name, verb="pause", to=GoalStatus.PAUSED), Actor.parse("human:Ben"))


@provokes("field-by-command")
def _(scene: Scene) -> Provocation:
    return Asked(c.EditTodo(todo=scene.todo(), fields={"status": "done"}))


@provokes("field-name-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.EditTodo(todo=scene.todo(), fields={"titel": "x"}))


@provokes("id-ambiguous")
def _(scene: Scene) -> Provocation:
    scene.todo("One"), scene.todo("Two")
    return Asked(c.ClaimTodo(todo="t-"))


@provokes("agent-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.SetVision(goal=scene.name, agent="Bot!", summary="Go on"))


@provokes("goal-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddTodo(goal="nowhere", title="Write"))


@provokes("goal-id-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.NewGoal(goal="Ship it!", title="Ship"))


@provokes("goal-exists")
def _(scene: Scene) -> Provocation:
    return Asked(c.NewGoal(goal=scene.name, title="Another"))


@provokes("goal-closed")
def _(scene: Scene) -> Provocation:
    scene.do(c.SetGoalStatus(goal=scene.name, verb="stop", to=GoalStatus.STOPPED))
    return Asked(c.AddTodo(goal=scene.name, title="Write"))


@provokes("criterion-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.WaiveCriterion(goal=scene.name, criterion="a9", reason="no need"))


@provokes("criterion-duplicate")
def _(scene: Scene) -> Provocation:
    twice = [{"id": "a1", "text": "x"}, {"id": "a1", "text": "y"}]
    return Asked(c.EditGoal(goal=scene.name, fields={"acceptance": twice}))


@provokes("criterion-evidence-insufficient")
def _(scene: Scene) -> Provocation:
    return Asked(c.MeetCriterion(goal=scene.name, criterion="a1", evidence=("I did it",)), BOT)


@provokes("todo-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.ClaimTodo(todo="t-zzzz9999"))


@provokes("todo-closed")
def _(scene: Scene) -> Provocation:
    return Asked(c.ClaimTodo(todo=scene.done()))


@provokes("todo-not-open")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    scene.do(c.BlockTodo(todo=todo, reason="stuck"))
    return Asked(c.CompleteTodo(todo=todo))


@provokes("todo-not-closed")
def _(scene: Scene) -> Provocation:
    return Asked(c.ArchiveTodo(todo=scene.todo()))


@provokes("todo-claimed")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    scene.do(c.ClaimTodo(todo=todo), BOT)
    return Asked(c.CompleteTodo(todo=todo), REX)


@provokes("claim-required")
def _(scene: Scene) -> Provocation:
    scene.policy(ownership="claim")
    return Asked(c.CompleteTodo(todo=scene.todo()), BOT)


@provokes("agent-excluded")
def _(scene: Scene) -> Provocation:
    return Asked(c.ClaimTodo(todo=scene.todo(excluded_agents=("bot",))), BOT)


@provokes("dependency-unmet")
def _(scene: Scene) -> Provocation:
    return Asked(c.CompleteTodo(todo=scene.todo("Second", depends_on=(scene.todo("First"),))))


@provokes("dependency-cycle")
def _(scene: Scene) -> Provocation:
    first = scene.todo("First")
    second = scene.todo("Second", depends_on=(first,))
    return Asked(c.EditTodo(todo=first, fields={"depends_on": [second]}))


@provokes("supersede-cycle")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    return Asked(c.SupersedeTodo(todo=todo, by=(todo,)))


@provokes("condition-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.DeferTodo(todo=scene.todo(), until="some day"))


@provokes("reason-missing")
def _(scene: Scene) -> Provocation:
    return Asked(c.CancelTodo(todo=scene.todo(), reason=" "))


@provokes("completion-contradiction")
def _(scene: Scene) -> Provocation:
    return Asked(c.CompleteTodo(todo=scene.todo(), successors=("Next",), no_follow_up="nothing"))


@provokes("validation-required")
def _(scene: Scene) -> Provocation:
    return Asked(c.CompleteTodo(todo=scene.todo(validation=TRUE)))


def _ran(scene: Scene, result: EvidenceResult) -> Provocation:
    todo = scene.todo(validation=TRUE)
    return Asked(c.CompleteTodo(todo=todo, evidence=scene.validation(todo, result)))


@provokes("validation-failed")
def _(scene: Scene) -> Provocation:
    return _ran(scene, EvidenceResult.FAILED)


@provokes("validation-unavailable")
def _(scene: Scene) -> Provocation:
    return _ran(scene, EvidenceResult.UNAVAILABLE)


@provokes("validation-timed-out")
def _(scene: Scene) -> Provocation:
    return _ran(scene, EvidenceResult.TIMED_OUT)


@provokes("transition-illegal")
def _(scene: Scene) -> Provocation:
    return Asked(c.SetGoalStatus(goal=scene.name, verb="resume", to=GoalStatus.DRAFT))


@provokes("vision-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.RetireVision(goal=scene.name, agent="bot"))


@provokes("vision-over-budget")
def _(scene: Scene) -> Provocation:
    return Asked(c.SetVision(goal=scene.name, agent="bot", summary="x" * 421), BOT)


@provokes("id-duplicate")
def _(scene: Scene) -> Provocation:
    known = scene.validation(scene.todo(validation=TRUE))
    scene.do(c.RecordEvidence(evidence=known), origin=Origin.SYSTEM)
    other = replace(known, result=EvidenceResult.FAILED)
    return Asked(c.RecordEvidence(evidence=other), options={"origin": Origin.SYSTEM})


# how a Goal ends -----------------------------------------------------------------------------


@provokes("goal-not-closable")
def _(scene: Scene) -> Provocation:
    scene.todo()
    return Asked(c.CloseGoal(goal=scene.name, outcome="achieved"), BOT)


@provokes("goal-not-achieved")
def _(scene: Scene) -> Provocation:
    scene.do(c.WaiveCriterion(goal=scene.name, criterion="a1", reason="no need"))
    return Asked(c.CloseGoal(goal=scene.name, outcome="achieved"))


@provokes("compensation-required")
def _(scene: Scene) -> Provocation:
    scene.effect()
    return Asked(c.CloseGoal(goal=scene.name, outcome="abandoned", reason="no budget"))


@provokes("goal-none-active")
def _(scene: Scene) -> Provocation:
    scene.do(c.SetGoalStatus(goal=scene.name, verb="pause", to=GoalStatus.PAUSED))

    def decide() -> None:
        view = scene.lab.ws.read()
        found = next_anywhere(view.state, BOT, view.at, view.revision)
        assert isinstance(found, Refused)
        raise LoopxError.of(found.problem)

    return Called(decide)
