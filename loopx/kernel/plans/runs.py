"""The life of a run as a table: from each execution state to those it may turn to. Terminal states lead nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from loopx.model.step import ExecutionState

_E = ExecutionState
_ENDS = (_E.COMPLETED, _E.PARTIALLY_COMPLETED, _E.BUDGET_EXHAUSTED, _E.POLICY_TERMINATED, _E.FAILED)

TRANSITIONS: Mapping[ExecutionState, frozenset[ExecutionState]] = MappingProxyType(
    {
        _E.INITIALIZED: frozenset({_E.SPECIFYING, _E.PLANNING, _E.ITERATION_COMPLETE}),
        _E.SPECIFYING: frozenset({_E.PLANNING, _E.ITERATION_COMPLETE}),
        _E.PLANNING: frozenset({_E.ITERATION_COMPLETE}),
        _E.ITERATION_COMPLETE: frozenset({_E.ACTING, _E.RECOVERING, _E.WAITING_FOR_HUMAN, *_ENDS}),
        _E.ACTING: frozenset({_E.OBSERVING, _E.EVALUATING, _E.VERIFYING, _E.ITERATION_COMPLETE}),
        _E.OBSERVING: frozenset({_E.EVALUATING, _E.VERIFYING, _E.ITERATION_COMPLETE}),
        _E.EVALUATING: frozenset({_E.VERIFYING, _E.ITERATION_COMPLETE}),
        _E.VERIFYING: frozenset({_E.ITERATION_COMPLETE}),
        _E.RECOVERING: frozenset(
            {_E.ITERATION_COMPLETE, _E.REPLANNING, _E.WAITING_FOR_HUMAN, _E.ABSTAINED, _E.POLICY_TERMINATED, _E.FAILED}
        ),
        _E.REPLANNING: frozenset({_E.ITERATION_COMPLETE}),
        _E.WAITING_FOR_HUMAN: frozenset({_E.ITERATION_COMPLETE, _E.REPLANNING, _E.ABSTAINED, _E.FAILED}),
        **{each: frozenset[ExecutionState]() for each in ExecutionState if each.is_terminal},
    }
)
"""Every allowed change. Budgets, completion, failures and people awaited are looked at in ITERATION_COMPLETE only, so
that work finished exactly at the limit is finished. A phase that is switched off, and planning where a plan is there,
is passed over. A judgement that was interrupted is taken up again by way of ACTING."""


def may_turn(before: ExecutionState, after: ExecutionState) -> bool:
    """Whether a run may go from ``before`` to ``after``."""
    return after in TRANSITIONS[before]
