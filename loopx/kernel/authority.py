"""Who may propose what, and by which way: one table of commands, read for every command, actor kind and origin.

:func:`permitted` is asked before any rule of a command. Lines marked ``LIMITED`` let an agent through to the command's
own rules, which refuse what goes beyond the limit written beside the line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from loopx.kernel.claims import PERSON_PREFIX
from loopx.kernel.commands.base import Command
from loopx.kernel.context import Context
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import cut, listed, refuse
from loopx.model.actor import Actor, ActorKind, Origin
from loopx.model.defining import dataclass


class Rule(StrEnum):
    """What the table says of one command, actor kind and origin."""

    ANYONE = "anyone"
    LIMITED = "limited"
    """Within a limit the command's own rules keep."""
    PERSON = "person"
    """A human, and an operator where the workspace names operators."""
    NOT_BY_HAND = "not by hand"
    """Never by editing files, whoever does it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: the rule for agents, its limit in words, and the refusal of a hand edit if any."""

    agent: Rule
    limit: str = ""
    by_hand: str | None = None
    """Code of the refusal when it comes from an editor or a foreign commit."""


TABLE: Mapping[str, Line] = MappingProxyType(
    {
        "goal new": Line(Rule.LIMITED, "an agent may propose a draft"),
        "goal edit": Line(Rule.LIMITED, "an agent may edit title, objective and tags of a draft"),
        "goal status": Line(Rule.PERSON),
        "goal meet": Line(Rule.LIMITED, "an agent's own word is no evidence", "record-machine-owned"),
        "goal unmeet": Line(Rule.LIMITED, "an agent may not undo a waiver", "record-machine-owned"),
        "goal waive": Line(Rule.PERSON, by_hand="record-machine-owned"),
        "todo add": Line(Rule.ANYONE),
        "todo edit": Line(Rule.LIMITED, "an agent may not weaken what guards a Todo, nor change its class"),
        "todo claim": Line(Rule.ANYONE),
        "todo unclaim": Line(Rule.LIMITED, "an agent may give up its own claim"),
        "todo block": Line(Rule.LIMITED, "an agent may not touch what another claims"),
        "todo defer": Line(Rule.LIMITED, "an agent may not touch what another claims"),
        "todo resume": Line(Rule.LIMITED, "an agent may not touch what another claims"),
        "todo done": Line(Rule.ANYONE),
        "todo supersede": Line(Rule.ANYONE),
        "todo cancel": Line(Rule.LIMITED, "an agent may cancel what it claims or nobody claims"),
        "todo reopen": Line(Rule.PERSON),
        "todo archive": Line(Rule.ANYONE),
        "gate open": Line(Rule.ANYONE),
        "gate decide": Line(Rule.PERSON, by_hand="gate-not-by-hand"),
        "gate withdraw": Line(Rule.LIMITED, "an agent may withdraw what it asked", "gate-not-by-hand"),
        "vision set": Line(Rule.LIMITED, "an agent may write its own Vision"),
        "vision retire": Line(Rule.LIMITED, "an agent may retire its own Vision"),
        "evidence record": Line(Rule.LIMITED, "only LoopX records validations and read-backs", "record-machine-owned"),
        "goal close": Line(
            Rule.LIMITED, "an agent may close a Goal whose audit is clean, never abandon it", "record-machine-owned"
        ),
        "goal reopen": Line(Rule.PERSON, by_hand="record-machine-owned"),
        "lease acquire": Line(Rule.ANYONE, by_hand="record-machine-owned"),
        "lease renew": Line(Rule.LIMITED, "an agent may renew its own lease", "record-machine-owned"),
        "lease transfer": Line(Rule.LIMITED, "an agent may hand over its own lease", "record-machine-owned"),
        "lease release": Line(Rule.LIMITED, "an agent may release its own lease", "record-machine-owned"),
        "turn open": Line(Rule.LIMITED, "an agent may open its own turns", "record-machine-owned"),
        "turn void": Line(Rule.LIMITED, "an agent may void its own turns", "record-machine-owned"),
        "refresh-state": Line(Rule.LIMITED, "an agent may settle its own turns", "record-machine-owned"),
        "monitor poll": Line(Rule.ANYONE, by_hand="record-machine-owned"),
        "effect open": Line(Rule.LIMITED, "an agent may record its own effects", "record-machine-owned"),
        "effect settle": Line(Rule.LIMITED, "an agent may settle its own effects", "record-machine-owned"),
        "effect confirm": Line(Rule.LIMITED, "an agent's own word confirms nothing", "record-machine-owned"),
        "agent add": Line(Rule.PERSON),
        "agent edit": Line(Rule.PERSON),
        "agent remove": Line(Rule.PERSON),
        "proposal add": Line(Rule.ANYONE),
        "proposal accept": Line(Rule.PERSON, by_hand="record-machine-owned"),
        "proposal reject": Line(Rule.LIMITED, "an agent may take back its own", "record-machine-owned"),
        "handoff create": Line(Rule.ANYONE, by_hand="record-machine-owned"),
        "handoff accept": Line(
            Rule.LIMITED, "whom it is for, or anybody where it names nobody", "record-machine-owned"
        ),
        "handoff decline": Line(Rule.LIMITED, "whom it is for, or the sender", "record-machine-owned"),
        "evidence add": Line(Rule.LIMITED, "everybody speaks in their own name", "record-machine-owned"),
        "evidence reassess": Line(
            Rule.LIMITED, "an agent may not say that its own work still applies", "record-machine-owned"
        ),
        "workspace edit": Line(Rule.PERSON),
        "rollback": Line(Rule.PERSON),
        "plan new": Line(Rule.ANYONE),
        "plan edit": Line(Rule.LIMITED, "an agent may edit a plan nobody began to carry out"),
        "run open": Line(Rule.ANYONE, by_hand="record-machine-owned"),
        "run record": Line(
            Rule.LIMITED, "an agent may record the runs it started, or whose Todo it executes", "record-machine-owned"
        ),
    }
)
"""Every command there is. A human may do all of it; ``PERSON`` lines ask for an operator where there are any."""

