"""Stand-ins for what other modules are about to answer; goes as soon as they are there."""

# mypy: ignore-errors
from __future__ import annotations

from inspect import signature

from loopx.kernel import criteria

try:
    from loopx.kernel.lease_standing import live_lease
except ImportError:

    def live_lease(state, todo_id, now):
        return state.lease(todo_id)


try:
    from loopx.kernel.obligations.deriving import obligations
except ImportError:

    def obligations(state, goal, now, owner=None):
        return ()


try:
    from loopx.kernel.bindings import evidence_standing
except ImportError:

    class _Standing:
        verdict = "applies"
        is_fresh = True

    def evidence_standing(state, evidence, now):
        return _Standing()


if len(signature(criteria.criterion_standing).parameters) > 3:
    criterion_standing = criteria.criterion_standing
else:

    def criterion_standing(state, goal, criterion, now=None):
        return criteria.criterion_standing(state, goal, criterion)
