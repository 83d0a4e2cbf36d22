"""Which monitor is looked at next, and when looking gives way to work.

A Goal with many monitors never starves its work: after :data:`LOOKS_IN_A_ROW` looks of one actor since it last ended a
Turn or finished a Todo, a runnable Todo comes first whatever the monitors' priority.
"""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.verdicts import ReasonCode

if TYPE_CHECKING:
    from loopx.kernel.cadence import MonitorStanding
    from loopx.kernel.decision.selecting import Work
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

LOOKS_IN_A_ROW = 4
"""Looks before a runnable Todo comes first."""
_LATELY = 5
"""Completions looked through for the actor's own."""


class Watched(NamedTuple):
    """A monitor and where it stands."""

    todo: Todo
    standing: MonitorStanding


class Watch:
    """The open monitors of one Goal in the eyes of one actor."""

    def __init__(self, work: Work, monitors: tuple[Todo, ...], last_turn: Turn | None) -> None:
        self.work, self.monitors, self.last_turn = work, monitors, last_turn

    @cached_property
    def every(self) -> tuple[Watched, ...]:
        if not self.monitors:
            return ()
        from loopx.kernel.cadence import monitor_standing  # most Goals watch nothing

        state, now = self.work.state, self.work.now
        return tuple(Watched(each, monitor_standing(state, each, now)) for each in self.monitors)

    @cached_property
    def due(self) -> tuple[Watched, ...]:
        """Monitors due now, whoever may look, the most urgent first."""
        return tuple(sorted((each for each in self.every if each.standing.is_due), key=_urgency))

    @cached_property
    def mine(self) -> tuple[Watched, ...]:
        """Those of the due monitors the actor may look at."""
        return tuple(each for each in self.due if self._may_look(each.todo))

    @cached_property
    def ahead(self) -> tuple[Watched, ...]:
        """Those that come before the best runnable Todo: of higher priority, late by a whole cadence, or due for the
        last time."""
        best = self.work.best
        return tuple(
            each
            for each in self.mine
            if each.standing.is_overdue
            or each.standing.is_last_slot
            or (best is not None and each.todo.priority < best.todo.priority)
        )

    @cached_property
    def looks(self) -> int:
        """Looks of the actor since it last worked, as far as the logs list them."""
        since = self._last_worked()
        return sum(self._counts(each, since) for each in self.monitors)

    @property
    def gives_way(self) -> bool:
        """Whether it is the turn of work."""
        return self.work.best is not None and self.looks >= LOOKS_IN_A_ROW

    def _last_worked(self) -> datetime | None:
        """When the actor last ended a Turn or finished a Todo, as far as the newest completions tell."""
        actor = str(self.work.actor)
        newest = self.work.state.newest_completions(self.work.goal.id, limit=_LATELY)
        finished = [entry.at for log in newest for entry in log.entries[-1:] if entry.by == actor]
        ended = [self.last_turn.settled_at] if self.last_turn and self.last_turn.settled_at else []
        return max((*finished, *ended), default=None)

    def _counts(self, monitor: Todo, since: datetime | None) -> int:
        log = self.work.state.monitor(monitor.id)
        actor = str(self.work.actor)
        looks = [each for each in (log.recent if log else ()) if each.by == actor]
        return sum(since is None or each.at > since for each in looks)

    def _may_look(self, monitor: Todo) -> bool:
        """Whether nothing but its class keeps the actor from it."""
        return all(each.code is ReasonCode.NOT_WORK for each in self.work.reasons(monitor))


def _urgency(watched: Watched) -> tuple[str, bool, str, str]:
    standing = watched.standing
    return (watched.todo.priority, not standing.is_last_slot, str(standing.next_due_at), watched.todo.id)
