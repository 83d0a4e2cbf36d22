"""The life of a failure as a table: from each status to those that may follow. What is over is never taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from loopx.model.step import FailureStatus

_F = FailureStatus
_OVER = frozenset({_F.RECOVERED, _F.TERMINAL})

TRANSITIONS: Mapping[FailureStatus, frozenset[FailureStatus]] = MappingProxyType(
    {
        _F.UNHANDLED: frozenset({_F.RECOVERY_PLANNED}) | _OVER,
        _F.RECOVERY_PLANNED: frozenset({_F.RECOVERY_IN_PROGRESS}) | _OVER,
        _F.RECOVERY_IN_PROGRESS: frozenset({_F.RECOVERY_FAILED, _F.ESCALATED}) | _OVER,
        _F.RECOVERY_FAILED: frozenset({_F.RECOVERY_PLANNED}) | _OVER,
        _F.ESCALATED: _OVER,
        _F.RECOVERED: frozenset[FailureStatus](),
        _F.TERMINAL: frozenset[FailureStatus](),
    }
)
"""Every allowed change. RECOVERED may follow on any open status: another recovery may leave nothing of a failure."""


def may_follow(before: FailureStatus, after: FailureStatus) -> bool:
    """Whether a failure may go from ``before`` to ``after``."""
    return after in TRANSITIONS[before]
