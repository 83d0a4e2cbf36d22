"""Status, board, check, hand edits: the whole workspace at a glance, and what is wrong with it."""

from __future__ import annotations

import os
import sys

import pytest

from loopx.cli.app import run
from tests.cli.conftest import Desk, Terminal

BAD = "goals/beta/todos/bad.md"


@pytest.fixture
def busy(desk: Desk) -> Desk:
    """Something in every lane."""
    for title in ("Write", "Record", "Translate", "Print", "Archive"):
        desk("todo", "add", title, "--goal", "beta").expect()
    desk("todo", "edit", "t-a0000002", "--set", "depends_on=t-a0000001", "--priority", "p0").expect()
    desk("todo", "block", "t-a0000003", "--reason", "No translator").expect()
    desk("todo", "defer", "t-a0000004", "--until", "at:2027-01-01T00:00Z").expect()
    desk("todo", "done", "t-a0000005").expect()
    return desk


def test_status_says_what_needs_you_what_runs_and_what_waits(busy: Desk) -> None:
    busy("todo", "claim", "t-a0000001", "--actor", "agent:claude").expect()
    scope = ("--scope", "direction:goal:tone", "--question", "Formal?")
    busy("gate", "open", "--goal", "beta", *scope, "--actor", "agent:claude").expect()
    told = busy("status").expect().out
    headings = [line for line in told.splitlines() if line and line[0].isupper()]
    assert headings[1:] == ["Needs you", "Running", "Waiting", "Blocked", "GOAL  STATUS  CRITERIA  RUNNABLE  WAITING"
        "  BLOCKED  DEFERRED  DONE  TITLE", "Lately"]  # fmt: skip
    assert "g-a0000001  Formal?  (beta)  by agent:claude" in told
    assert "t-a0000001  p2  Write  (beta)  by claude" in told
    assert "No translator" in told
    assert "beta  active  0/1       1         1        1        1         1     Ship the beta" in told


def test_status_answers_programs_with_the_survey(busy: Desk) -> None:
    told = busy("status", "--json").expect().json
    assert (told["ok"], told["warnings"]) == (True, [])
    assert [each["id"] for each in told["data"]["frontier"]] == ["t-a0000001"]
    assert told["data"]["counts"]["blocked"] == 1


def test_status_of_an_empty_workspace_is_calm(desk: Desk) -> None:
    told = desk("status").expect().out
    assert "\nNothing needs you.\n" in told
    assert "Running" not in told


def test_status_of_the_past_shows_the_past(busy: Desk) -> None:
    assert busy("status", "--at", "HEAD~1", "--json").expect().json["data"]["counts"]["done"] == 0


def test_a_file_saved_just_now_is_no_problem_but_said_to_rest(busy: Desk) -> None:
    file = busy.write("goals/beta/todos/new.md", "# New\n")
    now = busy.clock.now().timestamp()
    os.utime(file, (now, now))
    told = busy("status").expect(0).out
    assert "Just saved (taken in when two seconds have passed; look again then)\n  goals/beta/todos/new.md\n" in told
    assert "Problems" not in told


def test_an_edit_that_is_refused_needs_the_person(busy: Desk) -> None:
    busy.write(BAD, "---\ntitle: a: b\n---\n")
    assert f"Needs you\n  {BAD}  hand edit not accepted — loopx edit list\n" in busy("status").expect(1).out


def test_U05_an_unhealthy_workspace_ends_with_1_in_text_and_json(busy: Desk) -> None:
    busy.write(BAD, "---\ntitle: a: b\n---\n")
    text, as_json = busy("status").expect(1), busy("status", "--json").expect(1).json
    assert "Problems\n  goals/beta/todos/bad.md:2:9 (unreadable) [document-syntax]" in text.out
    assert text.err == ""
    assert (as_json["ok"], as_json["error"]["code"]) == (False, "problems-found")
    assert as_json["data"]["problems"][0]["path"] == BAD
    assert busy("todo", "add", "Other work", "--goal", "beta").expect(0).out.startswith("todo t-a0000006 added")


def test_status_writes_the_pages_when_told(busy: Desk) -> None:
    busy("status", "--render").expect()
    assert (busy.root / "status" / "README.md").is_file()


