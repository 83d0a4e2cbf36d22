"""Claims, blocking, deferring, resuming, archiving."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loopx.kernel.commands import ArchiveTodo, BlockTodo, ClaimTodo, DeferTodo, ResumeTodo, UnclaimTodo
from loopx.kernel.fencing import holder_name
from loopx.kernel.outcome import Archive
from loopx.model.actor import Actor
from loopx.model.kind import Kind
from loopx.model.todo import TodoStatus
from tests.support.kernel import ANN, BEN, BOT, G1, REX, T1, T2, Desk, facts, gate, goal, todo

CLOSED = (TodoStatus.DONE, TodoStatus.SUPERSEDED, TodoStatus.CANCELLED)


def desk_with(**fields: Any) -> Desk:
    return Desk.of(goal(), todo(**fields), todo(T2, "Draft"), gate())


def test_the_first_claim_holds_and_the_second_is_told_by_whom() -> None:
    desk = desk_with()
    desk.do(ClaimTodo(todo=T1), BOT)
    refused = desk.no(ClaimTodo(todo=T1), REX)
    assert refused.code == "todo-claimed" and refused.facts["holder"] == "bot"
    assert facts(desk.do(ClaimTodo(todo=T1), BOT))["already"] is True


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Ann", "human-ann"),
        (" ANN ", "human-ann"),
        ("Ann O'Hara", "human-ann-o-hara"),
        ("ann@example.org", "human-ann-example-org"),
    ],
)
def test_B09_a_person_is_one_holder_however_the_name_is_typed(name: str, written: str) -> None:
    assert holder_name(Actor.parse(f"human:{name}")) == written


def test_B09_people_whose_names_have_no_latin_letter_hold_apart() -> None:
    one, other = (holder_name(Actor.parse(f"human:{name}")) for name in ("王芳", "李伟"))
    assert one != other and one.startswith("human-") and len(one) == len("human-") + 8


def test_a_person_and_an_agent_of_one_name_are_two_holders() -> None:
    desk = desk_with()
    desk.do(ClaimTodo(todo=T1), Actor.parse("agent:ann"))
    assert desk.no(ClaimTodo(todo=T1), ANN).code == "todo-claimed"


def test_an_excluded_agent_may_not_claim() -> None:
    assert desk_with(excluded_agents=("bot",)).no(ClaimTodo(todo=T1), BOT).code == "agent-excluded"


def test_an_agent_gives_up_its_own_claim_and_a_person_anybodys() -> None:
    desk = desk_with(claimed_by="bot")
    assert desk.no(UnclaimTodo(todo=T1), REX).code == "todo-claimed"
    desk.do(UnclaimTodo(todo=T1), BOT)
    assert desk.todo().claimed_by is None
    assert desk.do(UnclaimTodo(todo=T1), REX).changes == ()
    desk.do(ClaimTodo(todo=T1), BOT)
    desk.do(UnclaimTodo(todo=T1), BEN)
    assert desk.todo().claimed_by is None


def test_blocking_needs_a_reason_and_keeps_it() -> None:
    desk = desk_with()
    assert desk.no(BlockTodo(todo=T1, reason="  ")).code == "reason-missing"
    desk.do(BlockTodo(todo=T1, reason="no access"))
    assert (desk.todo().status, desk.todo().reason) == (TodoStatus.BLOCKED, "no access")
    desk.do(BlockTodo(todo=T1, reason="no key"))
    assert desk.todo().reason == "no key"
    assert desk.do(BlockTodo(todo=T1, reason="no key")).changes == ()


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        (f"todo_done:{T2}", f"todo_done:{T2}"),
        ("todo_done:T-BBBB", f"todo_done:{T2}"),
        ("gate_approved: g-aaaa", f"gate_approved:{G1}"),
        ("at:2026-03-03T00:00:00+05:30", "at:2026-03-02T18:30:00Z"),
        ("evidence:ci/main", "evidence:ci/main"),
        ("capability:gpu", "capability:gpu"),
        ("pr_merged:#12", "pr_merged:#12"),
        ("pr_merged:acme/app#12", "pr_merged:acme/app#12"),
    ],
)
def test_a_wake_condition_is_kept_in_its_one_form(typed: str, written: str) -> None:
    desk = desk_with()
    desk.do(DeferTodo(todo=T1, until=typed))
    assert (desk.todo().status, desk.todo().resume_when) == (TodoStatus.DEFERRED, written)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("tomorrow", "condition-invalid"),
        ("at:2026-03-03", "condition-invalid"),
        ("at:2026-03-03T00:00:00", "condition-invalid"),
        ("pr_merged:12", "condition-invalid"),
        ("evidence:", "condition-invalid"),
        ("", "condition-invalid"),
        ("todo_done:t-zzzz9999", "todo-unknown"),
        ("gate_approved:g-zzzz9999", "gate-unknown"),
        (f"todo_done:{T1}", "dependency-cycle"),
    ],
)
def test_a_condition_that_cannot_come_true_is_refused(typed: str, code: str) -> None:
    refused = desk_with().no(DeferTodo(todo=T1, until=typed))
    assert refused.code == code
    if code == "condition-invalid":
        assert "todo_done:ID" in refused.hint and "pr_merged:#N" in refused.hint


def test_resuming_clears_what_held_it() -> None:
    desk = desk_with(status=TodoStatus.DEFERRED, resume_when="at:2026-03-03T00:00:00Z")
    desk.do(BlockTodo(todo=T1, reason="no access"))
    assert desk.todo().resume_when is None
    desk.do(ResumeTodo(todo=T1))
    assert desk.todo() == todo()
    assert desk.do(ResumeTodo(todo=T1)).changes == ()


@pytest.mark.parametrize("status", CLOSED)
@pytest.mark.parametrize(
    "command",
    [
        ClaimTodo(todo=T1),
        BlockTodo(todo=T1, reason="x"),
        DeferTodo(todo=T1, until="capability:gpu"),
        ResumeTodo(todo=T1),
    ],
    ids=lambda each: each.name,
)
def test_closed_work_is_held_by_nobody(command: Any, status: TodoStatus) -> None:
    assert desk_with(status=status).no(command).code == "todo-closed"


@pytest.mark.parametrize(
    "command",
    [BlockTodo(todo=T1, reason="x"), DeferTodo(todo=T1, until="capability:gpu"), ResumeTodo(todo=T1)],
    ids=lambda each: each.name,
)
def test_an_agent_leaves_alone_what_another_claims(command: Any) -> None:
    desk = desk_with(claimed_by="rex")
    assert desk.no(command, BOT).code == "todo-claimed"
    desk.do(command, ANN)


def test_only_closed_work_is_archived() -> None:
    assert desk_with().no(ArchiveTodo(todo=T1)).code == "todo-not-closed"
    desk = desk_with(status=TodoStatus.DONE)
    desk.now += timedelta(microseconds=5)
    done = desk.do(ArchiveTodo(todo=T1))
    assert done.changes == (Archive(Kind.TODO, "beta", T1, desk.now.replace(microsecond=0)),)
