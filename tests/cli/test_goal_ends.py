"""How a Goal ends at the terminal: the audit line by line, closing, giving up, reopening, and a rollback across it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import pairwise

import click
import pytest

from loopx.cli.root import root
from loopx.model.effect import EffectStatus
from loopx.model.todo import TodoStatus
from tests.cli.conftest import Desk
from tests.support.kernel import Desk as KernelDesk
from tests.support.kernel import criterion, gate, goal, todo
from tests.unit.kernel.endings import (
    READ,
    audited,
    effect,
    handoff,
    lease,
    monitor,
    polled,
    turn,
)

TODO = "t-a0000001"
PRINTED = [
    "open todos = 0",
    "due monitors = 0",
    "unresolved blocking gates = 0",
    "pending successors = 0",
    "replan obligations = 0",
    "acceptance gaps = 0",
    "retryable postconditions = 0",
    "required external readbacks are fresh",
]


@pytest.fixture
def finished(desk: Desk) -> Desk:
    """With its one Todo done and its one criterion met."""
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    desk("todo", "done", TODO).expect()
    desk("goal", "meet", "beta", "a1", "--evidence", "I read it").expect()
    return desk


def test_the_audit_names_every_line_its_items_and_the_next_step(desk: Desk) -> None:
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    assert desk("goal", "audit", "beta").expect().text == (
        "goal beta  is not finished: 2 lines fail\n"
        "  NO  open todos = 0  (1)\n"
        "        t-a0000001  Write the guide\n"
        "            It is open.\n"
        "            next: loopx todo done t-a0000001\n"
        "  ok  due monitors = 0\n"
        "  ok  unresolved blocking gates = 0\n"
        "  ok  pending successors = 0\n"
        "  ok  replan obligations = 0\n"
        "  NO  acceptance gaps = 0  (1)\n"
        "        a1  The guide is published\n"
        "            Nobody has judged it met.\n"
        "            next: loopx goal meet beta a1 --evidence …\n"
        "  ok  retryable postconditions = 0\n"
        "  ok  required external readbacks are fresh\n"
        "--- 0\n"
    )


def test_the_audit_as_json_has_the_specifications_keys_and_every_item(desk: Desk) -> None:
    for number in range(7):
        desk("todo", "add", f"Work {number}", "--goal", "beta").expect()
    told = desk("goal", "audit", "beta", "--json").expect().json["data"]
    assert list(told["audit"]) == [each.removesuffix(" = 0").replace(" ", "_") for each in PRINTED]
    assert [each["name"] for each in told["audit"].values()] == PRINTED
    assert (told["goal"], told["is_clean"], told["status"]) == ("beta", False, "active")
    todos = told["audit"]["open_todos"]
    assert (todos["holds"], todos["count"], len(todos["items"])) == (False, 7, 7)
    assert set(todos["items"][0]) == {"id", "title", "why", "next_step"}
    assert "and 2 more; --json lists all" in desk("goal", "audit", "beta").out


def test_a_finished_goal_is_closed_shown_as_ended_and_reopened(finished: Desk) -> None:
    assert finished("goal", "audit", "beta").out.startswith("goal beta  may be closed\n  ok  open todos = 0\n")
    assert finished("goal", "close", "beta").expect().out.startswith("goal beta closed · outcome achieved · ")
    assert finished("goal", "audit", "beta").out.startswith("goal beta  is closed as achieved\n")
    assert finished("goal", "close", "beta").expect().out == "goal beta needed no change · outcome achieved\n"
    shown = finished("goal", "show", "beta").out
    assert "  status      closed\n  outcome     achieved\n" in shown
    assert "  ended       2026-03-02T09:00:00Z  achieved by human:Test Person\n" in shown
    assert finished("todo", "add", "More", "--goal", "beta", "--json").expect(1).json["error"]["code"] == "goal-closed"
    said = finished("goal", "reopen", "beta", "--reason", "A customer came back").expect()
    assert said.text.startswith("goal beta reopened · REV")
    told = finished("goal", "show", "beta", "--json").json["data"]
    assert (told["status"], told["outcome"]) == ("active", None)
    assert told["closures"][0]["reopen_reason"] == "A customer came back"
    assert ", reopened by human:Test Person\n" in finished("goal", "show", "beta").out


def test_an_unfinished_goal_is_not_closed_and_the_refusal_says_what_is_in_the_way(desk: Desk) -> None:
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    error = desk("goal", "close", "beta", "--json").expect(1).json["error"]
    assert error["code"] == "goal-not-closable"
    assert error["facts"]["failing"] == {"open_todos": 1, "acceptance_gaps": 1}
    assert desk("goal", "show", "beta", "--json").json["data"]["status"] == "active"


def test_nothing_to_follow_needs_a_reason(desk: Desk) -> None:
    desk("goal", "waive", "beta", "a1", "--reason", "Nobody reads guides").expect()
    assert desk("goal", "close", "beta", "--json").expect(1).json["error"]["code"] == "goal-not-achieved"
    words = ("goal", "close", "beta", "--as", "no_followup")
    assert desk(*words, "--json").expect(1).json["error"]["code"] == "reason-missing"
    assert desk(*words, "--reason", "Nobody wants it").expect().out.startswith("goal beta closed · outcome no_followup")
    assert desk("goal", "close", "beta", "--as", "finished").expect(2).err.startswith("error[usage]")


def test_an_agent_closes_what_is_finished_and_gives_nothing_up(finished: Desk) -> None:
    abandoned = ("goal", "close", "beta", "--as", "abandoned", "--reason", "tired", "--actor", "agent:claude", "--json")
    assert finished(*abandoned).expect(1).json["error"]["code"] == "actor-not-permitted"
    finished("goal", "close", "beta", "--actor", "agent:claude").expect()
    reopening = ("goal", "reopen", "beta", "--reason", "more", "--actor", "agent:claude", "--json")
    assert finished(*reopening).expect(1).json["error"]["code"] == "actor-not-permitted"


def test_a_goal_is_given_up_and_what_stays_open_is_listed(desk: Desk) -> None:
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    said = desk("goal", "close", "beta", "--as", "abandoned", "--reason", "No budget").expect()
    assert said.text.startswith("goal beta closed · outcome abandoned · left open 2 · REV")
    [entry] = desk("goal", "show", "beta", "--json").json["data"]["closures"]
    assert entry["left_open"] == ["t-a0000001 Write the guide", "a1 The guide is published"]
    assert "left_open" in desk.file("goals/beta/closure.yaml").read_text("utf-8")


def test_Q02_closed_typed_into_the_file_is_reported_and_ends_nothing(desk: Desk) -> None:
    file = desk.root / "goals/beta/goal.md"
    desk.write("goals/beta/goal.md", file.read_text("utf-8").replace("status: active", "status: closed"))
    said = desk("edit", "list", "--json").expect(1).json
    assert "field-by-command" in str(said)
    assert desk("goal", "audit", "beta", "--json").json["data"]["status"] == "active"


def test_rolling_back_across_an_end_marks_it_and_the_goal_is_what_its_document_says(finished: Desk) -> None:
    before = finished("goal", "list", "--json").json["revision"]
    finished("goal", "close", "beta", "--op", "op-end").expect()
    finished("rollback", before, "--reason", "Too early").expect()
    told = finished("goal", "show", "beta", "--json").json["data"]
    assert (told["status"], told["outcome"]) == ("active", None)
    assert told["closures"][0]["rolled_back_at"] is not None
    assert finished("goal", "close", "beta", "--op", "op-end", "--json").json["data"]["superseded_by"]
    finished("goal", "close", "beta", "--op", "op-again").expect()
    ends = finished("goal", "show", "beta", "--json").json["data"]["closures"]
    assert [each["operation"] for each in ends] == ["op-end", "op-again"]


def test_undoing_an_end_marks_it_too(finished: Desk) -> None:
    finished("goal", "close", "beta").expect()
    finished("undo").expect()
    told = finished("goal", "show", "beta", "--json").json["data"]
    assert told["status"] == "active" and told["closures"][0]["rolled_back_at"]
    assert ", undone since\n" in finished("goal", "show", "beta").out


def test_Q01_a_finished_goal_says_stop_and_takes_no_work_until_it_is_reopened(finished: Desk) -> None:
    finished("agent", "add", "claude").expect()
    finished("goal", "close", "beta", "--actor", "agent:claude").expect()
    told = []
    for _ in range(20):
        told.append(finished("next", "--goal", "beta", "--agent", "claude", "--json").expect().json)
        finished.clock.advance(hours=1)
    assert {each["data"]["mode"] for each in told} == {"terminal"}
    assert {each["revision"] for each in told} == {told[0]["revision"]}
    channel = told[-1]["data"]["interaction_contract"]["agent_channel"]
    assert (channel["must_attempt"], channel["quiet_allowed"]) == (False, True)
    settled = ("refresh-state", "--goal", "beta", "--todo", TODO, "--scale", "test_only", "--outcome", "surface_only")
    for words in (("turn", "open", "--goal", "beta", "--todo", TODO), settled):
        assert finished(*words, "--actor", "agent:claude", "--json").expect(1).json["error"]["code"] == "goal-closed"
    finished("goal", "reopen", "beta", "--reason", "A customer came back").expect()
    again = finished("next", "--goal", "beta", "--agent", "claude", "--json").expect().json["data"]
    assert again["mode"] == "close_out"


def test_Q08_a_vision_that_was_deleted_is_a_gap_and_the_goal_does_not_end_without_it(desk: Desk) -> None:
    desk("agent", "add", "claude", "--goal", "beta", "--vision", "required").expect()
    desk("vision", "set", "--goal", "beta", "--agent", "claude", "--summary", "Docs first").expect()
    for number in range(1, 7):
        desk("todo", "add", f"Work {number}", "--goal", "beta").expect()
        desk("todo", "done", f"t-a000000{number}").expect()
    desk("goal", "meet", "beta", "a1", "--evidence", "I read it").expect()
    assert desk("goal", "audit", "beta", "--json").json["data"]["is_clean"] is True
    (desk.root / "goals/beta/visions/claude.md").unlink()
    desk("edit", "accept", "goals/beta/visions/claude.md").expect()
    others = desk("goal", "audit", "beta", "--json").json["data"]["others"]
    assert "required_vision_missing" in str(others["other_obligations"]["items"])
    error = desk("goal", "close", "beta", "--actor", "agent:claude", "--json").expect(1).json["error"]
    assert error["facts"]["failing"] == {"other_obligations": 1}


# next steps -----------------------------------------------------------------------------------------

TYPED = {"--status": "confirmed", "--scale": "test_only", "--outcome": "outcome_gap", "--as": "achieved"}
"""What somebody puts where a next step leaves ``…`` and only certain words will do."""


def steps_in_words() -> Iterator[str]:
    """Every next step of an audit of a Goal that has everything in the way."""
    watched = monitor("t-cccc3333", target="the build's page")
    outside = (effect(EffectStatus.UNKNOWN, "It is listed"), turn(), handoff(), lease(), watched)
    put_aside = todo("t-dddd4444", "Wait", status=TodoStatus.BLOCKED)
    resting = (monitor("t-eeee5555"), polled("t-eeee5555"))
    done = todo("t-bbbb2222", "Plan", status=TodoStatus.DONE, successors=("t-ffff6666",))
    facts = (criterion(readback=READ), criterion("a2", check=("true",), readback=READ))
    desk = KernelDesk.of(goal(acceptance=facts), todo(), gate(), put_aside, done, *resting, *outside)
    found = audited(desk)
    assert {each.key for each in (*found.lines, *found.others) if each.holds} <= {
        "unreadable_files",
        "replan_obligations",
    }
    for each in (*found.lines, *found.others):
        yield from (item.next_step for item in each.items if item.next_step.startswith("loopx "))


@pytest.mark.parametrize("step", sorted(set(steps_in_words())))
def test_every_next_step_can_be_typed(step: str) -> None:
    words = shlex.split(step)[1:]
    command: click.Command = root
    context: click.Context | None = None
    typed = [TYPED.get(before, "x") if word == "…" else word for before, word in pairwise(["", *words])]
    while typed or context is None:
        context = command.make_context(command.name, typed, parent=context)
        if not isinstance(command, click.Group):
            break
        name, found, typed = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None, name
        command = found
