"""``README.md``: what a person must see in ten seconds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from loopx.projections.facts import Survey
from loopx.projections.pages import render
from loopx.projections.work_facts import WorkFacts
from tests.unit.projections.reading import table
from tests.unit.projections.sample import SMALL, TIMELINE
from tests.unit.projections.surveys import NOW, RUN, entry, goal, survey, todo


def page(shown: Survey = SMALL) -> str:
    return render(shown, TIMELINE)["README.md"]


def section(text: str, heading: str) -> str:
    return text.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]


def test_the_first_lines_say_how_things_stand() -> None:
    title, basis, counts, unread = page().split("\n\n")[:4]
    assert title == "# Field notes"
    assert "`3f2a9c1d0b` of 2026-03-02 14:03 UTC" in basis
    assert counts == (
        "**2 things need you** · 3 runnable · 3 waiting · 1 blocked · 1 deferred · 2 done (of which 1 cancelled)"
        " · **1 problem** · **1 owed**"
    )
    assert unread.startswith("**1 file cannot be read**")


def test_a_gate_says_what_is_asked_by_when_and_how_to_answer() -> None:
    asked = section(page(), "Needs you (2)")
    assert "**Gate** [May we announce the beta in public?](../goals/reader/gates/g-k0000001-may-we.md)" in asked
    assert "asked by coder-1 (agent), needed by 2026-03-05 14:03 UTC" in asked
    assert "announce · invite only" in asked
    assert "`loopx gate approve g-k0000001 --reason …`" in asked


def test_a_deadline_that_passed_is_called_overdue() -> None:
    late = replace(SMALL.needs_you[0], is_overdue=True, due=NOW - timedelta(days=1))
    assert "**overdue since 2026-03-01 14:03 UTC**" in page(replace(SMALL, needs_you=(late,)))


def test_what_runs_names_who_and_since_when() -> None:
    [row] = table(page(), "## Running (1)")
    assert row["Todo"] == "Decide how two devices agree on the last page read"
    assert (row["Who"], row["Since"], row["Priority"]) == ("coder-1", "2026-03-02 09:03 UTC", "p0")


def test_runs_under_way_tell_how_far_they_are_and_those_nobody_began_are_none() -> None:
    first = SMALL.goals[0]
    fresh = replace(RUN, id="run-k0000002", started_at=None)
    work = replace(first.work or WorkFacts(), runs=(RUN, fresh))
    [row] = table(page(replace(SMALL, goals=(replace(first, work=work), *SMALL.goals[1:]))), "## Runs under way (1)")
    assert (row["Run"], row["State"], row["Steps"]) == ("run-k0000001", "waiting for human", "1 of 3")
    assert row["Now"] == "sync since 2026-03-02 14:03 UTC, try 2"
    assert "Runs under way" not in page(replace(SMALL, goals=()))


def test_what_waits_names_what_it_waits_for() -> None:
    row = table(page(), "## Waiting (3)")[1]
    assert row["For what"] == "waits for t-k0000003; needs an approved Gate for public_claim:goal:beta"
    [stuck] = table(page(), "## Blocked (1)")
    assert stuck["Why"] == "the licence of the Arabic font is not settled"


def test_changes_since_yesterday_are_counted_from_the_last_commit_not_from_the_clock() -> None:
    told = section(page(replace(SMALL, as_of=NOW + timedelta(days=400))), "Changed since yesterday")
    assert told.count("\n- ") == 4
    assert "From 2026-03-01 to the last commit, 2026-03-02 14:03 UTC." in told
    assert "RSS" not in told


def test_yesterday_is_the_whole_day_before_the_last_commit() -> None:
    told = section(
        render(SMALL, [entry(38, "todo: add t-early"), entry(39, "todo: add t-before")])["README.md"], "Changed"
    )
    assert "t-early" in told
    assert "t-before" not in told


def test_many_changes_lead_to_the_timeline() -> None:
    many = [entry(0, f"todo: add t-k{n:07d}") for n in range(16)]
    told = section(render(SMALL, many)["README.md"], "Changed since yesterday")
    assert told.count("added Todo") == 15
    assert "[timeline](timeline.md)" in told


def test_problems_come_with_place_and_remedy() -> None:
    told = section(page(), "Problems (1)")
    assert "[goals/beta/todos/t-broken.md:3:8](../goals/beta/todos/t-broken.md)" in told
    assert "must be quoted. *Next:* Put the title in double quotes." in told


def test_Q12_a_section_that_was_cut_says_how_much_is_missing_and_counts_it() -> None:
    cut = replace(SMALL, truncated={"waiting": 40, "needs_you": 3, "problems": 7})
    text = page(cut)
    assert "## Waiting (43)" in text
    assert "… and 40 more on the [board](board.html)" in text
    assert "**5 things need you**" in text
    assert "… and 7 more in [problems](problems.md)" in text


def test_Q13_files_that_cannot_be_read_are_said_to_be_unknown_rather_than_none() -> None:
    shown = survey(goal("reader", "Reader", [todo(1, "One"), todo(2, "Two")], unreadable=3), unreadable=3)
    text = page(shown)
    assert "2 runnable" in text
    assert "**3 files cannot be read**; what was last accepted is counted instead" in text
    assert table(text, "## Goals (1)")[0]["Unread"] == "3"


def test_P12_an_absent_time_is_left_empty_and_never_told_as_1970() -> None:
    undated = todo(1, "No dates", created_at=None, claimed_by="coder-1")
    made = render(survey(goal("reader", "Reader", [undated], last_revision=None, last_revision_at=None)), ())
    assert not [path for path, text in made.items() if "1970" in text]


def test_an_empty_workspace_has_a_page_that_says_how_to_begin() -> None:
    text = page(survey(revision=None, revision_at=None))
    assert "No Goal yet. Set one up with `loopx goal new`." in text
    assert "Made before the first commit." in text


def test_goals_are_listed_with_their_acceptance() -> None:
    first, second = table(page(), "## Goals (2)")
    assert (first["Goal"], first["Acceptance"], first["Done"]) == ("Read articles without a network", "1 of 2", "2")
    assert (second["Waiting"], second["Unread"]) == ("1", "1")


def test_a_brief_survey_is_no_ground_for_pages() -> None:
    with pytest.raises(ValueError, match="full survey"):
        render(replace(SMALL, is_full=False), ())
