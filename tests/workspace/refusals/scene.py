"""The scene refusals are provoked on: one workspace, a Goal of its own for each, and what must not change by them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.kernel import commands as c
from loopx.model.actor import Actor, Channel
from loopx.model.records import Evidence, EvidenceKind, EvidenceResult
from loopx.model.todo import Validation
from tests.support.lab import ANN, BOT, Lab

REX = Actor.parse("agent:rex")
SCOPE = "production:goal:deploy"
TRUE = Validation(argv=("true",))

KEPT = ("entity", "entity_ref", "known_id", "log", "log_id", "tally", "unreadable", "version")
"""Tables of the cache that hold what was accepted. Others hold notes about files on disk."""


@dataclass(frozen=True)
class Asked:
    """A command that is refused."""

    command: c.Command
    actor: Actor = ANN
    options: dict[str, Any] = field(default_factory=dict)

    def provoke(self, scene: Scene) -> str:
        with pytest.raises(LoopxError) as caught:
            scene.lab.submit(self.command, self.actor, **self.options)
        return caught.value.code


@dataclass(frozen=True)
class Called:
    """Anything else of the workspace that refuses."""

    act: Callable[[], Any]

    def provoke(self, scene: Scene) -> str:
        with pytest.raises(LoopxError) as caught:
            self.act()
        return caught.value.code


@dataclass(frozen=True)
class Typed:
    """A file saved by hand (``None``: deleted) that is not taken in, and stays as it was typed."""

    path: str
    content: str | None
    otherwise: Callable[[], Any] | None = None
    """What is done to the file instead, where no text could say it."""

    def provoke(self, scene: Scene) -> str:
        lab = scene.lab
        if self.otherwise is not None:
            self.otherwise()
            lab.clock.wait(5)
        elif self.content is None:
            (lab.root / self.path).unlink()
            lab.look()
            lab.clock.wait(5)
        else:
            lab.save(self.path, self.content)
        lab.look()
        [edit] = [each for each in lab.ws.edits() if each.path == self.path]
        if self.content is not None and self.otherwise is None:
            assert lab.read(self.path) == self.content.encode()
        return edit.problems[0].code

    def tidy(self, lab: Lab) -> None:
        """Take the edit out of the way of the refusals after this one."""
        lab.ws.discard_edit(self.path, actor=ANN)


Provocation = Asked | Called | Typed
Scenario = Callable[["Scene"], Provocation]
SCENARIOS: dict[str, Scenario] = {}


def provokes(code: str) -> Callable[[Scenario], Scenario]:
    """The decorated function prepares a scene and returns what provokes ``code`` on it."""

    def enter(function: Scenario) -> Scenario:
        assert code not in SCENARIOS, f"two scenarios provoke {code}"
        SCENARIOS[code] = function
        return function

    return enter


@dataclass
class Scene:
    """One lab with the agents bot and rex, and a Goal named for the scenario."""

    lab: Lab
    name: str

    @classmethod
    def prepared(cls, lab: Lab, name: str) -> Scene:
        scene = cls(lab, name)
        if not (config := lab.ws.read().state.config()) or not config.agents:
            for agent in ("bot", "rex"):
                scene.do(c.AddAgent(agent=agent))
        scene.do(c.NewGoal(goal=name, title=f"Goal {name}", acceptance=("It works",)))
        return scene

    def do(self, command: c.Command, actor: Actor = ANN, **options: Any) -> dict[str, Any]:
        """The facts of the receipt of a command that is accepted."""
        return dict(self.lab.submit(command, actor, **options).receipt.result)

    def todo(self, title: str = "Write", **more: Any) -> str:
        return str(self.do(c.AddTodo(goal=self.name, title=title, **more))["id"])

    def monitor(self, **more: Any) -> str:
        from loopx.model.todo import TodoClass

        watched = {"todo_class": TodoClass.MONITOR, "target": "ci", "cadence": "1h"}
        return self.todo("Watch", **{**watched, **more})

    def done(self, title: str = "Done") -> str:
        todo = self.todo(title)
        self.do(c.CompleteTodo(todo=todo))
        return todo

    def gate(self, actor: Actor = ANN, **more: Any) -> str:
        asked = {"goal": self.name, "scope": SCOPE, "question": "May it?", **more}
        return str(self.do(c.OpenGate(**asked), actor)["id"])

    def leased(self, key: str, actor: Actor = BOT, **more: Any) -> str:
        todo = self.todo(f"Leased under {key}")
        self.do(c.AcquireLease(todo=todo, key=key, **more), actor)
        return todo

    def turn(self, todo: str | None = None, actor: Actor = BOT) -> str:
        return str(self.do(c.OpenTurn(goal=self.name, todo=todo or self.todo("Turn")), actor)["id"])

    def effect(self, actor: Actor = BOT, **more: Any) -> str:
        return str(self.do(c.OpenEffect(**{"goal": self.name, "summary": "Post it", **more}), actor)["id"])

    def evidence(self, about: str | None = None, actor: Actor = ANN, **more: Any) -> str:
        command = c.AddEvidence(goal=self.name, about=about or f"{self.name}/a1", summary="I saw it", **more)
        return str(self.do(command, actor)["id"])

    def policy(self, **policies: Any) -> None:
        self.do(c.EditGoal(goal=self.name, fields={"policies": policies}))

    def goal(self, **fields: Any) -> None:
        self.do(c.EditGoal(goal=self.name, fields=fields))

    def path(self, todo: str) -> str:
        return self.lab.path_of(todo)

    def file(self, pattern: str) -> str:
        """The one file of the Goal that fits ``pattern``."""
        [found] = self.lab.root.glob(f"goals/{self.name}/{pattern}")
        return found.relative_to(self.lab.root).as_posix()

    def typed(self, path: str, old: str, new: str) -> Typed:
        """An edit that replaces a piece of a file's text."""
        text = self.lab.read(path).decode()
        assert old in text, text
        return Typed(path, text.replace(old, new, 1))

    def validation(self, todo: str, result: EvidenceResult = EvidenceResult.PASSED) -> Evidence:
        """What LoopX records of a run of the Todo's validation."""
        from loopx.kernel.digest import validation_inputs

        state = self.lab.ws.read().state
        found = state.todo(todo)
        assert found is not None
        return Evidence(
            id=self.lab.ws.ids.fresh("e"),
            kind=EvidenceKind.VALIDATION,
            subject=todo,
            source="loopx:validation",
            observed_at=self.lab.clock.now().replace(microsecond=0),
            result=result,
            inputs=validation_inputs(found, state.goal(self.name)),
            goal=self.name,
        )

    def approved(self, gate: str, **more: Any) -> c.DecideGate:
        return c.DecideGate(**{"gate": gate, "verb": "approve", "reason": "fine", "channel": Channel.TERMINAL, **more})


def shot(lab: Lab, *, but: str | None = None) -> dict[str, Any]:
    """Everything a refusal must leave alone: references, index, files (``but`` one that was typed), accepted rows."""
    files = {
        each.relative_to(lab.root).as_posix(): each.read_bytes()
        for each in sorted(lab.root.rglob("*"))
        if each.is_file() and each.relative_to(lab.root).parts[0] not in (".git", "local")
    }
    files.pop(but or "", None)
    return {
        "HEAD": lab.git("rev-parse", "HEAD"),
        "refs": lab.git("for-each-ref"),
        "index": lab.git("ls-files", "--stage"),
        "files": files,
        "cache": accepted_rows(lab),
    }


def accepted_rows(lab: Lab) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(f"file:{lab.root / 'local/cache.sqlite'}?mode=ro", uri=True)) as database:
        return {table: sorted(map(repr, database.execute(f"SELECT * FROM {table}"))) for table in KEPT}
