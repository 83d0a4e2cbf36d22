"""The trace of a run: append-only, numbered, chained by hashes, from which every status can be told again.

A line's hash covers the line and the hash before it, so that nothing in the middle can be changed unseen. Refused
transitions stand in it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from loopx.kernel.plans.chain import GENESIS as GENESIS
from loopx.kernel.plans.chain import as_json, chained
from loopx.kernel.plans.chain import first_break as first_break
from loopx.kernel.plans.chain import statuses as statuses
from loopx.model.run import TraceEntry


class Trace:
    """Lines made since ``count`` were there. What went before is the store's.

    The chain is worked out when somebody asks for it: a run that keeps nothing never pays for it.
    """

    def __init__(self, count: int = 0, head: str = GENESIS, under: Trace | None = None) -> None:
        self._count = count
        self._head = head
        self._under = under
        """In a working copy: the trace it goes on from, which nobody adds to meanwhile."""
        self._lines: list[Line] = []
        self._sealed: list[TraceEntry] = []

    @property
    def count(self) -> int:
        """Number of the newest line."""
        return self._count + len(self._lines)

    @property
    def head(self) -> str:
        """Hash of the newest line."""
        self._seal()
        return self._sealed[-1].hash if self._sealed else self._head

    @property
    def entries(self) -> list[TraceEntry]:
        """Every line since this trace was begun, with its hash."""
        self._seal()
        return self._sealed

    @property
    def lines(self) -> list[Line]:
        """The same lines as they were added, without working out a hash."""
        return self._lines

    def add(
        self,
        at: datetime,
        entity: str,
        before: str | None,
        after: str,
        role: str,
        cause: str = "",
        refused: str | None = None,
        evidence: Mapping[str, Any] | None = None,
    ) -> None:
        """Add one line."""
        self._lines.append((at, entity, before, after, role, cause, refused, dict(evidence) if evidence else None))

    def draft(self) -> Trace:
        """A trace that goes on from here without touching this one."""
        return Trace(self.count, under=self)

    def join(self, other: Trace) -> None:
        """Take over what a draft of this one added."""
        self._lines.extend(other._lines)

    def join_refusals(self, other: Trace) -> None:
        """Take over, from a draft that is thrown away, the refused tries alone: they did happen."""
        self._lines.extend(line for line in other._lines if line[6] is not None)

    def _seal(self) -> None:
        """Chain the lines that are not yet."""
        if self._under is not None and not self._sealed:
            self._head = self._under.head
        head = self._sealed[-1].hash if self._sealed else self._head
        for line in self._lines[len(self._sealed) :]:
            at, entity, before, after, role, cause, refused, evidence = line
            number = self._count + len(self._sealed) + 1
            told = (number, at, entity, _word(before), str(after), str(role), _clean(cause), refused, as_json(evidence))
            head = chained(head, *told)
            self._sealed.append(TraceEntry(*told, head))


LONGEST_CAUSE = 2000
"""Characters kept of why something moved: what a component says may be of any length."""


def _clean(text: str) -> str:
    """``text`` as it can be written: half surrogates cannot."""
    text = text if len(text) <= LONGEST_CAUSE else f"{text[: LONGEST_CAUSE - 1]}…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _word(text: str | None) -> str | None:
    """A member of a closed set as the word it is written as."""
    return None if text is None else str(text)


Line = tuple[datetime, str, str | None, str, str, str, str | None, dict[str, Any] | None]
"""Time, entity, from, to, role, cause, code of the refusal, evidence."""
