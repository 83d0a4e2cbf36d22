"""Failures and what is chosen to be done about them, and the books of all failures of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from loopx.errors import LoopxError
from loopx.kernel.plans.failures import may_follow
from loopx.model.step import FailureStatus, FailureType, RecoveryStrategy

_SUCCESS_RECOVERS = frozenset(RecoveryStrategy) - {
    RecoveryStrategy.REQUEST_HUMAN,
    RecoveryStrategy.ABSTAIN,
    RecoveryStrategy.TERMINATE,
}


@dataclass(slots=True, eq=False)
class RecoveryAction:
    """One decision of the recovery policy."""

    action_id: str
    failure_id: str
    strategy: RecoveryStrategy
    params: dict[str, Any] = field(default_factory=dict)
    executed: bool = False
    success: bool = False
    message: str = ""


@dataclass(slots=True, eq=False)
class Failure:
    """Something that went wrong. A new one has a new id; a recovered one is never taken up again.

    Its status is moved by the methods below alone, along the table in ``kernel.plans.failures``; each of them raises
    :class:`LoopxError` (``transition-illegal``) where that says no.
    """

    failure_id: str
    type: FailureType
    message: str
    raised_at: datetime
    step_id: str | None = None
    lineage: str | None = None
    status: FailureStatus = FailureStatus.UNHANDLED
    recoverable: bool = True
    recovery_attempts: int = 0
    actions: list[RecoveryAction] = field(default_factory=list)
    evidence: str | None = None
    is_outcome_unknown: bool = False
    """Something began and its end was not seen: known first, recovered second."""
    is_judge_outage: bool = False
    """A judge broke down; nothing is known against the step."""

    @property
    def action_ids(self) -> tuple[str, ...]:
        return tuple(each.action_id for each in self.actions)

    @property
    def undone(self) -> RecoveryAction | None:
        """A recovery that was decided and on record, and never came to its end."""
        is_due = self.status in (FailureStatus.RECOVERY_PLANNED, FailureStatus.RECOVERY_IN_PROGRESS)
        return self.actions[-1] if is_due and self.actions and not self.actions[-1].executed else None

    def can_recover(self, limit: int | None = None) -> bool:
        """Whether another recovery may be tried: it is open, recoverable, and below ``limit`` attempts."""
        if not self.recoverable or not self.status.is_open or self.status is FailureStatus.ESCALATED:
            return False
        return limit is None or self.recovery_attempts < limit

    def plan(self, action: RecoveryAction) -> None:
        """A recovery was chosen."""
        self._turn(FailureStatus.RECOVERY_PLANNED)
        self.actions.append(action)

    def mark_in_progress(self) -> None:
        """The recovery that was chosen is being carried out, perhaps once more after it was cut short."""
        if self.status is not FailureStatus.RECOVERY_IN_PROGRESS:
            self._turn(FailureStatus.RECOVERY_IN_PROGRESS)

    def record_recovery_attempt(self, action_id: str) -> None:
        """The recovery of that id was carried out, whether or not it succeeded."""
        self.recovery_attempts += 1
        for each in self.actions:
            if each.action_id == action_id:
                each.executed = True

    def mark_recovered(self) -> None:
        self._turn(FailureStatus.RECOVERED)

    def mark_recovery_failed(self) -> None:
        self._turn(FailureStatus.RECOVERY_FAILED)

    def mark_escalated(self) -> None:
        self._turn(FailureStatus.ESCALATED)

    def mark_terminal(self) -> None:
        self._turn(FailureStatus.TERMINAL)

    def _turn(self, to: FailureStatus) -> None:
        if not may_follow(self.status, to):
            raise LoopxError(
                "transition-illegal",
                f"failure {self.failure_id} is {self.status} and cannot become {to}",
                facts={"failure": self.failure_id, "from": self.status.value, "to": to.value},
            )
        self.status = to


@dataclass(frozen=True, slots=True)
class FailureView:
    """A failure as components see it: nothing in it can be changed."""

    failure_id: str
    type: FailureType
    message: str
    step_id: str | None
    lineage: str | None
    status: FailureStatus
    recovery_attempts: int
    strategies: tuple[RecoveryStrategy, ...]
    """What was tried so far, oldest first."""
    evidence: str | None

    @classmethod
    def of(cls, failure: Failure) -> FailureView:
        return cls(
            failure.failure_id,
            failure.type,
            failure.message,
            failure.step_id,
            failure.lineage,
            failure.status,
            failure.recovery_attempts,
            tuple(each.strategy for each in failure.actions),
            failure.evidence,
        )


class Failures(MutableMapping[str, Failure]):
    """Every failure of a run by id, oldest first. Says which are open without looking at those that are over."""

    def __init__(self, failures: Mapping[str, Failure] | Iterable[Failure] = (), under: Failures | None = None) -> None:
        self._under = under
        """In a working copy: the books it was made from, which nobody changes meanwhile."""
        self._all: dict[str, Failure] = {}
        self._open: dict[str, Failure] = {}
        self._by_lineage: dict[str | None, list[Failure]] = {}
        self._terminal: Failure | None = None
        for each in failures.values() if isinstance(failures, Mapping) else failures:
            self[each.failure_id] = each

    def __getitem__(self, identity: str) -> Failure:
        found = self._all.get(identity)
        if found is None and self._under is not None:
            return self._under[identity]
        return self._all[identity] if found is None else found

    def __setitem__(self, identity: str, failure: Failure) -> None:
        self._all[identity] = self._open[identity] = failure
        self._by_lineage.setdefault(failure.lineage, []).append(failure)

    def __delitem__(self, identity: str) -> None:
        raise LoopxError("bug", f"failure {identity} is never forgotten")

    def __iter__(self) -> Iterator[str]:
        if self._under is not None:
            yield from self._under
        yield from self._all

    def __len__(self) -> int:
        return len(self._all) + (len(self._under) if self._under is not None else 0)

    def open(self) -> list[Failure]:
        """Failures that are neither recovered nor terminal, oldest first."""
        if self._open:
            self._look_at_open()
        return [*(self._under.open() if self._under is not None else ()), *self._open.values()]

    def terminal(self) -> Failure | None:
        """The first failure that was found terminal; ``None`` while none is."""
        if self._open:
            self._look_at_open()
        return self._terminal

    def of_lineage(self, lineage: str | None) -> list[Failure]:
        """Failures of one lineage, oldest first."""
        below = self._under.of_lineage(lineage) if self._under is not None else []
        return [*below, *self._by_lineage.get(lineage, ())]

    def draft(self) -> Failures:
        """Books of a working copy: what is raised in it stays in it until :meth:`join`. Failures are shared."""
        return Failures(under=self)

    def join(self, copy: Failures) -> None:
        """Take over what was raised in a draft of these books."""
        for identity, failure in copy._all.items():
            self[identity] = failure

    def _look_at_open(self) -> None:
        for identity, each in list(self._open.items()):
            if not each.status.is_open:
                del self._open[identity]
                if self._terminal is None and each.status is FailureStatus.TERMINAL:
                    self._terminal = each


def success_recovers(strategy: RecoveryStrategy) -> bool:
    """Whether success of ``strategy`` makes a failure recovered: asking a person or stopping does not."""
    return strategy in _SUCCESS_RECOVERS