def test_watching_redraws_only_what_changed_and_ends_when_interrupted(
    busy: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = Terminal()
    looks: list[int] = []

    def meanwhile() -> None:
        looks.append(1)
        if len(looks) == 2:
            busy("todo", "add", "Brand new", "--goal", "beta", "--priority", "p0").expect()
            monkeypatch.setattr(sys, "stdout", out)
        if len(looks) == 4:
            raise KeyboardInterrupt

    busy.clock.while_waiting = meanwhile
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", Terminal())
    around = busy.around({"NO_COLOR": "1", "COLUMNS": "100"})
    assert run(["status", "--watch"], around) == 0
    drawn = out.getvalue().split("\x1b[H\x1b[2J\x1b[3J")[1:]
    assert ["Brand new" in each for each in drawn] == [False, True]
    assert set(busy.clock.waits[-4:]) == {1.0}


def test_the_board_shows_every_lane_below_one_another_in_a_pipe(busy: Desk) -> None:
    assert busy("board").text == (
        "RUNNABLE 1\n  p2 t-a0000001 Write\n\n"
        "WAITING 1\n  p0 t-a0000002 Record\n\n"
        "BLOCKED 1\n  p2 t-a0000003 Translate\n\n"
        "DEFERRED 1\n  p2 t-a0000004 Print\n\n"
        "DONE 1\n  p2 t-a0000005 Archive @human-test-person\n"
        "--- 0\n"
    )


def test_the_board_shows_lanes_side_by_side_where_there_is_room(busy: Desk) -> None:
    lines = busy("board", terminal=True, environ={"COLUMNS": "140"}).expect().out.splitlines()
    assert lines[0].split() == ["RUNNABLE", "1", "WAITING", "1", "BLOCKED", "1", "DEFERRED", "1", "DONE", "1"]
    assert lines[1].split("  ") == [each for each in lines[1].split("  ") if len(each.strip()) <= 26]
    assert len(lines) == 2


def test_the_board_of_one_goal_leaves_others_out(busy: Desk) -> None:
    busy("goal", "new", "other", "--title", "Other").expect()
    assert busy("board", "--goal", "other").out == "no Todos yet; add one with `loopx todo add`\n"
    assert busy("board", "--goal", "beta", "--json").json["data"]["count"] == 5


def test_a_check_without_problems_says_so(busy: Desk) -> None:
    said = busy("check").expect().out
    assert said.endswith("documents, no problems\n")


def test_U06_a_check_offers_only_sure_repairs_and_makes_them_when_told(busy: Desk) -> None:
    bad = busy.write(BAD, "---\ntitle: Parser: keep going\n---\nbody stays\n")
    hopeless = busy.write("goals/beta/todos/worse.md", "---\ntitle: half\n")
    first = busy("check").expect(1)
    assert "1 can surely be repaired: loopx check --fix\n" in first.out
    assert bad.read_text() == "---\ntitle: Parser: keep going\n---\nbody stays\n"

    preview = busy("check", "--fix").expect(1)
    assert "+title: " in preview.out
    assert "nothing of this was repaired; add --yes where no terminal can ask\n" in preview.out
    assert bad.read_text() == "---\ntitle: Parser: keep going\n---\nbody stays\n"

    done = busy("check", "--fix", "--yes").expect(1)
    assert f"repaired {BAD}\n" in done.out
    assert "body stays" in bad.read_text()
    assert hopeless.read_text() == "---\ntitle: half\n"


def test_a_person_is_shown_repairs_and_asked(busy: Desk) -> None:
    bad = busy.write(BAD, "---\ntitle: Parser: keep going\n---\n")
    said = busy("check", "--fix", typed="n\n", terminal=True)
    assert "Make these repairs? Type y to confirm: " in said.err
    assert bad.read_text() == "---\ntitle: Parser: keep going\n---\n"
    assert f"repaired {BAD}" in busy("check", "--fix", typed="y\n", terminal=True).out


def test_edits_that_wait_are_listed_discarded_and_kept_aside(busy: Desk) -> None:
    assert busy("edit").text == "every hand edit is accepted\n--- 0\n"
    busy.write(BAD, "---\ntitle: a: b\n---\n")
    listed = busy("edit").expect(1)
    assert listed.out.startswith(f"{BAD}  unreadable\n  edit[document-syntax]: ")
    assert busy("edit", "list", "--json").expect(1).json["error"]["message"] == "1 hand edit is not accepted."
    said = busy("edit", "discard", f".loopx/{BAD}").expect().out
    assert said.startswith(f"{BAD} put back · what was typed is in ")
    assert busy("edit").expect().out == "every hand edit is accepted\n"


def test_an_edit_that_became_acceptable_is_accepted(busy: Desk) -> None:
    file = busy.file("goals/beta/todos/t-a0000004-*.md")
    path = file.relative_to(busy.root).as_posix()
    file.unlink()
    said = busy("edit", "accept", str(file))
    assert said.expect().text.startswith("todo t-a0000004 accepted · REV")
    assert busy("edit", "accept", path, "--json").expect(1).json["error"]["code"] == "edit-unknown"
