"""Evidence at the terminal: added, listed, shown, judged anew; checks run, and what a Goal says of its criteria."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.cli.conftest import Desk

FIRST, SECOND = "e-a0000001", "e-a0000002"
CHECK = '[{"id": "a1", "text": "The guide is published", "check": ["sh", "-c", "%s"]}]'


def git(desk: Desk, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=desk.project, check=True, capture_output=True)


@pytest.fixture
def in_git(empty: Desk) -> Desk:
    """The desk in a project with a Git history; the Goal's criterion is checked by a command that passes."""
    (empty.project / "app.py").write_text("x = 1\n")
    git(empty, "init", "--quiet")
    git(empty, "add", "app.py")
    git(empty, "commit", "--quiet", "--message=base")
    empty("init", "--title", "Lab").expect()
    empty("goal", "new", "beta", "--title", "Ship the beta").expect()
    empty("goal", "edit", "beta", "--set", f"acceptance={CHECK % 'echo all good'}").expect()
    return empty


def test_what_was_seen_is_added_and_shown(desk: Desk) -> None:
    said = desk("evidence", "add", "beta/a1", "I read it\nfrom end to end", "--reference", "https://example.org/guide")
    assert said.expect().out.startswith(f"evidence {FIRST} added · about beta/a1 · kind observation · ")
    assert desk("evidence", "show", FIRST).text == (
        f"evidence {FIRST}  observation about beta/a1\n"
        "  worth       applies — Nothing it was made on has changed.\n"
        "  subject     beta/a1\n"
        "  source      human:Test Person\n"
        "  observed at 2026-03-02T09:00:00Z\n"
        "  result      noted\n"
        "  references  https://example.org/guide\n"
        f"  operation   {desk('evidence', 'show', FIRST, '--json').json['data']['operation']}\n"
        "  goal        beta\n"
        "  made on     criterion:a1: unchanged\n"
        "  made on     boundary: unchanged\n"
        "\n"
        "  I read it\n"
        "  from end to end\n"
        "--- 0\n"
    )


def test_evidence_is_listed_newest_first_with_what_it_is_worth(desk: Desk) -> None:
    assert desk("evidence").text == "no evidence\n--- 0\n"
    desk("evidence", "add", "a1", "Nine people", "--goal", "beta", "--kind", "negative_result").expect()
    desk.clock.advance(hours=1)
    desk("evidence", "add", "beta/a1", "-", "--fresh-for", "30m", typed="Ten people\n").expect()
    desk.clock.advance(hours=1)
    assert desk("evidence").out == (
        "ID          SEEN                  KIND             RESULT  WORTH      ABOUT    SUMMARY\n"
        f"{SECOND}  2026-03-02T10:00:00Z  observation      noted   not fresh  beta/a1  Ten people\n"
        f"{FIRST}  2026-03-02T09:00:00Z  negative_result  noted   applies    beta/a1  Nine people\n"
    )
    told = desk("evidence", "list", "--json").json["data"]
    assert [(each["id"], each["verdict"], each["is_fresh"]) for each in told["evidence"]] == [
        (SECOND, "applies", False),
        (FIRST, "applies", True),
    ]
    assert (told["count"], told["total"], told["truncated"]) == (2, 2, False)


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        (["--goal", "beta"], [SECOND, FIRST]),
        (["--about", "beta/a1"], [FIRST]),
        (["--about", "t-a0000001"], [SECOND]),
        (["--kind", "delivery"], [SECOND]),
        (["--worth", "superseded"], [FIRST]),
        (["--worth", "applies", "--worth", "superseded"], [SECOND, FIRST]),
    ],
)
def test_a_list_is_narrowed(desk: Desk, asked: list[str], ids: list[str]) -> None:
    desk("todo", "add", "Write", "--goal", "beta").expect()
    desk("evidence", "add", "beta/a1", "One").expect()
    desk.clock.advance(minutes=1)
    desk("evidence", "add", "t-a0000001", "Two", "--kind", "delivery").expect()
    desk("evidence", "reassess", FIRST, "--superseded", "--reason", "Wrong guide").expect()
    found = desk("evidence", "list", *asked, "--json").json["data"]["evidence"]
    assert [each["id"] for each in found if each["kind"] != "decision"] == ids


