"""The life of a step as a table anyone can read: (from, to) → the roles that may bring it about.

``loop`` moves steps through :func:`allowed` alone; tests walk the whole product of statuses and roles. Every pair that
stands in no line is ``transition-illegal``, every role that stands in none of a pair's is ``transition-not-permitted``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType

from loopx.model.step import Role, StepStatus

_S, _R = StepStatus, Role
_Line = tuple[StepStatus, tuple[StepStatus, ...], tuple[Role, ...]]


class Condition(StrEnum):
    """What must hold beyond status and role."""

    NONE = "none"
    EVALUATION_DISABLED = "evaluation disabled"
    VERIFICATION_DISABLED = "verification disabled"


CREATION: Mapping[StepStatus, frozenset[Role]] = MappingProxyType(
    {status: frozenset({Role.PLANNER}) for status in (_S.PENDING, _S.READY, _S.BLOCKED)}
)
"""The statuses a step may be made with. READY with unmet dependencies is refused by the plan's checks."""

_LINES: tuple[_Line, ...] = (
    (_S.PENDING, (_S.READY, _S.BLOCKED), (_R.PLANNER, _R.SYSTEM)),
    (_S.PENDING, (_S.SKIPPED,), (_R.PLANNER, _R.RECOVERY)),
    (_S.PENDING, (_S.CANCELLED,), (_R.SYSTEM,)),
    (_S.BLOCKED, (_S.READY, _S.PENDING), (_R.PLANNER, _R.SYSTEM)),
    (_S.BLOCKED, (_S.SKIPPED,), (_R.PLANNER, _R.RECOVERY)),
    (_S.BLOCKED, (_S.FAILED, _S.CANCELLED), (_R.SYSTEM,)),
    (_S.READY, (_S.IN_PROGRESS,), (_R.ACTOR,)),
    (_S.READY, (_S.PENDING, _S.BLOCKED), (_R.PLANNER, _R.SYSTEM, _R.RECOVERY)),
    (_S.READY, (_S.SKIPPED,), (_R.PLANNER, _R.RECOVERY)),
    (_S.READY, (_S.CANCELLED,), (_R.SYSTEM,)),
    (_S.IN_PROGRESS, (_S.EXECUTED,), (_R.ACTOR,)),
    (_S.IN_PROGRESS, (_S.RECOVERY_PENDING, _S.FAILED, _S.CANCELLED), (_R.SYSTEM,)),
    (_S.EXECUTED, (_S.EVALUATED, _S.EVALUATION_FAILED), (_R.EVALUATOR,)),
    (_S.EXECUTED, (_S.EVALUATED,), (_R.SYSTEM,)),
    (_S.EXECUTED, (_S.RECOVERY_PENDING, _S.PENDING), (_R.RECOVERY,)),
    (_S.EXECUTED, (_S.FAILED, _S.CANCELLED), (_R.SYSTEM,)),
    (_S.EVALUATED, (_S.VERIFIED_COMPLETED, _S.VERIFICATION_FAILED), (_R.VERIFIER,)),
    (_S.EVALUATED, (_S.VERIFIED_COMPLETED,), (_R.SYSTEM,)),
    (_S.EVALUATED, (_S.RECOVERY_PENDING, _S.PENDING), (_R.RECOVERY,)),
    (_S.EVALUATED, (_S.FAILED, _S.CANCELLED), (_R.SYSTEM,)),
    *(
        line
        for rejected in (_S.EVALUATION_FAILED, _S.VERIFICATION_FAILED)
        for line in (
            (rejected, (_S.RECOVERY_PENDING, _S.RETRY_PENDING, _S.SKIPPED, _S.PENDING), (_R.RECOVERY,)),
            (rejected, (_S.FAILED,), (_R.RECOVERY, _R.SYSTEM)),
            (rejected, (_S.CANCELLED,), (_R.SYSTEM,)),
        )
    ),
    (_S.RECOVERY_PENDING, (_S.RETRY_PENDING, _S.SKIPPED, _S.PENDING), (_R.RECOVERY,)),
    (_S.RECOVERY_PENDING, (_S.FAILED,), (_R.RECOVERY, _R.SYSTEM)),
    (_S.RECOVERY_PENDING, (_S.CANCELLED,), (_R.SYSTEM,)),
    (_S.RETRY_PENDING, (_S.READY, _S.PENDING), (_R.RECOVERY,)),
    (_S.RETRY_PENDING, (_S.FAILED,), (_R.RECOVERY, _R.SYSTEM)),
    (_S.RETRY_PENDING, (_S.CANCELLED,), (_R.SYSTEM,)),
)

_CONDITIONS: Mapping[tuple[StepStatus, StepStatus, Role], Condition] = MappingProxyType(
    {
        (_S.EXECUTED, _S.EVALUATED, _R.SYSTEM): Condition.EVALUATION_DISABLED,
        (_S.EVALUATED, _S.VERIFIED_COMPLETED, _R.SYSTEM): Condition.VERIFICATION_DISABLED,
    }
)


def _table(lines: Iterable[_Line]) -> Mapping[tuple[StepStatus, StepStatus], frozenset[Role]]:
    found: dict[tuple[StepStatus, StepStatus], frozenset[Role]] = {}
    for before, afters, roles in lines:
        for after in afters:
            found[before, after] = found.get((before, after), frozenset()) | frozenset(roles)
    return MappingProxyType(found)


TRANSITIONS: Mapping[tuple[StepStatus, StepStatus], frozenset[Role]] = _table(_LINES)
"""Every allowed change and who may make it."""


def condition(before: StepStatus, after: StepStatus, role: Role) -> Condition:
    """What must hold for ``role`` to make this change, beyond the table."""
    return _CONDITIONS.get((before, after, role), Condition.NONE)


def problem(before: StepStatus, after: StepStatus, role: Role) -> str | None:
    """The code of the refusal of this change; ``None`` when the table allows it."""
    roles = TRANSITIONS.get((before, after))
    if roles is None:
        return "transition-illegal"
    return None if role in roles else "transition-not-permitted"


def ways_out(status: StepStatus) -> Iterator[tuple[StepStatus, frozenset[Role]]]:
    """Where a step may go from ``status``, and by whom."""
    return ((after, roles) for (before, after), roles in TRANSITIONS.items() if before is status)
