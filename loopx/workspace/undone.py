"""Which later operation took back what an operation did: a rollback says so itself, a later decision on the same
subject is found in the audit trail. A receipt proves history and grants nothing, so whoever reads one is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.store.cache import Cache
    from loopx.store.cache.rows import CommitRow

TAKEN_BACK_BY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "gate open": ("gate withdraw",),
        "gate decide": ("gate decide", "gate withdraw"),
        "goal status": ("goal status", "goal close"),
        "goal meet": ("goal unmeet", "goal waive"),
        "goal unmeet": ("goal meet", "goal waive"),
        "goal waive": ("goal unmeet", "goal meet"),
        "goal close": ("goal reopen",),
        "goal reopen": ("goal close",),
        "todo claim": ("todo unclaim", "todo claim"),
        "todo block": ("todo resume",),
        "todo defer": ("todo resume",),
        "todo done": ("todo reopen",),
        "todo supersede": ("todo reopen",),
        "todo cancel": ("todo reopen",),
        "todo reopen": ("todo done", "todo supersede", "todo cancel"),
        "vision set": ("vision retire",),
        "vision retire": ("vision set",),
        "lease acquire": ("lease acquire", "lease transfer", "lease release"),
        "lease transfer": ("lease acquire", "lease transfer", "lease release"),
        "turn open": ("turn void",),
        "refresh-state": ("turn void",),
        "effect settle": ("effect settle",),
        "agent add": ("agent remove",),
        "agent remove": ("agent add",),
    }
)
"""Command to the commands that, later and on the same subject, take back what it did."""


def superseded_by(cache: Cache, row: CommitRow) -> str | None:
    """The operation that took back what ``row`` did; the first, should there be more."""
    if row.superseded_by:
        return row.superseded_by
    later = TAKEN_BACK_BY.get(row.command)
    if not later or not row.subject:
        return None
    for each in cache.commits_after(row.seq, row.subject, later):
        if _is_about_the_same(row, each) and not each.superseded_by:
            return each.operation
    return None


def _is_about_the_same(row: CommitRow, later: CommitRow) -> bool:
    """Whether two operations on one subject speak of the same part of it: of one criterion of a Goal, for one."""
    told, then = json.loads(row.result or "{}"), json.loads(later.result or "{}")
    if then.get("already") or then.get("added") is False:
        return False
    return bool(row.goal == later.goal and told.get("criterion") == then.get("criterion"))
