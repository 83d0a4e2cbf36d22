"""Effects in words: the list, and one effect with what must hold after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import shown
from loopx.cli.documents import document
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import field_lines, named
from loopx.kernel.effects import what_is_known
from loopx.model.effect import Effect

_APART = frozenset({"id", "summary", "status", "why", "postconditions", "left"})


def effect_facts(effect: Effect) -> dict[str, Any]:
    """Every field of an effect, with one sentence about what is known of it."""
    left = sum(each.confirmed_at is None for each in effect.postconditions)
    return {**document(effect), "left": left, "why": what_is_known(effect)}


def effect_row(effect: Effect) -> tuple[str, ...]:
    """The effect's line in the list."""
    done = sum(each.confirmed_at is not None for each in effect.postconditions)
    held = f"{done}/{len(effect.postconditions)}" if effect.postconditions else "-"
    return (effect.id, effect.status, held, effect.agent, effect.goal, effect.summary)


def effect_lines(facts: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """One effect."""
    yield screen.paint(f"effect {facts['id']}  {shown(facts['summary'])}", "bold")
    yield named("status", f"{facts['status']} — {facts['why']}")
    yield from field_lines({name: value for name, value in facts.items() if name not in _APART})
    for number, each in enumerate(facts["postconditions"], 1):
        seen = f"seen by {each['confirmed_by']}" if each["confirmed_at"] else "not seen yet"
        yield named("must hold", f"{number}. {each['text']} — {seen}")
