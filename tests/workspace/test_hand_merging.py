"""Edits made on a version that is no longer the newest: merged by ``rev``, or refused with both sides named."""

from __future__ import annotations

import re

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import EditTodo
from loopx.workspace.results import EditState
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import hand_commits, only_edit, waiting


@pytest.fixture
def todo(lab: Lab) -> str:
    lab.goal()
    return lab.todo("Write the guide", tags=("docs",), body="First line.\n\nLast line.")


def set_fields(lab: Lab, todo: str, **fields: object) -> None:
    lab.submit(EditTodo(todo=todo, fields=fields), actor=BOT)


def rev_of(content: bytes) -> str:
    found = re.search(rb'^rev: "(.*)"$', content, re.MULTILINE)
    assert found is not None
    return found.group(1).decode()


def without_rev(content: bytes) -> bytes:
    return re.sub(rb"^rev: .*\n", b"", content, flags=re.MULTILINE)


def test_a_buffer_loaded_before_a_command_is_merged_field_by_field(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    buffer = lab.read(path)
    set_fields(lab, todo, priority="p0")
    lab.save(path, buffer.replace(b"title: Write the guide", b"title: Write the whole guide"))
    found = lab.todos()[todo]
    assert (found.title, found.priority) == ("Write the whole guide", "p0")
    assert rev_of(lab.read(path)) != rev_of(buffer)
    assert lab.read(path) == lab.at_head(path)
    lab.assert_sound()


def test_a_buffer_older_than_three_commands_is_merged_all_the_same(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    buffer = lab.read(path)
    for fields in ({"priority": "p0"}, {"reason": "because"}, {"repository": "guide"}):
        set_fields(lab, todo, **fields)
    lab.save(path, buffer + b"\nTyped last.\n")
    found = lab.todos()[todo]
    assert (found.priority, found.reason, found.repository) == ("p0", "because", "guide")
    assert found.body.endswith("Typed last.")


def test_tags_are_a_set_and_both_sides_additions_and_removals_count(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    buffer = lab.read(path)
    lab.submit(EditTodo(todo=todo, add={"tags": ("urgent",)}), actor=BOT)
    lab.save(path, buffer.replace(b"- docs", b"- manual"))
    assert set(lab.todos()[todo].tags) == {"urgent", "manual"}


def test_bodies_are_merged_by_lines(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    buffer = lab.read(path)
    set_fields(lab, todo, body="First line, by the agent.\n\nLast line.")
    lab.save(path, buffer.replace(b"Last line.", b"Last line, by the person."))
    assert lab.todos()[todo].body == "First line, by the agent.\n\nLast line, by the person."


def test_the_same_change_on_both_sides_is_no_conflict(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    buffer = lab.read(path)
    set_fields(lab, todo, priority="p0")
    lab.save(path, buffer.replace(b"priority: p2", b"priority: p0"))
    assert waiting(lab) == {}
    assert lab.todos()[todo].priority == "p0"
    assert lab.read(path) == lab.at_head(path)


def conflict(lab: Lab, todo: str) -> tuple[str, bytes]:
    """The person and a command gave one field two values; the path and what the person saved."""
    path = lab.path_of(todo)
    typed = lab.read(path).replace(b"priority: p2", b"priority: p4") + b"Notes of mine.\n"
    set_fields(lab, todo, priority="p0")
    lab.save(path, typed)
    return path, typed


def test_two_values_of_one_field_are_refused_with_both_sides_named(lab: Lab, todo: str) -> None:
    path, typed = conflict(lab, todo)
    edit = only_edit(lab)
    assert (edit.path, edit.state) == (path, EditState.REFUSED)
    [problem] = edit.problems
    assert problem.code == "merge-conflict"
    assert problem.place is not None
    assert problem.place.line == 1 + typed.decode().split("\n").index("priority: p4")
    assert "p0" in problem.message
    assert "p4" in problem.message
    assert lab.read(path) == typed
    assert lab.todos()[todo].priority == "p0"


def test_discarding_a_conflict_puts_the_accepted_version_back_and_keeps_what_was_typed(lab: Lab, todo: str) -> None:
    path, typed = conflict(lab, todo)
    kept = lab.ws.discard_edit(path, actor=ANN)
    assert kept.startswith("local/discarded/")
    assert lab.read(kept) == typed
    assert lab.read(path) == lab.at_head(path)
    assert waiting(lab) == {}
    lab.assert_sound()


def test_accepting_a_conflict_takes_the_persons_text(lab: Lab, todo: str) -> None:
    path, _ = conflict(lab, todo)
    lab.ws.accept_edit(path, actor=ANN)
    found = lab.todos()[todo]
    assert found.priority == "p4"
    assert found.body.endswith("Notes of mine.")
    assert lab.read(path) == lab.at_head(path)
    assert waiting(lab) == {}
    lab.assert_sound()


def test_mending_a_conflict_in_the_file_is_enough(lab: Lab, todo: str) -> None:
    path, typed = conflict(lab, todo)
    lab.save(path, typed.replace(b"priority: p4", b"priority: p0"))
    assert waiting(lab) == {}
    found = lab.todos()[todo]
    assert (found.priority, found.body[-14:]) == ("p0", "Notes of mine.")


def test_two_changes_of_one_line_of_the_body_are_a_conflict(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    typed = lab.read(path).replace(b"First line.", b"First line, mine.")
    set_fields(lab, todo, body="First line, the agent's.\n\nLast line.")
    lab.save(path, typed)
    assert waiting(lab) == {path: ["merge-conflict"]}
    assert lab.read(path) == typed


def test_a_title_changed_here_and_a_removal_of_the_same_field_there_conflict(lab: Lab, todo: str) -> None:
    set_fields(lab, todo, reason="paper")
    path = lab.path_of(todo)
    typed = lab.read(path).replace(b"reason: paper", b"reason: more paper")
    set_fields(lab, todo, reason=None)
    lab.save(path, typed)
    assert waiting(lab) == {path: ["merge-conflict"]}


# rev -----------------------------------------------------------------------------------------------


def test_a_buffer_from_before_the_adoption_is_merged_and_keeps_the_id(lab: Lab, todo: str) -> None:
    path = "goals/beta/todos/note.md"
    lab.save(path, "# Call the printer\n")
    [made] = [each.id for each in lab.todos().values() if each.title == "Call the printer"]
    lab.save(path, "# Call the printer\n\nAsk for the price.\n")
    assert lab.todos()[made].body.endswith("Ask for the price.")
    assert f'id: "{made}"'.encode() in lab.read(path)
    set_fields(lab, made, priority="p0")
    lab.save(path, "# Call the printer\n\nAsk for the price.\nAsk when.\n")
    found = lab.todos()[made]
    assert found.priority == "p0"
    assert found.body.endswith("Ask when.")
    assert len(lab.todos()) == 2
    lab.assert_sound()


@pytest.mark.parametrize("key", ["rev", "id", "created_at"])
def test_a_machine_owned_line_that_was_removed_is_put_back(lab: Lab, todo: str, key: str) -> None:
    path = lab.path_of(todo)
    before = lab.read(path)
    kept = [line for line in before.decode().splitlines(keepends=True) if not line.startswith(f"{key}:")]
    lab.save(path, "".join(kept).replace("priority: p2", "priority: p1"))
    found = lab.todos()[todo]
    assert waiting(lab) == {}
    assert found.priority == "p1"
    assert f"{key}:".encode() in lab.read(path)
    assert sorted(lab.read(path).splitlines()) == sorted(before.replace(b"priority: p2", b"priority: p1").splitlines())
    lab.assert_sound()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rev", '"r-zzzzzzzz"'),
        ("id", '"t-zzzzzzzz"'),
        ("created_at", '"2020-01-01T00:00:00Z"'),
        ("successors", '["t-zzzzzzzz"]'),
    ],
)
def test_a_machine_owned_line_that_was_changed_is_refused_by_name(lab: Lab, todo: str, key: str, value: str) -> None:
    path = lab.path_of(todo)
    lines = [line for line in lab.read(path).decode().splitlines() if not line.startswith(f"{key}:")]
    lab.save(
        path, "\n".join([*lines[:3], f"{key}: {value}", *lines[3:]]).replace("priority: p2", "priority: p1") + "\n"
    )
    assert waiting(lab) == {path: ["field-machine-owned"]}
    problem = only_edit(lab).problems[0]
    assert key in problem.message
    assert problem.place is not None
    assert problem.place.line == 4
    assert lab.todos()[todo].priority == "p2"


# old versions --------------------------------------------------------------------------------------


def old_version(lab: Lab, todo: str) -> tuple[str, bytes]:
    """The file's bytes as they were before a command, saved again as a whole."""
    path = lab.path_of(todo)
    old = lab.read(path)
    set_fields(lab, todo, priority="p0")
    lab.save(path, old)
    return path, old


def test_the_bytes_of_an_older_version_as_a_whole_are_neither_merged_nor_overwritten(lab: Lab, todo: str) -> None:
    path, old = old_version(lab, todo)
    assert waiting(lab) == {path: ["edit-is-old-version"]}
    assert lab.read(path) == old
    assert lab.todos()[todo].priority == "p0"
    lab.clock.wait(60)
    assert waiting(lab) == {path: ["edit-is-old-version"]}


def test_accepting_an_older_version_goes_back_to_it_with_a_new_revision(lab: Lab, todo: str) -> None:
    path, old = old_version(lab, todo)
    lab.ws.accept_edit(path, actor=ANN)
    assert lab.todos()[todo].priority == "p2"
    assert without_rev(lab.read(path)) == without_rev(old)
    assert lab.read(path) == lab.at_head(path)
    assert waiting(lab) == {}
    lab.assert_sound()


def test_discarding_an_older_version_brings_the_newest_back(lab: Lab, todo: str) -> None:
    path, old = old_version(lab, todo)
    kept = lab.ws.discard_edit(path, actor=ANN)
    assert lab.read(kept) == old
    assert b"priority: p0" in lab.read(path)
    assert waiting(lab) == {}


def test_an_edit_that_takes_back_somebody_elses_change_says_so(lab: Lab, todo: str) -> None:
    path = lab.path_of(todo)
    set_fields(lab, todo, priority="p0")
    lab.save(path, lab.read(path).replace(b"priority: p0", b"priority: p2") + b"\nNot that urgent.\n")
    assert "edit-reverts" in {each.code for each in lab.look().warnings}
    assert lab.todos()[todo].priority == "p2"


# two people ----------------------------------------------------------------------------------------


def test_two_people_who_change_different_fields_both_get_theirs(lab: Lab, todo: str) -> None:
    """One works at the terminal, the other in an editor with a buffer from before."""
    path = lab.path_of(todo)
    buffer = lab.read(path)
    lab.submit(EditTodo(todo=todo, fields={"title": "Write the manual"}), actor=ANN)
    lab.save(path, buffer.replace(b"priority: p2", b"priority: p1"))
    found = lab.todos()[todo]
    assert (found.title, found.priority) == ("Write the manual", "p1")
    authors = lab.git("log", "-2", "--format=%an").split("\n")[:2]
    assert authors == ["Test Person", "Test Person"]


def test_of_two_editors_the_later_save_counts_and_what_it_takes_back_is_said(lab: Lab, todo: str) -> None:
    """A hand edit leaves ``rev`` alone, so the second save is read as made on the first."""
    path = lab.path_of(todo)
    buffer = lab.read(path)
    lab.save(path, buffer.replace(b"Write the guide", b"Write the manual"))
    assert lab.todos()[todo].title == "Write the manual"
    lab.save(path, buffer.replace(b"priority: p2", b"priority: p1"))
    assert "edit-reverts" in {each.code for each in lab.look().warnings}
    found = lab.todos()[todo]
    assert (found.title, found.priority) == ("Write the guide", "p1")
    assert len(hand_commits(lab)) == 2


def test_an_unknown_path_has_nothing_to_accept_or_discard(lab: Lab, todo: str) -> None:
    for act in (lab.ws.accept_edit, lab.ws.discard_edit):
        with pytest.raises(LoopxError) as caught:
            act(lab.path_of(todo), actor=ANN)
        assert caught.value.code == "edit-unknown"
