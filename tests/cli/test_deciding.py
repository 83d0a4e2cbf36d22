"""``loopx next`` and ``loopx quota`` at the terminal: what is said, in how little room, and which Goal it is about."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Desk

BOT = ("--agent", "bot")
TODO = "t-a0000001"


@pytest.fixture
def working(desk: Desk) -> Desk:
    """With the agent bot, one Todo and one open Gate that does not cover it."""
    desk("agent", "add", "bot").expect()
    desk("todo", "add", "Write the guide", "--goal", "beta", "--accept", "a1").expect()
    scope = "production:goal:deploy"
    desk("gate", "open", "--goal", "beta", "--scope", scope, "--question", "May it go live?").expect()
    return desk


def test_next_says_in_ten_lines_what_to_do_and_how(working: Desk) -> None:
    said = working("next", *BOT).expect()
    assert said.text == (
        "goal beta  deliver  for bot\n"
        't-a0000001 "Write the guide" (p2) can be worked on now.\n'
        '  do          Open a turn on t-a0000001 "Write the guide", deliver one bounded piece of it, '
        "and write it back.\n"
        "  run         loopx turn open --goal beta --todo t-a0000001 --actor agent:bot\n"
        "  run         loopx refresh-state --goal beta --scale … --outcome … --evidence … --done --actor agent:bot\n"
        "  person      May it go live? (g-a0000001, production:goal:deploy)\n"
        "  stands      open 1, Gates to answer 1, criteria open 1\n"
        "  spend       allowed once the validation passed and the writeback is accepted, which records it\n"
        "  again       Act now, and ask again once it is written back.\n"
        "--- 0\n"
    )


def test_the_agent_is_the_actor_unless_another_is_named(working: Desk) -> None:
    as_actor = working("next", "--json", environ={"LOOPX_ACTOR": "agent:bot"}).expect().json["data"]
    named = working("next", "--json", *BOT).expect().json["data"]
    assert as_actor == named
    assert as_actor["agent"] == "bot"
    person = working("next", "--json").expect().json["data"]
    assert person["agent"].startswith("human-")
    assert person["interaction_contract"]["cli_channel"]["commands"] == [f"loopx todo done {TODO}"]


def test_quota_should_run_is_the_same_decision_under_its_full_name(working: Desk) -> None:
    short = working("next", "--goal", "beta", *BOT, "--json").expect().json
    full = working("quota", "should-run", "--goal", "beta", *BOT, "--json").expect().json
    assert short == full
    assert full["data"]["basis"]["revision"] == full["revision"]


def test_explain_prints_every_rule(working: Desk) -> None:
    said = working("next", *BOT, "--explain").expect()
    assert "yes        10 work" in said.out
    assert "not asked  11.7 close out" in said.out
    trace = working("quota", "should-run", "--goal", "beta", *BOT, "--explain", "--json").expect().json["data"]["trace"]
    assert [each["rule"] for each in trace if each["verdict"] == "match"] == ["10 work"]
    assert len(trace) == 17


def test_a_past_revision_can_be_decided_about(working: Desk) -> None:
    before = working("goal", "show", "beta", "--json").json["revision"]
    working("todo", "done", TODO, "--no-follow-up", "that was all").expect()
    found = working("next", "--goal", "beta", *BOT, "--at", before, "--json").expect().json["data"]
    assert found["mode"] == "deliver"


# which Goal --------------------------------------------------------------------------------------------


def test_of_several_goals_the_first_in_which_something_may_be_attempted_is_told(working: Desk) -> None:
    working("goal", "new", "alpha", "--title", "Ship the alpha").expect()
    working("todo", "add", "Sign", "--goal", "alpha", "--priority", "p0").expect()
    working("todo", "block", "t-a0000002", "--reason", "the notary is away").expect()
    working("goal", "new", "omega", "--title", "Ship the omega").expect()
    working("todo", "add", "Sail", "--goal", "omega", "--priority", "p3").expect()
    said = working("next", *BOT).expect()
    assert said.out.startswith("goal beta  deliver  for bot  (of 3 active Goals; name one with --goal)\n")
    facts = working("next", *BOT, "--json").expect().json["data"]
    assert facts["counts"]["active_goals"] == 3
    working("todo", "edit", "t-a0000003", "--priority", "p0").expect()
    assert working("next", *BOT).expect().out.startswith("goal omega")


def test_where_nothing_may_be_attempted_the_first_goal_that_needs_a_person_is_told(desk: Desk) -> None:
    desk("agent", "add", "bot").expect()
    desk("agent", "add", "rex").expect()
    desk("todo", "add", "Write", "--goal", "beta", "--accept", "a1").expect()
    desk("todo", "claim", TODO, "--actor", "agent:rex").expect()
    desk("goal", "new", "gamma", "--title", "Ship the rest").expect()
    desk("todo", "add", "Sign", "--goal", "gamma").expect()
    desk("todo", "block", "t-a0000002", "--reason", "the notary is away").expect()
    said = desk("next", *BOT).expect()
    assert said.out.startswith("goal gamma  ask_user")
    assert "the notary is away" in said.out


def test_goals_an_agent_takes_no_part_in_are_not_looked_at(working: Desk) -> None:
    working("agent", "add", "rex").expect()
    working("goal", "new", "alpha", "--title", "Ship the alpha").expect()
    working("todo", "add", "Sail", "--goal", "alpha", "--priority", "p0").expect()
    working("agent", "add", "rex", "--goal", "alpha").expect()
    assert working("next", *BOT).expect().out.startswith("goal beta")
    assert working("next", "--agent", "rex").expect().out.startswith("goal alpha")


# refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("next", "--agent", "nobody"), "agent-unregistered"),
        (("next", "--agent", "Not A Name"), "agent-invalid"),
        (("next", "--goal", "betta"), "goal-unknown"),
        (("quota", "should-run", "--goal", "betta"), "goal-unknown"),
        (("quota", "show", "betta"), "goal-unknown"),
    ],
)
def test_where_nothing_can_be_decided_the_refusal_says_why(
    working: Desk, arguments: tuple[str, ...], code: str
) -> None:
    said = working(*arguments, "--json").expect(1)
    assert said.json["error"]["code"] == code
    assert len(said.out.encode()) <= 1024


def test_without_an_active_goal_nothing_is_decided(working: Desk) -> None:
    working("goal", "pause", "beta").expect()
    said = working("next", "--json").expect(1)
    assert said.json["error"]["code"] == "goal-none-active"
    assert working("next", *BOT, "--json").json["error"]["message"] == "No Goal that bot takes part in is active."
    stopped = working("next", "--goal", "beta").expect()
    assert "Do nothing for this Goal." in stopped.out


# quota -------------------------------------------------------------------------------------------------


def test_the_bare_noun_shows_what_each_window_allows(working: Desk) -> None:
    assert working("quota").expect().out == (
        "GOAL  SPENT  LIMIT  LEFT  FREES AT\nbeta  0      100    100   -\n"  # nothing was spent yet
    )
    working("goal", "edit", "beta", "--set", 'quota={"compute": 1}').expect()
    opened = working("turn", "open", "--goal", "beta", "--todo", TODO, "--actor", "agent:bot", "--json").expect()
    turn = opened.json["data"]["turn"]
    settled = ("--scale", "single_surface", "--outcome", "outcome_progress", "--evidence", "Two chapters are there")
    working("refresh-state", "--goal", "beta", "--turn", turn, *settled, "--actor", "agent:bot").expect()
    (found,) = working("quota", "--json").expect().json["data"]["quotas"]
    assert (found["spent"], found["limit"], found["is_used_up"]) == (1, 1, True)
    assert working("quota", "show", "beta", "--json").expect().json["data"] == found
    assert working("quota", "show", "beta").expect().out == (
        "quota beta\n"
        "  spent       1 of 1 slots within 24 hours\n"
        "  left        0, of 30 minutes each\n"
        "  frees       2026-03-03T09:00:00Z\n"
    )
    assert found["frees_at"] == "2026-03-03T09:00:00Z"
    said = working("next", *BOT).expect()
    assert "throttled" in said.out
    assert "at 2026-03-03T09:00:00Z" in said.out


# size --------------------------------------------------------------------------------------------------


def test_Q12_list_status_next_and_should_run_count_alike_and_the_envelope_stays_small(desk: Desk) -> None:
    desk("agent", "add", "bot").expect()
    title = "A very long title that says everything there is to say about it " * 3
    for number in range(1, 201):
        header = f"---\nid: t-b{number:07}\ntitle: {title}{number}\nacceptance: [a1]\n---\n"
        desk.write(f"goals/beta/todos/{number:03}.md", header)
    for number in range(20):
        scope = f"production:goal:key-{number}"
        desk("gate", "open", "--goal", "beta", "--scope", scope, "--question", f"{title}{number}?").expect()
    listed = desk("todo", "list", "--goal", "beta", "--json").expect().json["data"]
    decided = desk("next", "--goal", "beta", *BOT, "--json").expect()
    should_run = desk("quota", "should-run", "--goal", "beta", *BOT, "--json").expect().json
    facts = decided.json["data"]
    assert listed["total"] == facts["counts"]["open"] == 200
    assert should_run["data"] == facts
    assert facts["left_out"]["gates"] == 20 - len(facts["gates"])
    assert len(decided.out.encode()) <= 4096
    status = desk("status", "--json")
    (goal,) = (each for each in status.json["data"]["goals"] if each["id"] == "beta")
    assert json.dumps(goal).count("200") >= 1


def test_why_explains_a_todo_as_the_decision_sees_it_and_an_obligation_by_its_id(working: Desk) -> None:
    said = working("why", TODO, "--actor", "agent:bot").expect().out
    assert "bot is told to deliver it now." in said
    working("todo", "done", TODO).expect()
    owed = working("next", *BOT, "--json").expect().json["data"]["obligations"][0]
    told = working("why", owed["id"]).expect().out
    assert told.startswith(f"obligation {owed['id']}  {owed['trigger']}  (armed)\n")
    assert owed["message"] in told
    assert working("why", "o-zzzzzzzzzz", "--json").expect(1).json["error"]["code"] == "obligation-unknown"
