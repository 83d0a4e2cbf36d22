"""What is said after a write: one line for people, the receipt for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from loopx.cli.columns import cut, shown
from loopx.cli.documents import values
from loopx.cli.screen import Screen

if TYPE_CHECKING:
    from loopx.workspace.results import Committed

SHORT = 7
"""Characters of a revision that are shown."""
_TOLD_ELSEWHERE = frozenset({"id", "goal", "title", "status", "added", "already", "changed", "criterion", "agent"})
_LONGEST_TITLE = 60


def short(revision: str | None) -> str:
    """A revision as people read it."""
    return revision[:SHORT] if revision else "-"


def receipt_facts(committed: Committed) -> dict[str, Any]:
    """The receipt as ``data``: the fields of the receipt with what is known of the operation since."""
    receipt = values(committed.receipt)
    if committed.replayed:
        receipt["replayed"] = True
    if committed.superseded_by is not None:
        receipt["superseded_by"] = committed.superseded_by
    return {**receipt, "pages_pending": committed.pages_pending}


def receipt_line(committed: Committed, done: str, screen: Screen) -> str:
    """``todo t-4k9x2m7q added "Write the guide" · 3f2a1bc``, with what else the receipt tells in between."""
    result = committed.receipt.result
    parts = [f"{committed.receipt.subject or committed.receipt.command} {_ending(committed, done)}{_title(result)}"]
    parts += _extras(result)
    if committed.superseded_by is not None:
        parts.append(f"undone since by {committed.superseded_by}")
    if committed.revision is not None:
        parts.append(screen.paint(short(committed.revision), "yellow"))
    return " · ".join(parts)


def _ending(committed: Committed, done: str) -> str:
    if committed.replayed:
        return f"was {done} by this operation before"
    if committed.receipt.result.get("added") is False:
        return "was there already"
    changed = committed.receipt.result.get("changed")
    if committed.revision is None or committed.receipt.result.get("already") or changed == []:
        return "needed no change"
    return f"{done}: {', '.join(changed)}" if isinstance(changed, list | tuple) else done


def _title(result: Mapping[str, Any]) -> str:
    title = result.get("title")
    return f' "{cut(shown(title), _LONGEST_TITLE)}"' if isinstance(title, str) and title else ""


def _extras(result: Mapping[str, Any]) -> Iterator[str]:
    for name, value in result.items():
        if name in _TOLD_ELSEWHERE or value in (None, "", [], (), False):
            continue
        if isinstance(value, list | tuple):
            value = ", ".join(str(each) for each in value)
        word = name.replace("_", " ")
        yield word if value is True else f"{word} {cut(shown(str(value)), _LONGEST_TITLE)}"
