"""A desk with agents at work: the Goal beta, two registered agents, one Todo, and turns opened and settled shortly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from loopx.kernel.commands import CompleteTodo, OpenTurn, SettleTurn
from loopx.kernel.commands.turns import TodoSettlement, VisionSettlement
from loopx.kernel.digest import validation_inputs
from loopx.kernel.outcome import Accepted, Refused
from loopx.kernel.state import MemorySource
from loopx.model.actor import Actor
from loopx.model.entities import Entity
from loopx.model.goal import Goal
from loopx.model.kind import Kind
from loopx.model.records import Evidence
from loopx.model.turn import DeliveryOutcome, Scale, Turn
from loopx.model.workspace import AgentEntry
from tests.support.kernel import BOT, T1, Desk, config, evidence, goal, todo

AGENTS = (AgentEntry(id="bot"), AgentEntry(id="rex"))
PROGRESS, PRIMARY = DeliveryOutcome.OUTCOME_PROGRESS, DeliveryOutcome.PRIMARY_GOAL_OUTCOME
SURFACE, GAP = DeliveryOutcome.SURFACE_ONLY, DeliveryOutcome.OUTCOME_GAP


class CountingSource(MemorySource):
    """Counts the turns it hands out."""

    turns_given = 0

    def latest(self, kind: Kind, goal: str | None = None, **asked: Any) -> Iterator[Entity]:
        return self._counted(super().latest(kind, goal, **asked), kind)

    def _counted(self, found: Iterator[Entity], kind: Kind) -> Iterator[Entity]:
        for each in found:
            self.turns_given += kind is Kind.TURN
            yield each


def desk_of(*entities: Entity, of: Goal | None = None) -> Desk:
    """A desk with bot and rex, the Goal ``of`` (beta) and its Todo T1, and ``entities`` besides or instead."""
    found: dict[tuple[str, str], Entity] = {}
    for each in (config(*AGENTS), of or goal(), todo(), *entities):
        found[(type(each).__name__, getattr(each, "id", ""))] = each
    return Desk(list(found.values()))


def opens(desk: Desk, actor: Actor = BOT, **asked: Any) -> str:
    """The id of a turn opened on T1, or as ``asked``."""
    wanted = {"todo": T1} if "obligation" not in asked else {}
    return str(desk.do(OpenTurn(**{"goal": "beta", **wanted, **asked}), actor).receipt.result["id"])


def settlement(**asked: Any) -> SettleTurn:
    """A settling of a turn of beta that produced something. ``vision`` and ``settlement`` may be mappings."""
    vision = asked.pop("vision", {})
    became = asked.pop("became", {})
    return SettleTurn(
        **{
            "goal": "beta",
            "scale": Scale.SINGLE_SURFACE,
            "outcome": SURFACE,
            "settlement": TodoSettlement(**became),
            "vision": VisionSettlement(**vision),
            **asked,
        }
    )


def settles(desk: Desk, actor: Actor = BOT, *, op: str | None = None, **asked: Any) -> Turn:
    """The turn as it was settled."""
    return turn(desk, str(settled(desk, actor, op=op, **asked).receipt.result["id"]))


def settled(desk: Desk, actor: Actor = BOT, *, op: str | None = None, **asked: Any) -> Accepted:
    """The answer to a settling, which must be yes."""
    return desk.do(settlement(**asked), actor, op=op)


def refused(desk: Desk, actor: Actor = BOT, *, op: str | None = None, **asked: Any) -> Refused:
    """The answer to a settling, which must be no."""
    return desk.no(settlement(**asked), actor, op=op)


def turn(desk: Desk, name: str) -> Turn:
    found = desk.state.turn(name)
    assert found is not None
    return found


def passed(desk: Desk, name: str = T1, **fields: Any) -> Evidence:
    """What LoopX found when it ran the declared validation of a Todo: it passed."""
    bound = validation_inputs(desk.todo(name), desk.goal())
    return evidence(**{"name": "e-vvvv1111", "subject": name, "inputs": bound, "observed_at": desk.now, **fields})


def done(desk: Desk, name: str = T1, actor: Actor = BOT, **asked: Any) -> Accepted:
    """A Todo finished by a command of its own."""
    return desk.do(CompleteTodo(todo=name, **asked), actor)


def later(desk: Desk, entity: Entity, **fields: Any) -> None:
    """Replace an entity of the desk, as something outside the story did."""
    position = desk.entities.index(entity)
    desk.entities[position] = replace(entity, **fields)  # type: ignore[type-var]
