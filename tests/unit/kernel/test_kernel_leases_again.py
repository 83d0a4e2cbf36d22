"""Leases over time: the same request again, taking over what ran out, and that claim and lease are one fact."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.kernel.commands import (
    AcquireLease,
    CancelTodo,
    CompleteTodo,
    SupersedeTodo,
    UnclaimTodo,
)
from loopx.model.lease import LeaseStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BOT, REX, T1, T2, config, edited, todo
from tests.support.leases import (
    CAT,
    KEY,
    OTHER_KEY,
    TTL,
    acquire,
    crew,
    give_back,
    lease,
    live,
    record,
    released,
    renew,
    retired,
)

NEW_KEY = "k-cccc3333"


# the same key again ---------------------------------------------------------------------------


def test_L06_the_same_key_on_the_same_terms_gets_the_original_receipt_and_the_lease_of_today() -> None:
    desk = crew()
    first = acquire(desk, ttl_seconds=TTL, write_scopes=("b", "a"), op="op-first")
    desk.wait(minutes=10)
    desk.do(renew(desk, 1), BOT)
    again = desk.do(AcquireLease(todo=T1, key=KEY, ttl_seconds=TTL, write_scopes=("a", "b")), BOT, op="op-second")
    assert again.changes == () and again.receipt.operation == "op-first" and again.receipt.at == START
    told = dict(again.receipt.result)
    today = told.pop("lease")
    assert told == {**first, "authorises": True}
    assert today == {
        "todo": T1,
        "status": "active",
        "owner": "bot",
        "epoch": 1,
        "version": 2,
        "expires_at": "2026-03-02T09:55:00Z",
    }


def test_the_same_operation_again_gets_the_same_answer_with_the_lease_of_today() -> None:
    desk = crew()
    first = acquire(desk, op="op-first")
    desk.do(renew(desk, 1), BOT)
    again = desk.do(AcquireLease(todo=T1, key=KEY), BOT, op="op-first")
    assert again.receipt.result["version"] == first["version"] == 1
    assert again.receipt.result["lease"]["version"] == 2


@pytest.mark.parametrize("ended", ["expired", "released", "done"])
def test_an_answer_told_again_says_that_it_grants_nothing_any_more(ended: str) -> None:
    desk = crew()
    acquire(desk, op="op-first")
    if ended == "expired":
        desk.wait(seconds=TTL + 1)
    else:
        desk.do(give_back() if ended == "released" else CompleteTodo(todo=T1), BOT)
    again = desk.do(AcquireLease(todo=T1, key=KEY), BOT, op="op-first").receipt.result
    assert (again["status"], again["authorises"]) == ("active", False)
    assert again["lease"]["status"] == ("expired" if ended == "expired" else "released")


def test_a_receipt_that_is_not_to_be_found_is_told_from_the_record_it_left() -> None:
    desk = crew(todo(claimed_by="bot"), lease(version=4))
    again = desk.do(AcquireLease(todo=T1, key=KEY), BOT)
    assert again.changes == () and again.receipt.operation == "op-before"
    assert again.receipt.result["rebuilt"] is True and again.receipt.result["lease"]["version"] == 4


@pytest.mark.parametrize(
    "other",
    [{"ttl_seconds": 60}, {"write_scopes": ("src",)}, {"todo": T2}],
    ids=lambda other: next(iter(other)),
)
def test_L06_the_same_key_on_other_terms_is_no_repetition(other: dict[str, Any]) -> None:
    desk = crew(todo(), todo(T2, "Draft"))
    acquire(desk)
    assert desk.no(AcquireLease(**{"todo": T1, "key": KEY, **other}), BOT).code == "lease-key-reused"


def test_anothers_key_is_another_holder_s_terms() -> None:
    desk = crew()
    acquire(desk)
    assert desk.no(AcquireLease(todo=T1, key=KEY), REX).code == "lease-key-reused"


def test_terms_asked_for_and_terms_of_the_policy_are_the_same_when_they_come_to_the_same() -> None:
    desk = crew()
    acquire(desk, op="op-first")
    assert desk.do(AcquireLease(todo=T1, key=KEY, ttl_seconds=TTL), BOT).receipt.operation == "op-first"


def test_a_policy_that_changed_meanwhile_changes_no_terms_already_given() -> None:
    desk = crew()
    acquire(desk, op="op-first")
    desk.entities[0] = edited(desk.entities[0], policies=config(lease_ttl_minutes=5).policies)
    assert desk.do(AcquireLease(todo=T1, key=KEY), BOT).receipt.operation == "op-first"


@pytest.mark.parametrize("generation", [1, 2, 3])
def test_a_key_of_any_earlier_generation_is_retired_for_good(generation: int) -> None:
    past = tuple(retired(f"k-gen{each}xxxx", each) for each in (1, 2, 3))
    desk = crew(todo(), released(key=NEW_KEY, epoch=4, retired=past))
    refused = desk.no(AcquireLease(todo=T1, key=f"k-gen{generation}xxxx"), BOT)
    assert refused.code == "lease-key-retired" and refused.facts["epoch"] == generation


def test_a_key_retired_on_one_todo_is_no_key_for_another() -> None:
    desk = crew(todo(), todo(T2, "Draft"), released())
    assert desk.no(AcquireLease(todo=T2, key=KEY), BOT).code == "lease-key-reused"


# taking over ----------------------------------------------------------------------------------


def test_L02_an_expired_lease_does_not_block_its_own_holder() -> None:
    desk = crew()
    acquire(desk)
    desk.wait(seconds=TTL + 1)
    assert desk.no(renew(desk, 1), BOT).code == "lease-expired"
    assert desk.no(CompleteTodo(todo=T1, lease_key=KEY), BOT).code == "lease-expired"
    assert desk.no(AcquireLease(todo=T1, key=KEY), BOT).code == "lease-key-retired"
    told = acquire(desk, key=NEW_KEY)
    assert (told["epoch"], told["version"]) == (2, 2)
    assert [(each.key, each.epoch, each.reason) for each in record(desk).retired] == [(KEY, 1, "expired")]


@pytest.mark.parametrize("key", [KEY, None])
def test_L02_an_expired_lease_can_be_given_back_by_its_holder(key: str | None) -> None:
    desk = crew()
    acquire(desk)
    desk.wait(seconds=TTL + 1)
    desk.do(give_back(key), BOT)
    assert record(desk).status is LeaseStatus.RELEASED and desk.todo().claimed_by is None


def test_L04_work_without_renewals_is_taken_over_once_and_the_late_finisher_is_fenced() -> None:
    desk = crew()
    acquire(desk)
    desk.wait(seconds=3 * TTL)
    acquire(desk, REX, OTHER_KEY)
    assert desk.no(AcquireLease(todo=T1, key=NEW_KEY), CAT).code == "lease-held"
    for key in (KEY, None):
        assert desk.no(CompleteTodo(todo=T1, lease_key=key), BOT).code == "lease-held"
    assert desk.no(renew(desk, 1), BOT).code == "lease-key-retired"
    desk.do(CompleteTodo(todo=T1, lease_key=OTHER_KEY), REX)


def test_L04_work_with_renewals_is_never_taken_over() -> None:
    desk = crew()
    acquire(desk)
    for version in range(1, 8):
        desk.wait(minutes=20)
        desk.do(renew(desk, version), BOT)
        assert desk.no(AcquireLease(todo=T1, key=NEW_KEY), REX).code == "lease-held"
    desk.do(CompleteTodo(todo=T1, lease_key=KEY), BOT)


def test_L03_one_late_renewal_costs_a_holder_nothing() -> None:
    """A life of six seconds, renewed every two, and once two seconds late."""
    desk = crew()
    acquire(desk, ttl_seconds=6)
    for version, seconds in enumerate((2, 4, 2, 6), start=1):
        desk.wait(seconds=seconds)
        assert desk.no(AcquireLease(todo=T1, key=NEW_KEY), REX).code == "lease-held"
        desk.do(renew(desk, version), BOT)
    desk.wait(seconds=7)
    assert desk.no(renew(desk, 5), BOT).code == "lease-expired"


def test_L14_an_expired_lease_is_taken_over_once_and_a_fresh_one_not_at_all() -> None:
    desk = crew()
    acquire(desk)
    desk.wait(seconds=TTL + 1)
    acquire(desk, REX, OTHER_KEY)
    assert len(record(desk).retired) == 1
    refused = desk.no(AcquireLease(todo=T1, key=NEW_KEY), CAT)
    assert refused.code == "lease-held" and refused.facts["holder"] == "rex"
    assert record(desk).epoch == 2 and len(record(desk).retired) == 1


def test_whoever_lost_its_key_takes_its_own_lease_over() -> None:
    desk = crew()
    acquire(desk)
    refused = desk.no(AcquireLease(todo=T1, key=NEW_KEY), BOT)
    assert refused.code == "lease-held-by-you" and "--take-over" in refused.hint
    told = acquire(desk, key=NEW_KEY, take_over=True)
    assert (told["epoch"], told["version"]) == (2, 2)
    assert [(each.key, each.reason) for each in record(desk).retired] == [(KEY, "taken over")]
    assert desk.no(renew(desk, 2), BOT).code == "lease-key-retired"


def test_nobody_takes_over_anothers_lease_by_saying_so() -> None:
    desk = crew()
    acquire(desk)
    assert desk.no(AcquireLease(todo=T1, key=NEW_KEY, take_over=True), REX).code == "lease-held"


# one fact -------------------------------------------------------------------------------------


def test_L13_the_claim_is_not_given_up_without_the_lease() -> None:
    desk = crew()
    acquire(desk)
    refused = desk.no(UnclaimTodo(todo=T1), BOT)
    assert refused.code == "lease-held-by-you" and f"loopx lease release {T1} --key {KEY}" in refused.hint
    assert desk.no(UnclaimTodo(todo=T1), REX).code == "lease-held"
    persons = desk.no(UnclaimTodo(todo=T1), ANN)
    assert persons.code == "lease-held" and f"loopx lease release {T1}" in persons.hint


def test_L13_the_claim_is_not_typed_over_while_the_lease_lives() -> None:
    desk = crew()
    acquire(desk)
    for typed in ("rex", None):
        refused = desk.mistyped(desk.todo(), edited(desk.todo(), claimed_by=typed), ANN)
        assert refused.code == "lease-held"
    desk.wait(seconds=TTL + 1)
    desk.typed(desk.todo(), edited(desk.todo(), claimed_by="rex"), ANN)


def test_a_claim_that_stands_beside_a_lease_all_the_same_disarms_nobody() -> None:
    """As after a rollback of the Todo, which leaves leases alone."""
    desk = crew()
    acquire(desk)
    desk.entities[2] = edited(desk.todo(), claimed_by="rex", claimed_at=desk.now)
    assert desk.do(AcquireLease(todo=T1, key=KEY), BOT).changes == ()
    desk.do(renew(desk, 1), BOT)
    assert desk.no(CompleteTodo(todo=T1), REX).code == "lease-held"
    desk.do(UnclaimTodo(todo=T1), ANN)
    desk.do(CompleteTodo(todo=T1, lease_key=KEY), BOT)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (CompleteTodo(todo=T1, lease_key=KEY), "completed"),
        (CancelTodo(todo=T1, reason="no need", lease_key=KEY), "cancelled"),
        (SupersedeTodo(todo=T1, by=("Better",), lease_key=KEY), "superseded"),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_whatever_closes_a_todo_ends_its_lease_in_the_same_commit(command: Any, reason: str) -> None:
    desk = crew()
    acquire(desk)
    before = record(desk)
    desk.do(command, BOT)
    after = record(desk)
    assert after.status is LeaseStatus.RELEASED and live(desk) is None
    assert (after.epoch, after.version) == (before.epoch, before.version + 1)
    assert [(each.key, each.reason) for each in after.retired] == [(KEY, reason)]


def test_a_lease_that_is_over_is_not_ended_twice() -> None:
    desk = crew(todo(), released())
    before = record(desk)
    desk.do(CompleteTodo(todo=T1), BOT)
    assert record(desk) == before


def test_the_verbs_of_a_lease_are_told_alike() -> None:
    desk = crew()
    done = desk.do(AcquireLease(todo=T1, key=KEY), BOT)
    assert done.receipt.subject == f"lease {T1}" and done.receipt.goal == "beta"
    assert done.headline == f'lease: acquire {T1} "Write the guide"'
    assert desk.do(give_back(reason="tired"), BOT).body == "tired"
