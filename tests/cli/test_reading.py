"""Lists and single items: columns for people, every field for programs, and other people's broken files as warnings."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Desk


@pytest.fixture
def lab(desk: Desk) -> Desk:
    """Three Todos: one plain, one that waits for it and for a decision, one finished."""
    desk("todo", "add", "Write the guide", "--goal", "beta", "--priority", "p1", "--accept", "a1").expect()
    desk("todo", "add", "Deploy", "--goal", "beta", "--depends-on", "t-a0000001").expect()
    desk("todo", "edit", "t-a0000002", "--set", "requires=production:goal:deploy").expect()
    desk("todo", "add", "Buy a domain", "--goal", "beta").expect()
    desk("todo", "done", "t-a0000003").expect()
    return desk


def test_a_list_shows_what_is_not_finished_most_urgent_first(lab: Desk) -> None:
    assert lab("todo", "list", "--goal", "beta").text == (
        "ID          PRI  STATUS  RUNS              TITLE\n"
        "t-a0000001  p1   open    yes               Write the guide\n"
        "t-a0000002  p2   open    dependency-unmet  Deploy\n"
        "1 finished not shown: --all\n"
        "--- 0\n"
    )


def test_a_bare_noun_lists(lab: Desk) -> None:
    assert lab("todo").text == lab("todo", "list").text
    assert lab("todo", "--goal", "beta", "--all").text == lab("todo", "list", "--goal", "beta", "--all").text
    for noun in ("goal", "gate", "vision", "op", "edit", "history"):
        assert lab(noun).text == lab(noun, "list").text


def test_a_list_on_a_narrow_terminal_cuts_titles_only(lab: Desk) -> None:
    asked = lab("todo", "list", "--all", terminal=True, environ={"COLUMNS": "60"}).expect()
    assert asked.out.splitlines()[1] == "t-a0000001  p1   open    yes               beta  Write the g…"


def test_a_list_can_be_narrowed(lab: Desk) -> None:
    def ids(*words: str) -> list[str]:
        return [each["id"] for each in lab("todo", "list", *words, "--json").expect().json["data"]["todos"]]

    assert ids("--runnable") == ["t-a0000001"]
    assert ids("--status", "done") == ["t-a0000003"]
    assert ids("--all") == ["t-a0000001", "t-a0000002", "t-a0000003"]
    assert ids("--status", "blocked") == []
    lab("todo", "claim", "t-a0000001", "--actor", "agent:claude").expect()
    assert ids("--runnable", "--actor", "agent:other") == []
    assert ids("--runnable", "--actor", "agent:claude") == ["t-a0000001"]


def test_a_list_cut_short_says_so(lab: Desk) -> None:
    assert lab("todo", "list", "--all", "--limit", "1").out.splitlines()[-1] == "and 2 more"
    told = lab("todo", "list", "--all", "--limit", "1", "--json").json["data"]
    assert (told["count"], told["total"], told["truncated"]) == (1, 3, True)


def test_an_empty_list_says_what_to_do(desk: Desk) -> None:
    assert desk("todo").out == "no Todos here; add one with `loopx todo add`\n"


def test_programs_get_every_field_and_the_verdict(lab: Desk) -> None:
    told = lab("todo", "list", "--json").expect().json["data"]["todos"][1]
    assert (told["class"], told["status"], told["depends_on"], told["claimed_by"]) == (
        "advancement",
        "open",
        ["t-a0000001"],
        None,
    )
    assert told["runnable"] is False
    assert [each["code"] for each in told["reasons"]] == ["dependency-unmet", "gate-required"]


def test_a_todo_is_shown_with_why_it_may_not_run_and_its_history(lab: Desk) -> None:
    assert lab("todo", "show", "t-a0000002").text == (
        "todo t-a0000002  Deploy\n"
        "  status      open\n"
        "  may run     no\n"
        '  because     t-a0000001 "Write the guide" is open.\n'
        "  because     It requires production:goal:deploy, which no approved Gate covers.\n"
        "  class       advancement\n"
        "  priority    p2\n"
        "  depends on  t-a0000001\n"
        "  requires    production:goal:deploy\n"
        "  created at  2026-03-02T09:00:00Z\n"
        "  goal        beta\n"
        '  history     REV  2026-03-02 09:00  human:Test Person  todo: edit t-a0000002 "Deploy"\n'
        '              REV  2026-03-02 09:00  human:Test Person  todo: add t-a0000002 "Deploy"\n'
        "--- 0\n"
    )


def test_a_finished_todo_shows_what_backs_it(lab: Desk) -> None:
    assert (
        "  done        2026-03-02T09:00:00Z by human:Test Person, not validated\n"
        in lab("todo", "show", "t-a0000003").out
    )


def test_why_shows_every_rule(lab: Desk) -> None:
    assert lab("why", "t-a0000002").text == (
        "todo t-a0000002  Deploy  (open)\n"
        'It cannot be worked on: t-a0000001 "Write the guide" is open.\n'
        "  ok    goal          Nothing stands in the way.\n"
        "  ok    status        Nothing stands in the way.\n"
        '  no    dependencies  t-a0000001 "Write the guide" is open.\n'
        "  no    decisions     It requires production:goal:deploy, which no approved Gate covers.\n"
        "  ok    lease         Nothing stands in the way.\n"
        "  ok    claim         Nothing stands in the way.\n"
        "  ok    exclusion     Nothing stands in the way.\n"
        "  ok    capabilities  Nothing stands in the way.\n"
        "  ok    repository    Nothing stands in the way.\n"
        "  ok    outcomes      Nothing stands in the way.\n"
        "  ok    class         Nothing stands in the way.\n"
        "--- 0\n"
    )
    lines = lab("why", "beta", "--json").expect().json["data"]["lines"]
    assert [each["rule"] for each in lines] == ["criterion a1", "todos"]


def test_an_unknown_id_is_refused_with_the_nearest(lab: Desk) -> None:
    assert lab("todo", "show", "t-a9").err == (
        'error[todo-unknown]: There is no todo "t-a9".\n  hint: List them with `loopx todo`.\n'
    )
    assert (
        lab("goal", "show", "bta").err == 'error[goal-unknown]: There is no goal "bta".\n  hint: Did you mean beta?\n'
    )


def test_the_past_can_be_read(lab: Desk) -> None:
    told = lab("todo", "list", "--all", "--at", "HEAD~4", "--json").expect().json
    assert [each["id"] for each in told["data"]["todos"]] == ["t-a0000001"]
    assert lab("todo", "show", "t-a0000002", "--at", "HEAD~4").expect(1).err.startswith("error[todo-unknown]")
    assert lab("todo", "list", "--at", "nowhere", "--json").expect(1).json["error"]["code"] == "revision-unknown"


def test_a_hand_edit_is_shown_unless_told_otherwise(lab: Desk) -> None:
    lab.write("goals/beta/todos/by-hand.md", "# Thank the testers\n")
    assert "Thank the testers" not in lab("todo", "list", "--no-take-in").expect().out
    assert "Thank the testers" in lab("todo", "list").expect().out


def test_U02_one_bad_file_is_a_warning_inside_the_json_and_never_beside_it(lab: Desk) -> None:
    lab.write("goals/beta/todos/bad.md", "---\ntitle: Parser: keep going\n---\n")
    lab.write("goals/beta/todos/odd.md", "---\ntitle: Fine\nprioritty: p0\n---\n")
    asked = lab("todo", "list", "--json").expect()
    assert asked.err == ""
    assert {(each["code"], each["place"]["path"]) for each in asked.json["warnings"]} >= {
        ("document-syntax", "goals/beta/todos/bad.md")
    }
    assert "Fine" in asked.out


def test_P01_a_colon_in_a_title_is_shown_with_its_place_and_remedy(lab: Desk) -> None:
    lab.write("goals/beta/todos/bad.md", "---\ntitle: Parser: keep going\n---\n")
    place = "goals/beta/todos/bad.md:2:14"
    listed = lab("todo", "list").expect()
    assert f"warning[document-syntax]: {place}: " in listed.err
    assert "Write the guide" in listed.out
    status = lab("status").expect(1)
    assert f"{place} (unreadable) [document-syntax]" in status.out
    assert "(1 unreadable)" in status.out
    assert lab("status", "--json").expect(1).json["data"]["unreadable"] == 1
    check = lab("check").expect(1)
    assert f"  at {place}\n  hint: If it is text, quote it" in check.out


def test_many_warnings_are_cut_to_five_lines_and_a_pointer(lab: Desk) -> None:
    for number in range(8):
        lab.write(f"goals/beta/todos/bad{number}.md", "---\ntitle: a: b\n---\n")
    said = lab("todo", "list").expect().err.splitlines()
    assert len(said) == 6
    assert said[-1] == "and 3 more: loopx status"
    assert len(lab("todo", "list", "--json").json["warnings"]) == 8


def test_a_hostile_title_cannot_reach_the_terminal(lab: Desk) -> None:
    lab.write("goals/beta/todos/evil.md", '---\ntitle: "\\e[2Jgone \\u202e txt"\n---\n')
    for words in (("todo", "list"), ("status",), ("board",), ("log",), ("todo", "show", "t-a0000004")):
        asked = lab(*words, terminal=True, environ={"TERM": "xterm"}).expect()
        assert "\x1b" not in asked.out
        assert "\u202e" not in asked.out
    assert "\\x1b[2Jgone" in lab("todo", "list").out
