"""Refusals about Gates, and of documents edited or deleted by hand."""

from __future__ import annotations

from loopx.kernel import commands as c
from loopx.model.actor import Channel
from tests.support.lab import BOT
from tests.workspace.refusals.scene import SCOPE, Asked, Provocation, Scene, Typed, provokes


@provokes("gate-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.WithdrawGate(gate="g-zzzz9999"))


@provokes("scope-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.OpenGate(goal=scene.name, scope="everything", question="May it?"))


@provokes("instant-invalid")
def _(scene: Scene) -> Provocation:
    return Asked(c.OpenGate(goal=scene.name, scope=SCOPE, question="May it?", deadline="2026-01-02"))


@provokes("gate-required")
def _(scene: Scene) -> Provocation:
    return Asked(c.CompleteTodo(todo=scene.todo(requires=(SCOPE,))))


@provokes("gate-pending")
def _(scene: Scene) -> Provocation:
    scene.gate()
    return Asked(c.CompleteTodo(todo=scene.todo(requires=(SCOPE,))))


@provokes("gate-own-question")
def _(scene: Scene) -> Provocation:
    return Asked(scene.approved(scene.gate(BOT)), BOT)


@provokes("gate-unconfirmed")
def _(scene: Scene) -> Provocation:
    return Asked(scene.approved(scene.gate(), channel=Channel.SCRIPT))


@provokes("gate-expired")
def _(scene: Scene) -> Provocation:
    return Asked(scene.approved(scene.gate(valid_until="2020-01-01T00:00:00Z")))


@provokes("option-missing")
def _(scene: Scene) -> Provocation:
    return Asked(scene.approved(scene.gate(options=("yes", "later"))))


@provokes("option-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(scene.approved(scene.gate(options=("yes", "later")), option="never"))


@provokes("evidence-unknown")
def _(scene: Scene) -> Provocation:
    return Asked(c.OpenGate(goal=scene.name, scope=SCOPE, question="May it?", evidence=("e-zzzz9999",)))


# by hand ---------------------------------------------------------------------------------------


@provokes("gate-not-by-hand")
def _(scene: Scene) -> Provocation:
    scene.gate()
    return scene.typed(scene.file("gates/*.md"), "status: open", "status: approved")


@provokes("record-machine-owned")
def _(scene: Scene) -> Provocation:
    scene.done()
    return scene.typed(scene.file("completions/*.yaml"), "by: human:Ann", "by: human:Ben")


@provokes("field-machine-owned")
def _(scene: Scene) -> Provocation:
    path = scene.path(scene.todo())
    return scene.typed(path, "created_at: ", "supersedes: [t-zzzz9999]\ncreated_at: ")


@provokes("id-reused")
def _(scene: Scene) -> Provocation:
    todo = scene.todo("Here for a day")
    path = scene.path(todo)
    (scene.lab.root / path).unlink()
    scene.lab.look()
    scene.lab.clock.wait(5)
    scene.lab.look()
    assert scene.lab.ws.edits() == []
    return Typed(f"goals/{scene.name}/todos/another.md", f'---\nid: "{todo}"\n---\n# Quite another\n')


@provokes("document-referenced")
def _(scene: Scene) -> Provocation:
    first = scene.todo("First")
    scene.todo("Second", depends_on=(first,))
    return Typed(scene.path(first), None)


@provokes("document-closed")
def _(scene: Scene) -> Provocation:
    scene.do(scene.approved(scene.gate()))
    return Typed(scene.file("gates/*.md"), None)
