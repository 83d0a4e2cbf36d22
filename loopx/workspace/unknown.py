"""What to do about an operation whose outcome is not known: which facts to read again, by which command, until when.

The identity stays the caller's own: a second attempt under another id could do twice what was done already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.kernel.traces import operations_of
from loopx.model.kind import Kind
from loopx.workspace.rows import entity_of

if TYPE_CHECKING:
    from loopx.store.cache import Cache
    from loopx.store.cache.rows import EntityRow

_RECORDS = tuple(each.value for each in Kind if each.is_forward_only)
UNKNOWN = "outcome-unknown"


def recovery(
    operation: str, why: str, reread: tuple[str, ...] = ("history of .loopx/.git", "local/journal.json")
) -> dict[str, Any]:
    """The way back: ``identity``, ``reread``, ``entrypoint``, ``stop_when`` and ``owner``, and ``why`` it is needed."""
    return {
        "identity": operation,
        "why": why,
        "reread": list(reread),
        "entrypoint": f"loopx op show {operation}",
        "stop_when": "the answer is committed or absent",
        "owner": "the caller of the operation",
    }


def records_of(cache: Cache, operation: str) -> list[EntityRow]:
    """Records that say ``operation`` made them, in path order."""
    found = cache.telling(operation, _RECORDS)
    return [each for each in found if operation in operations_of(entity_of(Kind(each.kind), each.data))]


def lost(why: str, cause: Mapping[str, Any] | None = None) -> LoopxError:
    """The error of a write that may or may not be in history; :func:`of_operation` adds whose it is."""
    return LoopxError(UNKNOWN, why, facts=dict(cause or {}))


def of_operation(error: LoopxError, operation: str) -> LoopxError:
    """``error`` as one request meets it: where its outcome is not known, with the way back to it."""
    if error.code != UNKNOWN:
        return error
    facts = {**error.problem.facts, "operation": operation, "recovery": recovery(operation, error.problem.message)}
    return LoopxError(UNKNOWN, error.problem.message, hint=error.problem.hint, facts=facts)
