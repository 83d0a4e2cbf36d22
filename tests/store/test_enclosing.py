"""The project's own repository, which is only ever asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx.store.git.enclosing import last_commit_of, tracked_files
from tests.store.building import git
from tests.support.project import Project


def test_files_the_project_tracks_below_a_folder_are_listed(project: Project) -> None:
    for path in (".loopx/goals/é.md", ".loopx/a.md", "loopx.md"):
        project.write(path, "x")
    project.git("add", "--force", ".loopx", "loopx.md")
    before = project.snapshot()
    assert tracked_files(project.root, ".loopx") == [".loopx/a.md", ".loopx/goals/é.md"]
    assert tracked_files(project.root, "docs") == []
    assert last_commit_of(project.root, ".loopx") is None
    project.assert_untouched(before)


def test_a_folder_that_was_tracked_once_is_named_by_its_newest_commit_on_any_branch(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "old")
    project.write(".loopx/a.md", "x")
    project.git("add", "--force", ".loopx")
    project.git("commit", "--quiet", "--message=by mistake")
    project.git("checkout", "--quiet", "main")
    assert last_commit_of(project.root, ".loopx") == git(project.root, "rev-parse", "--short", "old")


def test_a_folder_that_is_no_repository_tracks_nothing(tmp_path: Path) -> None:
    assert tracked_files(tmp_path, ".loopx") == []
    assert last_commit_of(tmp_path, ".loopx") is None


@pytest.mark.usefixtures("no_git_identity")
def test_asking_takes_no_lock_and_needs_no_identity(project_without_identity: Path) -> None:
    (project_without_identity / ".git" / "index.lock").touch()
    assert tracked_files(project_without_identity, "a") == ["a"]


@pytest.fixture
def project_without_identity(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "a").touch()
    git(tmp_path, "add", "a")
    return tmp_path
