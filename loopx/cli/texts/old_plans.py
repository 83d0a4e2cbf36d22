"""What a plan of the old form becomes, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import shown, table
from loopx.cli.screen import Screen
from loopx.model.codec import encode

if TYPE_CHECKING:
    from loopx.kernel.plans.migrating import OldPlan


def old_facts(old: OldPlan) -> dict[str, Any]:
    """The plan, and each step with the status it gets and why."""
    steps = [{**encode(each.meant), "status": each.status.value, "because": each.because} for each in old.steps]
    return {"objective": old.objective, "steps": steps, "count": len(steps)}


def old_lines(old: OldPlan, screen: Screen, run: str | None = None, todo: str = "") -> Iterator[str]:
    """The same for people; with ``run``, what was made of it."""
    if old.objective:
        yield screen.paint(shown(old.objective), "bold")
    rows = [
        (each.meant.id, each.because, each.status, _does(each.meant.action), each.meant.title) for each in old.steps
    ]
    yield from table(("STEP", "IT WAS", "IT BECOMES", "DONE BY", "TITLE"), rows, screen)
    if run is None:
        yield "nothing was made; --todo TODO takes it over"
        return
    yield f"plan {run} taken over for {todo}"
    yield "  note: old plans say not how steps are verified, so verification is off for what is left"
    yield f"  next: loopx plan show {run}"


def _does(action: Any) -> str:
    return " ".join(action.argv) if action.argv else str(action.actor)
