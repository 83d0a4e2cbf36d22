"""Execution keys: one stands for one holder, one Todo and one set of terms, and for nothing once it is retired.

The verbs that bring a key into use ask here. Keys of every generation and of every Todo count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.kernel import proving
from loopx.kernel.context import Context
from loopx.kernel.lease_terms import Terms
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import quoted, refuse
from loopx.model.todo import Todo

if TYPE_CHECKING:
    from loopx.model.lease import Lease


def unusable(state: State, todo: Todo, lease: Lease | None, terms: Terms, context: Context) -> Refused | None:
    """The refusal of a key an acquire cannot use: of other terms first, then of an execution that has ended.

    ``lease`` is the record of ``todo`` as it is; the same terms on a live lease were answered before.
    """
    gone = proving.retired_key(lease, terms.key) if lease is not None else None
    current = lease if lease is not None and lease.key == terms.key and gone is None else None
    if current is not None and not terms.are_those_of(current):
        return _reused(terms.key, todo.id)
    if elsewhere := _elsewhere(state, todo, terms.key):
        return _reused(terms.key, elsewhere)
    if lease is not None and gone is not None:
        return proving.key_retired(lease, gone, context.now)
    return proving.key_outlived(current, context.now) if current is not None else None


def known(state: State, todo: Todo, lease: Lease, key: str, context: Context) -> Refused | None:
    """The refusal of a new holder's key that was in use before, anywhere."""
    if lease.key == key:
        return _reused(key, todo.id)
    if elsewhere := _elsewhere(state, todo, key):
        return _reused(key, elsewhere)
    gone = proving.retired_key(lease, key)
    return proving.key_retired(lease, gone, context.now) if gone is not None else None


def _elsewhere(state: State, todo: Todo, key: str) -> str | None:
    """Another Todo whose lease has, or ever had, this key."""
    return next((each.todo for each in state.leases_with_key(key) if each.todo != todo.id), None)


def _reused(key: str, todo: str) -> Refused:
    message = f"Key {quoted(key)} was used before on other terms, for {todo}."
    return refuse("lease-key-reused", message, key=key, todo=todo)
