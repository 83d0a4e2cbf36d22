"""What discharges an obligation: its own deltas and no other, and how a Turn lists what it discharged."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.obligations.discharging import entry_of, is_discharged_by, key_of, parse, settlement_of
from loopx.kernel.obligations.record import Obligation, ObligationKind

KIND = ObligationKind


def armed(kind: ObligationKind, trigger: str = "t", **fields: Any) -> Obligation:
    known = {"subjects": ("beta",), "armed_by": "op-1", "owner": "bot", "message": "So.", "discharged_by": "that"}
    return Obligation(**{"id": f"o-{kind}", "kind": kind, "trigger": trigger, **known, **fields})


ACCOUNTED: dict[ObligationKind, set[str]] = {
    KIND.REPLAN: {
        "todo:added:t-1",
        "todo:cancelled:t-1",
        "todo:superseded:t-1",
        "todo:deferred:t-1",
        "todo:blocked:t-1",
        "vision:patched:bot",
        "vision:retired:bot",
        "gate:opened:g-1",
        "criterion:met:a1",
        "acceptance:changed:beta",
        "boundary:changed:beta",
        "end:no_followup:t-1",
        "wait:t-1",
    },
    KIND.CHECKPOINT: {"vision:patched:bot", "vision:retired:bot", "vision:unchanged:bot"},
    KIND.SUCCESSOR: {
        "todo:added:t-1",
        "todo:superseded:t-1",
        "gate:opened:g-1",
        "criterion:met:a1",
        "acceptance:changed:beta",
        "end:no_followup:t-1",
        "wait:t-1",
    },
    KIND.RECONCILE: {"effect:settled:x-1"},
    KIND.REPAIR: set(),
}
ACCOUNTED[KIND.OUTCOME_FLOOR] = ACCOUNTED[KIND.REPLAN] | {"evidence:negative:e-1"}
EVERY_DELTA = {each for deltas in ACCOUNTED.values() for each in deltas} | {"todo:done:t-1", "evidence:new:e-1"}


@pytest.mark.parametrize("kind", list(KIND))
def test_each_kind_is_discharged_by_its_own_deltas_and_by_no_other(kind: ObligationKind) -> None:
    assert {each for each in EVERY_DELTA if is_discharged_by(armed(kind), [each])} == ACCOUNTED[kind]
    assert not is_discharged_by(armed(kind), [])


def test_new_evidence_for_finished_work_lifts_the_outcome_floor_and_either_alone_does_not() -> None:
    both = ["evidence:new:e-1", "todo:done:t-1"]
    assert is_discharged_by(armed(KIND.OUTCOME_FLOOR), both)
    assert not is_discharged_by(armed(KIND.REPLAN), both)


def test_a_turn_opened_for_an_obligation_that_shows_nothing_is_refused_as_replan_no_delta() -> None:
    mine = armed(KIND.REPLAN)
    discharged, refused = settlement_of([mine], ["evidence:new:e-1"], mine.id)
    assert discharged == ()
    assert refused is not None
    assert (refused.code, refused.facts["obligation"]) == ("replan-no-delta", mine.id)


def test_what_is_discharged_is_listed_whether_or_not_the_turn_was_opened_for_it() -> None:
    mine, floor = armed(KIND.REPLAN), armed(KIND.OUTCOME_FLOOR)
    discharged, refused = settlement_of([mine, floor, armed(KIND.REPAIR)], ["gate:opened:g-1"])
    assert (discharged, refused) == ((entry_of(mine), entry_of(floor)), None)


def test_an_obligation_that_is_no_longer_armed_asks_for_nothing() -> None:
    assert settlement_of([], [], "o-gone") == ((), None)


def test_an_entry_says_id_kind_subjects_and_what_was_seen() -> None:
    counted = armed(KIND.REPLAN, subjects=("agent:bot", "acceptance:beta"), seen="12")
    assert entry_of(counted) == "o-replan replan:agent:bot+acceptance:beta 12"
    read = parse(entry_of(counted))
    assert read is not None
    assert (read.id, read.key, read.seen) == ("o-replan", key_of(counted.kind, counted.subjects), "12")
    plain = parse(entry_of(armed(KIND.REPAIR)))
    assert plain is not None
    assert (plain.id, plain.seen) == ("o-repair", "")
    assert parse("nonsense") is None
