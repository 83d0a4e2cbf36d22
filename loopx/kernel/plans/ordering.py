"""The order in which the steps of a plan can be carried out, as far as their dependencies say. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.model.plan import PlanStep


def waves(steps: Sequence[PlanStep]) -> list[list[str]]:
    """Ids of steps, those of one wave depending only on earlier ones, each wave in the plan's order. What stands in a
    circle, or behind one, is left out: a plan that has one is refused elsewhere."""
    known = {each.id: number for number, each in enumerate(steps)}
    sorter = TopologicalSorter({each.id: [name for name in each.depends_on if name in known] for each in steps})
    try:
        sorter.prepare()
    except CycleError:
        pass
    found: list[list[str]] = []
    while ready := sorter.get_ready():
        found.append(sorted(ready, key=known.__getitem__))
        sorter.done(*ready)
    return found
