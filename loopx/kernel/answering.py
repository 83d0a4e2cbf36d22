"""How the kernel says yes: the receipt, the commit subject, and ids nobody had before.

Every decision that accepts is built here, so that all receipts and all headlines look alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from loopx.errors import LoopxError, Problem
from loopx.kernel.commands.base import Command
from loopx.kernel.context import Context
from loopx.kernel.digest import request_digest
from loopx.kernel.outcome import Accepted, Change, Receipt, Update
from loopx.kernel.state import State
from loopx.kernel.wording import quoted

_DRAWS = 20


def accepted(
    command: Command,
    context: Context,
    *,
    subject: str,
    goal: str,
    headline: str,
    changes: Sequence[Change] = (),
    body: str = "",
    result: Mapping[str, Any] | None = None,
    notices: Sequence[Problem] = (),
) -> Accepted:
    """Yes to ``command``. ``subject`` is ``noun id``; no ``changes`` means there was nothing to do.

    An update that sets nothing is left out, so that nothing is written where nothing changes.
    """
    real = tuple(each for each in changes if not isinstance(each, Update) or each.fields)
    receipt = Receipt(
        operation=context.operation,
        command=command.name,
        actor=context.actor,
        origin=context.origin,
        subject=subject,
        goal=goal,
        request=request_digest(command, context.actor),
        at=stamp(context),
        result=dict(result or {}),
    )
    return Accepted(real, receipt, headline, body, tuple(notices))


def stamp(context: Context) -> datetime:
    """The time of the decision as files hold it: to the second."""
    return context.now.replace(microsecond=0)


def headline(noun: str, verb: str, identity: str, title: str) -> str:
    """A commit subject: ``todo: done t-4k9x2m7q "Write the guide"``."""
    return f"{noun}: {verb} {identity} {quoted(title, 60)}"


def fresh_id(state: State, context: Context, prefix: str, taken: Collection[str] = ()) -> str:
    """An id no document of any revision had, drawn again while the source repeats itself.

    ``taken`` are ids drawn earlier in the same decision. Raises ``ids-exhausted`` when only known ids come.
    """
    for _ in range(_DRAWS):
        found = context.ids.fresh(prefix)
        if found not in taken and not state.is_known_id(found):
            return found
    raise LoopxError("ids-exhausted", f"{_DRAWS} ids drawn for {prefix!r} in a row are taken")
