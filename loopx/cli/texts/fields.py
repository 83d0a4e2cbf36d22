"""Fields and bodies of a document as lines: names aligned, empty ones left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loopx.cli.columns import shown

_NAME = 12


def field_lines(fields: Mapping[str, Any]) -> Iterator[str]:
    """``  priority  p2``: one line a field that says something."""
    for name, value in fields.items():
        if value not in (None, "", [], {}, False):
            yield named(name.replace("_", " "), _spelled(value))


def named(name: str, text: str) -> str:
    """One line: a name in its column, then the text."""
    return f"  {name:<{_NAME}}{'' if len(name) < _NAME else ' '}{shown(text)}"


def body_lines(body: str) -> Iterator[str]:
    """The body below an empty line, indented, line ends and tabs kept and everything else made visible."""
    text = body.strip("\r\n")
    if text.strip():
        yield ""
        for line in text.splitlines():
            yield f"  {shown(line.expandtabs(4))}".rstrip()


def _spelled(value: Any) -> str:
    if isinstance(value, list) and not any(isinstance(each, dict | list) for each in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
