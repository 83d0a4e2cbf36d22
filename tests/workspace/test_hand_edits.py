"""Files that were just saved, hand-made files, moves, and absences: when each counts, and when it does not yet."""

from __future__ import annotations

import os
import shutil

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import ArchiveTodo, CompleteTodo, EditTodo
from loopx.model.todo import TodoStatus
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import hand_commits, only_edit, waiting, while_waiting

NEW = "goals/beta/todos/from-the-train.md"


@pytest.fixture
def todo(lab: Lab) -> str:
    lab.goal()
    return lab.todo("Write the guide")


# settling ------------------------------------------------------------------------------------------


def test_a_file_saved_this_instant_is_taken_in_when_two_readings_agree(lab: Lab, todo: str) -> None:
    lab.change(lab.path_of(todo), "priority: p2", "priority: p0", quiet=False)
    assert lab.todos()[todo].priority == "p0"
    lab.assert_sound()


def test_a_file_that_changes_between_two_readings_is_left_alone(
    lab: Lab, todo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lab.path_of(todo)
    lab.change(path, "priority: p2", "priority: p0", quiet=False)
    while_waiting(monkeypatch, lab, lambda: lab.change(path, "priority: p0", "priority: p1", quiet=False))
    assert lab.todos()[todo].priority == "p2"
    lab.clock.wait(1)
    assert lab.todos()[todo].priority == "p1"
    assert len(hand_commits(lab)) == 1


def test_a_file_caught_empty_between_truncation_and_writing_is_not_judged_empty(
    lab: Lab, todo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lab.path_of(todo)
    whole = lab.read(path).replace(b"priority: p2", b"priority: p0")
    (lab.root / path).write_bytes(b"")
    lab.clock.wait(60)
    while_waiting(monkeypatch, lab, lambda: lab.save(path, whole, quiet=False))
    lab.look()
    assert "document-empty" not in waiting(lab).get(path, [])
    assert lab.todos()[todo].priority == "p0"


def test_a_half_saved_file_is_unreadable_only_until_it_is_whole(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    whole = lab.read(path).replace(b"priority: p2", b"priority: p0")
    lab.save(path, whole[: len(whole) // 2])
    assert waiting(lab) == {path: ["document-fence-open"]}
    assert lab.todos()[todo].priority == "p2"
    lab.save(path, whole)
    assert lab.todos()[todo].priority == "p0"
    lab.assert_sound()


def test_a_file_that_stays_empty_is_told_of_and_never_a_deletion(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.save(path, b"")
    for _ in range(3):
        assert waiting(lab) == {path: ["document-empty"]}
        lab.clock.wait(60)
    assert todo in lab.todos()


def test_a_file_saved_in_the_future_is_not_waited_for(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.change(path, "priority: p2", "priority: p0", quiet=False)
    far = lab.clock.now().timestamp() + 86_400
    os.utime(lab.root / path, (far, far))
    assert lab.todos()[todo].priority == "p0"


# adoption ------------------------------------------------------------------------------------------


def test_a_hand_made_file_gets_its_id_two_seconds_after_the_last_save(lab: Lab, todo: str) -> None:
    lab.save(NEW, "# Buy tickets\n", quiet=False)
    lab.clock.wait(1.5)
    assert waiting(lab) == {NEW: ["edit-settling"]}
    assert lab.read(NEW) == b"# Buy tickets\n"
    lab.clock.wait(1)
    [made] = [each for each in lab.todos().values() if each.title == "Buy tickets"]
    assert lab.read(NEW) == lab.at_head(NEW)
    assert lab.read(NEW).decode().count(made.id) == 1
    assert lab.read(NEW).endswith(b"# Buy tickets\n")
    lab.assert_sound()


def test_adoption_keeps_the_name_of_the_file(lab: Lab, todo: str) -> None:
    path = "goals/beta/todos/Größe & Maße 测量.md"
    lab.save(path, "---\ntitle: Measure\n---\n")
    assert "Measure" in {each.title for each in lab.todos().values()}
    assert lab.at_head(path) == lab.read(path)


def test_a_new_file_with_an_id_of_its_own_does_not_wait_for_adoption(lab: Lab, todo: str) -> None:
    lab.save(NEW, '---\nid: "t-4k9x2m7q"\ntitle: Buy tickets\n---\n', quiet=False)
    assert "t-4k9x2m7q" in lab.todos()
    assert lab.at_head(NEW) == lab.read(NEW) == b'---\nid: "t-4k9x2m7q"\ntitle: Buy tickets\n---\n'


def test_a_goal_made_by_hand_is_taken_in_with_everything_in_it(lab: Lab) -> None:
    lab.save("goals/trip/todos/book.md", "# Book the hotel\n")
    lab.save("goals/trip/gates/budget.md", "---\nscope: resource:goal:budget\nquestion: May we spend it?\n---\n")
    lab.save("goals/trip/visions/codex-1.md", "---\nsummary: Go by train.\n---\n")
    lab.save("goals/trip/goal.md", "# A week away\n\nSomewhere warm.\n")
    state = lab.look().state
    assert state.goal("trip").title == "A week away"
    assert [each.title for each in state.todos("trip")] == ["Book the hotel"]
    assert [each.question for each in state.gates("trip")] == ["May we spend it?"]
    assert state.vision("trip", "codex-1").summary == "Go by train."
    assert len(hand_commits(lab)) == 1
    lab.assert_sound()


def test_a_document_in_a_folder_without_a_goal_waits_for_the_goal(lab: Lab) -> None:
    lab.save("goals/trip/todos/book.md", "# Book the hotel\n")
    assert waiting(lab) == {"goals/trip/todos/book.md": ["goal-unknown"]}
    assert lab.read("goals/trip/todos/book.md") == b"# Book the hotel\n"
    lab.save("goals/trip/goal.md", "# A week away\n")
    assert waiting(lab) == {}
    assert "Book the hotel" in {each.title for each in lab.todos().values()}


def test_an_equal_title_is_adopted_with_a_warning(lab: Lab, todo: str) -> None:
    lab.save(NEW, "# Write the guide\n")
    assert "title-equal" in {each.code for each in lab.look().warnings}
    assert len(lab.todos()) == 2


# moves ---------------------------------------------------------------------------------------------


def test_a_renamed_file_is_the_same_todo(lab: Lab, todo: str) -> None:
    old, new = lab.path_of(todo), "goals/beta/todos/Guide.md"
    os.rename(lab.root / old, lab.root / new)
    lab.clock.wait(5)
    assert list(lab.todos()) == [todo]
    assert waiting(lab) == {}
    assert not any(subject.startswith("todo: delete") for subject in lab.subjects())
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    assert b"priority: p0" in lab.read(new)
    lab.assert_sound()


def test_a_file_renamed_and_changed_in_one_go_is_a_move_with_an_edit(lab: Lab, todo: str) -> None:
    old, new = lab.path_of(todo), "goals/beta/todos/Guide.md"
    content = lab.read(old).replace(b"priority: p2", b"priority: p1")
    os.unlink(lab.root / old)
    lab.save(new, content)
    assert lab.todos()[todo].priority == "p1"
    assert lab.at_head(new) == content
    lab.assert_sound()


def test_a_file_moved_into_another_goals_folder_changes_goals(lab: Lab, todo: str) -> None:
    lab.goal("gamma")
    (lab.root / "goals/gamma/todos").mkdir()
    new = "goals/gamma/todos/guide.md"
    os.rename(lab.root / lab.path_of(todo), lab.root / new)
    lab.clock.wait(5)
    assert lab.todos()[todo].goal == "gamma"
    lab.assert_sound()


def test_two_files_that_swap_their_names_are_both_told_of_and_neither_becomes_the_other(lab: Lab, todo: str) -> None:
    other = lab.todo("Record the demo")
    one, two = lab.path_of(todo), lab.path_of(other)
    first, second = lab.read(one), lab.read(two)
    lab.save(one, second)
    lab.save(two, first)
    assert waiting(lab) == {each: ["field-machine-owned"] for each in (one, two)}
    assert "`id`" in lab.ws.edits()[0].problems[0].message
    assert lab.todos()[todo].title == "Write the guide"
    assert (lab.read(one), lab.read(two)) == (second, first)


def test_a_copy_beside_the_original_is_refused_and_names_the_original(lab: Lab, todo: str) -> None:
    shutil.copy(lab.root / lab.path_of(todo), lab.root / NEW)
    lab.clock.wait(5)
    assert waiting(lab) == {NEW: ["id-duplicate"]}
    assert "write-the-guide.md" in only_edit(lab).problems[0].message
    lab.change(NEW, f'id: "{todo}"\n', "")
    assert len(lab.todos()) == 2


def test_an_edit_saved_to_the_old_path_of_an_archived_todo_edits_the_archived_one(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.submit(CompleteTodo(todo=todo))
    typed = lab.read(path) + b"\nWhat we learned.\n"
    lab.submit(ArchiveTodo(todo=todo))
    assert not (lab.root / path).exists()
    lab.save(path, typed)
    lab.look()
    assert waiting(lab) == {}
    [archived] = lab.root.glob("goals/beta/archive/*/todos/*.md")
    assert archived.read_bytes().endswith(b"\nWhat we learned.\n")
    assert not (lab.root / path).exists()
    assert lab.todos()[todo].status is TodoStatus.DONE
    lab.assert_sound()


# absences ------------------------------------------------------------------------------------------


def test_a_file_that_is_briefly_gone_is_no_deletion(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    content = lab.read(path)
    os.unlink(lab.root / path)
    assert waiting(lab) == {path: ["document-absent"]}
    lab.save(path, content)
    assert waiting(lab) == {}
    os.unlink(lab.root / path)
    lab.clock.wait(0.5)
    assert waiting(lab) == {path: ["document-absent"]}
    assert todo in lab.todos()
    lab.save(path, content)
    assert hand_commits(lab) == []


def test_a_file_missing_in_two_passes_two_seconds_apart_is_deleted(lab: Lab, todo: str) -> None:
    os.unlink(lab.root / lab.path_of(todo))
    lab.look()
    lab.clock.wait(1)
    assert todo in lab.todos()
    lab.clock.wait(1.5)
    assert todo not in lab.todos()
    assert lab.subjects()[0].startswith("todo: delete")
    lab.assert_sound()


def test_an_absence_confirmed_by_name_is_deleted_at_once(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    os.unlink(lab.root / path)
    lab.ws.accept_edit(path, actor=ANN)
    assert todo not in lab.todos()


def test_discarding_an_absence_brings_the_file_back(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    content = lab.read(path)
    os.unlink(lab.root / path)
    lab.look()
    lab.ws.discard_edit(path, actor=ANN)
    assert lab.read(path) == content
    lab.clock.wait(10)
    assert todo in lab.todos()
    lab.assert_sound()


def test_a_deleted_file_that_is_put_back_asks_and_is_the_same_todo_again(lab: Lab, todo: str) -> None:
    """Nobody can tell a change of mind from an editor that still had the file open."""
    path = lab.path_of(todo)
    content = lab.read(path)
    os.unlink(lab.root / path)
    lab.ws.accept_edit(path, actor=ANN)
    lab.save(path, content)
    assert waiting(lab) == {path: ["edit-is-old-version"]}
    assert todo not in lab.todos()
    lab.ws.accept_edit(path, actor=ANN)
    assert lab.todos()[todo].title == "Write the guide"
    assert lab.read(path) == lab.at_head(path) == content
    lab.assert_sound()


def test_discarding_a_file_that_was_never_accepted_keeps_it_aside(lab: Lab, todo: str) -> None:
    lab.save(NEW, "---\ntitle: a: b\n---\n")
    kept = lab.ws.discard_edit(NEW, actor=ANN)
    assert not (lab.root / NEW).exists()
    assert lab.read(kept) == b"---\ntitle: a: b\n---\n"
    assert waiting(lab) == {}


def test_a_renamed_goal_folder_is_told_of_and_loses_nothing(lab: Lab, todo: str) -> None:
    os.rename(lab.root / "goals/beta", lab.root / "goals/gamma")
    for _ in range(3):
        lab.clock.wait(60)
        found = waiting(lab)
    assert found["goals/beta/goal.md"] == ["document-referenced"]
    assert found["goals/gamma/goal.md"] == ["field-value"]
    assert lab.todos()[todo].goal == "beta"
    os.rename(lab.root / "goals/gamma", lab.root / "goals/beta")
    lab.clock.wait(60)
    assert waiting(lab) == {}
    lab.assert_sound()


def test_an_agent_may_not_settle_what_a_person_typed(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    os.unlink(lab.root / path)
    for act in (lab.ws.accept_edit, lab.ws.discard_edit):
        with pytest.raises(LoopxError) as caught:
            act(path, actor=BOT)
        assert caught.value.code == "actor-not-permitted"
    assert todo in lab.todos()


def test_a_todo_others_depend_on_cannot_be_deleted_by_removing_its_file(lab: Lab, todo: str) -> None:
    lab.todo("Publish it", depends_on=(todo,))
    path = lab.path_of(todo)
    os.unlink(lab.root / path)
    lab.look()
    lab.clock.wait(3)
    assert waiting(lab) == {path: ["document-referenced"]}
    with pytest.raises(LoopxError) as caught:
        lab.ws.accept_edit(path, actor=ANN)
    assert caught.value.code == "document-referenced"
    assert todo in lab.todos()


def test_a_finished_todo_cannot_be_deleted_by_removing_its_file(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    lab.submit(CompleteTodo(todo=todo))
    os.unlink(lab.root / path)
    lab.look()
    lab.clock.wait(3)
    assert waiting(lab) == {path: ["document-closed"]}


def test_a_goal_with_work_in_it_cannot_be_deleted_by_removing_its_file(lab: Lab, todo: str) -> None:
    os.unlink(lab.root / "goals/beta/goal.md")
    lab.look()
    lab.clock.wait(3)
    assert waiting(lab) == {"goals/beta/goal.md": ["document-referenced"]}
    assert lab.look().state.goal("beta") is not None


def test_an_empty_goals_file_may_be_removed(lab: Lab) -> None:
    lab.goal()
    os.unlink(lab.root / "goals/beta/goal.md")
    lab.look()
    lab.clock.wait(3)
    assert lab.look().state.goal("beta") is None
    assert waiting(lab) == {}


def test_the_workspaces_own_file_is_never_deleted(lab: Lab, todo: str) -> None:
    os.unlink(lab.root / "workspace.yaml")
    for _ in range(3):
        lab.look()
        lab.clock.wait(10)
    assert list(waiting(lab)) == ["workspace.yaml"]
    lab.ws.discard_edit("workspace.yaml", actor=ANN)
    assert lab.read("workspace.yaml") == lab.at_head("workspace.yaml")
    assert waiting(lab) == {}


def test_everything_gone_at_once_is_no_deletion_until_confirmed_one_by_one(lab: Lab, todo: str) -> None:
    todos = [todo, *(lab.todo(f"Chapter {number}") for number in range(9))]
    contents = {lab.path_of(each): lab.read(lab.path_of(each)) for each in todos}
    head = lab.git("rev-parse", "HEAD")
    shutil.rmtree(lab.root / "goals/beta/todos")
    for _ in range(3):
        assert waiting(lab) == {each: ["mass-deletion"] for each in contents}
        lab.clock.wait(60)
    assert lab.git("rev-parse", "HEAD") == head
    confirmed, *_ = contents
    lab.ws.accept_edit(confirmed, actor=ANN)
    assert len(lab.todos()) == 9
    for path, content in contents.items():
        if path != confirmed:
            lab.save(path, content)
    assert waiting(lab) == {}
    assert len(lab.todos()) == 9
    lab.assert_sound()