_BY_HAND = frozenset({Origin.HAND, Origin.FOREIGN})


def rule(command: type[Command], kind: ActorKind, origin: Origin) -> Rule:
    """What the table says of one cell of command × actor kind × origin."""
    line = TABLE[command.name]
    if line.by_hand is not None and origin in _BY_HAND:
        return Rule.NOT_BY_HAND
    if kind is ActorKind.HUMAN and line.agent is Rule.LIMITED:
        return Rule.ANYONE
    return line.agent


def permitted(state: State, command: Command, context: Context) -> Refused | None:
    """The refusal of ``command`` on grounds of who proposes it and by which way; ``None`` when it may be judged."""
    if not context.actor.is_human and context.actor.name.startswith(PERSON_PREFIX):
        # Claims and leases would take it for the person, and let it go on where they left off.
        hint = f"A person is written {PERSON_PREFIX}NAME in claims; act under a name that begins otherwise."
        return refuse("agent-invalid", f"{context.actor} reads like a person's name.", hint, agent=context.actor.name)
    found = rule(type(command), context.actor.kind, context.origin)
    if found is Rule.NOT_BY_HAND:
        code = TABLE[command.name].by_hand or "record-machine-owned"
        return refuse(code, f"`{command.name}` cannot be done by editing a file.")
    if found is Rule.PERSON:
        return person_only(state, context, f"`{command.name}`")
    return None


def person_only(state: State, context: Context, act: str) -> Refused | None:
    """The refusal of an act only a person (an operator, where there are any) may do. ``act`` is its name."""
    if not context.actor.is_human:
        return beyond(context, f"{act} is for a person")
    if not is_operator(state, context.actor):
        return _not_an_operator(state, context.actor, act)
    return None


def beyond(context: Context, limit: str, *, field: str | None = None) -> Refused:
    """The refusal of an actor that went beyond ``limit``, a clause that says what holds."""
    return refuse(
        "actor-not-permitted", f"{context.actor} may not do this: {limit}.", field=field, actor=str(context.actor)
    )


def is_operator(state: State, actor: Actor) -> bool:
    """Whether ``actor`` is a human who may decide here: named among the operators, or nobody is named."""
    config = state.config()
    if not actor.is_human:
        return False
    if config is None or not config.operators:
        return True
    named = {each for operator in config.operators for each in _names(operator)}
    return bool(named & _names(actor.name))


def _names(text: str) -> set[str]:
    """A person's name and e-mail address as they are compared, from ``Ann``, ``ann@example.org`` or ``Ann <ann@…>``."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    name, bracket, rest = plain.partition("<")
    if not bracket:
        return {plain}
    return {each for each in (name.strip(), rest.rstrip("> ").strip()) if each}


def _not_an_operator(state: State, actor: Actor, act: str) -> Refused:
    config = state.config()
    operators = config.operators if config else ()
    message = f"{act[:1].upper()}{act[1:]} is for an operator of this workspace, and {cut(actor.name, 40)} is none."
    return refuse("operator-required", message, f"Operators: {listed(operators)}.", actor=str(actor))
