"""What a workspace should hold, as a plain dictionary: told by what was asked and accepted, never by looking inside.

``document -> field -> value``, a document being named as receipts name it (``todo t-1``, ``gate g-1``, ``goal beta``,
``vision beta/bot``). Nothing here imports the workspace, so that the two can only agree by being right.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from loopx.kernel import commands as c
from loopx.kernel.outcome import Receipt
from loopx.kernel.state import State
from loopx.model.actor import Actor

Facts = dict[str, dict[str, Any]]

ANSWERS = {"approve": "approved", "reject": "rejected", "defer": "deferred"}
STEERED = {"pause": "paused", "resume": "active", "activate": "active", "stop": "stopped"}
ENDED = {"todo block": "blocked", "todo defer": "deferred", "todo resume": "open", "todo cancel": "cancelled"}
CLOSED = ("done", "superseded", "cancelled")


def facts_of(state: State) -> Facts:
    """The same facts as a workspace tells them."""
    found: Facts = {}
    for todo in state.todos():
        found[f"todo {todo.id}"] = {
            "goal": todo.goal, "title": todo.title, "status": todo.status.value, "priority": todo.priority.value,
            "claimed_by": todo.claimed_by,
        }  # fmt: skip
    for gate in state.gates():
        found[f"gate {gate.id}"] = {"goal": gate.goal, "question": gate.question, "status": gate.status.value}
    for goal in state.goals():
        found[f"goal {goal.id}"] = {"title": goal.title, "status": goal.status.value}
    for vision in state.visions():
        found[f"vision {vision.goal}/{vision.agent}"] = {"summary": vision.summary, "status": vision.status.value}
    return found


def holder(actor: Actor) -> str:
    """The name of an actor in records."""
    return actor.name if not actor.is_human else f"human-{actor.name.lower()}"


CLAIMING = (
    c.AcquireLease, c.RenewLease, c.TransferLease, c.ReleaseLease, c.OpenTurn, c.SettleTurn, c.VoidTurn,
)  # fmt: skip
"""Commands that may make or end the claim of their own Todo; whether they do is not worked out here."""


class Model:
    """The dictionary, and how accepted commands change it."""

    def __init__(self) -> None:
        self.facts: Facts = {}
        self.at: dict[str, Facts] = {}
        """What held at each revision that was the newest one once."""
        self.unsettled: set[str] = set()
        """Todos whose claim is taken as it is found, once."""

    def differences(self, found: Facts) -> Facts:
        """What ``found`` has otherwise: by document, each field with the value here and the value there."""
        for name in self.unsettled & self.facts.keys() & found.keys():
            self.facts[name]["claimed_by"] = found[name]["claimed_by"]
        self.unsettled.clear()
        names = [each for each in sorted(self.facts.keys() | found.keys()) if self.facts.get(each) != found.get(each)]
        return {name: {"here": self.facts.get(name), "there": found.get(name)} for name in names}

    def remember(self, revision: str | None) -> None:
        if revision is not None:
            self.at.setdefault(revision, copy.deepcopy(self.facts))

    def go_back(self, revision: str) -> None:
        """Every document as it was at ``revision``."""
        self.facts = copy.deepcopy(self.at[revision])

    def ids(self, noun: str, *statuses: str) -> list[str]:
        """Ids of documents of a sort, those of some statuses alone where any are named."""
        found = [name.partition(" ")[2] for name in sorted(self.facts) if name.startswith(f"{noun} ")]
        return [each for each in found if not statuses or self.facts[f"{noun} {each}"]["status"] in statuses]

    def typed(self, name: str, fields: Mapping[str, Any]) -> None:
        """An edit of a document's fields by hand was accepted."""
        self.facts[name].update(fields)

    def add_todo(self, identity: str, goal: str, title: str, **more: Any) -> None:
        self.facts[f"todo {identity}"] = {
            "goal": goal, "title": title, "status": "open", "priority": "p2", "claimed_by": None, **more,
        }  # fmt: skip

    def learn(self, command: c.Command, actor: Actor, receipt: Receipt) -> None:
        """``command`` was accepted."""
        result, subject = receipt.result, self.facts.get(receipt.subject, {})
        if isinstance(command, CLAIMING):
            self.unsettled.add(f"todo {getattr(command, 'todo', None)}")
        match command:
            case c.AddTodo() if result["added"]:
                self.add_todo(result["id"], command.goal, command.title, priority=command.priority.value)
            case c.AddTodo():
                known = self.facts[f"todo {result['id']}"]
                assert known["title"] == command.title and known["status"] not in CLOSED
            case c.EditTodo():
                subject.update(command.fields)
            case c.ClaimTodo():
                subject["claimed_by"] = holder(actor)
            case c.UnclaimTodo():
                subject["claimed_by"] = None
            case c.BlockTodo() | c.DeferTodo() | c.ResumeTodo() | c.CancelTodo():
                subject["status"] = ENDED[command.name]
            case c.CompleteTodo() if not result["already"]:
                subject.update(status="done", claimed_by=holder(actor))
                self._follow(subject, command.successors, result.get("successors", ()))
            case c.ReopenTodo() if not result["already"]:
                subject.update(status="open", claimed_by=None)
            case c.SupersedeTodo():
                subject["status"] = "superseded"
                self._follow(subject, command.by, result["by"])
            case _:
                self._learn_else(command, receipt, subject)

    def _follow(self, subject: dict[str, Any], asked: Sequence[str], made: Sequence[str]) -> None:
        """What carries the work on: new Todos of the same Goal and priority, with the titles asked for."""
        for title, identity in zip(asked, made, strict=True):
            if f"todo {identity}" not in self.facts:
                self.add_todo(identity, subject["goal"], title, priority=subject["priority"])

    def _learn_else(self, command: c.Command, receipt: Receipt, subject: dict[str, Any]) -> None:
        match command:
            case c.OpenGate() if receipt.result["added"]:
                asked = {"goal": command.goal, "question": command.question, "status": "open"}
                self.facts[receipt.subject] = asked
            case c.DecideGate():
                subject["status"] = ANSWERS[command.verb]
            case c.WithdrawGate():
                subject["status"] = "withdrawn"
            case c.NewGoal():
                self.facts[receipt.subject] = {"title": command.title, "status": receipt.result["status"]}
            case c.SetGoalStatus():
                subject["status"] = STEERED[command.verb]
            case c.SetVision():
                known = self.facts.setdefault(f"vision {command.goal}/{command.agent}", {})
                known.update(summary=command.summary or known.get("summary"), status="active")
            case c.RetireVision():
                self.facts[f"vision {command.goal}/{command.agent}"]["status"] = "retired"
            case c.SettleTurn() if command.settlement.done:
                self.facts[f"todo {command.todo}"]["status"] = "done"
