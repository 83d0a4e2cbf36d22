"""The verbs of ``loopx todo``: one short line after a write, the receipt in JSON, and nothing happening twice."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Desk

WIDE = "写用户指南并发布到网站上去"


@pytest.fixture
def guide(desk: Desk) -> Desk:
    """With a Todo ``t-a0000001`` in it."""
    desk("todo", "add", "Write the guide", "--goal", "beta", "--priority", "p1", "--tag", "docs").expect()
    return desk


def test_a_write_says_what_happened_in_one_line(desk: Desk) -> None:
    asked = desk("todo", "add", "Write the guide", "--goal", "beta")
    assert asked.text == "todo t-a0000001 added · REV\n--- 0\noperation op-a0000003\n"


def test_a_write_answers_programs_with_its_receipt(desk: Desk) -> None:
    asked = desk("todo", "add", "Write the guide", "--goal", "beta", "--op", "mine-1", "--json").expect()
    assert asked.err == ""
    receipt = asked.json["data"]
    assert len(receipt.pop("request")) == 64
    assert receipt == {
        "operation": "mine-1",
        "command": "todo add",
        "actor": "human:Test Person",
        "origin": "command",
        "subject": "todo t-a0000001",
        "goal": "beta",
        "at": "2026-03-02T09:00:00Z",
        "result": {"id": "t-a0000001", "added": True},
        "pages_pending": receipt["pages_pending"],
    }
    assert len(asked.json["revision"]) == 40


def test_an_equal_title_points_to_the_todo_that_is_there(guide: Desk) -> None:
    asked = guide("todo", "add", "write  THE guide", "--goal", "beta").expect()
    assert asked.out == "todo t-a0000001 was there already\n"


def test_the_same_operation_is_answered_again_and_not_repeated(guide: Desk) -> None:
    first = guide("todo", "block", "t-a0000001", "--reason", "No power", "--op", "mine-2", "--json").expect()
    again = guide("todo", "block", "t-a0000001", "--reason", "No power", "--op", "mine-2", "--json").expect()
    assert again.json["data"]["replayed"] is True
    assert again.json["revision"] == first.json["revision"]
    told = guide("todo", "block", "t-a0000001", "--reason", "No power", "--op", "mine-2")
    assert told.text == "todo t-a0000001 was blocked by this operation before · REV\n--- 0\n"


def test_another_request_under_the_same_operation_is_refused(guide: Desk) -> None:
    guide("todo", "claim", "t-a0000001", "--op", "mine-3").expect()
    asked = guide("todo", "unclaim", "t-a0000001", "--op", "mine-3", "--json").expect(1)
    assert asked.json["error"]["code"] == "operation-reused"


def test_a_revision_that_is_not_there_any_more_is_a_conflict(guide: Desk) -> None:
    seen = guide("todo", "list", "--json").json["revision"]
    guide("todo", "add", "Another", "--goal", "beta").expect()
    asked = guide("todo", "claim", "t-a0000001", "--expect-revision", seen, "--json").expect(3)
    assert asked.json["error"]["code"] == "revision-conflict"
    assert guide("todo", "show", "t-a0000001", "--json").json["data"]["claimed_by"] is None


def test_an_operation_id_with_a_blank_is_a_usage_error(guide: Desk) -> None:
    assert (
        guide("todo", "claim", "t-a0000001", "--op", "not an id", "--json").expect(2).json["error"]["code"] == "usage"
    )


def test_a_person_at_a_terminal_is_not_told_operation_ids(guide: Desk) -> None:
    assert guide("todo", "claim", "t-a0000001", terminal=True).expect().err == ""
    told = guide("todo", "unclaim", "t-a0000001", "--verbose", terminal=True).expect().err
    assert told == f"workspace {guide.root}\noperation op-a0000005\n"


def test_an_edit_names_the_fields_it_changed(guide: Desk) -> None:
    asked = guide("todo", "edit", "t-a0000001", "--title", "Write it", "--add", "tags=web", "--priority", "p0").expect()
    assert asked.text.startswith("todo t-a0000001 changed: title, priority, tags · REV\n")
    shown = guide("todo", "show", "t-a0000001", "--json").json["data"]
    assert (shown["title"], shown["priority"], shown["tags"]) == ("Write it", "p0", ["docs", "web"])


def test_an_empty_value_clears_a_field(guide: Desk) -> None:
    guide("todo", "edit", "t-a0000001", "--set", "tags=", "--set", "repository=web").expect()
    guide("todo", "edit", "t-a0000001", "--set", "repository=").expect()
    shown = guide("todo", "show", "t-a0000001", "--json").json["data"]
    assert (shown["tags"], shown["repository"]) == ([], None)


def test_an_edit_that_changes_nothing_says_so(guide: Desk) -> None:
    asked = guide("todo", "edit", "t-a0000001", "--priority", "p1").expect()
    assert asked.out == "todo t-a0000001 needed no change\n"


def test_an_edit_of_nothing_is_a_usage_error(guide: Desk) -> None:
    assert guide("todo", "edit", "t-a0000001").text == (
        "--- 2\n"
        "error[usage]: Nothing to change was given; see --title, --priority, --body, --set, --add and --remove.\n"
        "  hint: See `loopx todo edit --help`.\n"
    )


def test_notes_are_read_from_stdin(desk: Desk) -> None:
    desk("todo", "add", "Write", "--goal", "beta", "--body", "-", typed="Über uns\n---\nend\n").expect()
    assert desk("todo", "show", "t-a", "--json").json["data"]["body"].strip() == "Über uns\n---\nend"


def test_a_life_in_verbs(guide: Desk) -> None:
    steps = [
        (("claim", "t-a0000001"), "claimed · claimed by human-test-person"),
        (("unclaim", "t-a0000001"), "unclaimed"),
        (("defer", "t-a0000001", "--until", "at:2027-01-01T00:00Z"), "deferred"),
        (("resume", "t-a0000001"), "resumed"),
        (("done", "t-a0000001", "--successor", "Translate it"), "done · successors t-a0000002"),
        (("reopen", "t-a0000001", "--reason", "A page is missing"), "reopened"),
        (("supersede", "t-a0000001", "--by", "t-a0000002"), "superseded"),
        (("archive", "t-a0000001"), "archived"),
        (("cancel", "t-a0000002", "--reason", "Nobody reads it"), "cancelled"),
    ]
    for words, said in steps:
        told = guide("todo", *words).expect().text
        assert told.startswith(f"todo {words[1]} {said}"), told
    assert len(list(guide.root.glob("goals/beta/archive/*/todos/t-a0000001-*.md"))) == 1


def test_done_twice_is_no_error(guide: Desk) -> None:
    guide("todo", "done", "t-a0000001").expect()
    assert guide("todo", "done", "t-a0000001").expect().out == "todo t-a0000001 needed no change\n"


def test_a_validation_that_passes_is_part_of_the_receipt(desk: Desk) -> None:
    desk("todo", "add", "Check", "--goal", "beta", "--validate", "true").expect()
    assert desk("todo", "done", "t-a0000001", "--json").expect().json["data"]["result"]["validated"] is True


def test_a_validation_that_fails_shows_its_output_and_leaves_the_todo_open(desk: Desk) -> None:
    desk("todo", "add", "Check", "--goal", "beta", "--validate", "sh -c 'echo no good; exit 3'").expect()
    assert desk("todo", "done", "t-a0000001", "--op", "mine-4").text == (
        "--- 5\n"
        "error[validation-failed]: sh ended with status 3.\n"
        "  | no good\n"
        "  hint: Read its output, mend the work, then finish the Todo again.\n"
    )
    assert desk("todo", "show", "t-a", "--json").json["data"]["status"] == "open"


def test_a_validation_time_limit_needs_a_validation(desk: Desk) -> None:
    asked = desk("todo", "add", "Check", "--goal", "beta", "--validate-timeout", "3", "--json").expect(2)
    assert asked.json["error"]["place"]["path"] == "--validate-timeout"


def test_U07_ids_from_a_list_work_after_somebody_else_changed_things(guide: Desk) -> None:
    listed = [each["id"] for each in guide("todo", "list", "--json").json["data"]["todos"]]
    guide("todo", "edit", listed[0], "--title", "Quite another title", "--priority", "p4").expect()
    guide("todo", "add", "Sorts first now", "--goal", "beta", "--priority", "p0").expect()
    assert guide("todo", "show", listed[0], "--json").expect().json["data"]["title"] == "Quite another title"
    guide("todo", "done", listed[0]).expect()


@pytest.mark.parametrize("typed", ["t-a0", "T-A0000001", " t-a0000001", "a0000001", "t-aooooool"])
def test_an_id_may_be_shortened_and_misspelt_as_people_do(guide: Desk, typed: str) -> None:
    assert guide("todo", "show", typed, "--json").expect().json["data"]["id"] == "t-a0000001"
    guide("todo", "claim", typed).expect()


def test_a_shortened_id_that_fits_two_is_refused_with_both(guide: Desk) -> None:
    guide("todo", "add", "Another", "--goal", "beta").expect()
    error = guide("todo", "done", "t-a", "--json").expect(1).json["error"]
    assert error["code"] == "id-ambiguous"
    assert error["facts"]["candidates"] == ["t-a0000001", "t-a0000002"]


def test_pages_can_be_waited_for(guide: Desk) -> None:
    guide("todo", "claim", "t-a0000001", "--render").expect()
    assert "Write the guide" in (guide.root / "status" / "goals" / "beta.md").read_text(encoding="utf-8")


def test_pages_that_cannot_be_written_are_a_warning_beside_what_was_done(guide: Desk) -> None:
    (guide.root / "status").write_text("in the way\n")
    asked = guide("todo", "claim", "t-a0000001", "--render", "--json").expect()
    assert asked.json["data"]["pages_pending"] is True
    assert [each["code"] for each in asked.json["warnings"]] == ["pages-failed"]
    assert guide("status", "--render").expect().err.startswith("warning[pages-failed]: ")


def test_an_agent_is_named_by_the_environment(guide: Desk) -> None:
    asked = guide("todo", "claim", "t-a0000001", "--json", environ={"LOOPX_ACTOR": "agent:claude"}).expect()
    assert asked.json["data"]["actor"] == "agent:claude"


def test_an_agents_environment_never_acts_as_a_person(guide: Desk) -> None:
    words = ("todo", "claim", "t-a0000001", "--actor", "human:Test Person", "--json")
    asked = guide(*words, environ={"LOOPX_ACTOR": "agent:claude"}).expect(1)
    assert asked.json["error"]["code"] == "actor-not-permitted"
    assert asked.json["error"]["place"]["path"] == "--actor"


@pytest.mark.parametrize("actor", ["claude", "robot:x", "human:", "agent:No Spaces"])
def test_an_actor_that_is_none_is_a_usage_error(guide: Desk, actor: str) -> None:
    for words in (("todo", "claim", "t-a0000001"), ("todo", "list"), ("check",)):
        error = guide(*words, "--actor", actor, "--json").expect(2).json["error"]
        assert (error["code"], error["place"]["path"]) == ("usage", "--actor")


def test_a_title_in_any_script_survives(desk: Desk) -> None:
    desk("todo", "add", WIDE, "--goal", "beta").expect()
    asked = desk("todo", "list", "--json")
    assert json.loads(asked.out)["data"]["todos"][0]["title"] == WIDE
    assert WIDE in asked.out
