"""``goals/<goal>.md``: one Goal whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from loopx.model.gate import GateStatus
from loopx.model.goal import GoalOutcome, GoalStatus
from loopx.model.records import CriterionStatus
from loopx.model.todo import Priority, TodoStatus
from loopx.projections.facts import GoalFacts
from loopx.projections.goalpage import by_lane, goal_page
from loopx.projections.pages import render
from tests.unit.projections.reading import links, table
from tests.unit.projections.sample import BETA, READER, SMALL, TIMELINE
from tests.unit.projections.surveys import NOW, goal, todo


def page(shown: GoalFacts = READER) -> str:
    return goal_page(shown)


def test_the_page_names_the_last_commit_that_touched_the_goal() -> None:
    own = replace(READER, last_revision="0123456789abcdef", last_revision_at=NOW - timedelta(days=3))
    assert "revision `0123456789` of 2026-02-27 14:03 UTC, the last one that touched this Goal" in page(own)


def test_a_change_elsewhere_leaves_the_page_of_a_goal_alone() -> None:
    other = replace(BETA, title="Something else", last_revision="f" * 40)
    before, after = (render(replace(SMALL, goals=each), TIMELINE) for each in ((READER, BETA), (READER, other)))
    assert before["goals/reader.md"] == after["goals/reader.md"]
    assert before["goals/beta.md"] != after["goals/beta.md"]


def test_the_objective_is_quoted_with_its_links_turned() -> None:
    assert "> People read on **planes**." in page()
    assert "../../goals/reader/survey.md" in links(page())


def test_acceptance_is_listed_with_evidence_judge_and_time() -> None:
    met, still_open = table(page(), "## Acceptance (1 of 2 settled)")
    assert met["Standing"] == "met"
    assert met["Evidence"] == "e-k0000001 passed: 412 articles read"
    assert (met["Judged by"], met["When"]) == ("Ada Lovelace", "2026-03-02 12:03 UTC")
    assert (still_open["Standing"], still_open["Evidence"]) == ("open", "")


def test_a_judgement_that_no_longer_counts_says_why() -> None:
    doubtful = replace(READER.criteria[0], status=CriterionStatus.OPEN, note="its text changed since")
    row = table(page(replace(READER, criteria=(doubtful,))), "## Acceptance (0 of 1 settled)")[0]
    assert row["Standing"] == "open: its text changed since"


def test_every_todo_stands_in_the_table_of_its_state() -> None:
    text = page()
    assert [row["Id"] for row in table(text, "### Runnable (2)")] == ["t-k0000001", "t-k0000002"]
    assert [row["Waits for"] for row in table(text, "### Waiting (2)")][1].startswith("waits for t-k0000003; needs")
    assert table(text, "### Blocked (1)")[0]["Blocked by"] == "the licence of the Arabic font is not settled"
    assert table(text, "### Deferred (1)")[0]["Until"] == "until 2026-04-01 09:00 UTC"


def test_the_closed_are_told_apart_and_an_unvalidated_one_shows() -> None:
    done, dropped = table(page(), "### Done (2, of which 1 cancelled)")
    assert (done["Ended"], done["By"], done["Backed by validation"]) == ("done", "coder-1 (agent)", "yes")
    assert (dropped["Ended"], dropped["Backed by validation"]) == ("cancelled", "")
    loose = goal("g", "G", [todo(1, "x", "g", status=TodoStatus.DONE, successors=("t-k0000002",))])
    [row] = table(goal_page(loose), "### Done (1)")
    assert (row["Backed by validation"], row["Carried on by"]) == ("no", "t-k0000002")


def test_a_goal_of_ten_thousand_todos_lists_every_one() -> None:
    big = goal("g", "G", [todo(n, f"Piece {n}", "g") for n in range(10_000)])
    assert goal_page(big).count("\n| [Piece ") == 10_000


def test_the_frontier_is_in_order_of_urgency() -> None:
    text = page().split("## Frontier")[1].split("## Todos")[0]
    first, second = (line for line in text.splitlines() if line)
    assert first.endswith("p0, claimed by coder-1")
    assert second.endswith("p1")


def test_gates_show_their_scope_decision_and_what_needs_them() -> None:
    asked, settled = table(page(), "## Gates (2)")
    assert (asked["Status"], asked["Decision"], asked["Needed by"]) == (
        "open",
        "open: announce / invite only",
        "t-k0000004",
    )
    assert settled["Decision"] == "Ada Lovelace, 2026-03-01 14:03 UTC, chose rewrite: the old one loses articles"
    ran_out = replace(READER.gates[0], status=GateStatus.OPEN, is_overdue=True)
    [late] = table(page(replace(READER, gates=(ran_out,))), "## Gates (1)")
    assert late["Deadline"] == "2026-03-05 14:03 UTC (overdue)"


def test_visions_are_told_by_agent() -> None:
    text = page().split("## Visions (1)")[1]
    assert "### coder-1 (active)" in text
    assert "**Route:** Store first, then sync, then the guide." in text
    assert "Role" not in text


def test_a_closed_or_paused_goal_says_how_and_why() -> None:
    ended = replace(READER, status=GoalStatus.CLOSED, outcome=GoalOutcome.ABANDONED, reason="nobody flies")
    assert "**closed, abandoned** · `reader`" in page(ended)
    assert "Why: nobody flies" in page(ended)


def test_an_empty_goal_says_what_is_missing() -> None:
    text = page(goal("empty", "Empty"))
    assert "Not written yet." in text
    assert "No criterion yet: nothing says when this Goal is reached." in text
    assert "Nothing may be taken up now." in text


def test_lanes_put_the_urgent_first_then_what_is_in_hand_then_the_old() -> None:
    mine = todo(3, "mine", claimed_by="me")
    urgent, old, young = todo(9, "urgent", priority=Priority.P0), todo(1, "old"), todo(2, "young")
    lanes = dict(by_lane([young, old, mine, urgent]))
    assert [each.title for each in lanes["runnable"]] == ["urgent", "mine", "old", "young"]
    ended = [todo(n, str(n), status=TodoStatus.DONE, completed_at=NOW + timedelta(hours=n)) for n in (1, 3, 2)]
    assert [each.title for each in dict(by_lane(ended))["done"]] == ["3", "2", "1"]
