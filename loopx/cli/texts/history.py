"""The audit trail in words: one line a commit, a commit in full, a patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loopx.cli.columns import shown, table
from loopx.cli.screen import Screen
from loopx.cli.texts.receipts import short
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.workspace.reports import CommitReport, LogEntry

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HEADER = ("REVISION", "WHEN", "WHO", "WHAT")


def log_lines(entries: Sequence[LogEntry], truncated: bool, screen: Screen) -> Iterator[str]:
    """Newest first: revision, time, who, and the commit's subject; and whether there is more."""
    rows = [(short(each.revision), when(each), who(each), each.headline) for each in entries]
    yield from table(_HEADER, rows, screen) or ["nothing was done that fits"]
    if truncated:
        yield screen.paint("and more: --all, or a larger --limit", "dim")


def commit_lines(report: CommitReport, screen: Screen) -> Iterator[str]:
    """A commit: its identity, its message without the machine's part, its patch."""
    entry = report.entry
    yield screen.paint(f"revision {entry.revision}", "yellow")
    yield f"when      {when(entry)}"
    yield f"who       {shown(who(entry))} ({entry.origin})"
    if entry.operation:
        yield f"operation {entry.operation}"
    yield ""
    yield from (f"    {shown(line)}".rstrip() for line in _for_people(report.message))
    if report.patch:
        yield ""
        yield from patch_lines(report.patch, screen)


def patch_lines(patch: str, screen: Screen) -> Iterator[str]:
    """A unified patch, coloured where that helps."""
    if not patch.strip():
        yield "no difference"
    for line in patch.splitlines():
        colour = None if line.startswith(("+++", "---")) else _COLOURS.get(line[:1])
        yield screen.paint(shown(line), colour) if colour else shown(line)


def when(entry: LogEntry) -> str:
    """The commit's time to the minute, UTC."""
    return format_instant(entry.at)[:16].replace("T", " ")


def who(entry: LogEntry) -> str:
    """The actor; the commit's author where LoopX did not make it."""
    return entry.actor or entry.author


def _for_people(message: str) -> list[str]:
    """The message up to the last paragraph, where that paragraph is trailers."""
    head, _, last = message.rstrip("\n").rpartition("\n\n")
    return (head if head and last.startswith("Loopx-") else message).rstrip("\n").splitlines()
