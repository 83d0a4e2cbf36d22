"""Operations: replay, reuse, digests of requests, rollback, and the workspace's own document."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import loopx.kernel
from loopx.errors import LoopxError
from loopx.kernel.commands import (
    AddTodo,
    Command,
    CompleteTodo,
    DecideGate,
    EditTodo,
    EditWorkspace,
    MeetCriterion,
    Rollback,
)
from loopx.kernel.digest import edit_digest, gate_inputs, request_digest, validation_inputs
from loopx.kernel.rollback import mark_rolled_back
from loopx.model.actor import Channel
from loopx.model.kind import Kind
from loopx.model.records import CompletionLog, CriterionLog
from loopx.model.workspace import AgentEntry
from tests.support.clock import START
from tests.support.kernel import (
    ANN,
    BEN,
    BOT,
    G1,
    PYTEST,
    T1,
    T2,
    Desk,
    config,
    criterion,
    edited,
    evidence,
    facts,
    gate,
    goal,
    todo,
)

DONE = CompleteTodo(todo=T1)


# replay ---------------------------------------------------------------------------------------


def test_the_same_operation_gets_its_own_receipt_and_does_nothing() -> None:
    desk = Desk.of(goal(), todo())
    first = desk.do(AddTodo(goal="beta", title="Draft"), op="op-x")
    again = desk.do(AddTodo(goal="beta", title="Draft"), op="op-x")
    assert again.changes == () and again.receipt == first.receipt


def test_a_replay_answers_before_any_other_rule() -> None:
    desk = Desk.of(goal(), todo())
    first = desk.do(DONE, BOT, op="op-x")
    desk.entities = [config(operators=["Ben"])]
    assert desk.do(DONE, BOT, op="op-x").receipt == first.receipt


def test_L06_the_same_id_for_something_else_is_refused() -> None:
    desk = Desk.of(goal(), todo(), todo(T2, "Draft"))
    desk.do(DONE, op="op-x")
    refused = desk.no(CompleteTodo(todo=T2), op="op-x")
    assert refused.code == "operation-reused" and "todo done" in refused.message
    assert desk.no(DONE, BEN, op="op-x").code == "operation-reused"


def test_L06_the_order_of_keys_makes_no_other_request() -> None:
    one = EditTodo(todo=T1, fields={"title": "x", "priority": "p0"})
    other = EditTodo(todo=T1, fields={"priority": "p0", "title": "x"})
    assert request_digest(one, ANN) == request_digest(other, ANN)
    desk = Desk.of(goal(), todo())
    first = desk.do(one, op="op-x")
    assert desk.do(other, op="op-x").receipt == first.receipt


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (DONE, CompleteTodo(todo=T1, evidence=evidence()), True),
        (DONE, CompleteTodo(todo=T1, note="x"), False),
        (
            DecideGate(gate=G1, verb="approve", reason="x"),
            DecideGate(gate=G1, verb="approve", reason="x", channel=Channel.PAGE, confirmed=True),
            True,
        ),
        (
            DecideGate(gate=G1, verb="approve", reason="x"),
            DecideGate(gate=G1, verb="reject", reason="x"),
            False,
        ),
        (
            MeetCriterion(goal="beta", criterion="a1", evidence=("x",)),
            MeetCriterion(goal="beta", criterion="a1", evidence=("y",)),
            False,
        ),
        (AddTodo(goal="beta", title="x"), AddTodo(goal="beta", title="x", validation=PYTEST), False),
        (EditTodo(todo=T1, add={"tags": ("a",)}), EditTodo(todo=T1, remove={"tags": ("a",)}), False),
        (AddTodo(goal="beta", title="\ud800"), AddTodo(goal="beta", title="x"), False),
    ],
)
def test_a_digest_covers_what_was_asked_and_not_how_it_came_about(one: Command, other: Command, same: bool) -> None:
    assert (request_digest(one, ANN) == request_digest(other, ANN)) is same
    assert request_digest(one, ANN) != request_digest(one, BOT)
    assert len(request_digest(one, ANN)) == 64


def test_other_digests_follow_what_they_are_bound_to() -> None:
    beta = goal(acceptance=(criterion(),))
    bound = todo(validation=PYTEST, acceptance=("a1",))
    assert validation_inputs(bound, beta) == validation_inputs(edited(bound, title="x", status="done"), beta)
    assert validation_inputs(bound, beta) != validation_inputs(bound, None)
    assert gate_inputs(gate()) == gate_inputs(gate(body="x", deadline=START))
    assert gate_inputs(gate()) != gate_inputs(gate(question="Really?"))
    assert edit_digest(Kind.TODO, T1, todo(), ANN) != edit_digest(Kind.TODO, T1, None, ANN)


# rollback -------------------------------------------------------------------------------------


def test_a_rollback_is_a_persons_and_has_a_reason() -> None:
    desk = Desk.of(goal(), todo())
    command = Rollback(revision="0123456789abcdef0123", reason="wrong turn", documents=(("todo", T1),))
    assert desk.no(command, BOT).code == "actor-not-permitted"
    assert desk.no(Rollback(revision="abc", reason=" ")).code == "reason-missing"
    done = desk.do(command)
    assert done.changes == () and done.headline == "rollback: to 0123456789, 1 document"
    assert facts(done)["documents"] == [["todo", T1]] and done.body == "wrong turn"
    undo = desk.do(Rollback(revision="abc", reason="x", undo_of="op-7"))
    assert undo.headline == "rollback: undo op-7, 0 documents"


def test_entries_made_after_the_revision_gone_back_to_are_marked_and_stay() -> None:
    desk = Desk.of(goal(), todo())
    desk.do(DONE, op="op-old")
    old = desk.state.completions(T1)
    assert old is not None
    late = edited(old.entries[0], operation="op-late")
    log = CompletionLog(todo=T1, entries=(*old.entries, late), goal="beta")
    desk.wait(hours=1)
    marked = mark_rolled_back(log, since=START, at=desk.now, operation="op-r", kept={"op-old"})
    assert [each.rolled_back_by for each in marked.entries] == [None, "op-r"]
    assert marked.entries[1].rolled_back_at == desk.now and not marked.entries[1].stands
    again = mark_rolled_back(marked, since=START, at=desk.now, operation="op-s", kept={"op-old"})
    assert again == marked


def test_entries_made_before_the_time_given_stay_as_they_are() -> None:
    desk = Desk.of(goal(), todo())
    desk.do(DONE)
    log = desk.state.completions(T1)
    assert log is not None
    desk.wait(seconds=1)
    assert mark_rolled_back(log, since=desk.now, at=desk.now, operation="op-r") == log
    empty = CriterionLog(criterion="a1", goal="beta")
    assert mark_rolled_back(empty, since=START, at=desk.now, operation="op-r") == empty
    seen = evidence()
    assert mark_rolled_back(seen, since=START, at=desk.now, operation="op-r") is seen


# the workspace's own document -----------------------------------------------------------------


def test_the_workspace_is_edited_field_by_field() -> None:
    desk = Desk.of(config())
    done = desk.do(EditWorkspace(fields={"operators": ["Ann"], "agents": [{"id": "bot", "capabilities": ["gpu"]}]}))
    found = desk.state.config()
    assert found is not None
    assert found.operators == ("Ann",) and found.agents == (AgentEntry(id="bot", capabilities=("gpu",)),)
    assert facts(done)["changed"] == ["operators", "agents"]
    assert desk.do(EditWorkspace(fields={"operators": ["Ann"]})).changes == ()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"version": 2}, "field-machine-owned"),
        ({"owner": "me"}, "field-name-unknown"),
        ({"policies": {"ownership": "whim"}}, "field-value"),
        ({"policies": {"mass_deletion_share": 2.0}}, "field-value"),
        ({"agents": [{"id": "bot"}, {"id": "bot"}]}, "field-value"),
        ({"title": ""}, "field-value"),
    ],
)
def test_what_the_workspace_cannot_be_is_refused(fields: dict[str, Any], code: str) -> None:
    assert Desk.of(config()).no(EditWorkspace(fields=fields)).code == code


def test_without_a_workspace_document_there_is_nothing_to_edit() -> None:
    with pytest.raises(LoopxError) as raised:
        Desk.of().ask(EditWorkspace(fields={"title": "x"}))
    assert raised.value.code == "workspace-missing"


# the room's door ------------------------------------------------------------------------------


def test_every_public_name_is_there_and_no_other() -> None:
    for name in loopx.kernel.__all__:
        assert getattr(loopx.kernel, name) is not None
    with pytest.raises(AttributeError):
        loopx.kernel.nothing  # noqa: B018


def test_adding_and_finishing_work_load_no_validation_library() -> None:
    script = (
        "import sys; sys.path.insert(0, '.');"
        "from tests.support.kernel import *; from loopx.kernel.commands import *;"
        "desk = Desk.of(goal(), todo()); desk.do(AddTodo(goal='beta', title='x'));"
        "desk.do(CompleteTodo(todo=T1)); desk.do(ClaimTodo(todo=desk.todo('t-a0000001').id));"
        "print(sorted({'pydantic', 'ruamel', 'git', 'sqlite3'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")
