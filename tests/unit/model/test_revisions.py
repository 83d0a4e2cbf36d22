"""Six kinds of revision that never stand in for one another, each in a field of its own; a missing one is missing."""

from __future__ import annotations

import json
import typing
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from loopx.kernel.outcome import Receipt
from loopx.model.actor import Actor, Origin
from loopx.model.entities import CLASSES
from loopx.model.kind import Kind
from loopx.model.validation import Unbound, bind, json_schema

AT = "2026-03-02T09:00:00Z"
REVISIONS = {
    "artifact revision": {(Kind.EVIDENCE, "artifact_revision")},
    "provider revision": {(Kind.TURN, "basis"), (Kind.HANDOFF, "revision")},
    "lease version": {(Kind.LEASE, "version")},
    "lease epoch": {(Kind.LEASE, "epoch"), (Kind.TURN, "lease_epoch")},
    "execution key": {(Kind.LEASE, "key")},
    "turn identity": {(Kind.TURN, "id")},
    "operation identity": {(Kind.EVIDENCE, "operation"), (Kind.TURN, "settled_by"), (Kind.LEASE, "acquired_by")},
    "evidence time": {(Kind.EVIDENCE, "observed_at")},
    "evidence source": {(Kind.EVIDENCE, "source")},
}
EVIDENCE = {
    "id": "e-aaaa1111", "kind": "observation", "subject": "t-aaaa1111", "source": "human:Ann", "observed_at": AT,
    "result": "noted",
}  # fmt: skip
TURN = {"id": "turn-aaaa1111", "agent": "bot", "opened_at": AT, "opened_by": "op-1"}
LEASE = {
    "todo": "t-aaaa1111", "owner": "bot", "key": "k-1", "epoch": 1, "version": 1, "ttl_seconds": 60, "acquired_at": AT,
    "renewed_at": AT, "expires_at": AT, "acquired_by": "op-1", "terms": "x",
}  # fmt: skip


def parts(cls: Any) -> dict[tuple[str, str], Any]:
    """Every field of a document's class and of the classes within it, with its default."""
    found: dict[tuple[str, str], Any] = {}
    hints = typing.get_type_hints(cls)
    for each in fields(cls):
        found[cls.__name__, each.name] = each.default
        for inner in (hints[each.name], *typing.get_args(hints[each.name])):
            if is_dataclass(inner):
                found |= parts(inner)
    return found


@pytest.mark.parametrize("sort", REVISIONS)
def test_each_kind_of_revision_has_fields_of_its_own(sort: str) -> None:
    for kind, name in REVISIONS[sort]:
        assert name in {each.name for each in fields(CLASSES[kind])}
    others = set().union(*(places for other, places in REVISIONS.items() if other != sort))
    assert not REVISIONS[sort] & others


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.is_forward_only])
def test_no_revision_of_a_record_is_invented_where_it_is_missing(kind: Kind) -> None:
    words = ("revision", "epoch", "version", "basis", "key", "operation", "opened_by", "settled_by", "_at", "source")
    for (_, name), default in parts(CLASSES[kind]).items():
        if name.endswith(words):
            assert default is MISSING or default in (None, ()), name


@pytest.mark.parametrize(
    ("kind", "values", "name"),
    [(Kind.LEASE, LEASE, "epoch"), (Kind.LEASE, LEASE, "version"), (Kind.TURN, TURN, "lease_epoch")],
)
def test_a_count_of_zero_is_no_revision(kind: Kind, values: dict[str, Any], name: str) -> None:
    bind(kind, {**values, name: 1})
    with pytest.raises(Unbound):
        bind(kind, {**values, name: 0})
    assert '"minimum": 1' in json.dumps(json_schema(kind))


@pytest.mark.parametrize(
    ("kind", "values", "name"),
    [(Kind.EVIDENCE, EVIDENCE, "artifact_revision"), (Kind.TURN, TURN, "basis")],
)
@pytest.mark.parametrize("invented", ["0", "", "unknown", "HEAD", 0])
def test_a_revision_that_is_not_known_is_left_out_and_never_made_up(
    kind: Kind, values: dict[str, Any], name: str, invented: Any
) -> None:
    assert getattr(bind(kind, values), name) is None
    assert getattr(bind(kind, {**values, name: "0123abcd"}), name) == "0123abcd"
    with pytest.raises(Unbound):
        bind(kind, {**values, name: invented})


def test_a_receipt_names_its_operation_and_no_revision() -> None:
    """Which commit holds it is told beside it, and nothing in it stands for one."""
    names = {each.name for each in fields(Receipt)}
    assert names == {"operation", "command", "actor", "origin", "subject", "goal", "request", "at", "result"}
    made = Receipt(
        "op-1",
        "todo add",
        Actor.parse("agent:bot"),
        Origin.COMMAND,
        "todo t-1",
        "b",
        "x",
        datetime(2026, 3, 2, tzinfo=UTC),
    )
    assert made.result == {}
