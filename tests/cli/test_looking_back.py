"""The audit trail, operations, rollback and undo at the terminal."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from tests.cli.conftest import Desk


@pytest.fixture
def past(desk: Desk) -> Desk:
    """Two Todos, one changed twice, by a person and by an agent."""
    desk("todo", "add", "Write the guide", "--goal", "beta", "--op", "op-add").expect()
    desk.clock.advance(days=1)
    desk("todo", "claim", "t-a0000001", "--actor", "agent:claude", "--op", "op-claim").expect()
    desk.clock.advance(days=1)
    desk("todo", "edit", "t-a0000001", "--title", "Write the manual", "--op", "op-edit").expect()
    desk("todo", "add", "Record", "--goal", "beta").expect()
    return desk


def test_the_log_tells_who_did_what_when(past: Desk) -> None:
    told = past("log", "t-a0000001").expect().text.splitlines()
    assert [line.split("  ", 1)[-1].strip() for line in told[1:4]] == [
        '2026-03-04 09:00  human:Test Person  todo: edit t-a0000001 "Write the manual"',
        '2026-03-03 09:00  agent:claude       todo: claim t-a0000001 "Write the guide"',
        '2026-03-02 09:00  human:Test Person  todo: add t-a0000001 "Write the guide"',
    ]


@pytest.mark.parametrize(
    ("words", "operations"),
    [
        (("--actor", "agent:claude"), ["op-claim"]),
        (("--command", "todo edit"), ["op-edit"]),
        (("t-a0000001", "--since", "2026-03-03"), ["op-edit", "op-claim"]),
        (("t-a0000001", "--since", "36h"), ["op-edit", "op-claim"]),
        (("t-a0000001", "--limit", "1"), ["op-edit"]),
        (("t-a0000001", "--limit", "1", "--all"), ["op-edit", "op-claim", "op-add"]),
        (("T-A0000001", "--actor", "human:Test Person"), ["op-edit", "op-add"]),
        (("t-zzzzzzzz",), []),
    ],
)
def test_the_log_can_be_narrowed(past: Desk, words: tuple[str, ...], operations: list[str]) -> None:
    found = past("log", *words, "--json").expect().json["data"]["entries"]
    assert [each["operation"] for each in found] == operations


def test_a_log_cut_short_says_so(past: Desk) -> None:
    assert past("log", "--limit", "2").out.splitlines()[-1] == "and more: --all, or a larger --limit"
    assert past("log", "--limit", "2", "--json").json["data"]["truncated"] is True
    assert past("log", "--limit", "6", "--json").json["data"]["truncated"] is False
    assert "and more" not in past("history", "--limit", "6").out


def test_an_empty_log_says_so(past: Desk) -> None:
    assert past("log", "--command", "todo archive").out == "nothing was done that fits\n"
    assert past("log", "--actor", "claude").expect(2).err.startswith("error[usage]: 'claude' is not human:NAME")
    assert past("log", "--since", "soon").expect(2).err.startswith("error[usage]: 'soon' is no time")


def test_one_revision_is_shown_with_its_change(past: Desk) -> None:
    told = past("show", "HEAD~1").expect().out
    assert "who       human:Test Person (command)\noperation op-edit\n" in told
    assert '\n    todo: edit t-a0000001 "Write the manual"\n' in told
    assert "Loopx-Operation" not in told
    assert "\n-title: Write the guide\n" in told
    assert "\n+title: Write the manual\n" in told
    facts = past("show", "HEAD~1", "--json").json
    assert facts["data"]["operation"] == "op-edit"
    assert facts["revision"] == facts["data"]["revision"]
    assert past("show", "nowhere", "--json").expect(1).json["error"]["code"] == "revision-unknown"


def test_two_revisions_are_compared(past: Desk) -> None:
    told = past("diff", "HEAD~2", "HEAD").expect().out
    assert "+title: Write the manual\n" in told
    assert "+title: Record\n" in told
    assert "+title: Record\n" not in past("diff", "HEAD~2", "--id", "t-a0000001").expect().out
    assert past("diff", "HEAD", "HEAD").out == "no difference\n"


def test_patches_are_coloured_on_a_terminal_only(past: Desk) -> None:
    told = past("diff", "HEAD~2", terminal=True, environ={"NO_COLOR": "", "TERM": "xterm"}).out
    assert "\x1b[32m+title: Write the manual\x1b[0m" in told
    assert "\x1b" not in past("diff", "HEAD~2", terminal=True, environ={"TERM": "xterm"}).out


def test_an_operation_is_read_back(past: Desk) -> None:
    assert (
        past("op", "show", "op-claim")
        .expect()
        .text.startswith(
            "op-claim is committed\n  todo claim todo t-a0000001\n"
            "  by agent:claude at 2026-03-03T09:00:00Z, revision REV\n"
        )
    )
    absent = past("op", "show", "op-nothing", "--json").expect(1)
    assert absent.json["error"]["code"] == "operation-unknown"
    assert absent.json["data"]["state"] == "absent"
    assert past("op", "show", "op-nothing").out == "op-nothing is absent\n"
    assert past("op", "--limit", "2").out.startswith("OPERATION ")


def test_an_operation_whose_outcome_is_not_known_ends_with_its_own_status(
    past: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loopx.workspace import Workspace
    from loopx.workspace.reports import OperationReport, OperationState

    lost = OperationReport(
        "op-x", OperationState.UNKNOWN, recovery={"identity": "op-x", "reread": ["history", "journal"]}
    )
    monkeypatch.setattr(Workspace, "operation", lambda _self, _op: lost)
    asked = past("op", "show", "op-x").expect(6)
    assert asked.out == "op-x is unknown\n  identity: op-x\n  reread: history, journal\n"
    assert past("op", "show", "op-x", "--json").expect(6).json["error"]["code"] == "outcome-unknown"


@pytest.mark.parametrize("spoiled", [".git/refs/loopx/admitted", ".git/refs/heads/main"])
def test_a_store_that_cannot_be_read_is_told_with_the_way_back(past: Desk, spoiled: str) -> None:
    (past.root / spoiled).write_text("garbage\n")
    asked = past("op", "show", "op-nothing", "--json").expect(6)
    error = asked.json["error"]
    assert (error["code"], asked.json["data"]["state"]) == ("outcome-unknown", "unknown")
    assert error["facts"]["recovery"] == asked.json["data"]["recovery"]
    assert set(error["facts"]["recovery"]) == {"identity", "why", "reread", "entrypoint", "stop_when", "owner"}
    assert len(asked.out.encode()) <= 2048
    assert "  stop_when: the answer is committed or absent\n" in past("op", "show", "op-nothing").expect(6).out


def test_a_write_that_may_have_happened_ends_with_its_own_status_and_the_way_back(
    past: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loopx.store.git.repository import GitStore

    def fail(*_given: object) -> None:
        raise LoopxError("disk-full", "There is no room left.")

    with monkeypatch.context() as full:
        full.setattr(GitStore, "admit", fail)
        error = past("todo", "add", "Perhaps", "--goal", "beta", "--op", "op-full", "--json").expect(6).json["error"]
    assert (error["code"], error["facts"]["cause"], error["facts"]["operation"]) == (
        "outcome-unknown", "disk-full", "op-full",
    )  # fmt: skip
    assert error["facts"]["recovery"]["entrypoint"] == "loopx op show op-full"
    found = past("op", "show", "op-full", "--json").expect().json["data"]
    assert (found["state"], found["receipt"]["command"]) == ("committed_receipt_missing", "todo add")
    again = past("todo", "add", "Perhaps", "--goal", "beta", "--op", "op-full", "--json").expect().json["data"]
    assert again["replayed"] is True
    assert past("op", "show", "op-full", "--json").expect().json["data"]["state"] == "committed"


def test_U10_a_plan_names_what_the_rollback_then_does_and_does_nothing(past: Desk) -> None:
    before = past("where", "--json").json["revision"]
    plan = past("rollback", "HEAD~2", "--plan", "--json").expect().json["data"]
    assert past("where", "--json").json["revision"] == before
    done = past("rollback", "HEAD~2", "--reason", "Too early", "--json").expect().json["data"]
    assert [each["id"] for each in done["packet"]["items"]] == [each["id"] for each in plan["items"]]
    assert {each["id"] for each in plan["items"]} == {"t-a0000001", "t-a0000002"}
    assert past("todo", "show", "t-a0000001", "--json").json["data"]["title"] == "Write the guide"


def test_a_rollback_tells_its_proof(past: Desk) -> None:
    told = past("rollback", "HEAD~2", "--todo", "t-a0000001", "--reason", "Wrong title").expect().text
    assert told.startswith("1 document put back to REV · REV · proof ")
    assert past("todo", "list", "--json").json["data"]["count"] == 2


def test_a_rollback_plan_says_what_is_touched_and_what_stays(past: Desk) -> None:
    told = past("rollback", "HEAD~2", "--plan").expect().out
    assert "a plan, nothing is done" in told
    assert "changed  todo  t-a0000001" in told
    assert "removed  todo  t-a0000002" in told
    assert "operations undone: " in told
    assert "choices\n  revert\n    prerequisites  the documents named may go back as a whole\n" in told


def test_a_rollback_needs_a_reason_and_one_selection(past: Desk) -> None:
    assert "needs a reason" in past("rollback", "HEAD~1").expect(2).err
    assert "exclude each other" in past("rollback", "HEAD~1", "--goal", "beta", "--todo", "t-a", "--plan").expect(2).err


def test_an_operation_is_undone(past: Desk) -> None:
    plan = past("undo", "op-edit", "--plan", "--json").expect().json["data"]
    assert [each["id"] for each in plan["items"]] == ["t-a0000001"]
    assert past("undo", "op-edit", "--op", "op-undo", "--reason", "No").expect().text.startswith("1 document put back")
    assert past("todo", "show", "t-a0000001", "--json").json["data"]["title"] == "Write the guide"
    again = past("todo", "edit", "t-a0000001", "--title", "Write the manual", "--op", "op-edit", "--json").expect()
    assert (again.json["data"]["replayed"], again.json["data"]["superseded_by"]) == (True, "op-undo")


def test_an_operation_others_built_upon_is_undone_with_them_or_not_at_all(past: Desk) -> None:
    refused = past("undo", "op-claim", "--json").expect(1).json["error"]
    assert refused["code"] == "undo-built-upon"
    past("undo", "op-claim", "--and", "op-edit").expect()
    shown = past("todo", "show", "t-a0000001", "--json").json["data"]
    assert (shown["claimed_by"], shown["title"]) == (None, "Write the guide")


def test_history_that_was_not_rewritten_needs_no_choice(past: Desk) -> None:
    assert past("history", "keep", "old", "--reason", "x").code != 0
    assert past("history", "keep", "neither", "--reason", "x").expect(2).err.startswith("error[usage]")
