"""What is said after a plan was laid out or changed, and of what a check of one found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopx.cli.failures import told
from loopx.cli.screen import Screen
from loopx.cli.texts.fields import named
from loopx.cli.texts.receipts import receipt_facts, receipt_line
from loopx.model.kind import Kind
from loopx.model.layout import run_path

if TYPE_CHECKING:
    from loopx.loop.plans.checks import Checked
    from loopx.workspace.results import Committed


def laid_out_facts(committed: Committed, remarks: Sequence[str]) -> dict[str, Any]:
    """The receipt of a new plan, with where it lies and what its proposer should know."""
    result = committed.receipt.result
    path = run_path(Kind.PLAN, committed.receipt.goal, str(result["todo"]), str(result["id"]))
    return {**receipt_facts(committed), "path": path, "remarks": list(remarks)}


def laid_out_lines(committed: Committed, facts: Mapping[str, Any], root: Path, screen: Screen) -> Iterator[str]:
    """The same for people, with what to type next."""
    yield receipt_line(committed, "laid out", screen)
    yield named("file", str(root / facts["path"]))
    yield from (named("note", each) for each in facts["remarks"])
    result = committed.receipt.result
    yield f"  next: loopx plan check {result['id']} && loopx run {result['todo']}"


def checked_facts(found: Sequence[tuple[str, Checked]]) -> dict[str, Any]:
    """What checks of plans found: each plan by what it is called."""
    plans = [
        {
            "plan": name,
            "problems": [each.as_json() for each in checked.problems],
            "warnings": [each.as_json() for each in checked.warnings],
        }
        for name, checked in found
    ]
    return {"plans": plans, "count": len(plans), "problems": sum(len(each.problems) for _, each in found)}


def checked_lines(found: Sequence[tuple[str, Checked]], screen: Screen) -> Iterator[str]:
    """The same for people: each problem with its place and remedy, then a line for each plan."""
    for name, checked in found:
        for each in checked.problems:
            yield from told(each, screen)
        for each in checked.warnings:
            yield from told(each, screen, grade="warning")
        count = len(checked.problems)
        said = f"{count} problem{'' if count == 1 else 's'}" if count else "it can be carried out"
        yield f"{name}: {said}"
    if not found:
        yield "no plan that has not ended"
