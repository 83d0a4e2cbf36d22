"""`loopx doctor` and `loopx repair` at the terminal and for programs."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Desk


@pytest.fixture
def shown(desk: Desk) -> Desk:
    """With a Todo, and pages that show it."""
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    desk("status", "--render").expect()
    desk("repair").expect()  # copies of the schemas are made in the background, which is off here
    return desk


def damage(desk: Desk) -> None:
    (desk.root / "status/README.md").write_text("all done", encoding="utf-8")


def test_a_diagnosis_says_first_what_was_looked_at(shown: Desk) -> None:
    assert shown("doctor").expect().text == (
        f"{shown.root}  the nearest one in this folder or above\n"
        "  goals     beta (active)\n"
        "  source    revision REV\n"
        "  mode      the present; durability full; hooks run; ownership none; operators anybody here; "
        "pages only when asked for (LOOPX_PAGES=off)\n"
        "  time      2026-03-02T09:00:00Z; the newest stamp is 2026-03-02T09:00:00Z\n"
        "\n"
        "compared: history, journal, files, cache, index, pages, schemas, repairs, documents, clock\n"
        "every surface agrees with its source\n"
        "--- 0\n"
    )


def test_a_page_somebody_typed_into_is_found_and_repaired(shown: Desk) -> None:
    damage(shown)
    said = shown("doctor").expect(1).out
    assert said.splitlines()[-8:] == [
        "Wrong",
        "  pages[page_stale] status/README.md",
        "    README.md was changed after it was rendered; what is typed into a page is not kept.",
        "    owner: the accepted history in .loopx/.git",
        "    next:  `loopx repair` renders it anew.",
        "",
        "compared: history, journal, files, cache, index, pages, schemas, repairs, documents, clock",
        "1 disagreement",
    ]
    assert shown("repair").expect().text == (
        "README.md was rendered anew\n\nread back: every surface agrees with its source\n--- 0\n"
    )
    assert shown("repair").expect().out.splitlines()[0] == "nothing that is derived was wrong"


def test_programs_get_every_finding_with_surface_owner_kind_place_why_and_next_step(shown: Desk) -> None:
    damage(shown)
    told = shown("doctor", "--json").expect(1).json
    assert (told["ok"], told["error"]["code"], told["data"]["faults"]) == (False, "problems-found", 1)
    assert "loopx repair" in told["error"]["hint"]
    [finding] = told["data"]["findings"]
    assert finding == {
        "surface": "pages",
        "kind": "page_stale",
        "owner": "the accepted history in .loopx/.git",
        "place": "status/README.md",
        "why": "README.md was changed after it was rendered; what is typed into a page is not kept.",
        "next_step": "`loopx repair` renders it anew.",
        "is_fault": True,
        "ids": [],
        "may_be_repaired": True,
    }
    assert told["data"]["basis"]["found_by"] == "folder"
    done = shown("repair", "--json").expect().json["data"]
    assert (done["repaired"], done["after"]["findings"], done["before"]["faults"]) == (True, [], 1)


def test_what_cannot_be_repaired_is_explained_and_the_exit_status_says_so(shown: Desk) -> None:
    shown.write("goals/beta/todos/bad.md", "---\ntitle: [broken\n---\n")
    said = shown("repair").expect(1).out
    assert "nothing that is derived was wrong" in said
    assert "Left\n  files[not_committed] goals/beta/todos/bad.md:" in said
    assert shown("doctor", "--json").json["error"].get("hint", "") != "`loopx repair` mends what is derived."


def test_an_agent_is_told_whose_it_is(shown: Desk) -> None:
    assert "  actor     agent:bot, named by LOOPX_ACTOR" in shown("doctor", environ={"LOOPX_ACTOR": "agent:bot"}).out
    damage(shown)
    assert shown("repair", "--actor", "agent:bot").expect().out.startswith("README.md was rendered anew")


def test_one_goal_and_the_past_can_be_asked_for(shown: Desk) -> None:
    damage(shown)
    said = shown("doctor", "--goal", "beta", "--at", "HEAD~1").expect().out
    assert "  mode      the past;" in said
    assert "compared: documents, history, clock" in said
    assert shown("doctor", "--goal", "gamma").expect(1).err.startswith("error[goal-unknown]")
    assert shown("doctor", "--at", "nowhere").expect(1).err.startswith("error[revision-unknown]")


def test_U01_a_diagnosis_leaves_every_file_as_it_is(shown: Desk) -> None:
    damage(shown)
    shown.write("goals/beta/todos/new.md", "# New\n")
    skipped = ("cache.sqlite-wal", "cache.sqlite-shm")
    files = [each for each in shown.root.rglob("*") if each.is_file() and each.name not in skipped]
    before = {each: each.read_bytes() for each in files}
    shown("doctor").expect(1)
    assert {each: each.read_bytes() for each in files} == before


def test_naming_the_cause_of_repeated_repairs_ends_their_count(shown: Desk) -> None:
    for _ in range(3):
        damage(shown)
        shown("repair")
    said = shown("doctor").expect(1).out
    assert "repairs[page_stale] status/README.md" in said
    assert "owner: operators" in said
    assert "loopx repair --cause" in said
    shown("repair", "--cause", "An editor had it open").expect()
    shown("doctor").expect()
