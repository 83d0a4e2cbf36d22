"""Todos edited by hand: the same rules as the commands, the file as a whole or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from loopx.errors import Place
from loopx.kernel.commands import CompleteTodo
from loopx.kernel.outcome import Create, Record, Update
from loopx.model.actor import Origin
from loopx.model.goal import GoalStatus
from loopx.model.kind import Kind
from loopx.model.todo import Priority, TodoClass, TodoStatus, Validation
from loopx.model.workspace import Ownership
from tests.support.kernel import (
    ANN,
    BOT,
    G1,
    PYTEST,
    REX,
    T1,
    T2,
    T3,
    Desk,
    config,
    criterion,
    edited,
    gate,
    goal,
    todo,
)

DEPLOY = "production:goal:deploy"
LATER = "at:2026-04-01T00:00:00Z"


def desk_with(*entities: Any) -> Desk:
    return Desk.of(goal(acceptance=(criterion(),)), *entities)


# what is accepted -----------------------------------------------------------------------------


def test_the_first_change_is_the_document_as_typed() -> None:
    desk = desk_with(todo())
    done = desk.typed(todo(), todo(title="Write it", priority=Priority.P0, body="notes"))
    assert done.changes == (
        Update(Kind.TODO, "beta", T1, {"title": "Write it", "priority": Priority.P0, "body": "notes"}),
    )
    assert done.headline == f'todo: edit {T1} "Write it"'
    assert (done.receipt.command, done.receipt.origin, done.receipt.actor) == ("todo edit", Origin.HAND, ANN)
    assert done.receipt.result == {"id": T1, "changed": ["title", "priority", "body"]}


def test_done_typed_into_a_file_is_recorded_like_the_command() -> None:
    desk = desk_with(todo())
    done = desk.typed(todo(), todo(status=TodoStatus.DONE))
    assert isinstance(done.changes[0], Update) and isinstance(done.changes[1], Record)
    assert done.receipt.command == "todo done"
    log = desk.state.completions(T1)
    assert log is not None and log.entries[0].by == "human:Ann" and not log.entries[0].validated


def test_cancelled_with_its_reason_is_accepted_and_tells_who_waits() -> None:
    desk = desk_with(todo(), todo(T2, "Draft", depends_on=(T1,)))
    done = desk.typed(todo(), todo(status=TodoStatus.CANCELLED, reason="not needed"))
    assert [each.code for each in done.notices] == ["dependency-dead"]
    assert done.notices[0].place == Place("goals/beta/todos/file.md")


def test_blocked_deferred_and_back() -> None:
    desk = desk_with(todo())
    ways = [
        todo(status=TodoStatus.BLOCKED, reason="no access"),
        todo(status=TodoStatus.DEFERRED, resume_when=LATER),
        todo(status=TodoStatus.BLOCKED, reason="no key", resume_when=LATER),
        todo(),
    ]
    verbs = [desk.typed(desk.todo(), each).receipt.command for each in ways]
    assert verbs == ["todo block", "todo defer", "todo block", "todo resume"]


def test_reopening_by_hand_marks_the_completion() -> None:
    desk = desk_with(todo())
    desk.do(CompleteTodo(todo=T1))
    desk.typed(desk.todo(), edited(desk.todo(), status=TodoStatus.OPEN))
    log = desk.state.completions(T1)
    assert log is not None and log.entries[0].reopened_at == desk.now


def test_a_person_enters_anybodys_claim_and_takes_it_out() -> None:
    desk = desk_with(todo())
    desk.typed(todo(), todo(claimed_by="bot"))
    assert desk.todo().claimed_at == desk.now
    desk.wait(hours=1)
    desk.typed(desk.todo(), edited(desk.todo(), claimed_by="rex"))
    assert (desk.todo().claimed_by, desk.todo().claimed_at) == ("rex", desk.now)
    desk.typed(desk.todo(), edited(desk.todo(), claimed_by=None))
    assert desk.todo().claimed_at is None


def test_fields_typed_in_the_same_save_count_for_the_status() -> None:
    guarded = todo(requires=(DEPLOY,), validation=PYTEST, depends_on=(T2,))
    desk = desk_with(guarded, todo(T2, "Draft"))
    desk.typed(guarded, todo(status=TodoStatus.DONE))


def test_an_edit_that_undoes_somebodys_change_says_so() -> None:
    done = desk_with(todo()).typed(todo(), todo(title="Old"), reverts=("op-77",))
    assert [each.code for each in done.notices] == ["edit-reverts"] and "op-77" in done.notices[0].message


def test_an_equal_title_is_said_at_its_line() -> None:
    desk = desk_with(todo(), todo(T2, "Draft"))
    done = desk.typed(todo(), todo(title="DRAFT"))
    assert [each.code for each in done.notices] == ["title-equal"]


# what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "code", "field"),
    [
        (todo(status=TodoStatus.DONE, validation=PYTEST), "validation-required", "status"),
        (todo(status=TodoStatus.DONE, depends_on=(T2,)), "dependency-unmet", "status"),
        (todo(status=TodoStatus.DONE, requires=(DEPLOY,)), "gate-pending", None),
        (todo(status=TodoStatus.DONE, claimed_by="rex"), "todo-claimed", "claimed_by"),
        (todo(status=TodoStatus.CANCELLED), "reason-missing", "reason"),
        (todo(status=TodoStatus.BLOCKED), "reason-missing", "reason"),
        (todo(status=TodoStatus.DEFERRED), "condition-invalid", "status"),
        (todo(status=TodoStatus.DEFERRED, resume_when="tomorrow"), "condition-invalid", "resume_when"),
        (todo(status=TodoStatus.SUPERSEDED), "field-by-command", "status"),
        (todo(rev="r-aaaa1111"), "field-machine-owned", "rev"),
        (todo(created_at=None), "field-machine-owned", "created_at"),
        (todo(successors=(T2,)), "field-machine-owned", "successors"),
        (todo(superseded_by=(T2,)), "field-machine-owned", "superseded_by"),
        (todo(depends_on=("t-zzzz9999",)), "todo-unknown", "depends_on"),
        (todo(depends_on=("t-bbbb",)), "todo-unknown", "depends_on"),
        (todo(depends_on=(T1,)), "dependency-cycle", "depends_on"),
        (todo(acceptance=("a9",)), "criterion-unknown", "acceptance"),
        (todo(requires=("deploy",)), "scope-invalid", "requires"),
        (todo(validation=Validation(argv=())), "field-value", "validation"),
    ],
)
def test_what_a_command_would_refuse_is_refused_in_a_file(after: Any, code: str, field: str | None) -> None:
    desk = desk_with(todo(), todo(T2, "Draft"), gate())
    before = list(desk.entities)
    lines = {"status": (3, 9), "claimed_by": (4, 9), "reason": (5, 9)}
    refused = desk.mistyped(todo(), after, lines=lines)
    assert refused.code == code and refused.facts.get("field") == field
    typed_status = (None, None) if after.status is TodoStatus.OPEN else lines["status"]
    expected = lines.get(field or "", typed_status)
    assert refused.place == Place("goals/beta/todos/file.md", *expected)
    assert desk.entities == before


def test_Q07_done_by_hand_is_no_way_round_a_validation() -> None:
    guarded = todo(validation=PYTEST)
    refused = desk_with(guarded).mistyped(guarded, edited(guarded, status=TodoStatus.DONE))
    assert refused.code == "validation-required" and "loopx todo done" in refused.problem.hint


def test_the_ownership_policy_holds_in_an_editor_too() -> None:
    desk = desk_with(config(ownership=Ownership.CLAIM), todo())
    assert desk.mistyped(todo(), todo(status=TodoStatus.DONE)).code == "claim-required"
    desk.typed(todo(), todo(status=TodoStatus.DONE, claimed_by="human-ann"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TodoStatus.BLOCKED, TodoStatus.DONE),
        (TodoStatus.DEFERRED, TodoStatus.DONE),
        (TodoStatus.DONE, TodoStatus.CANCELLED),
        (TodoStatus.CANCELLED, TodoStatus.BLOCKED),
    ],
)
def test_an_illegal_change_of_status_is_refused_at_its_line(before: TodoStatus, after: TodoStatus) -> None:
    desk = desk_with(todo(status=before))
    refused = desk.mistyped(todo(status=before), todo(status=after, reason="x"), lines={"status": (2, 1)})
    assert refused.code == "transition-illegal" and refused.place == Place("goals/beta/todos/file.md", 2, 1)


def test_replaced_work_is_taken_up_again_by_command() -> None:
    replaced = todo(status=TodoStatus.SUPERSEDED, superseded_by=(T2,))
    desk = desk_with(replaced, todo(T2, "Draft", supersedes=(T1,)))
    refused = desk.mistyped(replaced, edited(replaced, status=TodoStatus.OPEN))
    assert refused.code == "field-by-command" and "loopx todo reopen" in refused.hint


def test_the_guards_of_closed_work_stay_as_they_were() -> None:
    closed = todo(status=TodoStatus.DONE)
    refused = desk_with(closed).mistyped(closed, edited(closed, depends_on=(T2,)))
    assert refused.code == "todo-closed"


# a foreign commit by an agent -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (todo(validation=PYTEST), todo(), "actor-not-permitted"),
        (todo(requires=(DEPLOY,)), todo(), "actor-not-permitted"),
        (todo(status=TodoStatus.DONE), todo(), "actor-not-permitted"),
        (todo(), todo(claimed_by="rex"), "actor-not-permitted"),
        (todo(claimed_by="rex"), todo(claimed_by="bot"), "todo-claimed"),
        (todo(claimed_by="rex"), todo(claimed_by="rex", status=TodoStatus.BLOCKED, reason="x"), "todo-claimed"),
        (todo(excluded_agents=("bot",)), todo(excluded_agents=("bot",), claimed_by="bot"), "agent-excluded"),
    ],
)
def test_an_agents_commit_is_judged_as_that_agent(before: Any, after: Any, code: str) -> None:
    desk = desk_with(before)
    assert desk.mistyped(before, after, BOT, origin=Origin.FOREIGN).code == code


def test_a_field_is_found_by_its_name_in_the_file() -> None:
    desk = desk_with(todo())
    after = todo(todo_class=TodoClass.USER_ACTION)
    refused = desk.mistyped(todo(), after, BOT, origin=Origin.FOREIGN, lines={"class": (7, 8)})
    assert refused.place == Place("goals/beta/todos/file.md", 7, 8)


def test_an_agents_commit_may_do_what_the_agent_may() -> None:
    desk = desk_with(todo())
    desk.typed(todo(), todo(title="Write it", claimed_by="bot"), BOT, origin=Origin.FOREIGN)
    done = desk.typed(desk.todo(), edited(desk.todo(), status=TodoStatus.DONE), BOT, origin=Origin.FOREIGN)
    assert done.receipt.actor == BOT


# new files ------------------------------------------------------------------------------------


def test_a_new_file_is_taken_in_and_gets_the_time_it_lacks() -> None:
    desk = desk_with()
    done = desk.typed(None, todo(created_at=None))
    assert done.changes == (Create(todo(created_at=desk.now)),)
    assert (done.receipt.command, done.headline) == ("todo add", f'todo: add {T1} "Write the guide"')


def test_a_new_file_may_be_blocked_deferred_or_claimed_from_the_start() -> None:
    desk = desk_with()
    desk.typed(None, todo(status=TodoStatus.BLOCKED, reason="no access", claimed_by="bot"))
    desk.typed(None, todo(T2, "Draft", status=TodoStatus.DEFERRED, resume_when=LATER))


def test_a_new_file_that_says_done_is_added_and_finished() -> None:
    desk = desk_with()
    done = desk.typed(None, todo(status=TodoStatus.DONE))
    assert isinstance(done.changes[0], Create) and isinstance(done.changes[1], Record)
    assert desk_with().mistyped(None, todo(status=TodoStatus.DONE, validation=PYTEST)).code == "validation-required"


@pytest.mark.parametrize(
    ("after", "code"),
    [
        (todo(goal="gone"), "goal-unknown"),
        (todo(goal="over"), "goal-closed"),
        (todo(T3, "Draft"), "id-duplicate"),
        (todo("t-eeee5555", "Old"), "id-reused"),
        (todo(status=TodoStatus.SUPERSEDED), "field-by-command"),
        (todo(superseded_by=(T3,)), "field-machine-owned"),
        (todo(supersedes=(T3,)), "field-machine-owned"),
        (todo(successors=(T3,)), "field-machine-owned"),
        (todo(depends_on=("t-zzzz9999",)), "todo-unknown"),
        (todo(acceptance=("a9",)), "criterion-unknown"),
        (todo(requires=("x",)), "scope-invalid"),
        (todo(status=TodoStatus.BLOCKED), "reason-missing"),
    ],
)
def test_a_new_file_is_judged_like_an_added_todo(after: Any, code: str) -> None:
    desk = desk_with(goal("over", status=GoalStatus.CLOSED), todo(T3, "Existing"))
    desk.known_ids.add("t-eeee5555")
    assert desk.mistyped(None, after).code == code


def test_B08_a_planted_duplicate_is_refused_at_its_line() -> None:
    desk = desk_with(todo())
    refused = desk.mistyped(None, todo(title="Other"), lines={"id": (2, 5)})
    assert refused.code == "id-duplicate" and refused.place == Place("goals/beta/todos/file.md", 2, 5)


def test_a_second_file_of_an_equal_title_is_taken_in_with_a_warning() -> None:
    desk = desk_with(todo())
    done = desk.typed(None, todo(T2, "write THE guide"))
    assert [each.code for each in done.notices] == ["title-equal"]
    assert desk.todo(T2).title == "write THE guide"


def test_an_agents_commit_may_add_and_not_for_another() -> None:
    desk = desk_with()
    desk.typed(None, todo(claimed_by="bot"), BOT, origin=Origin.FOREIGN)
    refused = desk.mistyped(None, todo(T2, "Draft", claimed_by="rex"), BOT, origin=Origin.FOREIGN)
    assert refused.code == "actor-not-permitted"


# moves ----------------------------------------------------------------------------------------


def test_a_person_moves_a_todo_to_another_goal() -> None:
    desk = desk_with(goal("gamma"), todo())
    done = desk.typed(todo(), todo(goal="gamma"))
    assert desk.todo().goal == "gamma"
    assert isinstance(done.changes[0], Update) and done.changes[0].goal == "beta"
    assert desk.mistyped(desk.todo(), todo(), REX, origin=Origin.FOREIGN).code == "actor-not-permitted"


def test_a_todo_with_a_history_or_foreign_criteria_stays() -> None:
    desk = desk_with(goal("gamma"), todo(acceptance=("a1",)), todo(T2, "Draft"), gate())
    assert desk.mistyped(desk.todo(), todo(goal="gamma", acceptance=("a1",))).code == "criterion-unknown"
    desk.do(CompleteTodo(todo=T2))
    assert desk.mistyped(desk.todo(T2), edited(desk.todo(T2), goal="gamma")).code == "document-closed"
    assert desk.mistyped(desk.gate(G1), edited(desk.gate(G1), goal="gone")).code == "goal-unknown"
