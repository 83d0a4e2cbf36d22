"""What one save of a run is about, in a few words for the audit trail: what is done about a failure, how the run
ended, or else where its steps stand now."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.kernel.commands.plans import RecordRun
    from loopx.model.run import FailureRecord

_MOST = 5
_ABOUT_A_FAILURE = frozenset({"recovery_decided", "recovered"})


def told(command: RecordRun) -> str:
    """The words of the headline."""
    failure = _touched(command) if command.point in _ABOUT_A_FAILURE else None
    if failure is not None and failure.actions:
        action = failure.actions[-1]
        how = "chosen" if not action.executed else "succeeded" if action.success else "failed"
        return f"{failure.step or 'plan'}: {action.strategy} {how}"
    if command.record.status.is_terminal:
        return command.record.status.value
    moved = ", ".join(f"{each.step} {each.status}" for each in command.steps[:_MOST])
    return moved or command.record.status.value


def _touched(command: RecordRun) -> FailureRecord | None:
    """The failure the newest line about one is about."""
    records = (*command.record.failures, *(one for each in command.steps for one in each.failures))
    failures = {each.failure_id: each for each in records}
    for line in reversed(command.entries):
        kind, _, name = line.entity.partition(" ")
        if kind == "failure" and line.refused is None and name in failures:
            return failures[name]
    return None
