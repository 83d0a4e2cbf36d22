"""Lifecycle and guard fields typed into a file: judged by the rules of the commands, all of a file or none of it."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import (
    BlockTodo,
    CancelTodo,
    Command,
    CompleteTodo,
    DecideGate,
    DeferTodo,
    EditTodo,
    OpenGate,
)
from loopx.model.todo import TodoStatus
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import hand_commits, only_edit, waiting


@pytest.fixture
def todo(lab: Lab) -> str:
    lab.goal("beta", "It is out")
    return lab.todo("Write the guide")


def type_status(lab: Lab, todo: str, status: str, *more: str) -> str:
    path = lab.path_of(todo)
    lab.change(path, "status: open", "\n".join((f"status: {status}", *more)))
    return path


def test_done_typed_by_hand_completes_the_todo_with_a_record(lab: Lab, todo: str) -> None:
    path = type_status(lab, todo, "done")
    found = lab.look().state
    assert found.todo(todo).status is TodoStatus.DONE
    assert found.completions(todo) is not None
    assert found.completions(todo).entries[-1].by == "human:Test Person"
    assert hand_commits(lab)[0].startswith("todo: done")
    assert lab.read(path) == lab.at_head(path)
    lab.assert_sound()


def test_done_typed_by_hand_is_refused_where_a_validation_must_run_first(lab: Lab, todo: str) -> None:
    lab.submit(EditTodo(todo=todo, fields={"validation": {"argv": ["true"]}}))
    path = type_status(lab, todo, "done")
    edit = only_edit(lab)
    assert [each.code for each in edit.problems] == ["validation-required"]
    assert edit.problems[0].place is not None
    assert edit.problems[0].place.line == 1 + lab.read(path).decode().split("\n").index("status: done")
    assert lab.todos()[todo].status is TodoStatus.OPEN
    assert b"status: done" in lab.read(path)


def test_done_typed_by_hand_twice_in_a_row_is_one_completion(lab: Lab, todo: str) -> None:
    type_status(lab, todo, "done")
    lab.look()
    head = lab.git("rev-parse", "HEAD")
    path = lab.path_of(todo)
    lab.save(path, lab.read(path))
    lab.look()
    assert lab.git("rev-parse", "HEAD") == head


def is_near(lab: Lab, path: str, *typed: str) -> bool:
    """Whether the one edit that waits is told of on a line that was typed."""
    place = only_edit(lab).problems[0].place
    assert place is not None
    assert place.line is not None, only_edit(lab).problems
    return lab.read(path).decode().split("\n")[place.line - 1] in typed


def blocked_by_dependency(lab: Lab, todo: str) -> tuple[str, Command, str]:
    other = lab.todo("Find a printer")
    lab.submit(EditTodo(todo=todo, fields={"depends_on": (other,)}))
    return "status: done", CompleteTodo(todo=todo), "done"


def blocked_by_gate(lab: Lab, todo: str) -> tuple[str, Command, str]:
    lab.submit(EditTodo(todo=todo, fields={"requires": ("production:goal:site",)}))
    return "status: done", CompleteTodo(todo=todo), "done"


def cancelled_without_a_reason(lab: Lab, todo: str) -> tuple[str, Command, str]:
    return "status: cancelled", CancelTodo(todo=todo, reason=""), "cancelled"


def blocked_without_a_reason(lab: Lab, todo: str) -> tuple[str, Command, str]:
    return "status: blocked", BlockTodo(todo=todo, reason=""), "blocked"


def deferred_until_nonsense(lab: Lab, todo: str) -> tuple[str, Command, str]:
    return "status: deferred\nresume_when: soon", DeferTodo(todo=todo, until="soon"), "deferred"


def depending_on_itself(lab: Lab, todo: str) -> tuple[str, Command, str]:
    return f'status: open\ndepends_on: ["{todo}"]', EditTodo(todo=todo, fields={"depends_on": (todo,)}), "open"


def depending_on_nobody(lab: Lab, todo: str) -> tuple[str, Command, str]:
    fields = {"depends_on": ("t-zzzzzzzz",)}
    return 'status: open\ndepends_on: ["t-zzzzzzzz"]', EditTodo(todo=todo, fields=fields), "open"


def advancing_an_unknown_criterion(lab: Lab, todo: str) -> tuple[str, Command, str]:
    return "status: open\nacceptance: [nope]", EditTodo(todo=todo, fields={"acceptance": ("nope",)}), "open"


def requiring_no_scope(lab: Lab, todo: str) -> tuple[str, Command, str]:
    return "status: open\nrequires: [anything]", EditTodo(todo=todo, fields={"requires": ("anything",)}), "open"


@pytest.mark.parametrize(
    "scene",
    [
        blocked_by_dependency,
        blocked_by_gate,
        cancelled_without_a_reason,
        blocked_without_a_reason,
        deferred_until_nonsense,
        depending_on_itself,
        depending_on_nobody,
        advancing_an_unknown_criterion,
        requiring_no_scope,
    ],
)
def test_a_hand_meets_the_same_guard_as_the_command(lab: Lab, todo: str, scene: object) -> None:
    typed, command, _ = scene(lab, todo)  # type: ignore[operator]
    with pytest.raises(LoopxError) as refused:
        lab.submit(command)
    path = lab.path_of(todo)
    lab.change(path, "status: open", typed)
    assert waiting(lab) == {path: [refused.value.code]}
    assert is_near(lab, path, typed.split("\n")[-1])
    assert lab.todos()[todo].status is TodoStatus.OPEN
    lab.change(path, typed, "status: open")
    assert waiting(lab) == {}


def test_superseded_is_never_typed(lab: Lab, todo: str) -> None:
    path = type_status(lab, todo, "superseded")
    assert waiting(lab) == {path: ["field-by-command"]}


def test_a_reopened_todo_is_open_with_its_history_kept(lab: Lab, todo: str) -> None:
    lab.submit(CompleteTodo(todo=todo))
    lab.change(lab.path_of(todo), "status: done", "status: open")
    found = lab.look().state
    assert waiting(lab) == {}
    assert found.todo(todo).status is TodoStatus.OPEN
    assert found.completions(todo) is not None


def test_a_gate_is_never_answered_by_editing_it(lab: Lab, todo: str) -> None:
    made = lab.submit(OpenGate(goal="beta", scope="production:goal:site", question="May it go out?"), actor=BOT)
    gate = str(made.receipt.result["id"])
    [file] = lab.root.glob("goals/beta/gates/*.md")
    path = file.relative_to(lab.root).as_posix()
    lab.change(path, "status: open", "status: approved")
    assert waiting(lab) == {path: ["gate-not-by-hand"]}
    with pytest.raises(LoopxError) as caught:
        lab.ws.accept_edit(path, actor=ANN)
    assert caught.value.code == "gate-not-by-hand"
    lab.ws.discard_edit(path, actor=ANN)
    lab.submit(DecideGate(gate=gate, verb="approve", reason="looks right", confirmed=True))
    assert lab.look().state.gate(gate).status == "approved"


def test_Q02_finished_typed_into_a_goal_is_refused(lab: Lab, todo: str) -> None:
    """What is reached is worked out, whatever a file claims."""
    lab.change("goals/beta/goal.md", "status: active", "status: closed")
    [code] = waiting(lab)["goals/beta/goal.md"]
    assert code == "field-by-command"
    assert lab.look().state.goal("beta").status == "active"


def test_a_goal_is_paused_and_resumed_by_typing(lab: Lab, todo: str) -> None:
    lab.change("goals/beta/goal.md", "status: active", "status: paused\nreason: holidays")
    assert lab.look().state.goal("beta").status == "paused"
    lab.change("goals/beta/goal.md", "status: paused\nreason: holidays", "status: active\ntags: [rested]")
    assert lab.look().state.goal("beta").status == "active"
    assert waiting(lab) == {}


def test_a_record_of_what_happened_is_never_edited(lab: Lab, todo: str) -> None:
    lab.submit(CompleteTodo(todo=todo))
    [file] = lab.root.glob("goals/beta/completions/*.yaml")
    path = file.relative_to(lab.root).as_posix()
    lab.change(path, "human:Ann", "human:Bob")
    lab.ws.check()
    assert waiting(lab) == {path: ["record-machine-owned"]}
    record = lab.look().state.completions(todo)
    assert record.entries[-1].by == "human:Ann"


def test_one_file_is_refused_while_another_of_the_same_pass_is_accepted(lab: Lab, todo: str) -> None:
    other = lab.todo("Record the demo")
    broken = lab.path_of(todo)
    lab.change(broken, "priority: p2", "priority: urgent", quiet=False)
    lab.change(lab.path_of(other), "priority: p2", "priority: p0")
    assert waiting(lab) == {broken: ["field-value"]}
    assert lab.todos()[other].priority == "p0"
    assert lab.at_head(lab.path_of(other)) == lab.read(lab.path_of(other))


def test_all_of_a_file_or_none_of_it(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.change(
        path, "status: open\nclass: advancement\npriority: p2", "status: superseded\nclass: user_action\npriority: p0"
    )
    assert waiting(lab) == {path: ["field-by-command"]}
    found = lab.todos()[todo]
    assert (found.priority, found.todo_class) == ("p2", "advancement")


def test_files_that_need_one_another_are_accepted_in_one_pass_whatever_their_order(lab: Lab, todo: str) -> None:
    lab.save(
        "goals/beta/todos/a-first.md", '---\nid: "t-aaaaaaa2"\ntitle: A\ndepends_on: ["t-bbbbbbb2"]\n---\n', quiet=False
    )
    lab.save("goals/beta/todos/b-second.md", '---\nid: "t-bbbbbbb2"\ntitle: B\n---\n')
    assert waiting(lab) == {}
    assert lab.todos()["t-aaaaaaa2"].depends_on == ("t-bbbbbbb2",)
