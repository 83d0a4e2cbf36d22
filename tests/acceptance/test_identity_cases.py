"""Who a document is: ids that collide, are copied, folded, reused or pointed at in vain, and two machines that met.
Named after the cases."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopx.kernel.commands import AddTodo, ArchiveTodo, CompleteTodo, EditTodo
from loopx.workspace import Workspace
from loopx.workspace.clock import RandomIds
from tests.support.console import Console
from tests.support.lab import ANN, ENVIRONMENT, Lab
from tests.support.project import Project


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab.make(tmp_path / "lab")
    before = made.project.snapshot()
    made.goal()
    yield made
    made.close()
    made.project.assert_untouched(before)


@pytest.fixture
def ask(lab: Lab) -> Console:
    return Console(lab)


def codes(ask: Console, code: int = 1) -> dict[str, list[str]]:
    """Path to codes of what ``check`` finds wrong."""
    found: dict[str, list[str]] = {}
    for each in ask("check", "--json").expect(code).json["data"]["problems"]:
        found.setdefault(each["place"]["path"], []).append(each["code"])
    return found


def listed(ask: Console) -> list[str]:
    return [each["id"] for each in ask("todo", "list", "--all", "--json").expect().json["data"]["todos"]]


@pytest.fixture
def other_machine(lab: Lab) -> Iterator[Callable[[], Lab]]:
    """Copies the project, as it is when asked, to another machine as far as LoopX goes."""
    made: list[Lab] = []

    def copied() -> Lab:
        lab.close()
        root = lab.project.root.with_name("elsewhere")
        shutil.copytree(lab.project.root, root, symlinks=True)
        made.append(Lab(Project(root), lab.clock))
        made[-1].restart()
        lab.restart()
        return made[-1]

    yield copied
    for each in made:
        each.close()


def pull(lab: Lab, other: Lab) -> None:
    """What ``git pull`` does in ``.loopx/``."""
    lab.git("pull", "--quiet", "--no-rebase", "--no-edit", str(other.root), "main")


# two machines --------------------------------------------------------------------------------------


def test_B01_todos_added_on_two_machines_never_share_an_id_and_both_survive_a_pull(
    lab: Lab, ask: Console, other_machine: Callable[[], Lab]
) -> None:
    other = other_machine()
    mine = {lab.todo(f"Here {number}") for number in range(5)}
    theirs = {other.todo(f"There {number}") for number in range(5)}
    assert not mine & theirs
    pull(lab, other)
    assert set(listed(ask)) == mine | theirs
    assert codes(ask, 0) == {}
    lab.assert_sound()


def test_B02_the_same_todo_on_two_machines_is_one_todo_and_the_changed_one_counts(
    lab: Lab, ask: Console, other_machine: Callable[[], Lab]
) -> None:
    todo = lab.todo("Shared")
    other = other_machine()
    pull(lab, other)
    assert listed(ask) == [todo]
    other.change(other.path_of(todo), "priority: p2", "priority: p0")
    other.look()
    pull(lab, other)
    assert listed(ask) == [todo]
    assert ask("todo", "show", todo, "--json").expect().json["data"]["priority"] == "p0"
    assert codes(ask, 0) == {}


def test_B04_a_pull_from_a_machine_that_never_saw_a_todo_does_not_delete_it(
    lab: Lab, ask: Console, other_machine: Callable[[], Lab]
) -> None:
    other = other_machine()
    mine, theirs = lab.todo("Only here"), other.todo("Only there")
    pull(lab, other)
    assert set(listed(ask)) == {mine, theirs}
    assert not any("delete" in subject for subject in lab.subjects())


def test_B05_a_deletion_elsewhere_arrives_and_the_history_stays_reachable(
    lab: Lab, ask: Console, other_machine: Callable[[], Lab]
) -> None:
    gone, edited = lab.todo("To be dropped"), lab.todo("To be edited")
    other = other_machine()
    path = other.path_of(gone)
    os.unlink(other.root / path)
    other.ws.accept_edit(path, actor=ANN)
    lab.submit(EditTodo(todo=edited, fields={"priority": "p0"}))
    pull(lab, other)
    assert listed(ask) == [edited]
    assert codes(ask, 0) == {}
    assert gone in ask("log", gone).expect().out
    assert "To be dropped" in lab.git(
        "show", f"{lab.git('rev-list', '--max-count=1', '--all', '--', path).strip()}^:{path}"
    )
    lab.assert_sound()


def test_B06_a_deletion_here_and_an_edit_there_is_shown_and_the_edit_is_kept_until_decided(
    lab: Lab, ask: Console, other_machine: Callable[[], Lab]
) -> None:
    todo = lab.todo("Contested")
    path = lab.path_of(todo)
    other = other_machine()
    other.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    os.unlink(lab.root / path)
    lab.ws.accept_edit(path, actor=ANN)
    with pytest.raises(AssertionError, match="git pull"):
        pull(lab, other)
    refused = ask("todo", "add", "Meanwhile", "--goal", "beta")
    assert refused.code == 4
    assert "repository-busy" in refused.err
    assert b"priority: p0" in lab.read(path)
    ask("todo", "list").expect()
    lab.git("add", path)
    lab.git("commit", "--quiet", "--no-edit")
    assert codes(ask) == {path: ["id-reused"]}
    assert b"priority: p0" in lab.read(path)


def test_B12_tags_added_by_a_command_and_in_an_editor_are_united(lab: Lab, ask: Console) -> None:
    todo = lab.todo("Tagged", tags=("a",))
    path = lab.path_of(todo)
    buffer = lab.read(path)
    ask("todo", "edit", todo, "--add", "tags=by-command").expect()
    lab.save(path, buffer.replace(b"- a", b"- a\n  - by-hand"))
    assert set(ask("todo", "show", todo, "--json").expect().json["data"]["tags"]) == {"a", "by-command", "by-hand"}
    assert codes(ask, 0) == {}


def test_B12_one_todo_edited_on_two_machines_is_a_conflict_git_shows_and_check_names(
    lab: Lab, ask: Console, other_machine: Callable[[], Lab]
) -> None:
    todo = lab.todo("Tagged", tags=("a",))
    path = lab.path_of(todo)
    other = other_machine()
    lab.submit(EditTodo(todo=todo, add={"tags": ("here",)}))
    other.submit(EditTodo(todo=todo, add={"tags": ("there",)}))
    with pytest.raises(AssertionError, match="git pull"):
        pull(lab, other)
    told = ask("todo", "list").expect()
    assert "busy" in told.err
    mine = lab.git("show", f":2:{path}")
    lab.save(path, mine.replace("  - here\n", "  - here\n  - there\n"))
    lab.git("add", path)
    lab.git("commit", "--quiet", "--no-edit")
    assert set(ask("todo", "show", todo, "--json").expect().json["data"]["tags"]) == {"a", "here", "there"}
    lab.assert_sound()


# copies --------------------------------------------------------------------------------------------


def test_B03_of_two_files_with_one_id_the_one_others_refer_to_keeps_it(lab: Lab, ask: Console) -> None:
    first = lab.todo("Draft")
    after = lab.todo("Print", depends_on=(first,))
    copy = "goals/beta/todos/a-copy.md"
    lab.save(copy, lab.read(lab.path_of(first)).replace(b"title: Draft", b"title: Second draft"))
    assert codes(ask) == {copy: ["id-duplicate"]}
    assert "Delete the `id:` line" in ask("check").out
    lab.change(copy, f'id: "{first}"\n', "")
    found = lab.todos()
    assert len(found) == 3
    assert found[after].depends_on == (first,)
    assert found[first].title == "Draft"
    assert codes(ask, 0) == {}


def test_B10_a_copied_file_and_a_renamed_one_are_both_told_apart_by_the_id_inside(lab: Lab, ask: Console) -> None:
    first, second = lab.todo("Draft"), lab.todo("Print")
    copy, renamed = "goals/beta/todos/t-00000007-draft.md", "goals/beta/todos/t-00000008-print.md"
    shutil.copy(lab.root / lab.path_of(first), lab.root / copy)
    os.rename(lab.root / lab.path_of(second), lab.root / renamed)
    lab.clock.wait(5)
    assert codes(ask) == {copy: ["id-duplicate"]}
    warned = {each["place"]["path"]: each["code"] for each in ask("check", "--json").json["data"]["warnings"]}
    assert warned[renamed] == "document-name"
    assert sorted(listed(ask)) == sorted((first, second))
    ask("todo", "edit", first, "--priority", "p0").expect()
    assert b"priority: p0" not in lab.read(copy)


def test_B11_an_id_in_the_archive_and_among_the_open_ones_is_listed_once_and_told_of(lab: Lab, ask: Console) -> None:
    todo = lab.todo("Draft")
    lab.submit(CompleteTodo(todo=todo))
    lab.submit(ArchiveTodo(todo=todo))
    [archived] = lab.root.glob("goals/beta/archive/*/todos/*.md")
    copy = "goals/beta/todos/back-again.md"
    lab.save(copy, archived.read_bytes())
    assert codes(ask) == {copy: ["id-duplicate"]}
    assert listed(ask) == [todo]
    assert ask("todo", "show", todo, "--json").expect().json["data"]["status"] == "done"


# ids -----------------------------------------------------------------------------------------------


def test_B07_ids_that_begin_alike_are_both_addressable_and_outlive_the_index(lab: Lab, ask: Console) -> None:
    for name in ("t-aaaaaaa2", "t-aaaaaab3"):
        lab.save(f"goals/beta/todos/{name}.md", f'---\nid: "{name}"\ntitle: Todo {name[-1]}\n---\n')
    for _ in range(2):
        assert ask("todo", "show", "t-aaaaaaa2", "--json").expect().json["data"]["title"] == "Todo 2"
        assert ask("todo", "show", "t-aaaaaab", "--json").expect().json["data"]["title"] == "Todo 3"
        ambiguous = ask("todo", "show", "t-aaaaaa").expect(1)
        assert "id-ambiguous" in ambiguous.err
        assert "t-aaaaaaa2" in ambiguous.err
        assert "t-aaaaaab3" in ambiguous.err
        for file in (lab.root / "local").glob("cache.sqlite*"):
            file.unlink()


@dataclass
class Stuttering:
    """An id source that says some ids again before it says new ones."""

    again: list[str]
    source: RandomIds

    def fresh(self, prefix: str) -> str:
        if prefix == "t" and self.again:
            return self.again.pop(0)
        return self.source.fresh(prefix)


def test_B08_an_id_that_was_drawn_before_is_drawn_again(lab: Lab, ask: Console) -> None:
    taken = lab.todo("First")
    lab.ws.close()
    ids = Stuttering([taken, taken], RandomIds())
    with Workspace.find(lab.project.root, environ=ENVIRONMENT, clock=lab.clock, ids=ids) as ws:
        made = ws.submit(AddTodo(goal="beta", title="Second"), actor=ANN).receipt.result["id"]
    lab.restart()
    assert ids.again == []
    assert made != taken
    assert sorted(listed(ask)) == sorted((taken, str(made)))


def test_B08_duplicates_that_came_by_plain_git_are_caught_by_check(lab: Lab, ask: Console) -> None:
    todo = lab.todo("First")
    copy = "goals/beta/todos/planted.md"
    lab.save(copy, lab.read(lab.path_of(todo)))
    lab.git("add", copy)
    lab.git("commit", "--quiet", "--message=planted")
    assert codes(ask) == {copy: ["id-duplicate"]}
    assert listed(ask) == [todo]
    assert (lab.root / copy).exists()


@pytest.mark.parametrize("spelling", [str.upper, str.title, lambda each: each.replace("t-", "T-")])
def test_B09_an_id_is_found_however_its_letters_are_written(lab: Lab, ask: Console, spelling: object) -> None:
    todo = lab.todo("First")
    found = ask("todo", "show", spelling(todo), "--json").expect()  # type: ignore[operator]
    assert found.json["data"]["id"] == todo


def test_B09_ids_in_a_file_are_folded_like_those_of_a_command(lab: Lab, ask: Console) -> None:
    first, second = lab.todo("First"), lab.todo("Second")
    lab.change(lab.path_of(second), "priority: p2", f'priority: p2\ndepends_on: ["{first.upper()}"]')
    assert codes(ask, 0) == {}
    assert lab.todos()[second].depends_on == (first,)


def test_B09_names_of_agents_have_one_spelling(lab: Lab, ask: Console) -> None:
    todo = lab.todo("First")
    for actor in ("agent:Codex 1", "agent:codex\uff11", "agent: "):
        refused = ask("todo", "claim", todo, "--actor", actor)
        assert refused.code in (1, 2), actor
    ask("todo", "claim", todo, "--actor", "agent:codex-1").expect()
    again = ask("todo", "claim", todo, "--actor", "agent:CODEX-1")
    assert again.code == 2
    assert "lower-case" in again.err
    assert ask("todo", "show", todo, "--json").expect().json["data"]["claimed_by"] == "codex-1"


def test_B15_the_id_of_a_deleted_todo_is_never_given_again(lab: Lab, ask: Console) -> None:
    gone = lab.todo("To be dropped")
    path = lab.path_of(gone)
    content = lab.read(path)
    os.unlink(lab.root / path)
    lab.ws.accept_edit(path, actor=ANN)
    new = "goals/beta/todos/new.md"
    lab.save(new, f'---\nid: "{gone}"\ntitle: Something else\n---\n')
    assert codes(ask) == {new: ["id-reused"]}
    lab.close()
    for file in (lab.root / "local").glob("cache.sqlite*"):
        file.unlink()
    assert codes(ask) == {new: ["id-reused"]}
    lab.restart()
    assert lab.read(new) != content


# references ----------------------------------------------------------------------------------------


def test_B14_waiting_for_what_never_comes_is_named_with_a_repair_and_needs_somebody(lab: Lab, ask: Console) -> None:
    watching = ("--class", "monitor", "--target", "https://example.org/price", "--cadence", "1d")
    ask("todo", "add", "Watch the price", "--goal", "beta", *watching).expect()
    [monitor] = listed(ask)
    dropped = lab.todo("To be dropped")
    stuck = {lab.todo("Buy it", depends_on=(monitor,)): monitor, lab.todo("Sell it", depends_on=(dropped,)): dropped}
    stuck[lab.todo("Later")] = dropped
    ask("todo", "defer", list(stuck)[-1], "--until", f"todo_done:{dropped}").expect()
    ask("todo", "cancel", dropped, "--reason", "no need").expect()
    told = ask("check", "--json").expect().json["data"]["warnings"]
    assert {each["place"]["path"]: each["code"] for each in told} == {
        lab.path_of(each): "condition-dead" for each in stuck
    }
    needed = {each["id"]: each for each in ask("status", "--json").expect().json["data"]["needs_you"]}
    assert needed.keys() == stuck.keys()
    for todo, cause in stuck.items():
        assert cause in needed[todo]["why"][0]
        assert "depend on something else" in needed[todo]["why"][0]
        assert cause in ask("why", todo).text


def test_B14_a_circle_is_refused_by_command_and_by_hand(lab: Lab, ask: Console) -> None:
    first = lab.todo("First")
    second = lab.todo("Second", depends_on=(first,))
    refused = ask("todo", "edit", first, "--set", f"depends_on={second}").expect(1)
    assert "dependency-cycle" in refused.err
    path = lab.path_of(first)
    lab.change(path, "priority: p2", f'priority: p2\ndepends_on: ["{second}"]')
    assert codes(ask) == {path: ["dependency-cycle"]}
    assert first in ask("check").out


def test_B14_a_reference_to_nothing_is_named(lab: Lab, ask: Console) -> None:
    first = lab.todo("First")
    path = lab.path_of(first)
    lab.change(path, "priority: p2", 'priority: p2\ndepends_on: ["t-zzzzzzzz"]')
    assert codes(ask) == {path: ["todo-unknown"]}
    assert "t-zzzzzzzz" in ask("status").expect(1).out


def test_B13_what_belongs_to_one_machine_is_never_in_history(lab: Lab, ask: Console) -> None:
    lab.todo("First")
    ask("status", "--render").expect()
    (lab.root / "local" / "note.txt").write_text("mine")
    lab.git("add", "--all")
    tracked = lab.git("ls-files").splitlines()
    assert not [each for each in tracked if each.startswith(("local/", "status/"))]
    assert not [each for each in lab.git("log", "--format=", "--name-only").splitlines() if each.startswith("local/")]
