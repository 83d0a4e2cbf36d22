"""Commit messages: a subject and a body for people, and as the last paragraph trailers for LoopX.

Each trailer is one line of JSON, so that no free text can forge one, and only the last paragraph is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from loopx.kernel.outcome import Receipt
from loopx.model.actor import Actor, Origin
from loopx.model.times import format_instant, parse_instant

_PREFIX = "Loopx-"


def message(receipt: Receipt, headline: str, body: str = "", extra: Mapping[str, Any] | None = None) -> str:
    """The commit message for an accepted command. ``extra`` adds trailers by name (`Admits`, `Restores`)."""
    trailers: dict[str, Any] = {
        "Operation": receipt.operation,
        "Command": receipt.command,
        "Actor": str(receipt.actor),
        "Origin": receipt.origin.value,
        "Subject": receipt.subject,
        "Goal": receipt.goal,
        "Request": receipt.request,
        "At": format_instant(receipt.at),
        "Result": dict(receipt.result),
        **(extra or {}),
    }
    lines = [f"{_PREFIX}{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in trailers.items()]
    parts = [one_line(headline), body.strip(), "\n".join(lines)]
    return "\n\n".join(part for part in parts if part) + "\n"


def parse(text: str) -> dict[str, Any]:
    """The trailers of a commit message by short name; empty when its last paragraph is not ours, whole."""
    paragraph = text.rstrip("\n").rpartition("\n\n")[2]
    found: dict[str, Any] = {}
    for line in paragraph.split("\n"):  # JSON leaves other line separators as they are
        name, colon, value = line.partition(": ")
        if not colon or not name.startswith(_PREFIX):
            return {}
        try:
            found[name.removeprefix(_PREFIX)] = json.loads(value)
        except ValueError:
            return {}
    return found


def receipt_of(trailers: Mapping[str, Any]) -> Receipt | None:
    """The receipt that ``trailers`` tell, or ``None`` when they tell none."""
    try:
        return Receipt(
            operation=trailers["Operation"],
            command=trailers["Command"],
            actor=Actor.parse(trailers["Actor"]),
            origin=Origin(trailers["Origin"]),
            subject=trailers["Subject"],
            goal=trailers["Goal"],
            request=trailers["Request"],
            at=parse_instant(trailers["At"]),
            result=trailers["Result"],
        )
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def one_line(text: str) -> str:
    """``text`` on one line, at most 200 characters: a subject line people can read."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 200 else flat[:199] + "…"
