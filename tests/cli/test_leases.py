"""Leases at the terminal: taking one, going on, handing it over, giving it back, and what is shown of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from loopx.model.ids import derived
from tests.cli.conftest import Asked, Desk

T1, T2 = "t-a0000001", "t-a0000002"
CLAUDE, CODEX = ("--actor", "agent:claude"), ("--actor", "agent:codex")
KEY = "k-mine1111"


@pytest.fixture
def lab(desk: Desk) -> Desk:
    """With two agents and two Todos."""
    for name in ("claude", "codex"):
        desk("agent", "add", name).expect()
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    desk("todo", "add", "Record the demo", "--goal", "beta").expect()
    return desk


def acquire(lab: Desk, *more: str) -> Asked:
    return lab("lease", "acquire", T1, "--key", KEY, *CLAUDE, *more)


def data(asked: Asked) -> dict[str, Any]:
    found: dict[str, Any] = asked.expect().json["data"]
    return found


def error(asked: Asked, code: int = 1) -> dict[str, Any]:
    found: dict[str, Any] = asked.expect(code).json["error"]
    return found


def test_taking_a_lease_prints_the_key_it_made_and_what_to_type_next(lab: Desk) -> None:
    said = lab("lease", "acquire", T1, *CLAUDE, "--op", "op-mine").expect()
    key = derived("k", "op-mine")
    assert said.text == (
        f"lease {T1} acquired · owner claude · epoch 1 · version 1 · key {key} · until 2026-03-02T09:45:00Z · REV\n"
        f"  renew       loopx lease renew {T1} --key {key} --expect-lease-version 1\n"
        f"  finish      loopx todo done {T1} --lease {key}\n"
        f"  give back   loopx lease release {T1} --key {key}\n"
        "--- 0\n"
    )


def test_every_command_printed_works_as_printed(lab: Desk) -> None:
    told = data(lab("lease", "acquire", T1, *CLAUDE, "--json"))["next"]
    renewed = data(lab(*told["renew"].split()[1:], *CLAUDE, "--json"))
    assert renewed["result"]["version"] == 2
    lab(*renewed["next"]["renew"].split()[1:], *CLAUDE).expect()
    lab(*told["finish"].split()[1:], *CLAUDE).expect()
    lab(*told["give back"].split()[1:], *CLAUDE).expect()


def test_the_same_operation_asks_for_the_same_key_so_that_a_lost_answer_is_found_again(lab: Desk) -> None:
    first = data(lab("lease", "acquire", T1, *CLAUDE, "--op", "op-mine", "--json"))
    again = data(lab("lease", "acquire", T1, *CLAUDE, "--op", "op-mine", "--json"))
    assert again["replayed"] is True and again["result"]["key"] == first["result"]["key"]
    assert again["next"] == first["next"]


def test_the_same_key_again_tells_the_first_receipt_and_the_lease_of_today(lab: Desk) -> None:
    first = data(acquire(lab, "--json"))
    lab.clock.advance(minutes=10)
    lab("lease", "renew", T1, "--key", KEY, "--expect-lease-version", "1", *CLAUDE).expect()
    again = data(acquire(lab, "--json"))
    assert (again["operation"], again["at"], again["replayed"]) == (first["operation"], first["at"], True)
    assert (again["result"]["version"], again["result"]["lease"]["version"]) == (1, 2)
    assert again["next"]["renew"].endswith("--expect-lease-version 2")
    said = acquire(lab).expect().text
    assert f"lease {T1} was acquired before by operation {first['operation']}" in said
    assert "  now         active, claude, epoch 1, version 2, until 2026-03-02T09:55:00Z\n" in said


def test_an_operation_that_repeats_anothers_key_can_be_read_back_under_its_own_name(lab: Desk) -> None:
    first = data(acquire(lab, "--json"))
    again = data(acquire(lab, "--op", "op-again", "--json"))
    assert again["operation"] == first["operation"]
    kept = data(lab("op", "show", "op-again", "--json"))
    assert kept["state"] == "committed" and kept["receipt"]["result"]["original"] == first["operation"]
    assert data(acquire(lab, "--op", "op-again", "--json"))["operation"] == first["operation"]


def test_an_answer_told_again_after_the_end_offers_nothing_to_type(lab: Desk) -> None:
    acquire(lab, "--op", "op-mine").expect()
    lab.clock.advance(hours=1)
    told = data(acquire(lab, "--op", "op-mine", "--json"))
    assert (told["result"]["authorises"], told["next"]) == (False, {})
    assert "this answer grants nothing any more" in acquire(lab, "--op", "op-mine").out


def test_L12_a_refusal_holds_the_ids_and_the_command_and_the_second_release_is_nothing(lab: Desk) -> None:
    acquire(lab).expect()
    told = error(lab("lease", "acquire", T1, *CODEX, "--json"), 3)
    assert told["code"] == "lease-held" and T1 in told["message"] and T1 in told["hint"]
    assert (told["facts"]["holder"], told["facts"]["expires_at"]) == ("claude", "2026-03-02T09:45:00Z")
    persons = error(lab("lease", "acquire", T1, "--json"), 3)
    (command,) = re.findall(r"`loopx (lease release [^`]+)`", persons["hint"])
    assert lab(*command.split()).expect().out.startswith(f"lease {T1} released")
    assert lab(*command.split()).expect().out.startswith(f"lease {T1} needed no change")


@pytest.mark.parametrize(("ttl", "until"), [("90s", "09:01:30"), ("2h", "11:00:00"), ("1d", "09:00:00")])
def test_a_length_of_life_is_typed_as_people_write_it(lab: Desk, ttl: str, until: str) -> None:
    assert data(acquire(lab, "--ttl", ttl, "--json"))["result"]["expires_at"].endswith(f"T{until}Z")


def test_a_length_nobody_understands_is_no_request_and_one_too_long_is_refused(lab: Desk) -> None:
    acquire(lab, "--ttl", "soon").expect(2)
    assert error(acquire(lab, "--ttl", "25h", "--json"))["code"] == "lease-ttl-invalid"


def test_the_key_of_the_shell_is_used_where_none_is_typed(lab: Desk) -> None:
    acquire(lab).expect()
    shell = {"LOOPX_LEASE_KEY": KEY}
    lab("lease", "renew", T1, "--expect-lease-version", "1", *CLAUDE, environ=shell).expect()
    lab("lease", "renew", T1, "--expect-lease-version", "2", *CLAUDE).expect(2)
    other = {"LOOPX_LEASE_KEY": "k-other222"}
    assert error(lab("todo", "done", T1, *CLAUDE, "--json", environ=other))["code"] == "lease-key-wrong"
    lab("todo", "done", T1, *CLAUDE, environ=shell).expect()


def test_an_empty_key_is_none(lab: Desk) -> None:
    lab("todo", "done", T1, "--lease", "", *CLAUDE, environ={"LOOPX_LEASE_KEY": "k-other222"}).expect()


@pytest.mark.parametrize(
    "verb", [("done",), ("cancel", "--reason", "no need"), ("supersede", "--by", "Better")], ids=lambda verb: verb[0]
)
def test_every_way_out_takes_the_key_and_the_version_expected(lab: Desk, verb: tuple[str, ...]) -> None:
    acquire(lab).expect()
    asked = ("todo", verb[0], T1, *verb[1:], "--lease")
    assert error(lab(*asked, "k-other222", *CLAUDE, "--json"))["code"] == "lease-key-wrong"
    stale = error(lab(*asked, KEY, "--expect-lease-version", "9", *CLAUDE, "--json"), 3)
    assert (stale["code"], stale["facts"]["found"]) == ("revision-conflict", 1)
    lab(*asked, KEY, "--expect-lease-version", "1", *CLAUDE).expect()
    assert data(lab("lease", "show", T1, "--json"))["status"] == "released"


def test_a_lease_is_handed_over_under_a_key_that_is_made(lab: Desk) -> None:
    acquire(lab).expect()
    told = data(
        lab("lease", "transfer", T1, "--to", "codex", "--key", KEY, "--expect-lease-version", "1", *CLAUDE, "--json")
    )
    assert (told["result"]["owner"], told["result"]["epoch"]) == ("codex", 2)
    assert error(lab("todo", "done", T1, "--lease", KEY, *CLAUDE, "--json"), 3)["code"] == "lease-held"
    lab(*told["next"]["finish"].split()[1:], *CODEX).expect()


def test_live_leases_are_listed_with_how_long_nothing_came_of_them(lab: Desk) -> None:
    assert lab("lease").out == "no live leases\n"
    acquire(lab).expect()
    lab.clock.advance(minutes=40)
    assert lab("lease", "list", "--goal", "beta").out == (
        "TODO        STATUS  OWNER   EPOCH  UNTIL                 NO PROGRESS  TITLE\n"
        f"{T1}  active  claude  1      2026-03-02T09:45:00Z  for 40m      Write the guide\n"
    )
    assert lab("lease", "list", "--owner", "codex").out == "no live leases\n"
    lab.clock.advance(minutes=6)
    assert lab("lease").out == "no live leases\n"
    assert "expired  claude" in lab("lease", "list", "--all").out
    told = data(lab("lease", "list", "--all", "--json"))["leases"][0]
    assert (told["status"], told["is_live"], told["no_progress_since"]) == ("expired", False, None)


def test_L05_a_holder_that_only_renews_is_seen_to(lab: Desk) -> None:
    acquire(lab, "--write", "docs/**").expect()
    for version in (1, 2, 3):
        lab.clock.advance(minutes=40)
        lab("lease", "renew", T1, "--key", KEY, "--expect-lease-version", str(version), *CLAUDE).expect()
    assert lab("lease", "show", T1).text == (
        f"lease {T1}  Write the guide\n"
        "  status      active — claude executes it until 2026-03-02T11:45:00Z unless it is renewed.\n"
        f"  key         {KEY}\n"
        "  owner       claude\n"
        "  epoch       1\n"
        "  version     4\n"
        "  write scopes docs/**\n"
        "  acquired at 2026-03-02T09:00:00Z\n"
        "  renewed at  2026-03-02T11:00:00Z\n"
        "  claim       claude\n"
        "  progress    none since it was acquired at 2026-03-02T09:00:00Z: no turn, no evidence\n"
        "--- 0\n"
    )
    told = data(lab("lease", "show", T1, "--json"))
    assert (told["progress_at"], told["no_progress_since"]) == (None, "2026-03-02T09:00:00Z")


def test_what_there_is_not_is_null_and_never_nought(lab: Desk) -> None:
    told = data(lab("lease", "show", T2, "--json"))
    assert {told[name] for name in ("status", "owner", "execution_key", "epoch", "version", "claim")} == {None}
    revisions = dict(told["revisions"])
    assert re.fullmatch("[0-9a-f]{40}", revisions.pop("provider_revision"))
    assert set(revisions.values()) == {None}
    assert lab("lease", "show", T2).text == (
        f"lease {T2}  Record the demo\n  status      none — Nobody ever had a lease of it.\n--- 0\n"
    )


def test_the_six_revisions_stand_each_under_its_own_name(lab: Desk) -> None:
    acquire(lab, "--op", "op-mine").expect()
    told = data(lab("lease", "show", T1, "--json"))
    assert told["revisions"] == {
        "artifact_revision": None,
        "provider_revision": told["revisions"]["provider_revision"],
        "lease_version": 1,
        "lease_epoch": 1,
        "execution_key": KEY,
        "turn": None,
        "operation": "op-mine",
        "evidence": None,
    }


def test_a_todo_shows_who_executes_it(lab: Desk) -> None:
    acquire(lab).expect()
    assert f"{T1}  p2   open    by claude  Write the guide\n" in lab("todo", "list", "--goal", "beta").out
    assert "  executed by claude until 2026-03-02T09:45:00Z (epoch 1, version 1)\n" in lab("todo", "show", T1).out
    told = {each["id"]: each["lease"] for each in data(lab("todo", "list", "--json"))["todos"]}
    assert told[T2] is None and told[T1] == {
        "owner": "claude",
        "epoch": 1,
        "version": 1,
        "expires_at": "2026-03-02T09:45:00Z",
        "is_from_future": False,
    }
    assert data(lab("todo", "show", T1, "--json"))["lease"] == told[T1]


def test_why_says_who_executes_it_and_that_a_claim_lapsed(lab: Desk) -> None:
    acquire(lab).expect()
    told = lab("why", T1, *CODEX).out
    assert "no    lease         claude executes it until 2026-03-02T09:45:00Z." in told
    assert "note  execution     claude executes it until 2026-03-02T09:45:00Z unless it is renewed." in told
    lab.clock.advance(hours=1)
    later = lab("why", T1, *CODEX).out
    assert "It can be worked on now." in later
    assert "note  execution     The lease of claude expired at 2026-03-02T09:45:00Z, 15m ago." in later
    assert "note  claimed by    The claim of claude has lapsed: nobody acted on it." in later


def test_a_lease_from_the_future_is_flagged(lab: Desk) -> None:
    acquire(lab).expect()
    lab.clock.advance(hours=-2)
    told = data(lab("lease", "show", T1, "--json"))
    assert (told["is_live"], told["is_from_future"]) == (True, True)
    assert "A stamp of it lies ahead of the clock" in lab("lease", "show", T1).out


def test_who_is_not_registered_is_told_how_to_be(lab: Desk) -> None:
    told = error(lab("lease", "acquire", T1, "--actor", "agent:zed", "--json"))
    assert told["code"] == "agent-unregistered" and "loopx agent add" in told["hint"]


def test_whatever_is_typed_as_a_key_is_one_or_refused(lab: Desk) -> None:
    assert error(lab("lease", "acquire", T1, "--key", "my key", *CLAUDE, "--json"))["code"] == "lease-key-invalid"


def test_a_claim_that_lapsed_is_shown_as_nobodys_work(lab: Desk) -> None:
    lab("todo", "claim", T1, *CLAUDE).expect()

    def shown() -> tuple[list[str], list[str]]:
        told = data(lab("status", "--json"))
        return [each["id"] for each in told["running"]], [each["id"] for each in told["frontier"]]

    assert shown() == ([T1], [T2])
    lab.clock.advance(hours=24, seconds=1)
    assert shown() == ([], [T1, T2])
    lab("todo", "claim", T1, *CODEX).expect()
    assert shown() == ([T1], [T2])
