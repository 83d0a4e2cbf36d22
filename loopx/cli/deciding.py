"""What the commands that show a decision share: for whom it is made, and how it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.answer import Answer
from loopx.cli.texts.decisions import decision_lines
from loopx.errors import LoopxError, Place
from loopx.kernel.decision.plain import decision_facts
from loopx.kernel.resolve import folded_name
from loopx.model.actor import Actor, ActorKind

if TYPE_CHECKING:
    from loopx.cli.request import Request
    from loopx.kernel.decision.record import Decision
    from loopx.workspace.results import View

SOMEBODY = Actor(ActorKind.HUMAN, "somebody")
"""Who asks where nobody says who it is: a read needs no name."""


def asker(request: Request, agent: str | None) -> Actor:
    """Whom the decision is for: the agent named, else the actor of the request."""
    if agent is not None:
        try:
            return Actor.parse(f"{ActorKind.AGENT}:{folded_name(agent)}")
        except ValueError as error:
            raise LoopxError("agent-invalid", f"{error}.", place=Place("--agent")) from error
    try:
        return request.who
    except LoopxError as error:
        if error.code != "identity-missing":
            raise
        return SOMEBODY


def decision_answer(decision: Decision, view: View, explain: bool) -> Answer:
    """The answer that shows ``decision``."""
    return Answer(
        lambda: decision_facts(decision, explain),
        lambda screen: decision_lines(decision, screen, explain),
        view.revision,
        view.warnings,
    )
