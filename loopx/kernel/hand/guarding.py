"""Hand edits of what guards work, typed while an agent works: they wait for an operator's word.

A file edit cannot prove who typed it, and an agent at work has a reason to loosen what keeps it back. Asked last, once
nothing else speaks against an edit; without agents at work nobody ever waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loopx.kernel.authority import is_operator
from loopx.kernel.context import Context
from loopx.kernel.hand.edit import HandEdit
from loopx.kernel.lease_standing import standing_of
from loopx.kernel.rebinding import changed_fields, file_key
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import listed, refuse
from loopx.model.entities import CLASSES, Entity, kind_of
from loopx.model.fields import marks

_PERSON = "human-"
"""How the name of a holder begins that is a person."""


def waits_for_an_operator(state: State, edit: HandEdit, context: Context) -> Refused | None:
    """The refusal of an edit that may only be taken in by ``loopx edit accept``; ``None`` when it need not wait.

    An edit that waited once goes on waiting when the agent has left: the agent may be the one who typed it.
    """
    if edit.before is None or edit.after is None or not (guards := _guards(edit.before, edit.after)):
        return None
    workers = sorted(set(agents_at_work(state, edit.goal or None, context.now)))
    if not workers and not edit.has_waited:
        return None
    if edit.accepted_by is not None and is_operator(state, edit.accepted_by):
        return None
    code = "guard-edit-waits" if edit.accepted_by is None else "operator-required"
    names = listed(file_key(edit.after, each) for each in guards)
    at_work = f"while {listed(workers)} works here" if workers else "while an agent worked here"
    message = f"{names} of {edit.id} was edited by hand {at_work}, and a file cannot say who typed it."
    hint = f"An operator takes it in with `loopx edit accept {edit.path}`, or drops it with `loopx edit discard`."
    return refuse(code, message, hint, field=guards[0], agents=workers or None, id=edit.id)


def agents_at_work(state: State, goal: str | None, now: datetime) -> Iterator[str]:
    """Agents that hold a live lease or have a turn open, in one Goal or (``None``) in any."""
    from loopx.model.lease import LeaseStatus

    for lease in state.leases(goal, {LeaseStatus.ACTIVE}):
        if standing_of(lease, now).is_live and not lease.owner.startswith(_PERSON):
            yield lease.owner
    for turn in state.open_turns(goal):
        if not turn.agent.startswith(_PERSON):
            yield turn.agent


def _guards(before: Entity, after: Entity) -> list[str]:
    kind: type = CLASSES[kind_of(after)]
    known = marks(kind)
    return [each for each in changed_fields(before, after) if each in known and known[each].guard]
