"""Whether documents may be put back, and what that does to the records that stay.

Which documents, and their texts, is the workspace's to work out. Records only move forward: an entry made after the
revision gone back to stays where it is and is marked, so that it covers and supports nothing any more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from loopx.kernel.answering import accepted
from loopx.kernel.commands import Rollback
from loopx.kernel.context import Context
from loopx.kernel.lease_record import endings
from loopx.kernel.outcome import Outcome
from loopx.kernel.state import State
from loopx.kernel.texts import bad_reason
from loopx.model.closure import ClosureLog
from loopx.model.entities import Entity
from loopx.model.kind import Kind
from loopx.model.records import CompletionLog, CriterionLog, DecisionLog

L = TypeVar("L", bound=Entity)

_SHOWN = 10
"""Characters of a revision in a headline."""


def judge_rollback(state: State, command: Rollback, context: Context) -> Outcome:
    """Whether the documents named may be put back. The workspace brings their texts itself; what follows beyond them is
    that nobody goes on executing a Todo that is another one now: its lease ends.
    """
    if refused := bad_reason(command.reason):
        return refused
    count = len(command.documents)
    what = f"undo {command.undo_of}" if command.undo_of else f"to {command.revision[:_SHOWN]}"
    return accepted(
        command,
        context,
        subject=f"revision {command.revision}",
        goal=command.goal or "",
        headline=f"rollback: {what}, {count} document{'' if count == 1 else 's'}",
        changes=[
            ended
            for kind, identity in command.documents
            if kind == Kind.TODO
            for ended in endings(state, identity, context, "rolled back")
        ],
        body=command.reason,
        result={
            "revision": command.revision,
            "documents": [list(each) for each in command.documents[:20]],
            **({"undid": command.undo_of} if command.undo_of else {}),
        },
    )


def mark_rolled_back(log: L, *, since: datetime, at: datetime, operation: str, kept: Collection[str] = ()) -> L:
    """``log`` with every entry made at or after ``since`` marked as undone by ``operation`` at the time ``at``.

    Times are to the second, so an entry of the revision gone back to may bear the very time ``since``: ``kept`` names
    the operations of entries that revision held, which stay unmarked. Entries undone before keep the mark they have;
    a record without entries comes back as it is.
    """
    if not isinstance(log, CompletionLog | DecisionLog | CriterionLog | ClosureLog):
        return log
    moment = at.replace(microsecond=0)
    before: tuple[Any, ...] = log.entries
    entries: Any = tuple(
        each if each.at < since or each.operation in kept else _marked(each, moment, operation) for each in before
    )
    return replace(log, entries=entries)


def _marked(entry: Any, at: datetime, operation: str) -> Any:
    if entry.rolled_back_at is not None:
        return entry
    return replace(entry, rolled_back_at=at, rolled_back_by=operation)
