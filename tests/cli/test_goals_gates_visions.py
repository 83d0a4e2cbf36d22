"""Goals, Gates and Visions at the terminal: their life in verbs, and a person being asked."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Desk

GATE = "g-a0000001"


@pytest.fixture
def asked(desk: Desk) -> Desk:
    """With an open Gate that offers two answers."""
    scope = ("--scope", "production:goal:deploy", "--option", "friday", "--option", "monday")
    desk("gate", "open", "--goal", "beta", *scope, "--question", "When may we deploy?").expect()
    return desk


def test_a_goal_is_listed_with_its_progress(desk: Desk) -> None:
    desk("todo", "add", "Write", "--goal", "beta").expect()
    desk("todo", "done", "t-a0000001").expect()
    assert desk("goal").text == (
        "ID    STATUS  CRITERIA  TODOS     TITLE\nbeta  active  0/1       1/1 done  Ship the beta\n--- 0\n"
    )
    told = desk("goal", "list", "--json").json["data"]["goals"][0]
    assert (told["todos"], told["criteria_settled"]) == ({"done": 1}, 0)
    assert desk("goal", "list", "--status", "paused").out == "no Goals here; make one with `loopx goal new`\n"


def test_a_goal_is_shown_with_what_belongs_to_it(asked: Desk) -> None:
    asked("vision", "set", "--goal", "beta", "--agent", "claude", "--summary", "Docs first").expect()
    asked("todo", "add", "Write", "--goal", "beta").expect()
    asked("goal", "edit", "beta", "--objective", "-", typed="Ten people use it.\n").expect()
    assert asked("goal", "show", "beta").text == (
        "goal beta  Ship the beta\n"
        "  status      active\n"
        "  created at  2026-03-02T09:00:00Z\n"
        "  criteria    a1  open  The guide is published\n"
        "  todos       1 open\n"
        "  gates       g-a0000001  open  When may we deploy?\n"
        "  visions     claude  active  Docs first\n"
        "\n"
        "  Ten people use it.\n"
        "--- 0\n"
    )


def test_a_goal_goes_through_its_life(desk: Desk) -> None:
    desk("goal", "new", "later", "--title", "Later", "--draft").expect()
    steps = [("activate", "activated"), ("pause", "paused"), ("resume", "resumed"), ("stop", "stopped")]
    for verb, said in steps:
        assert desk("goal", verb, "later").expect().text.startswith(f"goal later {said} · REV")
    assert desk("goal", "stop", "later").expect().out == "goal later needed no change\n"
    assert desk("goal", "pause", "later", "--json").expect(1).json["error"]["code"] == "transition-illegal"


def test_a_criterion_is_met_reopened_and_waived(desk: Desk) -> None:
    assert (
        desk("goal", "meet", "beta", "a1", "--evidence", "I read it")
        .expect()
        .text.startswith("goal beta met a1 · evidence e-a0000001 · REV")
    )
    assert "a1  met  The guide is published" in desk("goal", "show", "beta").out
    assert desk("goal", "unmeet", "beta", "a1").expect().out.startswith("goal beta reopened a1")
    assert desk("goal", "waive", "beta", "a1", "--reason", "Video instead").expect().out.startswith("goal beta waived")
    error = desk("goal", "waive", "beta", "a9", "--reason", "x", "--json").expect(1).json["error"]
    assert error["code"] == "criterion-unknown"


def test_fields_of_a_goal_are_set_and_criteria_added(desk: Desk) -> None:
    said = desk("goal", "edit", "beta", "--set", "tags=q3,docs", "--accept", "Ten people tried it").expect()
    assert said.text.startswith("goal beta changed: acceptance, tags · REV")
    told = desk("goal", "show", "beta", "--json").json["data"]
    assert (told["tags"], [each["id"] for each in told["criteria"]]) == (["q3", "docs"], ["a1", "a2"])
    assert desk("goal", "edit", "beta").expect(2).err.startswith("error[usage]: Nothing to change was given")


def test_gates_that_wait_are_listed(asked: Desk) -> None:
    assert asked("gate").text == (
        "ID          STATUS  GOAL  SCOPE                   QUESTION\n"
        "g-a0000001  open    beta  production:goal:deploy  When may we deploy?\n"
        "--- 0\n"
    )
    asked("gate", "withdraw", GATE).expect()
    assert asked("gate").out == "no Gates\n"
    assert "withdrawn" in asked("gate", "--all").out
    assert asked("gate", "list", "--status", "withdrawn", "--json").json["data"]["count"] == 1


def test_an_overdue_gate_says_so(desk: Desk) -> None:
    words = ("--scope", "direction:goal:tone", "--question", "Formal?", "--deadline", "2026-03-03T00:00Z")
    desk("gate", "open", "--goal", "beta", *words).expect()
    desk.clock.advance(days=2)
    assert "open, overdue" in desk("gate").out
    assert desk("gate", "list", "--json").json["data"]["gates"][0]["is_overdue"] is True


def test_a_script_must_name_the_gate_again(asked: Desk) -> None:
    words = ("gate", "approve", GATE, "--reason", "Rehearsed", "--option", "friday")
    refused = asked(*words, "--json").expect(1).json["error"]
    assert (refused["code"], refused["hint"]) == ("gate-unconfirmed", f"Name it again with --confirm {GATE}.")
    assert asked(*words, "--confirm", "g-b0000001", "--json").expect(1).json["error"]["code"] == "gate-unconfirmed"
    assert asked(*words, "--confirm", GATE).expect().out.startswith(f"gate {GATE} approved")
    decision = asked("gate", "show", GATE, "--json").json["data"]["decisions"][0]
    assert (decision["channel"], decision["option"]) == ("script", "friday")


def test_a_person_at_a_terminal_is_shown_the_question_and_asked(asked: Desk) -> None:
    said = asked("gate", "reject", GATE, "--reason", "Too soon", "--option", "friday", typed="y\n", terminal=True)
    assert said.expect().err == (
        "Gate g-a0000001 of beta: When may we deploy?\n"
        "  an approval covers production:goal:deploy\n"
        "  option: friday\n"
        "  option: monday\n"
        "  asked by human:Test Person\n"
        "Reject it? Type y to confirm: "
    )
    assert asked("gate", "show", GATE, "--json").json["data"]["decisions"][0]["channel"] == "terminal"


@pytest.mark.parametrize("typed", ["n\n", "\n", "", "yea\n"])
def test_anything_but_yes_is_no(asked: Desk, typed: str) -> None:
    words = ("gate", "defer", GATE, "--reason", "Ask Ann", "--json")
    assert asked(*words, typed=typed, terminal=True).expect(1).json["error"]["code"] == "gate-unconfirmed"
    assert asked("gate", "show", GATE, "--json").json["data"]["status"] == "open"


def test_an_agent_is_never_asked_and_never_answers(asked: Desk) -> None:
    words = ("gate", "approve", GATE, "--reason", "Sure", "--option", "friday", "--actor", "agent:claude")
    said = asked(*words, "--confirm", GATE, terminal=True).expect(1)
    assert said.err.startswith("error[actor-not-permitted]")
    assert "Type y" not in asked(*words, typed="y\n", terminal=True).err


def test_a_gate_shows_every_answer(asked: Desk) -> None:
    for verb, option in (("approve", "friday"), ("reject", "monday")):
        words = ("--reason", verb, "--option", option, "--confirm", GATE)
        asked("gate", verb, GATE, *words).expect()
    assert asked("gate", "show", GATE).text == (
        "gate g-a0000001  When may we deploy?\n"
        "  status      rejected — It was rejected by human:Test Person.\n"
        "  scope       production:goal:deploy\n"
        "  options     friday, monday\n"
        "  asked by    human:Test Person\n"
        "  created at  2026-03-02T09:00:00Z\n"
        "  goal        beta\n"
        "  answer      2026-03-02T09:00:00Z  approved (friday) by human:Test Person: approve\n"
        "  answer      2026-03-02T09:00:00Z  rejected (monday) by human:Test Person: reject\n"
        "--- 0\n"
    )


def test_a_vision_is_set_shown_and_retired(desk: Desk) -> None:
    who = ("--goal", "beta", "--agent", "claude")
    desk("vision", "set", *who, "--summary", "-", typed="Docs first,\nthen the demo\n").expect()
    desk("vision", "set", *who, "--replan-trigger", "No answer in a week").expect()
    assert desk("vision", "show", *who).text == (
        "vision of claude for beta\n"
        "  status      active\n"
        "  advancement as_needed\n"
        "  created at  2026-03-02T09:00:00Z\n"
        "  summary     Docs first,\\nthen the demo  (25/420)\n"
        "  replan trigger No answer in a week  (19/240)\n"
        "  in all      44/1200 characters\n"
        "  baseline    written at 2026-03-02T09:00:00Z by human:Test Person\n"
        "--- 0\n"
    )
    assert desk("vision", "retire", *who).expect().out.startswith("vision claude retired")
    assert "retired" in desk("vision").out
    assert desk("vision", "retire", *who, "--as", "no_followup", "--json").expect(1).json["error"]["code"] == (
        "reason-missing"
    )
    said = desk("vision", "retire", *who, "--as", "no_followup", "--reason", "Ann goes on").expect()
    assert said.out.startswith("vision claude ended as no_followup")


def test_a_vision_over_its_budget_is_refused(desk: Desk) -> None:
    error = desk("vision", "set", "--goal", "beta", "--agent", "claude", "--summary", "x" * 421, "--json").expect(1)
    assert error.json["error"]["code"] == "vision-over-budget"


def test_a_vision_nobody_wrote_is_unknown(desk: Desk) -> None:
    error = desk("vision", "show", "--goal", "beta", "--agent", "other", "--json").expect(1).json["error"]
    assert error["code"] == "vision-unknown"