def test_a_list_that_is_cut_says_so(desk: Desk) -> None:
    for number in range(3):
        desk("evidence", "add", "beta/a1", f"Person {number}").expect()
    told = desk("evidence", "list", "--limit", "2", "--json").json["data"]
    assert (told["count"], told["total"], told["truncated"]) == (2, None, True)
    assert desk("evidence", "list", "--limit", "2").out.endswith("older ones with --limit 4\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "e-zzzz9999"], "evidence-unknown"),
        (["list", "--about", "nothing"], "evidence-about-unclear"),
        (["add", "beta/a9", "x"], "criterion-unknown"),
        (["add", "beta/a1", "x", "--file", "missing"], "evidence-input-unknown"),
        (["reassess", "e-zzzz9999", "--superseded", "--reason", "x"], "evidence-unknown"),
    ],
)
def test_what_is_not_there_is_said(desk: Desk, words: list[str], code: str) -> None:
    assert desk("evidence", *words, "--json").expect(1).json["error"]["code"] == code


@pytest.mark.parametrize("words", [[], ["--superseded", "--not-affecting"]])
def test_a_judgement_says_one_thing(desk: Desk, words: list[str]) -> None:
    assert desk("evidence", "reassess", FIRST, "--reason", "x", *words).expect(2).err.startswith("error[usage]")


def test_an_agent_reads_back_nothing(desk: Desk) -> None:
    words = ("evidence", "add", "beta/a1", "It is up", "--kind", "readback", "--actor", "agent:bot", "--json")
    assert desk(*words).expect(1).json["error"]["code"] == "actor-not-permitted"


# checks ------------------------------------------------------------------------------------------


def test_a_check_passes_and_is_cited(in_git: Desk) -> None:
    said = in_git("goal", "check", "beta", "a1", "--actor", "agent:bot")
    assert said.expect().text.startswith(f"goal beta a1 passed · evidence {FIRST} · REV\n--- 0\n")
    in_git("goal", "meet", "beta", "a1", "--evidence", FIRST, "--actor", "agent:bot").expect()
    shown = in_git("evidence", "show", FIRST, "--json").json["data"]
    assert [each["what"] for each in shown["bindings"]] == ["artifact", "criterion:a1", "boundary"]
    assert shown["cited_by"] == [{"kind": "criterion", "id": "beta/a1", "how": "was judged met on it"}]
    assert f"{FIRST} validation by loopx:check, passed: applies" in in_git("goal", "show", "beta").out


def test_a_check_that_fails_says_what_it_said_and_exits_5(in_git: Desk) -> None:
    in_git("goal", "edit", "beta", "--set", f"acceptance={CHECK % 'echo two links are dead; exit 1'}").expect()
    said = in_git("goal", "check", "beta", "--json").expect(5).json
    assert (said["ok"], said["error"]["code"], said["error"]["facts"]["evidence"]) == (False, "check-failed", FIRST)
    assert (said["data"]["count"], said["data"]["passed"]) == (1, 0)
    assert said["data"]["checks"][0]["result"] == "failed"
    again = in_git("goal", "check", "beta").expect(5)
    assert "goal beta a1 did not pass" in again.out and "two links are dead" in again.out


def test_a_check_is_declared_in_words(desk: Desk) -> None:
    said = desk("goal", "edit", "beta", "--accept", "It is fast", "--check", "a1=test -d .loopx", "--check", "a2=true")
    assert said.expect().out.startswith("goal beta changed: acceptance · ")
    assert desk("goal", "check", "beta", "--json").expect().json["data"]["passed"] == 2
    desk("goal", "edit", "beta", "--check", "a1=").expect()
    assert desk("goal", "check", "beta", "a1", "--json").expect(1).json["error"]["code"] == "check-missing"
    for wrong in ("make", "=make", "a1='make"):
        assert desk("goal", "edit", "beta", "--check", wrong).expect(2).err.startswith("error[usage]")


def test_a_goal_without_checks_has_none_to_run(desk: Desk) -> None:
    assert desk("goal", "check", "beta", "--json").expect(1).json["error"]["code"] == "check-missing"


