"""``problems.md``, ``timeline.md`` and ``status.json``: what is wrong, what happened, and the same for programs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from loopx.kernel.decide import RULES
from loopx.model.actor import Origin
from loopx.projections.facts import ProblemFacts
from loopx.projections.pages import TIMELINE_LIMIT, render
from loopx.projections.words import Sentence, person, sentence
from tests.unit.projections.sample import PROBLEM, SMALL, TIMELINE
from tests.unit.projections.surveys import NOW, entry, large, survey


def test_each_problem_has_its_place_its_code_and_what_to_do() -> None:
    text = render(SMALL, TIMELINE)["problems.md"]
    assert "**[goals/beta/todos/t-broken.md:3:8](../goals/beta/todos/t-broken.md)** (unreadable)" in text
    assert "- A value that holds a colon must be quoted.\n  - Why: `document-syntax`\n  - Next: Put the title" in text


def test_a_place_is_as_exact_as_it_is_known() -> None:
    assert PROBLEM.place == "goals/beta/todos/t-broken.md:3:8"
    assert ProblemFacts(code="x", path="a.md", message="m", line=4).place == "a.md:4"
    assert ProblemFacts(code="x", path="a.md", message="m").place == "a.md"


def test_no_problem_is_said_in_words() -> None:
    assert "None known: every file can be read" in render(survey(), ())["problems.md"]


def test_the_timeline_tells_by_day_who_did_what_on_which_revision() -> None:
    text = render(SMALL, TIMELINE)["timeline.md"]
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## 2026-03-02",
        "## 2026-03-01",
        "## 2026-02-28",
    ]
    assert (
        "- 18:03:05 **Ada Lovelace** changed Todo `t-k0000002` “Write the guide for reading on a plane”"
        " by editing the file · `20c0ffee20` · `op-k0000020`" in text
    )
    assert "**Ada Lovelace** committed “Merge branch 'main' of elsewhere” in Git" in text


def test_Q12_older_commits_are_counted_where_they_are_left_out() -> None:
    many = [entry(n, "todo: add t-k0000001") for n in range(TIMELINE_LIMIT + 5)]
    text = render(replace(SMALL, truncated={"timeline": 100}), many)["timeline.md"]
    assert text.count("\n- ") == TIMELINE_LIMIT
    assert "… and 105 older commits: `loopx log --all` tells them all." in text


@pytest.mark.parametrize(
    ("headline", "told"),
    [
        ('todo: add t-1 "A title"', Sentence("Ada", "added", "Todo", "t-1", "A title")),
        ('gate: approve g-1 "Say "yes"?"', Sentence("Ada", "approved", "Gate", "g-1", 'Say "yes"?')),
        ("goal: pause reader", Sentence("Ada", "paused", "Goal", "reader")),
        ("vision: set coder-1", Sentence("Ada", "wrote", "Vision", "coder-1")),
        ("workspace: edit", Sentence("Ada", "changed", "workspace")),
        ('workspace: init "Lab"', Sentence("Ada", "made", "workspace", title="Lab")),
        ('goal: meet reader a1 "It reads"', Sentence("Ada", "met criterion a1 of", "Goal", "reader", "It reads")),
        ("rollback: to 20c0ffee20, 1 document", Sentence("Ada", "put 1 document back to revision 20c0ffee20")),
        ("rollback: undo op-1, 2 documents", Sentence("Ada", "put 2 documents back to undo op-1")),
        ("edit: 3 documents by hand", Sentence("Ada", "changed 3 documents")),
        ('lease: acquire t-1 "A title"', Sentence("Ada", "acquired", "the lease of", "t-1", "A title")),
        ('turn: settle turn-1 "A title"', Sentence("Ada", "settled", "Turn", "turn-1", "A title")),
        ('monitor: poll t-1 "Watch"', Sentence("Ada", "looked at", "Monitor", "t-1", "Watch")),
        ('vision: set beta/bot "Docs"', Sentence("Ada", "wrote", "Vision", "beta/bot", "Docs")),
        ("agent: add bot", Sentence("Ada", "added", "agent", "bot")),
        ("agent: remove bot from beta", Sentence("Ada", "removed", "agent", "bot from beta")),
        ("todo: add another one", Sentence("Ada", "committed", title="todo: add another one")),
        ("todo: juggle t-1", Sentence("Ada", "committed", title="todo: juggle t-1")),
        ("fix: typo", Sentence("Ada", "committed", title="fix: typo")),
    ],
)
def test_a_commit_is_told_in_words_or_as_it_stands(headline: str, told: Sentence) -> None:
    assert sentence(entry(1, headline, who="human:Ada")) == told


OTHERWISE = {"goal status", "gate decide", "refresh-state", "rollback"}
"""Commands whose commits say another verb than their name: which of several was meant, or what it comes down to."""


def test_every_command_there_is_has_a_word_for_what_it_did() -> None:
    names = [*(each for each in RULES if each not in OTHERWISE), "gate approve", "gate reject", "turn settle"]
    strange = [each for each in names if not sentence(entry(1, each.replace(" ", ": ", 1) + " x-1")).noun]
    assert strange == []


def test_the_way_a_change_came_in_is_told_unless_it_was_a_command() -> None:
    ways = {each: sentence(entry(1, "todo: add t-1", origin=each)).way for each in Origin}
    assert ways == {
        Origin.COMMAND: "",
        Origin.HAND: "by editing the file",
        Origin.FOREIGN: "in Git",
        Origin.PAGE: "on the page",
        Origin.SYSTEM: "as housekeeping",
    }


def test_people_go_by_their_name_and_agents_are_known_as_such() -> None:
    assert person("human:Ada Lovelace") == "Ada Lovelace"
    assert person("agent:coder-1") == "coder-1 (agent)"
    assert person("Ada Lovelace") == "Ada Lovelace"


def test_the_status_file_holds_every_fact_under_a_version() -> None:
    found = json.loads(render(SMALL, TIMELINE)["status.json"])
    assert found["schema"] == "loopx.status/1"
    assert found["revision_at"] == "2026-03-02T14:03:05Z"
    reader = found["goals"][0]
    assert reader["counts"] == dict(SMALL.goals[0].counts)
    first = reader["todos"][0]
    assert (first["id"], first["lane"], first["priority"], first["tags"]) == ("t-k0000001", "runnable", "p0", ["sync"])
    assert first["completed_at"] is None
    assert reader["criteria"][0]["evidence"][0]["id"] == "e-k0000001"
    assert found["problems"][0]["column"] == 8
    assert found["unreadable"] == 1
    assert not {"as_of", "is_full"} & found.keys()
    assert "body" not in first


def test_the_status_file_is_whole_where_pages_are_cut() -> None:
    found = json.loads(render(large(3, 300), ())["status.json"])
    assert sum(len(each["todos"]) for each in found["goals"]) == 900


def test_D16_every_page_but_those_of_goals_names_the_revision_it_was_made_from() -> None:
    newer = replace(SMALL, revision="9" * 40, revision_at=NOW + timedelta(days=1))
    for path, text in render(newer, TIMELINE).items():
        if path.startswith("goals/"):
            assert "`3f2a9c1d0b` of 2026-03-02 14:03 UTC" in text
        else:
            assert "9999999999" in text, path
            assert "2026-03-03" in text, path


def test_D16_every_markdown_page_says_that_what_is_typed_into_it_is_not_kept() -> None:
    pages = render(SMALL, TIMELINE)
    assert all("what is typed here is not kept" in text for path, text in pages.items() if path.endswith(".md"))
