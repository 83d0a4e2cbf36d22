"""What a Goal's page tells of the work on it: decisions with their rules, what is owed, and everything that is open."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from loopx.projections.facts import GoalFacts
from loopx.projections.goalpage import goal_page
from loopx.projections.pages import render
from loopx.projections.work_facts import WindowFacts, WorkFacts
from tests.unit.projections.reading import Document, links, table
from tests.unit.projections.sample import (
    BETA,
    DECISION,
    HANDOFF,
    HOSTILE,
    LEASE,
    OWED,
    PROPOSAL,
    READER,
    SMALL,
    TIMELINE,
    WORK,
    hostile,
)
from tests.unit.projections.surveys import NOW


def page(work: WorkFacts | None = WORK) -> str:
    return goal_page(replace(READER, work=work))


def section(text: str, heading: str) -> str:
    return text.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]


def test_each_agent_is_told_its_mode_reason_action_and_commands() -> None:
    told = section(page(), "### coder-1: replan").split("\n### ")[0]
    assert told.strip() == (
        "Three turns in a row moved no criterion.\n"
        "\n"
        "- Why: `surface-only-repeated`\n"
        "- To do: Change the plan, or show that it works.\n"
        "- Next: `loopx turn open --goal reader --obligation o-k0000001`\n"
        "- Then: `loopx refresh-state --goal reader …`\n"
        "- **Asks a person:** Should the store come before the sync?\n"
        "- Ends when: a person answers (operators)\n"
        "- Owed first: `o-k0000001`\n"
        "- Slots are spent: after a delivery that was validated\n"
        "- The rules, in their order:\n"
        "  - 5 reconcile: no (unknown: 1; due: 0)\n"
        "  - 6 obligation: **yes** (own: 1)"
    )


def test_a_decision_that_could_not_be_made_says_why() -> None:
    assert section(page(), "### ghost: refused").startswith("\nghost is not known here.\n\n- Why: `agent-unregistered`")


def test_where_no_agent_takes_part_the_decision_is_for_people() -> None:
    nobody = replace(DECISION, agent="", mode="ask_user")
    assert "\n### People: ask user\n" in page(replace(WORK, decisions=(nobody,)))


def test_what_is_owed_names_who_owes_it_and_what_discharges_it() -> None:
    [row] = table(page(), "## Owed (1)")
    assert (row["What"], row["By"], row["Kind"]) == (OWED.message, "coder-1", "outcome floor")
    assert row["Discharged by"] == OWED.discharged_by
    told = render(SMALL, TIMELINE)["problems.md"].split("## Owed (1)")[1]
    assert "**Three turns in a row moved no criterion.** `o-k0000001`" in told
    assert "Owed by: coder-1" in told
    assert links(told) == ["goals/reader.md"]


def test_leases_are_told_with_the_instant_they_expire() -> None:
    [row] = table(page(), "## Leases (1)")
    assert row == {
        "Todo": "t-k0000001",
        "Held by": "coder-1",
        "Expires": "2026-03-02 14:38 UTC",
        "Renewed": "2026-03-02 13:53 UTC",
        "Epoch": "3",
        "Version": "7",
        "May write": "src/sync/**",
    }
    flagged = page(replace(WORK, leases=(replace(LEASE, is_from_future=True),)))
    assert table(flagged, "## Leases (1)")[0]["Expires"].endswith("(stamps from the future)")


def test_turns_are_told_the_open_one_first_with_what_was_claimed_and_recorded() -> None:
    text = section(page(), "## Turns")
    assert text.strip().startswith("2 of 100 slots spent in 24 hours.")
    is_open, settled = table(page(), "## Turns")
    assert (is_open["Turn"], is_open["Status"], is_open["Works on"], is_open["Ended"]) == (
        "turn-k0000002",
        "open",
        "t-k0000001",
        "",
    )
    assert settled["Outcome"] == "outcome gap (claimed: outcome progress)"
    assert (settled["Changed"], settled["Vision"], settled["Slots"]) == (
        "todo:done:t-k0000007",
        "vision checkpoint missing",
        "2",
    )


def test_a_quota_that_is_used_up_says_when_a_slot_is_free() -> None:
    spent = WindowFacts(spent=100, limit=100, hours=1, frees_at=NOW + timedelta(hours=2))
    told = section(page(replace(WORK, window=spent)), "## Turns")
    assert "100 of 100 slots spent in 1 hour; a slot is free at 2026-03-02 16:03 UTC." in told


def test_monitors_are_told_with_the_instant_they_fall_due() -> None:
    [row] = table(page(), "## Monitors (1)")
    assert (row["Next due"], row["Watched until"]) == ("2026-03-02 15:03 UTC", "2026-04-01 14:03 UTC")
    assert (row["Looks"], row["Unchanged"], row["Dead"], row["Last seen"]) == ("9", "4", "0", "12 MB")


def test_effects_that_are_not_settled_say_how_they_are_read_back() -> None:
    [row] = table(page(), "## Effects outside that are not settled (1)")
    assert (row["Status"], row["Read back by"], row["Due"]) == (
        "unknown",
        "ask the store for its versions",
        "2026-03-02 14:08 UTC",
    )
    assert row["Follow-ups nobody saw hold"] == "the page shows 1.0-beta"


def test_handoffs_and_proposals_wait_for_an_answer() -> None:
    [row] = table(page(), "## Handoffs nobody answered (1)")
    assert (row["From"], row["To"], row["Next"]) == ("coder-1 (agent)", "anybody", HANDOFF.next_action)
    told = section(page(), "## Proposals (1)")
    assert "[Read articles aloud](../../goals/reader/proposals/p-k0000001-read.md) `p-k0000001`, by coder-1" in told


def test_a_gap_of_a_vision_stands_with_the_visions() -> None:
    told = section(page(), "## Visions (1)")
    assert "- **tester**: tester has to keep a Vision. (`required_vision_missing`)" in told


def test_nothing_open_leaves_no_empty_heading() -> None:
    quiet = page(WorkFacts(decisions=(DECISION,), window=WindowFacts(spent=0, limit=100, hours=24)))
    headings = [line for line in quiet.splitlines() if line.startswith("## ")]
    assert headings[2:4] == ["## What may happen now", "## Frontier"]


def test_a_survey_without_the_work_has_a_page_all_the_same() -> None:
    assert "What may happen now" not in page(None)


def test_lists_that_are_cut_count_what_is_left_out() -> None:
    cut = replace(WORK, truncated=dict.fromkeys(("leases", "monitors", "effects", "handoffs", "proposals"), 7))
    text = page(cut)
    assert text.count("… and 7 more.") == 5
    assert "## Leases (8)" in text


def test_the_overview_says_how_each_goal_stands_and_what_is_owed() -> None:
    text = render(SMALL, TIMELINE)["README.md"]
    [reader, beta] = table(text, "## Goals (2)")
    assert (reader["Now"], beta["Now"]) == ("coder-1 replan, ghost refused", "")
    assert " · **1 owed**\n" in text
    assert "- Three turns in a row moved no criterion. By coder-1, for [reader](goals/reader.md)" in text


def test_the_board_shows_the_decision_with_the_goal_and_what_is_owed_with_the_problems() -> None:
    text = render(SMALL, TIMELINE)["board.html"]
    assert '<span class="standing">replan</span> <b>coder-1</b>' in text
    assert "<code>loopx turn open --goal reader --obligation o-k0000001</code>" in text
    assert "<span>owed by coder-1</span><code>o-k0000001</code>" in text


def test_the_status_file_has_the_work_but_not_the_trace() -> None:
    found = json.loads(render(SMALL, TIMELINE)["status.json"])
    work = found["goals"][0]["work"]
    assert (work["decisions"][0]["mode"], work["leases"][0]["expires_at"]) == ("replan", "2026-03-02T14:38:05Z")
    assert "trace" not in work["decisions"][0]
    assert found["goals"][1]["work"] is None
    assert found["obligations"][0]["id"] == OWED.id


def test_time_alone_rewrites_no_page_of_the_work() -> None:
    later = replace(SMALL, as_of=NOW + timedelta(days=400))
    assert render(later, TIMELINE) == render(SMALL, TIMELINE)


@pytest.mark.parametrize("title", HOSTILE)
def test_what_an_agent_sends_changes_no_heading_and_no_table(title: str) -> None:
    plain, attacked = (render(hostile(each), TIMELINE) for each in ("plain", title))
    for path in ("goals/reader.md", "problems.md", "README.md"):
        kept = [[line for line in pages[path].splitlines() if line.startswith("## ")] for pages in (plain, attacked)]
        assert kept[0] == kept[1], path
    assert Document(attacked["board.html"]).scripts[""] == Document(plain["board.html"]).scripts[""]


def test_a_change_in_one_goals_work_leaves_the_other_page_alone() -> None:
    busier: GoalFacts = replace(READER, work=replace(WORK, proposals=(PROPOSAL, replace(PROPOSAL, id="p-k0000002"))))
    before, after = (render(replace(SMALL, goals=(each, BETA)), TIMELINE) for each in (READER, busier))
    assert before["goals/beta.md"] == after["goals/beta.md"]
    assert before["goals/reader.md"] != after["goals/reader.md"]


def test_a_run_that_has_not_ended_says_how_far_it_is_and_whom_it_waits_for() -> None:
    [row] = table(page(), "## Runs (1)")
    assert list(row.values()) == [
        "run-k0000001",
        "Keep articles",
        "t-k0000003",
        "waiting for human",
        "1 of 3",
        "sync since 2026-03-02 14:03 UTC, try 2",
        "g-k0000001",
        "2026-03-02 14:03 UTC",
        "agent:coder-1",
    ]
    assert "## Runs" not in page(replace(WORK, runs=()))
