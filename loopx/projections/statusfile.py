"""``status.json``: the same facts for programs, under a version.

Keys are the names in :mod:`loopx.projections.facts` and :mod:`~.work_facts`, all of them always there; instants are
RFC 3339 in UTC. Left out are the Todos' bodies (their files have them), the trace of each decision (`loopx next
--explain` tells it) and the time the survey was taken, which says nothing about the facts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any

from loopx.model.times import format_instant
from loopx.projections.facts import Survey, TodoFacts

SCHEMA = "loopx.status/1"

_LEFT_OUT = frozenset({"as_of", "is_full", "body", "trace"})


def status_file(survey: Survey) -> str:
    """The file for ``survey``: one JSON object on one line."""
    return json.dumps({"schema": SCHEMA, **plain(survey)}, ensure_ascii=False, separators=(",", ":")) + "\n"


def plain(fact: Any) -> dict[str, Any]:
    """A fact as JSON values by field name; a Todo also has its lane."""
    found = {name: _value(getattr(fact, name)) for name in _names(type(fact))}  # type: ignore[arg-type]
    if isinstance(fact, TodoFacts):
        found["lane"] = str(fact.lane)
    return found


def _value(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _value(each) for key, each in sorted(value.items())}
    return plain(value)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.name not in _LEFT_OUT)
