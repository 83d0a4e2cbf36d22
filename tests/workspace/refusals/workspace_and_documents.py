"""Refusals of the workspace itself, and of files that cannot be read as what they should be."""

from __future__ import annotations

import os

from loopx.kernel import commands as c
from tests.support.lab import ANN
from tests.workspace.refusals.scene import Asked, Called, Provocation, Scene, Typed, provokes


@provokes("operation-reused")
def _(scene: Scene) -> Provocation:
    scene.do(c.AddTodo(goal=scene.name, title="Write"), op="op-used")
    return Asked(c.AddTodo(goal=scene.name, title="Draw"), options={"op": "op-used"})


@provokes("revision-conflict")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddTodo(goal=scene.name, title="Write"), options={"expect_revision": "0123456"})


@provokes("revision-unknown")
def _(scene: Scene) -> Provocation:
    return Called(lambda: scene.lab.ws.roll_back("0123456", reason="back", actor=ANN))


@provokes("operation-unknown")
def _(scene: Scene) -> Provocation:
    return Called(lambda: scene.lab.ws.undo("op-nobody", actor=ANN))


@provokes("undo-nothing")
def _(scene: Scene) -> Provocation:
    made = scene.lab.ws.log(every=True)[-1].operation
    return Called(lambda: scene.lab.ws.undo(made, actor=ANN))


@provokes("undo-built-upon")
def _(scene: Scene) -> Provocation:
    todo = scene.do(c.AddTodo(goal=scene.name, title="Write"), op="op-built-upon")["id"]
    scene.do(c.EditTodo(todo=str(todo), fields={"title": "Write it"}))
    return Called(lambda: scene.lab.ws.undo("op-built-upon", actor=ANN))


@provokes("edit-unknown")
def _(scene: Scene) -> Provocation:
    return Called(lambda: scene.lab.ws.accept_edit("goals/nowhere/goal.md", actor=ANN))


@provokes("edit-is-old-version")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    path = scene.path(todo)
    old = scene.lab.read(path).decode()
    scene.do(c.EditTodo(todo=todo, fields={"priority": "p0"}))
    return Typed(path, old)


@provokes("merge-conflict")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    edit = scene.typed(scene.path(todo), "priority: p2", "priority: p4")
    scene.do(c.EditTodo(todo=todo, fields={"priority": "p0"}))
    return Typed(edit.path, f"{edit.content}\nAnd a word.\n")


@provokes("mass-deletion")
def _(scene: Scene) -> Provocation:
    paths = [scene.path(scene.todo(f"Number {number}")) for number in range(8)]
    for path in paths[1:]:
        (scene.lab.root / path).unlink()
    return Typed(paths[0], None)


@provokes("document-link")
def _(scene: Scene) -> Provocation:
    path = scene.path(scene.todo())
    file = scene.lab.root / path

    def linked() -> str:
        outside = scene.lab.project.root.parent / "outside.md"
        outside.write_bytes(file.read_bytes())
        file.unlink()
        file.symlink_to(outside)
        return path

    return Typed(path, "", linked)


@provokes("file-read-only")
def _(scene: Scene) -> Provocation:
    todo = scene.todo()
    os.chmod(scene.lab.root / scene.path(todo), 0o444)
    return Asked(c.EditTodo(todo=todo, fields={"priority": "p0"}))


def _new(scene: Scene, content: str, name: str = "typed.md") -> Provocation:
    return Typed(f"goals/{scene.name}/todos/{name}", content)


@provokes("document-conflict-copy")
def _(scene: Scene) -> Provocation:
    return _new(scene, "# Twice\n", "twice (conflicted copy).md")


@provokes("document-syntax")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\ntitle: [x\n---\n")


@provokes("document-empty")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\n---\n")


@provokes("document-root")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\n- x\n---\n")


@provokes("document-fence-open")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\ntitle: x\n")


@provokes("document-too-large")
def _(scene: Scene) -> Provocation:
    return _new(scene, f"# x\n\n{'y' * 2_000_000}\n")


@provokes("document-too-complex")
def _(scene: Scene) -> Provocation:
    return _new(scene, f"---\ntitle: x\nx-deep: {'[' * 200}{']' * 200}\n---\n")


@provokes("document-merge-markers")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\ntitle: x\n<<<<<<< HEAD\npriority: p1\n=======\npriority: p2\n>>>>>>> other\n---\n")


@provokes("document-duplicate-key")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\ntitle: x\ntitle: y\n---\n")


@provokes("document-merge-key")
def _(scene: Scene) -> Provocation:
    return _new(scene, "---\nbase: &b {priority: p1}\n<<: *b\ntitle: x\n---\n")


@provokes("field-missing")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddTodo(goal=scene.name, title=" "))


@provokes("field-value")
def _(scene: Scene) -> Provocation:
    return Asked(c.AddTodo(goal=scene.name, title="Two\nlines"))


@provokes("field-type")
def _(scene: Scene) -> Provocation:
    return Asked(c.EditTodo(todo=scene.todo(), fields={"title": 5}))


@provokes("field-not-editable")
def _(scene: Scene) -> Provocation:
    path = f"goals/{scene.name}/goal.md"
    edit = scene.typed(path, "status: active", "status: active\nagents:\n  - {id: bot, x-a: 1}\n  - {id: rex, x-b: 2}")
    scene.lab.save(path, edit.content or "")
    scene.lab.look()
    assert scene.lab.ws.edits() == []
    return Asked(c.EditGoal(goal=scene.name, fields={"agents": [{"id": "rex"}, {"id": "bot"}]}))
