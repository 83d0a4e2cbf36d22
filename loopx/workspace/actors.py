"""Who acts: what ``--actor`` and LOOPX_ACTOR say, and under which name Git records it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from loopx.errors import LoopxError, Place
from loopx.model.actor import Actor, ActorKind
from loopx.model.defining import dataclass
from loopx.store.protocol import Signature


@dataclass(slots=True)
class People:
    """The person whose machine this is, looked up in Git's configuration once."""

    project: Path
    _signature: Signature | None = None

    def signature(self) -> Signature:
        """The person as Git knows them. Raises ``identity-missing``: nobody is made up."""
        if self._signature is None:
            from loopx.store.identity import human_identity

            self._signature = human_identity(self.project)
        return self._signature

    def forget(self) -> None:
        """Have Git asked again: for a process that outlives its person's settings."""
        self._signature = None

    def person(self) -> tuple[Actor, Signature]:
        """The person as an actor, with their signature."""
        signature = self.signature()
        return Actor(ActorKind.HUMAN, signature.name), signature

    def author_of(self, actor: Actor) -> Signature:
        """Under which name the commits of ``actor`` go: an agent's own, a human's from Git's configuration."""
        if actor.is_human:
            return self.signature()
        from loopx.store.identity import agent_identity

        return agent_identity(actor.name)


_AGENT_DOMAIN = "@agents.invalid"


def author_as_actor(author: Signature) -> Actor:
    """Who a commit's author is to the kernel."""
    if author.email.endswith(_AGENT_DOMAIN):
        return Actor(ActorKind.AGENT, author.email.removesuffix(_AGENT_DOMAIN))
    return Actor(ActorKind.HUMAN, author.name.strip() or author.email)


def choose_actor(option: str | None, environ: Mapping[str, str], people: People) -> Actor:
    """The actor of a command: the option, else LOOPX_ACTOR, else the person.

    Where the environment says an agent runs here, no option turns it into a human: ``actor-not-permitted``.
    """
    ambient = environ.get("LOOPX_ACTOR")
    settled = _parse(ambient, "LOOPX_ACTOR") if ambient else None
    if option is None:
        return settled or people.person()[0]
    chosen = _parse(option, "--actor")
    if settled is not None and not settled.is_human and chosen.is_human:
        raise LoopxError(
            "actor-not-permitted",
            f"LOOPX_ACTOR says {settled} runs here, which may not act as {chosen}",
            place=Place("--actor"),
            hint="Ask the person to run the command themselves.",
        )
    return chosen


def _parse(text: str, where: str) -> Actor:
    try:
        return Actor.parse(text)
    except ValueError as error:
        raise LoopxError("usage", str(error), place=Place(where)) from error
