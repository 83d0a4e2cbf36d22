"""Turns at the terminal: opened, settled by ``refresh-state``, voided, and looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Asked, Desk

BOT = ("--actor", "agent:bot")
TODO, TURN = "t-a0000001", "turn-a0000001"
PLAIN = ("--scale", "single_surface", "--outcome", "surface_only")


@pytest.fixture
def working(desk: Desk) -> Desk:
    """With the agent bot and a Todo that advances the criterion a1."""
    desk("agent", "add", "bot").expect()
    desk("todo", "add", "Write the guide", "--goal", "beta", "--accept", "a1", "--validate", "true").expect()
    return desk


def settle(desk: Desk, *arguments: str, **how: Any) -> Asked:
    return desk("refresh-state", "--goal", "beta", *arguments, *BOT, **how)


def opened(desk: Desk) -> Desk:
    desk("turn", "open", "--goal", "beta", "--todo", TODO, *BOT).expect()
    return desk


def test_opening_a_turn_prints_what_to_do_in_it_and_how_to_end_it(working: Desk) -> None:
    said = working("turn", "open", "--goal", "beta", "--todo", TODO, *BOT).expect()
    assert said.text == (
        'turn turn-a0000001 opened for bot on t-a0000001 "Write the guide" · REV\n'
        "  do          Carry turn-a0000001 on, then write it back.\n"
        "  proves it   true\n"
        "  then        loopx refresh-state --goal beta --turn turn-a0000001"
        " --scale … --outcome … --evidence … --done --actor agent:bot\n"
        "  then        loopx turn void turn-a0000001 --reason … --actor agent:bot\n"
        "--- 0\noperation op-a0000005\n"
    )


def test_the_envelope_holds_the_decision_the_boundary_and_the_commands(working: Desk) -> None:
    boundary = "boundary.write_scopes=docs/**"
    working("goal", "edit", "beta", "--set", boundary)
    said = working("turn", "open", "--goal", "beta", "--todo", TODO, *BOT, "--json").expect()
    told = said.json["data"]
    assert told["turn"] == TURN and told["mode"] == "deliver"
    assert set(told["interaction_contract"]) == {"user_channel", "agent_channel", "cli_channel"}
    assert "scheduler_hint" in told and told["validation"]["argv"] == ["true"]
    assert any("refresh-state" in each for each in told["writeback"])
    assert told["receipt"]["subject"] == f"turn {TURN}"
    assert len(json.dumps(told["interaction_contract"])) < 4096


def test_the_same_operation_opens_one_turn(working: Desk) -> None:
    asked = ("turn", "open", "--goal", "beta", "--todo", TODO, *BOT, "--op", "mine")
    working(*asked).expect()
    again = working(*asked).expect()
    assert "was opened by this operation before" in again.out
    assert working("turn", "list", "--json").json["data"]["count"] == 1


def test_a_turn_is_settled_with_everything_it_did(working: Desk) -> None:
    opened(working)
    said = settle(
        working,
        *("--scale", "implementation", "--outcome", "primary_goal_outcome", "--done", "--meets", "a1"),
        *("--evidence", "ten people read it", "--successor", "Translate it", "--note", "one page"),
        *("--vision-summary", "Guide first", "--next-action", "Translate"),
    ).expect()
    assert said.text == (
        "turn turn-a0000001 settled · primary_goal_outcome · t-a0000001 done · spent 1 · REV\n"
        "  meets       a1\n"
        "  successors  t-a0000002\n"
        "  evidence    e-a0000003, e-a0000002\n"
        "--- 0\noperation op-a0000006\n"
    )
    assert working("goal", "show", "beta", "--json").json["data"]["criteria"][0]["status"] == "met"
    told = working("turn", "show", TURN, "--json").json["data"]
    assert (told["delivery_batch_scale"], told["delivery_outcome"]) == ("implementation", "primary_goal_outcome")
    assert (told["status"], told["meets"], told["next_action"]) == ("settled", ["a1"], "Translate")
    assert told["checkpoint"]["result"] == "patched" and told["spend"]["validated"] is True


def test_a_claim_that_shows_nothing_is_recorded_as_what_it_is(working: Desk) -> None:
    working("vision", "set", "--goal", "beta", "--agent", "bot", "--summary", "Guide first").expect()
    opened(working)
    said = settle(working, "--scale", "test_only", "--outcome", "outcome_progress", "--evidence", "I tidied").expect()
    assert "settled · outcome_gap · t-a0000001 stays open · spent 1, unvalidated" in said.out
    assert "claimed     outcome_progress, recorded as outcome_gap: It changes no criterion" in said.out
    told = working("turn", "show", TURN, "--json").json["data"]
    assert (told["delivery_outcome"], told["claimed"]) == ("outcome_gap", "outcome_progress")


def test_a_gap_says_how_it_is_filled(working: Desk) -> None:
    opened(working)
    said = settle(working, *PLAIN, "--done", "--vision-unchanged-reason", "the route holds").expect()
    assert "gap         vision_checkpoint_missing: write the Vision with `loopx vision set`" in said.out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--blocked", "no key"), "blocked"),
        (("--deferred-until", "at:2026-04-01T00:00Z"), "deferred"),
        (("--cancelled", "not needed"), "cancelled"),
        (("--superseded-by", "Film it"), "superseded"),
        ((), "open"),
    ],
)
def test_a_todo_becomes_what_was_said(working: Desk, words: tuple[str, ...], status: str) -> None:
    opened(working)
    settle(working, *PLAIN, *words).expect()
    assert working("todo", "show", TODO, "--json").json["data"]["status"] == status


def test_without_an_open_turn_one_is_opened_and_settled_at_once(working: Desk) -> None:
    said = settle(working, *PLAIN, "--todo", TODO, "--done", "--no-follow-up", "it was the last", "--json").expect()
    told = working("turn", "show", said.json["data"]["result"]["id"], "--json").json["data"]
    assert (told["status"], told["delivery_outcome"], told["todo"]) == ("settled", "surface_only", TODO)
    assert told["no_follow_up"] == "it was the last" and told["basis"] is not None


def test_a_validation_that_fails_settles_nothing_and_can_be_told(working: Desk) -> None:
    working("todo", "edit", TODO, "--validate", "false").expect()
    opened(working)
    error = settle(working, *PLAIN, "--done", "--json").expect(5).json["error"]
    assert error["code"] == "validation-failed"
    assert working("turn", "show", TURN, "--json").json["data"]["status"] == "open"
    words = ("--scale", "test_only", "--outcome", "outcome_gap", "--evidence", error["facts"]["evidence"])
    assert "settled · outcome_gap · t-a0000001 stays open · spent 0" in settle(working, *words).expect().out


def test_a_negative_result_is_kept_as_one(working: Desk) -> None:
    opened(working)
    words = ("--scale", "test_only", "--outcome", "outcome_progress", "--negative", "Caching makes it no faster")
    settle(working, *words).expect()
    [piece] = working("evidence", "list", "--json").json["data"]["evidence"]
    assert (piece["kind"], piece["summary"]) == ("negative_result", "Caching makes it no faster")


# the route --------------------------------------------------------------------------------------


def path_of(desk: Desk) -> Any:
    return desk("turn", "show", TURN, "--json").json["data"]["checkpoint"]["path_delta"]


def test_how_the_route_changed_is_told_option_by_option(working: Desk) -> None:
    opened(working)
    words = ("--path-delta-outcome", "replan", "--path-delta-observed-reality", "The parser is slow")
    more = ("--path-delta-changed", "cache first", "--path-delta-changed", "parse later")
    settle(working, *PLAIN, *words, *more, "--path-delta-open-question", "How slow?").expect()
    told = path_of(working)
    assert (told["outcome"], told["observed_reality"]) == ("replan", "The parser is slow")
    assert (told["changed"], told["open_questions"]) == (["cache first", "parse later"], ["How slow?"])
    assert "route       replan: cache first, parse later" in working("turn", "show", TURN).out


def test_how_the_route_changed_is_read_from_json_and_from_a_file(working: Desk, tmp_path: Path) -> None:
    delta = {"outcome": "wait", "retained": ["the outline"]}
    opened(working)
    settle(working, *PLAIN, "--path-delta", json.dumps(delta)).expect()
    assert path_of(working)["retained"] == ["the outline"]
    file = tmp_path / "delta.json"
    file.write_text(json.dumps({**delta, "outcome": "stop"}), encoding="utf-8")
    settle(working, *PLAIN, "--todo", TODO, "--path-delta", f"@{file}").expect()
    newest = working("turn", "show", "turn-a0000002", "--json").json["data"]
    assert newest["checkpoint"]["path_delta"]["outcome"] == "stop"


@pytest.mark.parametrize(
    "words",
    [
        ("--path-delta", "{"),
        ("--path-delta", "[]"),
        ("--path-delta", "{}"),
        ("--path-delta", '{"outcome": "go"}'),
        ("--path-delta", '{"outcome": "stop", "why": "x"}'),
        ("--path-delta", '{"outcome": "stop", "changed": "x"}'),
        ("--path-delta", '{"outcome": "stop", "prior_assumption": 3}'),
        ("--path-delta", "@missing.json"),
        ("--path-delta", '{"outcome": "stop"}', "--path-delta-changed", "x"),
        ("--path-delta-changed", "x"),
        ("--scale", "huge"),
    ],
)
def test_a_route_that_cannot_be_read_is_a_slip_of_the_hand(working: Desk, words: tuple[str, ...]) -> None:
    opened(working)
    assert settle(working, *PLAIN, *words).expect(2).err.startswith("error[usage]")


def test_a_file_larger_than_any_route_is_not_read(working: Desk, tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    file.write_bytes(b" " * 70_000)
    assert "larger than 64 KB" in settle(working, *PLAIN, "--path-delta", f"@{file}").expect(2).err


# repeating, refusing, ending ----------------------------------------------------------------------


def test_Q06_a_turn_settled_twice_spends_once(working: Desk) -> None:
    opened(working)
    words = (*PLAIN, "--turn", TURN, "--done", "--evidence", "seen")
    settle(working, *words).expect()
    again = settle(working, *words, "--op", "another").expect()
    assert again.out.startswith("turn turn-a0000001 was settled before · surface_only")
    assert settle(working, *words, "--op", "another", "--json").expect().json["data"]["replayed"] is True
    assert working("quota", "show", "beta", "--json").json["data"]["spent"] == 1


def test_L07_a_turn_that_was_opened_and_forgotten_is_gone_on_with_the_next_day(working: Desk) -> None:
    """There is no reservation to be stuck in: the same key the next day answers with the turn it opened."""
    asked = ("turn", "open", "--goal", "beta", "--todo", TODO, *BOT, "--op", "mine")
    working(*asked).expect()
    working.clock.advance(days=1)
    said = working(*asked).expect()
    assert "was opened by this operation before" in said.out
    assert "past its slots" in working("turn", "list", "--open").out
    settle(working, *PLAIN, "--turn", TURN, "--evidence", "half of it").expect()


def test_what_a_turn_was_not_opened_for_is_refused(working: Desk) -> None:
    opened(working)
    working("todo", "add", "Print it", "--goal", "beta").expect()
    error = settle(working, *PLAIN, "--todo", "t-a0000002", "--json").expect(1).json["error"]
    assert error["code"] == "turn-mismatch"
    assert settle(working, *PLAIN, "--spend", "1", "--json").expect(1).json["error"]["code"] == "spend-not-validated"


def test_a_used_up_quota_says_when_a_slot_is_free(working: Desk) -> None:
    working.write(
        "goals/beta/goal.md",
        (working.root / "goals/beta/goal.md").read_text("utf-8").replace("title:", "quota: {compute: 1}\ntitle:", 1),
    )
    settle(working, *PLAIN, "--todo", TODO, "--evidence", "seen").expect()
    error = working("turn", "open", "--goal", "beta", "--todo", TODO, *BOT, "--json").expect(1).json["error"]
    assert error["code"] == "quota-used-up" and error["facts"]["frees_at"] == "2026-03-03T09:00:00Z"


def test_an_open_turn_is_voided_and_a_spend_is_taken_back(working: Desk) -> None:
    opened(working)
    said = working("turn", "void", TURN, "--reason", "The host went away", *BOT).expect()
    assert said.out.startswith("turn turn-a0000001 voided")
    settle(working, *PLAIN, "--todo", TODO, "--evidence", "seen").expect()
    assert working("turn", "void", "turn-a0000002", "--reason", "x", *BOT, "--json").expect(1).json["error"][
        "code"
    ] == ("actor-not-permitted")
    working("turn", "void", "turn-a0000002", "--reason", "counted twice").expect()
    assert "1, taken back" in working("turn").out
    assert "taken back at 2026-03-02T09:00:00Z: counted twice" in working("turn", "show", "turn-a0000002").out


def test_turns_are_listed_newest_first(working: Desk) -> None:
    assert working("turn").out == "no turns\n"
    for _ in range(3):
        working.clock.advance(minutes=1)
        settle(working, *PLAIN, "--todo", TODO).expect()
    opened(working)
    assert working("turn").text == (
        "ID             STATUS   AGENT  GOAL  WORK        OUTCOME       SPENT  AT\n"
        "turn-a0000004  open     bot    beta  t-a0000001  -             -      2026-03-02T09:03:00Z\n"
        "turn-a0000003  settled  bot    beta  t-a0000001  surface_only  -      2026-03-02T09:03:00Z\n"
        "turn-a0000002  settled  bot    beta  t-a0000001  surface_only  -      2026-03-02T09:02:00Z\n"
        "turn-a0000001  settled  bot    beta  t-a0000001  surface_only  -      2026-03-02T09:01:00Z\n"
        "--- 0\n"
    )
    told = working("turn", "list", "--limit", "2", "--json").json["data"]
    assert ([each["id"][-1] for each in told["turns"]], told["truncated"], told["total"]) == (["4", "3"], True, None)
    assert working("turn", "list", "--open", "--json").json["data"]["count"] == 1
    assert working("turn", "list", "--agent", "rex").out == "no turns\n"
    assert "older ones with --limit 4" in working("turn", "list", "--limit", "2").out


def test_a_turn_for_an_obligation_is_opened_and_shown(working: Desk) -> None:
    working("agent", "edit", "bot", "--goal", "beta", "--vision", "required")
    working("agent", "add", "rex", "--goal", "beta", "--vision", "required").expect()
    decision = working("next", "--goal", "beta", "--agent", "rex", "--json").json["data"]
    owed = decision["obligations"][0]["id"]
    rex = ("--actor", "agent:rex")
    said = working("turn", "open", "--goal", "beta", "--obligation", owed, *rex).expect()
    assert f"opened for rex on {owed}" in said.out
    words = ("refresh-state", "--goal", "beta", *PLAIN, "--vision-summary", "Help bot")
    assert f"discharges  {owed}" in working(*words, *rex).expect().out
    assert working("turn", "show", TURN).out.startswith(f"turn {TURN}  {owed}\n")


def test_a_vision_is_shown_with_its_baseline_and_its_gaps(working: Desk) -> None:
    working("vision", "set", "--goal", "beta", "--agent", "bot", "--summary", "Guide first").expect()
    settle(working, "--scale", "test_only", "--outcome", "outcome_progress", "--todo", TODO, "--done").expect()
    working("goal", "edit", "beta", "--accept", "It is fast").expect()
    said = working("vision", "show", "--goal", "beta", "--agent", "bot").expect().out
    assert "written at 2026-03-02T09:00:00Z by human:Test Person; changed since: acceptance" in said
    assert "gap         vision_outcome_checkpoint_required: turn-a0000002 moved the objective" in said
