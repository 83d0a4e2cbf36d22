"""`loopx check` and what it knows beyond unreadable files; what a newer version wrote is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import EditTodo
from loopx.workspace.discovery import find
from tests.support.lab import ANN, ENVIRONMENT, Lab


def codes(lab: Lab) -> dict[str, str]:
    """Code to place of everything `check` finds, problems and warnings alike."""
    report = lab.ws.check()
    return {each.code: str(each.place) for each in (*report.problems, *report.warnings)}


def test_a_clean_workspace_has_nothing_to_say(lab: Lab) -> None:
    lab.goal()
    lab.todo("One")
    report = lab.ws.check()
    assert (report.problems, report.warnings, report.documents) == ((), (), 3)


def test_B10_a_file_named_after_another_id_is_told(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Renamed")
    path = lab.path_of(todo)
    os.rename(lab.root / path, lab.root / "goals/beta/todos/t-00000001-renamed.md")
    lab.clock.wait(5)
    assert lab.todos()[todo].title == "Renamed"
    assert codes(lab) == {"document-name": "goals/beta/todos/t-00000001-renamed.md"}


def test_a_flag_that_hides_changes_is_told(lab: Lab) -> None:
    lab.goal()
    lab.git("update-index", "--skip-worktree", "goals/beta/goal.md")
    assert codes(lab) == {"file-hidden": "goals/beta/goal.md"}


def test_a_linked_document_is_refused_rather_than_replaced(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Linked")
    path = lab.path_of(todo)
    elsewhere = lab.project.root.parent / "elsewhere.md"
    os.rename(lab.root / path, elsewhere)
    (lab.root / path).symlink_to(elsewhere)
    assert codes(lab) == {"document-link": path}
    lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    assert (lab.root / path).is_symlink()
    assert lab.todos()[todo].priority == "p0"


def test_a_tracked_workspace_is_told(tmp_path: Path) -> None:
    lab = Lab.make(tmp_path / "tracked")
    assert codes(lab) == {}
    lab.project.git("-c", "advice.addEmbeddedRepo=false", "add", "--force", ".loopx")
    assert codes(lab) == {"workspace-tracked": ".loopx"}
    lab.project.git("commit", "--quiet", "--message=by accident")
    lab.project.git("rm", "--quiet", "-f", "--cached", ".loopx")
    assert codes(lab) == {"workspace-tracked": ".loopx"}  # it is still in the project's history
    lab.close()


def test_a_write_protected_file_is_respected(lab: Lab) -> None:
    lab.goal()
    todo = lab.todo("Protected")
    path = lab.path_of(todo)
    os.chmod(lab.root / path, 0o444)
    before = lab.read(path), lab.subjects()
    with pytest.raises(LoopxError) as error:
        lab.submit(EditTodo(todo=todo, fields={"priority": "p0"}))
    assert error.value.code == "file-read-only"
    assert (lab.read(path), lab.subjects()) == before
    lab.assert_sound()


def test_files_of_a_newer_version_are_read_and_not_written(lab: Lab) -> None:
    """The commit is made by hand, as a newer LoopX would have: then this one must leave it alone."""
    lab.goal()
    content = lab.read("workspace.yaml").replace(b"version: 1", b"version: 2")
    written = lab.ws.store.write(lab.ws.store.head(), [_draft(lab, content)])
    lab.ws.store.publish(written[0].oid, lab.ws.store.head())
    lab.ws.store.admit(written[0].oid)
    (lab.root / "workspace.yaml").write_bytes(content)
    lab.restart()
    with pytest.raises(LoopxError) as error:
        lab.todo("Too old for this")
    assert error.value.code == "workspace-version"
    assert [each.id for each in lab.look().state.goals()] == ["beta"]
    assert lab.git("rev-parse", "HEAD").strip() == written[0].oid


def _draft(lab: Lab, content: bytes):  # type: ignore[no-untyped-def]
    from loopx.store.protocol import Draft, Signature

    ann = Signature("Ann", "ann@example.invalid")
    return Draft({"workspace.yaml": content}, "workspace: upgrade\n", ann, ann, lab.clock.now())


def test_a_rollback_to_what_is_there_changes_nothing(lab: Lab) -> None:
    lab.goal()
    done = lab.ws.roll_back("HEAD", reason="to be sure", actor=ANN)
    assert [each.code for each in done.committed.warnings] == ["rollback-nothing"]
    assert done.committed.revision is None
    assert not any("rollback" in each for each in lab.subjects())


def test_a_folder_of_another_tool_is_no_workspace(lab: Lab, tmp_path) -> None:  # type: ignore[no-untyped-def]
    other = tmp_path / "other"
    (other / ".loopx").mkdir(parents=True)
    (other / ".loopx" / "registry.json").write_text("{}")
    for named in (None, str(other)):
        with pytest.raises(LoopxError) as error:
            find(other, named, ENVIRONMENT)
        assert error.value.code == ("workspace-missing" if named is None else "workspace-foreign")


def test_undo_with_nothing_to_undo_says_so(lab: Lab) -> None:
    with pytest.raises(LoopxError) as error:
        lab.ws.undo(actor=ANN)
    assert error.value.code == "undo-nothing"
