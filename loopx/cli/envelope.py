"""The one JSON envelope: what every command prints on stdout under ``--json``, and nothing else does.

``{"schema": "loopx/1", "ok": …, "data": … | "error": …, "revision": …, "warnings": […]}``. ``ok`` is false exactly when
the exit status is not 0. ``status``, ``check`` and ``edit`` that found problems carry both ``data`` and ``error``.
"""

from __future__ import annotations

import json
from typing import Any

from loopx.cli.answer import Answer
from loopx.errors import Exit, Problem

SCHEMA = "loopx/1"
_ROOM = 930
"""Bytes an error may take as JSON where nothing was done, so that the whole envelope stays within 1 KB."""
_BOUNDED = frozenset({Exit.REFUSED, Exit.USAGE, Exit.CONFLICT})
_LONG = 240


def of_answer(answer: Answer) -> dict[str, Any]:
    """The envelope of a request that was carried out."""
    data = answer.data() if callable(answer.data) else answer.data
    found: dict[str, Any] = {"schema": SCHEMA, "ok": answer.problem is None, "data": dict(data)}
    if answer.problem is not None:
        found["error"] = error_of(answer.problem)
    found["revision"] = answer.revision
    found["warnings"] = [each.as_json() for each in answer.warnings]
    return found


def of_problem(problem: Problem) -> dict[str, Any]:
    """The envelope of a request that was not carried out."""
    return {"schema": SCHEMA, "ok": False, "error": error_of(problem), "revision": None, "warnings": []}


def error_of(problem: Problem) -> dict[str, Any]:
    """The ``error`` of a problem. A refusal is cut to its limit: long sentences, then the longest facts."""
    found = problem.as_json()
    if problem.exit not in _BOUNDED or _size(found) <= _ROOM:
        return found
    found |= {name: _cut(found[name]) for name in ("message", "hint")}
    while _size(found) > _ROOM and (spare := found.get("facts", {}).keys() - {"truncated"}):
        facts = found["facts"]
        longest = max(sorted(spare), key=lambda name: _size(facts[name]))
        found["facts"] = {name: value for name, value in facts.items() if name != longest} | {"truncated": True}
    return found


def written(envelope: dict[str, Any], *, indent: bool = False) -> str:
    """The envelope as one JSON text: a line for programs, indented for a person."""
    return json.dumps(envelope, ensure_ascii=False, indent=2 if indent else None)


def _cut(sentence: str) -> str:
    """``sentence`` in at most 240 bytes."""
    if len(sentence.encode("utf-8", "surrogatepass")) <= _LONG:
        return sentence
    return sentence.encode("utf-8", "surrogatepass")[:_LONG].decode("utf-8", "ignore") + "…"


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
