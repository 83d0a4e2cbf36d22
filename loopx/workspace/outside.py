"""What happened outside since a revision, which no rollback undoes, and the Todos that see to it.

Two sources tell: effects that were recorded, and completions with evidence, which mean that work was delivered
somewhere. The packet of a rollback lists both; carrying one out makes a Todo of each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopx.kernel.commands import AddTodo
from loopx.kernel.outcome import Record
from loopx.kernel.wording import quoted
from loopx.model.effect import Effect, EffectStatus
from loopx.model.kind import Kind
from loopx.workspace.restoration import Restoration
from loopx.workspace.rows import entity_of

if TYPE_CHECKING:
    from loopx.kernel.state import State
    from loopx.store.cache import Cache

Held = Callable[[str], bool]
"""Whether the revision gone back to has what an operation did behind it."""

_MAY_HAVE_HAPPENED = (EffectStatus.UNKNOWN.value, EffectStatus.CONFIRMED.value)


def outside(
    cache: Cache, chosen: Iterable[Restoration], goals: Iterable[str], is_held: Held
) -> Iterator[Mapping[str, Any]]:
    """What happened outside that ``chosen`` documents, or the Goals as a whole, brought about since then."""
    todos = [each for each in chosen if each.kind is Kind.TODO]
    for each in todos:
        yield from _delivered(cache, each.id, is_held)
    for effect in _acts(cache, [each.id for each in todos], goals):
        if not is_held(effect.opened_by):
            yield _act(effect)


def seeing_to(told: Mapping[str, Any], goal: str, who_accepts: str) -> AddTodo:
    """The Todo that sees to one of these: what to read again, on what evidence, and who accepts."""
    evidence = ", ".join(map(str, told["evidence"])) if told["evidence"] else "none recorded"
    title = f"Check what {told.get('todo')} left outside after it was rolled back"
    if "effect" in told:
        title = f"Make good {told['effect']}, which was done outside before the rollback"
    body = f"{told['what']}.\n\nTo re-read: {told['recheck']}.\nEvidence: {evidence}.\nAccepted by: {who_accepts}.\n"
    return AddTodo(goal=goal, title=title, body=body)


def pointing_to(state: State, told: Mapping[str, Any], todo: str) -> Record | None:
    """What an effect's own record says from now on: which Todo makes it good."""
    effect = state.effect(str(told.get("effect", "")))
    return None if effect is None else Record(replace(effect, compensation=todo))


def who_accepts(state: State, fallback: str) -> str:
    """Who says that it was made good: the operators, or whoever went back where nobody is named."""
    config = state.config()
    return ", ".join(config.operators) if config is not None and config.operators else fallback


def _delivered(cache: Cache, todo: str, is_held: Held) -> Iterator[Mapping[str, Any]]:
    """A completion with evidence that the revision gone back to does not hold."""
    row = cache.entity(Kind.COMPLETION.value, todo, "")
    entries = json.loads(row.data).get("entries", []) if row is not None else []
    last = entries[-1] if entries else {}
    evidence = last.get("evidence")
    if evidence and not last.get("rolled_back_at") and not is_held(last["operation"]):
        yield {
            "todo": todo,
            "what": "work that was reported as done may have changed files or systems outside the workspace",
            "evidence": evidence,
            "recheck": "read back what the work produced, and decide whether it stays",
        }


def _acts(cache: Cache, todos: Iterable[str], goals: Iterable[str]) -> Iterator[Effect]:
    """Effects that may have happened, of these Todos and of these Goals as a whole, each once."""
    kind = Kind.EFFECT.value
    rows = [row for each in todos for row in cache.referring(kind, each, _MAY_HAVE_HAPPENED)]
    rows += [row for each in goals for row in cache.select(kind, each, _MAY_HAVE_HAPPENED)]
    wanted, whole = set(todos), set(goals)
    for row in {row.id: row for row in rows}.values():
        effect = entity_of(Kind.EFFECT, row.data)
        assert isinstance(effect, Effect)
        if effect.todo in wanted or effect.goal in whole:
            yield effect


def _act(effect: Effect) -> Mapping[str, Any]:
    open_ones = [each.text for each in effect.postconditions if each.confirmed_at is None]
    recheck = "; ".join(filter(None, (effect.readback, *open_ones))) or "whether it happened, and what it left"
    known = "happened" if effect.status is EffectStatus.CONFIRMED else "may have happened: nobody knows yet"
    return {
        "effect": effect.id,
        "goal": effect.goal,
        "todo": effect.todo,
        "what": f"{quoted(effect.summary, 200)} {known}",
        "evidence": list(effect.evidence),
        "recheck": recheck,
    }
