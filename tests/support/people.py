"""Steps for people, and an actor that hands these to the shipped one."""

from __future__ import annotations

from typing import Any

from loopx.loop.components.people import HumanActor
from loopx.loop.components.protocols import Acted
from loopx.loop.context import LoopContext
from loopx.loop.step import StepView
from loopx.model.plan import Action, ActorKind, PlanStep
from tests.support.loop import Actor, step


def asked(identity: str, *after: str, **fields: Any) -> PlanStep:
    """A step for a person."""
    return step(identity, *after, action=Action(actor=ActorKind.HUMAN, question="Please do it"), **fields)


class Hands(Actor):
    """Carries steps out as scripted, and has people asked about theirs."""

    async def act(self, view: StepView, attempt: str, context: LoopContext) -> Acted:
        if view.meant.action.actor is not ActorKind.HUMAN:
            return await super().act(view, attempt, context)
        self.asked.append(view.id)
        return await HumanActor().act(view, attempt, context)
