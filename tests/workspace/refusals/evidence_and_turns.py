"""Refusals about evidence and its reassessment, and about turns, Visions and quota."""

from __future__ import annotations

from typing import Any

from loopx.kernel import commands as c
from loopx.kernel.commands.turns import TodoSettlement, VisionSettlement
from loopx.model.goal import GoalStatus
from loopx.model.turn import DeliveryOutcome, Scale
from tests.support.lab import ANN, BOT
from tests.workspace.refusals.scene import REX, TRUE, Asked, Called, Provocation, Scene, provokes

READBACK = {"source": "https://example.org/status", "fresh_for": "6h"}


def settled(scene: Scene, **more: Any) -> c.SettleTurn:
    said = {"goal": scene.name, "scale": Scale.SINGLE_SURFACE, "outcome": DeliveryOutcome.OUTCOME_GAP}
    return c.SettleTurn(**{**said, **more})


@provokes("readback-stale")
def _(scene: Scene) -> Provocation:
    scene.goal(acceptance=[{"id": "a1", "text": "It is up", "readback": READBACK}])
    seen = scene.evidence()
    return Asked(c.MeetCriterion(goal=scene.name, criterion="a1", evidence=(seen,)))


@provokes("evidence-about-unclear")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddEvidence(goal=None, about="the weather", summary="It rains"))


@provokes("check-missing")
def _(scene: Scene) -> Provocation:
    from loopx.runtime.checking import check_criterion

    return Called(lambda: check_criterion(scene.lab.ws, scene.name, "a1", actor=ANN))


@provokes("evidence-kind-reserved")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddEvidence(goal=scene.name, about=scene.todo(), summary="It passed", kind="validation"))


