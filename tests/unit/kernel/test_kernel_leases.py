"""Leases: what each verb leaves behind, and what it tells."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loopx.kernel.commands import (
    AcquireLease,
    ClaimTodo,
    CompleteTodo,
    ReleaseLease,
)
from loopx.model.todo import TodoStatus
from tests.support.clock import START
from tests.support.kernel import ANN, BEN, BOT, REX, T1, T2, Desk, config, facts, goal, todo
from tests.support.leases import (
    KEY,
    OTHER_KEY,
    TTL,
    acquire,
    crew,
    give_back,
    live,
    record,
    renew,
    transfer,
)

NEW_KEY = "k-cccc3333"


# acquiring ------------------------------------------------------------------------------------


def test_a_lease_says_who_executes_under_which_key_in_which_epoch_and_until_when() -> None:
    desk = crew()
    told = acquire(desk)
    assert told == {
        "id": T1,
        "already": False,
        "status": "active",
        "owner": "bot",
        "epoch": 1,
        "version": 1,
        "key": KEY,
        "expires_at": "2026-03-02T09:45:00Z",
    }
    found = record(desk)
    assert (found.acquired_at, found.renewed_at, found.expires_at) == (START, START, START + timedelta(seconds=TTL))
    assert (found.acquired_by, found.write_scopes, found.retired) == ("op-0001", (), ())
    assert live(desk) == found


def test_L13_a_lease_takes_the_claim_with_it_in_one_change() -> None:
    desk = crew()
    acquire(desk)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == ("bot", START)
    assert desk.no(ClaimTodo(todo=T1), REX).code == "lease-held"


def test_a_person_may_hold_one_without_being_registered() -> None:
    desk = Desk.of(goal(), todo())
    assert acquire(desk, ANN)["owner"] == "human-ann"


def test_how_long_it_lives_is_asked_or_said_by_the_policy() -> None:
    assert acquire(crew(lease_ttl_minutes=10))["expires_at"] == "2026-03-02T09:10:00Z"
    assert acquire(crew(), ttl_seconds=90)["expires_at"] == "2026-03-02T09:01:30Z"
    assert acquire(crew(), ttl_seconds=24 * 3600)["expires_at"] == "2026-03-03T09:00:00Z"


@pytest.mark.parametrize("seconds", [0, -1, 24 * 3600 + 1, 2**62])
def test_L08_longer_than_a_day_and_shorter_than_a_second_is_refused(seconds: int) -> None:
    refused = crew().no(AcquireLease(todo=T1, key=KEY, ttl_seconds=seconds), BOT)
    assert refused.code == "lease-ttl-invalid" and refused.facts["limit"] == 86400


def test_where_nothing_is_asked_the_todo_says_where_it_may_write() -> None:
    desk = crew(todo(write_scopes=("docs/**",)))
    acquire(desk)
    assert record(desk).write_scopes == ("docs/**",)
    narrow = crew(todo(write_scopes=("docs/**",)))
    acquire(narrow, write_scopes=("docs/guide.md",))
    assert record(narrow).write_scopes == ("docs/guide.md",)


def test_scopes_that_do_not_meet_are_held_side_by_side() -> None:
    desk = crew(todo(), todo(T2, "Draft"))
    acquire(desk, BOT, write_scopes=("src/*.py",))
    acquire(desk, REX, OTHER_KEY, todo=T2, write_scopes=("src/*.md",))
    assert live(desk) and live(desk, T2)


def test_the_refusal_over_scopes_names_who_writes_there_and_until_when() -> None:
    desk = crew(todo(), todo(T2, "Draft", goal="beta"))
    acquire(desk, BOT, write_scopes=("src/**",))
    refused = desk.no(AcquireLease(todo=T2, key=OTHER_KEY, write_scopes=("src/a.py",)), REX)
    assert refused.code == "write-scope-conflict"
    assert (refused.facts["holder"], refused.facts["todo"]) == ("bot", T1)
    desk.wait(seconds=TTL + 1)
    acquire(desk, REX, OTHER_KEY, todo=T2, write_scopes=("src/a.py",))


def test_another_goals_scopes_keep_nobody_back() -> None:
    desk = crew(goal("gamma"), todo(), todo(T2, "Draft", goal="gamma"))
    acquire(desk, BOT, write_scopes=("src/**",))
    acquire(desk, REX, OTHER_KEY, todo=T2, write_scopes=("src/**",))


def test_L12_whoever_is_refused_is_told_who_holds_it_until_when_and_what_to_type() -> None:
    desk = crew()
    acquire(desk)
    agents = desk.no(AcquireLease(todo=T1, key=OTHER_KEY), REX)
    assert (agents.facts["holder"], agents.facts["expires_at"]) == ("bot", "2026-03-02T09:45:00Z")
    assert f"loopx lease show {T1}" in agents.hint
    persons = desk.no(AcquireLease(todo=T1, key=OTHER_KEY), ANN)
    assert f"loopx lease release {T1}" in persons.hint
    desk.do(ReleaseLease(todo=T1), ANN)
    again = desk.do(ReleaseLease(todo=T1), ANN)
    assert again.changes == () and facts(again)["already"] is True


# renewing -------------------------------------------------------------------------------------


def test_a_renewal_keeps_the_epoch_and_raises_the_version() -> None:
    desk = crew()
    acquire(desk, ttl_seconds=600)
    desk.wait(minutes=9)
    told = facts(desk.do(renew(desk, 1), BOT))
    assert (told["epoch"], told["version"], told["expires_at"]) == (1, 2, "2026-03-02T09:19:00Z")
    assert record(desk).acquired_by == "op-0001" and record(desk).acquired_at == START


def test_a_renewal_of_another_version_is_a_conflict_that_names_both() -> None:
    desk = crew()
    acquire(desk)
    refused = desk.no(renew(desk, 3), BOT)
    assert refused.code == "revision-conflict"
    assert refused.facts == {"todo": T1, "revision": "lease version", "expected": 3, "found": 1}


def test_L15_a_renewal_that_comes_after_the_end_is_told_to_stop_and_leaves_done_done() -> None:
    desk = crew()
    acquire(desk)
    desk.do(CompleteTodo(todo=T1, lease_key=KEY), BOT)
    refused = desk.no(renew(desk, 1), BOT)
    assert refused.code == "lease-key-retired" and "completed" in refused.message and "Stop" in refused.hint
    assert desk.todo().status is TodoStatus.DONE and live(desk) is None


# handing over ---------------------------------------------------------------------------------


def test_L13_a_transfer_moves_claim_and_lease_together_and_fences_whoever_had_them() -> None:
    desk = crew()
    acquire(desk, write_scopes=("src",))
    desk.wait(minutes=5)
    told = facts(desk.do(transfer(1), BOT))
    assert (told["owner"], told["epoch"], told["version"], told["key"]) == ("rex", 2, 2, OTHER_KEY)
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == ("rex", desk.now)
    assert record(desk).write_scopes == ("src",) and record(desk).acquired_at == desk.now
    assert [(each.key, each.reason) for each in record(desk).retired] == [(KEY, "transferred")]
    assert desk.no(renew(desk, 1), BOT).code == "lease-key-retired"
    assert desk.no(CompleteTodo(todo=T1, lease_key=KEY), BOT).code == "lease-held"
    desk.do(renew(desk, 2, OTHER_KEY), REX)
    desk.do(CompleteTodo(todo=T1, lease_key=OTHER_KEY), REX)


def test_the_receiver_who_acquires_is_answered_with_the_transfer() -> None:
    desk = crew()
    acquire(desk, ttl_seconds=600, write_scopes=("src",))
    desk.do(transfer(1), BOT, op="op-transfer")
    answer = desk.do(AcquireLease(todo=T1, key=OTHER_KEY), REX)
    assert answer.changes == () and answer.receipt.operation == "op-transfer"
    assert answer.receipt.result["authorises"] is True


@pytest.mark.parametrize("to", ["rex", "agent:rex", " REX "])
def test_a_receiver_may_be_written_as_people_write_names(to: str) -> None:
    desk = crew()
    acquire(desk)
    assert facts(desk.do(transfer(1, to), BOT))["owner"] == "rex"


def test_work_is_handed_to_a_person_by_name() -> None:
    desk = crew()
    acquire(desk)
    assert facts(desk.do(transfer(1, "human:Ann"), BOT))["owner"] == "human-ann"
    desk.do(CompleteTodo(todo=T1, lease_key=OTHER_KEY), ANN)


@pytest.mark.parametrize(
    ("to", "code"), [("bot", "lease-held-by-you"), ("zed", "agent-unregistered"), ("No One!", "agent-invalid")]
)
def test_work_is_handed_to_somebody_else_who_is_known(to: str, code: str) -> None:
    desk = crew()
    acquire(desk)
    assert desk.no(transfer(1, to), BOT).code == code


def test_work_is_handed_to_nobody_the_todo_excludes() -> None:
    desk = crew(todo(excluded_agents=("rex",)))
    acquire(desk)
    assert desk.no(transfer(1), BOT).code == "agent-excluded"


# giving back ----------------------------------------------------------------------------------


def test_a_release_gives_up_lease_and_claim_and_retires_the_key() -> None:
    desk = crew()
    acquire(desk)
    desk.wait(minutes=1)
    told = facts(desk.do(give_back(), BOT))
    assert (told["status"], told["epoch"], told["version"]) == ("released", 1, 2) and "key" not in told
    assert record(desk).released_at == desk.now
    assert [(each.key, each.reason) for each in record(desk).retired] == [(KEY, "released")]
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == (None, None)
    acquire(desk, REX, OTHER_KEY)


def test_a_release_is_the_same_however_often_it_is_asked_for() -> None:
    desk = crew()
    acquire(desk)
    desk.do(give_back(), BOT)
    again = desk.do(give_back(), BOT)
    assert again.changes == () and facts(again)["already"] is True
    never = crew().do(give_back(), BOT)
    assert never.changes == () and facts(never) == {"id": T1, "already": True}


def test_a_late_release_of_an_earlier_execution_leaves_the_present_one_alone() -> None:
    desk = crew()
    acquire(desk)
    desk.do(give_back(), BOT)
    acquire(desk, REX, OTHER_KEY)
    late = desk.do(give_back(KEY), BOT)
    assert late.changes == () and live(desk) is not None and record(desk).owner == "rex"


def test_L05_an_operator_ends_the_lease_of_a_holder_that_only_renews() -> None:
    desk = crew()
    acquire(desk)
    desk.do(ReleaseLease(todo=T1, reason="nothing has happened for hours"), ANN)
    assert record(desk).retired[0].reason == "nothing has happened for hours"
    assert desk.no(renew(desk, 1), BOT).code == "lease-key-retired"
    acquire(desk, REX, OTHER_KEY)


def test_without_a_reason_the_record_says_who_ended_it() -> None:
    desk = crew()
    acquire(desk)
    desk.do(ReleaseLease(todo=T1), ANN)
    assert record(desk).retired[0].reason == "released by human:Ann"


def test_where_there_are_operators_nobody_else_ends_anothers_lease() -> None:
    desk = Desk.of(config(*crew().state.config().agents, operators=["Ben"]), goal(), todo())  # type: ignore[union-attr]
    acquire(desk)
    assert desk.no(ReleaseLease(todo=T1), ANN).code == "operator-required"
    desk.do(ReleaseLease(todo=T1), BEN)


def test_what_an_operator_takes_away_is_not_taken_with_another_key() -> None:
    desk = crew()
    acquire(desk)
    assert desk.no(give_back(NEW_KEY), ANN).code == "lease-held"