def test_the_same_operation_checks_once(in_git: Desk) -> None:
    in_git("goal", "edit", "beta", "--set", f"acceptance={CHECK % 'echo ran >> ran.log'}").expect()
    for _ in range(2):
        in_git("goal", "check", "beta", "a1", "--op", "mine").expect()
    assert (in_git.project / "ran.log").read_text() == "ran\n"


def test_a_change_of_the_project_shows_on_the_evidence_and_the_goal_until_it_is_judged(in_git: Desk) -> None:
    in_git("goal", "check", "beta", "a1").expect()
    in_git("goal", "meet", "beta", "a1", "--evidence", FIRST).expect()
    (in_git.project / "app.py").write_text("x = 1  # one\n")
    (in_git.project / "new.py").touch()
    shown = in_git("evidence", "show", FIRST).out
    assert "  worth       needs reassessment — It needs reassessment; changed since: artifact.\n" in shown
    assert "  made on     artifact: changed\n" in shown
    assert "  changed     A new.py\n  changed     M app.py\n" in shown
    goal = in_git("goal", "show", "beta").out
    assert "  criteria    a1  open  The guide is published\n" in goal
    assert f"                  {FIRST} validation by loopx:check, passed: needs reassessment\n" in goal
    words = ("--reason", "A comment", "--requirement", "The guide is published", "--checked", "Read the diff")
    in_git.clock.advance(minutes=1)
    said = in_git("evidence", "reassess", FIRST, "--not-affecting", *words).expect()
    assert said.out.startswith(f"evidence {FIRST} judged · assessment applies · judgement {SECOND}")
    judged = in_git("evidence", "show", SECOND).out
    assert f"  judges      {FIRST}: applies\n" in judged and "A new.py, M app.py" in judged
    assert f"cited by    judgement {SECOND} by human:Test Person: applies" in in_git("evidence", "show", FIRST).out
    assert "a1  met" in in_git("goal", "show", "beta").out


def test_a_criterion_says_what_became_of_its_evidence(desk: Desk) -> None:
    desk("goal", "meet", "beta", "a1", "--evidence", "I read it").expect()
    assert f"    {FIRST} observation by human:Test Person, noted: applies\n" in desk("goal", "show", "beta").out
    desk("evidence", "reassess", FIRST, "--superseded", "--reason", "Wrong guide").expect()
    told = desk("goal", "show", "beta").out
    assert "a1  open  The guide is published\n" in told
    assert "No evidence it was met on still applies: it needs reassessment." in told
    assert f"{FIRST} observation by human:Test Person, noted: superseded\n" in told
    found = desk("goal", "show", "beta", "--json").json["data"]["criteria"][0]
    assert (found["needs_reassessment"], found["evidence"][0]["verdict"]) == (True, "superseded")


def test_a_read_back_grows_old(desk: Desk) -> None:
    readback = '"readback": {"source": "https://status.example.org", "fresh_for": "6h"}'
    desk("goal", "edit", "beta", "--set", f'acceptance=[{{"id": "a1", "text": "It is up", {readback}}}]').expect()
    desk("goal", "meet", "beta", "a1", "--evidence", "It is up").expect()
    assert "a1  met" in desk("goal", "show", "beta").out
    desk.clock.advance(hours=7)
    assert "which counts 6h" in desk("goal", "show", "beta").out
    desk("evidence", "add", "beta/a1", "Still up", "--kind", "readback").expect()
    assert "a1  met" in desk("goal", "show", "beta").out


def test_a_variable_is_kept_as_a_fingerprint(desk: Desk) -> None:
    environ = {**os.environ, "REGION": "eu-west"}
    desk("evidence", "add", "beta/a1", "Fast", "--variable", "REGION", environ=environ).expect()
    text = desk.file("**/e-a0000001.yaml").read_text()
    assert "environment:REGION" in text and "eu-west" not in text
    assert desk("evidence", "show", FIRST, "--json", environ={"REGION": "us"}).json["data"]["changed"] == [
        "environment:REGION"
    ]
    assert desk("evidence", "show", FIRST, "--json").json["data"]["unknown"] == ["environment:REGION"]