@provokes("evidence-input-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddEvidence(goal=scene.name, about=scene.todo(), summary="I saw it", files=("no/such/file",)))


def _validated(scene: Scene) -> tuple[str, str]:
    """A Todo that bot completed with a validation, and the evidence of it."""
    todo = scene.todo(validation=TRUE)
    evidence = scene.validation(todo)
    scene.do(c.CompleteTodo(todo=todo, evidence=evidence), BOT)
    return todo, evidence.id


@provokes("evidence-superseded")
def _(scene: Scene) -> Provocation:
    todo, evidence = _validated(scene)
    scene.do(c.ReopenTodo(todo=todo, reason="not done"))
    return Asked(c.ReassessEvidence(evidence=evidence, assessment="applies", reason="it does"))


@provokes("reassessment-of-judgement")
def _(scene: Scene) -> Provocation:
    _, evidence = _validated(scene)
    made = scene.do(c.ReassessEvidence(evidence=evidence, assessment="superseded", reason="older"))
    return Asked(c.ReassessEvidence(evidence=str(made["judgement"]), assessment="superseded", reason="older"))


@provokes("reassessment-own-work")
def _(scene: Scene) -> Provocation:
    _, evidence = _validated(scene)
    return Asked(c.ReassessEvidence(evidence=evidence, assessment="applies", reason="it does"), BOT)


@provokes("reassessment-unfounded")
def _(scene: Scene) -> Provocation:
    todo, evidence = _validated(scene)
    scene.goal(boundary={"write_scopes": ["docs/**"]})
    evidence = scene.evidence(todo)
    scene.goal(boundary={"write_scopes": ["src/**"]})
    return Asked(c.ReassessEvidence(evidence=evidence, assessment="applies", reason="it does"))


# turns ---------------------------------------------------------------------------------------


@provokes("turn-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.VoidTurn(turn="turn-zzzz9999", reason="no use"))


@provokes("turn-subject-missing")
def _(scene: Scene) -> Provocation:
    return Asked(c.OpenTurn(goal=scene.name), BOT)


@provokes("turn-open-already")
def _(scene: Scene) -> Provocation:
    scene.turn()
    return Asked(c.OpenTurn(goal=scene.name, todo=scene.todo("Another")), BOT)


@provokes("goal-not-active")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    scene.do(c.SetGoalStatus(goal=scene.name, verb="pause", to=GoalStatus.PAUSED))
    return Asked(c.OpenTurn(goal=scene.name, todo=todo), BOT)


@provokes("quota-used-up")
def _(scene: Scene) -> Provocation:
    scene.goal(quota={"compute": 0})
    return Asked(c.OpenTurn(goal=scene.name, todo=scene.todo()), BOT)


@provokes("todo-not-runnable")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    scene.do(c.BlockTodo(todo=todo, reason="stuck"))
    return Asked(c.OpenTurn(goal=scene.name, todo=todo), BOT)


@provokes("obligation-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.OpenTurn(goal=scene.name, obligation="o-zzzz9999"), BOT)


@provokes("turn-settled")
def _(scene: Scene) -> Provocation:
    turn = scene.turn()
    scene.do(settled(scene, turn=turn, evidence=("I tried",)), BOT)
    return Asked(settled(scene, turn=turn, evidence=("I tried something else",)), BOT)


@provokes("turn-voided")
def _(scene: Scene) -> Provocation:
    turn = scene.turn()
    scene.do(c.VoidTurn(turn=turn, reason="no use"), BOT)
    return Asked(settled(scene, turn=turn, evidence=("I tried",)), BOT)


@provokes("turn-mismatch")
def _(scene: Scene) -> Provocation:
    return Asked(settled(scene, turn=scene.turn(), todo=scene.todo("Another")), BOT)


@provokes("turn-fenced")
def _(scene: Scene) -> Provocation:
    todo = scene.leased("k-fenced", ttl_seconds=60)
    turn = scene.do(c.OpenTurn(goal=scene.name, todo=todo, lease_key="k-fenced"), BOT)["id"]
    scene.lab.clock.wait(100)
    scene.do(c.UnclaimTodo(todo=todo))
    scene.do(c.AcquireLease(todo=todo, key="k-fenced-2"), REX)
    return Asked(settled(scene, turn=str(turn), evidence=("I tried",)), BOT)


@provokes("todo-already-done")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    turn = scene.turn(todo)
    scene.do(c.CompleteTodo(todo=todo))
    return Asked(settled(scene, turn=turn, settlement=TodoSettlement(done=True)), BOT)


@provokes("settlement-contradiction")
def _(scene: Scene) -> Provocation:
    both = TodoSettlement(done=True, blocked="stuck")
    return Asked(settled(scene, turn=scene.turn(), settlement=both), BOT)


@provokes("check-required")
def _(scene: Scene) -> Provocation:
    scene.goal(acceptance=[{"id": "a1", "text": "It is up", "check": ["true"]}])
    return Asked(settled(scene, turn=scene.turn(), meets=("a1",), evidence=("It is",)), BOT)


@provokes("vision-premise-changed")
def _(scene: Scene) -> Provocation:
    scene.do(c.SetVision(goal=scene.name, agent="bot", summary="Go on"), BOT)
    turn = scene.turn()
    scene.do(c.EditGoal(goal=scene.name, add_acceptance=("It is quick",)))
    unchanged = VisionSettlement(unchanged_reason="nothing new")
    return Asked(settled(scene, turn=turn, vision=unchanged, evidence=("I tried",)), BOT)


@provokes("spend-not-validated")
def _(scene: Scene) -> Provocation:
    turn = scene.turn()
    return Asked(settled(scene, turn=turn, spend=1), BOT)


@provokes("replan-no-delta")
def _(scene: Scene) -> Provocation:
    from loopx.kernel.obligations.deriving import obligations

    scene.do(c.CompleteTodo(todo=scene.todo(acceptance=("a1",)), goal_continues=True), BOT)
    view = scene.lab.look()
    goal = view.state.goal(scene.name)
    owed = obligations(view.state, goal, view.at, "bot")[0]
    turn = scene.do(c.OpenTurn(goal=scene.name, obligation=owed.id), BOT)["id"]
    return Asked(settled(scene, turn=str(turn), evidence=("The plan, once more",)), BOT)
