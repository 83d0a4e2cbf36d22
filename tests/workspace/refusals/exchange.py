"""Refusals about agents, effects, handoffs, proposals and monitors, and of texts that say too much."""

from __future__ import annotations

from loopx.kernel import commands as c
from loopx.model.actor import Actor
from tests.support.lab import BOT
from tests.workspace.refusals.scene import REX, Asked, Provocation, Scene, provokes


@provokes("agent-unregistered")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcquireLease(todo=scene.todo(), key="k-unknown"), Actor.parse("agent:stranger"))


@provokes("agent-exists")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddAgent(agent="bot", capabilities=("flying",)))


@provokes("agent-last")
def _(scene: Scene) -> Provocation:
    scene.do(c.AddAgent(agent="bot", goal=scene.name))
    return Asked(c.RemoveAgent(agent="bot", goal=scene.name))


@provokes("effect-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.SettleEffect(effect="x-zzzz9999", status="absent", evidence=("I looked",)))


@provokes("effect-not-now")
def _(scene: Scene) -> Provocation:
    from loopx.model.goal import GoalStatus

    scene.do(c.SetGoalStatus(goal=scene.name, verb="pause", to=GoalStatus.PAUSED))
    return Asked(c.OpenEffect(goal=scene.name, summary="Post it"), BOT)


@provokes("effect-unsettled")
def _(scene: Scene) -> Provocation:
    scene.effect()
    return Asked(c.OpenEffect(goal=scene.name, summary="Post it"), REX)


@provokes("effect-unproven")
def _(scene: Scene) -> Provocation:
    return Asked(c.SettleEffect(effect=scene.effect(), status="absent"), BOT)


@provokes("effect-not-confirmed")
def _(scene: Scene) -> Provocation:
    effect = scene.effect(postconditions=("It is there",))
    return Asked(c.ConfirmPostcondition(effect=effect, number=1, evidence="I saw it"))


@provokes("postcondition-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.ConfirmPostcondition(effect=scene.effect(), number=1, evidence="I saw it"))


@provokes("postcondition-unproven")
def _(scene: Scene) -> Provocation:
    effect = scene.effect(postconditions=("It is there",))
    scene.do(c.SettleEffect(effect=effect, status="confirmed", evidence=("I looked",)), BOT)
    return Asked(c.ConfirmPostcondition(effect=effect, number=1, evidence="I saw it"), BOT)


@provokes("evidence-too-old")
def _(scene: Scene) -> Provocation:
    seen = scene.evidence()
    scene.lab.clock.wait(60)
    return Asked(c.SettleEffect(effect=scene.effect(), status="absent", evidence=(seen,)))


@provokes("handoff-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcceptHandoff(handoff="h-zzzz9999"), REX)


@provokes("handoff-pending")
def _(scene: Scene) -> Provocation:
    offer = c.CreateHandoff(goal=scene.name, todos=(scene.todo(),), to="rex", next_action="Go on")
    scene.do(offer, BOT)
    return Asked(offer, BOT)


@provokes("handoff-to-yourself")
def _(scene: Scene) -> Provocation:
    return Asked(c.CreateHandoff(goal=scene.name, to="bot", next_action="Go on"), BOT)


@provokes("handoff-too-large")
def _(scene: Scene) -> Provocation:
    omitted = tuple(f"Note {number}" for number in range(1000))
    return Asked(c.CreateHandoff(goal=scene.name, next_action="Go on", omitted=omitted), BOT)


@provokes("handoff-not-now")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    handoff = scene.do(c.CreateHandoff(goal=scene.name, todos=(todo,), to="rex", next_action="Go on"), BOT)["id"]
    scene.do(c.EditTodo(todo=todo, fields={"excluded_agents": ["rex"]}))
    return Asked(c.AcceptHandoff(handoff=str(handoff)), REX)


@provokes("proposal-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.AcceptProposal(proposal="p-zzzz9999"))


@provokes("proposal-decided")
def _(scene: Scene) -> Provocation:
    proposal = scene.do(c.AddProposal(goal=scene.name, title="Another way"), BOT)["id"]
    scene.do(c.RejectProposal(proposal=str(proposal), reason="no"))
    return scene.typed(scene.file("proposals/*.md"), "Another way", "Yet another way")


@provokes("text-credential")
def _(scene: Scene) -> Provocation:
    return Asked(c.CreateHandoff(goal=scene.name, next_action="Log in with password: hunter2222"), BOT)


@provokes("text-private")
def _(scene: Scene) -> Provocation:
    scene.goal(boundary={"private_paths": ["secret/**"]})
    return Asked(c.CreateHandoff(goal=scene.name, next_action="Read secret/plan.md first"), BOT)


@provokes("target-missing")
def _(scene: Scene) -> Provocation:
    from loopx.model.todo import TodoClass

    return Asked(c.AddTodo(goal=scene.name, title="Watch", todo_class=TodoClass.MONITOR))


@provokes("cadence-invalid")
def _(scene: Scene) -> Provocation:
    from loopx.model.todo import TodoClass

    watch = {"todo_class": TodoClass.MONITOR, "target": "ci", "cadence": "now and then"}
    return Asked(c.AddTodo(goal=scene.name, title="Watch", **watch))  # type: ignore[arg-type]


@provokes("todo-not-monitor")
def _(scene: Scene) -> Provocation:
    return Asked(c.PollMonitor(todo=scene.todo(), target="ci", seen="green"), BOT)


@provokes("monitor-expired")
def _(scene: Scene) -> Provocation:
    monitor = scene.monitor()
    scene.do(c.EditTodo(todo=monitor, fields={"expires_at": "2020-01-01T00:00:00Z"}))
    return Asked(c.PollMonitor(todo=monitor, target="ci", seen="green"), BOT)


@provokes("monitor-target-mismatch")
def _(scene: Scene) -> Provocation:
    return Asked(c.PollMonitor(todo=scene.monitor(), target="the weather", seen="rain"), BOT)


@provokes("poll-contradiction")
def _(scene: Scene) -> Provocation:
    return Asked(c.PollMonitor(todo=scene.monitor(), target="ci", seen="green", is_dead=True), BOT)


@provokes("monitor-successor-missing")
def _(scene: Scene) -> Provocation:
    return Asked(c.PollMonitor(todo=scene.monitor(), target="ci", seen="red", is_material=True), BOT)
