"""What ``check`` found, in words: problems first, then notices, then what can be repaired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loopx.cli.columns import shown
from loopx.cli.failures import told
from loopx.cli.screen import Screen
from loopx.cli.texts.history import patch_lines

if TYPE_CHECKING:
    from loopx.workspace.reports import CheckReport, Fix


def check_lines(report: CheckReport, screen: Screen, *, fix: bool) -> Iterator[str]:
    """The whole report."""
    for problem in report.problems:
        yield from told(problem, screen, grade="error")
    for notice in report.warnings:
        yield from told(notice, screen, grade="warning")
    yield from (f"repaired {shown(path)}" for path in report.fixed)
    yield f"{report.documents} documents, {_count(report)}"
    left = [each for each in report.fixes if each.path not in report.fixed]
    if left and not fix:
        yield f"{len(left)} can surely be repaired: loopx check --fix"
    elif left:
        yield from fix_lines(left, screen)
        yield "nothing of this was repaired; add --yes where no terminal can ask"


def fix_lines(fixes: Sequence[Fix], screen: Screen | None = None) -> Iterator[str]:
    """Repairs before they are made: what, where, and the exact difference."""
    for each in fixes:
        yield f"repair {shown(each.path)}: {shown(each.about)} ({each.code})"
        yield from (f"  {line}" for line in patch_lines(each.patch, screen or Screen()))


def _count(report: CheckReport) -> str:
    if not report.problems:
        return "no problems"
    return f"{len(report.problems)} problem{'' if len(report.problems) == 1 else 's'}"
