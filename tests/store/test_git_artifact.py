"""The files of a project as an artifact digest takes them: tracked, changed and new ones, and no others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx.store.git.artifact import changed_since, commit_of, digest_of, project_files, remotes_of, submodules_of
from tests.store.building import git
from tests.support.project import Project


def digest(project: Project, *patterns: str) -> str:
    files = project_files(project.root, patterns)
    assert files is not None
    return digest_of(files)


def commit_all(project: Project) -> None:
    project.git("add", "--all")
    project.git("commit", "--quiet", "--allow-empty", "--message=work")


def write(project: Project) -> None:
    project.write("app.py", "x = 2\n")


def add_beside(project: Project) -> None:
    project.write("new.py", "")


def delete(project: Project) -> None:
    (project.root / "app.py").unlink()


def rename(project: Project) -> None:
    (project.root / "app.py").rename(project.root / "main.py")


def rename_by_git(project: Project) -> None:
    project.git("mv", "app.py", "main.py")


def make_executable(project: Project) -> None:
    (project.root / "app.py").chmod(0o755)


def make_a_link(project: Project) -> None:
    delete(project)
    (project.root / "app.py").symlink_to("elsewhere")


def make_a_folder(project: Project) -> None:
    delete(project)
    project.write("app.py/inner.py", "x = 1\n")


def write_line_ends(project: Project) -> None:
    project.write("app.py", "x = 1\r\n")


def stage(project: Project) -> None:
    write(project)
    project.git("add", "app.py")


def intend_to_add(project: Project) -> None:
    add_beside(project)
    project.git("add", "--intent-to-add", "new.py")


def name_with_anything(project: Project) -> None:
    project.write('a b/é "x"\n[1]\\*.md', "text")


def empty_the_file(project: Project) -> None:
    project.write("app.py", "")


CHANGES = (
    write, add_beside, delete, rename, rename_by_git, make_executable, make_a_link, make_a_folder, write_line_ends,
    stage, intend_to_add, name_with_anything, empty_the_file,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.__name__)
def test_any_change_shows_and_committing_it_shows_nothing_more(
    project: Project, change: Callable[[Project], None]
) -> None:
    before = digest(project)
    change(project)
    changed = digest(project)
    assert changed != before
    commit_all(project)
    assert digest(project) == changed


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.__name__)
def test_undoing_a_change_undoes_the_difference(project: Project, change: Callable[[Project], None]) -> None:
    before = digest(project)
    change(project)
    commit_all(project)
    project.git("revert", "--no-edit", "HEAD")
    assert digest(project) == before


def test_asking_changes_nothing_and_waits_for_no_lock(project: Project) -> None:
    write(project)
    (project.root / ".git" / "index.lock").touch()
    before = project.snapshot()
    digest(project)
    assert commit_of(project.root) is not None and remotes_of(project.root) == []
    project.assert_untouched(before)


def test_what_git_ignores_and_what_loopx_keeps_never_counts(project: Project) -> None:
    project.write(".gitignore", "build/\n")
    before = digest(project)
    for path in ("build/out", ".loopx/goals/a.md", ".local/x", "lib/.loopx/y"):
        project.write(path, "x")
    assert digest(project) == before
    project.git("add", "--force", ".local/x")
    assert digest(project) == before


def test_a_modification_of_equal_size_and_time_is_seen(project: Project) -> None:
    file = project.root / "app.py"
    before, was = digest(project), file.stat()
    file.write_text("x = 7\n")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert digest(project) != before


def test_only_what_a_pattern_names_counts(project: Project) -> None:
    for path in ("docs/a.md", "docs/deep/b.md", "src/c.py", "src/[x].py"):
        project.write(path, path)
    found = {
        pattern: sorted(project_files(project.root, [pattern]) or ())
        for pattern in ("docs", "docs/**", "docs/*", "./docs/", "**/*.md", "*.py", "src/[x].py", "src/[", "", "../..")
    }
    inside = ["docs/a.md", "docs/deep/b.md"]
    every = ["app.py", *inside, "src/[x].py", "src/c.py"]
    assert found == {
        "docs": inside, "docs/**": inside, "docs/*": inside, "./docs/": inside, "**/*.md": inside,
        "*.py": ["app.py"], "src/[x].py": ["src/[x].py"], "src/[": [], "": every, "../..": every,
    }  # fmt: skip


@pytest.mark.parametrize(
    "pattern", ["docs/guide/**", "docs/guide/first.md", "docs/guide", "docs/**/*.md", "docs/*/fir*"]
)
def test_a_pattern_that_names_a_deep_folder_sees_what_lies_there(project: Project, pattern: str) -> None:
    project.write("docs/guide/first.md", "one\n")
    project.write("docs/guide/__pycache__/x", "")
    before = digest(project, pattern)
    assert list(project_files(project.root, (pattern,)) or ()) == ["docs/guide/first.md"]
    commit_all(project)
    assert digest(project, pattern) == before
    commit = commit_of(project.root) or ""
    project.write("docs/guide/first.md", "two\n")
    assert digest(project, pattern) != before
    assert changed_since(project.root, commit, (pattern,)) == [("M", "docs/guide/first.md")]


def test_a_submodule_counts_by_everything_in_it(project: Project, tmp_path: Path) -> None:
    other = Project.make(tmp_path / "other")
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "libs/other")
    commit_all(project)
    assert submodules_of(project.root) == ["libs/other"]
    before = digest(project)
    inner = Project(project.root / "libs/other")
    inner.write("app.py", "x = 9\n")
    dirty = digest(project)
    assert dirty != before
    commit_all(inner)
    assert digest(project) == dirty
    commit_all(project)
    assert digest(project) == dirty


def test_a_repository_nobody_added_counts_by_everything_in_it(project: Project) -> None:
    Project.make(project.root / "vendored")
    before = digest(project)
    project.write("vendored/app.py", "x = 9\n")
    changed = digest(project)
    assert changed != before
    assert list(project_files(project.root, ["vendored/app.py"], ["vendored"]) or ()) == ["vendored"]
    commit_all(Project(project.root / "vendored"))
    assert digest(project) == changed


def test_a_folder_of_a_larger_repository_is_the_project(project: Project) -> None:
    project.write("part/a.py", "a")
    part = Project(project.root / "part")
    before = digest(part)
    project.write("app.py", "x = 2\n")
    commit_all(project)
    assert digest(part) == before
    assert project_files(part.root) == {"a.py": f"100644 {git(project.root, 'rev-parse', 'HEAD:part/a.py')}"}


def test_a_folder_its_repository_ignores_is_unknown_to_it(project: Project) -> None:
    project.write(".gitignore", "part/\n")
    project.write("part/a.py", "a")
    assert project_files(project.root / "part") is None


def test_no_repository_can_tell_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert project_files(tmp_path) is None
    assert commit_of(tmp_path) is None
    assert remotes_of(tmp_path) is None


def test_a_repository_without_a_commit_knows_its_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a").touch()
    files = project_files(tmp_path)
    assert files == {"a": "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"} and commit_of(tmp_path) is None


def test_a_repository_that_names_objects_by_sha256_is_followed(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    (tmp_path / "a").write_text("x")
    before = project_files(tmp_path)
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "--quiet", "--message=x")
    assert project_files(tmp_path) == before
    (tmp_path / "b").write_text("y")
    beside = project_files(tmp_path)
    git(tmp_path, "add", "b")
    assert project_files(tmp_path) == beside


def test_a_conflict_counts_as_what_lies_on_disk(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "other")
    write(project)
    commit_all(project)
    project.git("checkout", "--quiet", "main")
    project.write("app.py", "x = 3\n")
    commit_all(project)
    with pytest.raises(AssertionError):
        project.git("merge", "--quiet", "other")
    before = digest(project)
    project.write("app.py", "x = 4\n")
    settled = digest(project)
    assert settled != before
    commit_all(project)
    assert digest(project) == settled


def test_a_pipe_in_place_of_a_file_is_not_waited_for(project: Project) -> None:
    delete(project)
    gone = digest(project)
    os.mkfifo(project.root / "app.py")
    assert digest(project) == gone


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_nobody_may_read_never_passes_for_unchanged(project: Project) -> None:
    file = project.write("secret", "one")
    file.chmod(0)
    before = digest(project)
    file.chmod(0o600)
    file.write_text("three")
    file.chmod(0)
    assert digest(project) != before


def test_settings_of_the_repository_change_no_digest(project: Project) -> None:
    make_executable(project)
    before = digest(project)
    for name, value in (("core.fileMode", "false"), ("core.fsmonitor", "true"), ("core.quotePath", "true")):
        project.git("config", name, value)
    assert digest(project) == before


def test_remotes_are_listed(project: Project) -> None:
    project.git("remote", "add", "origin", "git@example.org:ann/lab.git")
    assert remotes_of(project.root) == ["git@example.org:ann/lab.git"]


def test_what_differs_from_a_commit_is_told_with_what_nobody_added(project: Project) -> None:
    first = commit_of(project.root)
    assert first is not None and changed_since(project.root, first) == []
    project.write("docs/é a.md", "text")
    commit_all(project)
    write(project)
    project.write("docs/b.md", "text")
    (project.root / "docs" / "é a.md").unlink()
    assert changed_since(project.root, first) == [("A", "docs/b.md"), ("M", "app.py")]
    assert changed_since(project.root, first, ["docs/**"]) == [("A", "docs/b.md")]
    second = commit_of(project.root)
    assert second is not None
    delete(project)
    assert changed_since(project.root, second) == [("A", "docs/b.md"), ("D", "app.py"), ("D", "docs/é a.md")]


def test_what_differs_is_told_by_paths_below_the_project(project: Project) -> None:
    first = commit_of(project.root)
    project.write("part/a.py", "a")
    project.write("app.py", "x = 2\n")
    commit_all(project)
    assert first is not None and changed_since(project.root / "part", first) == [("A", "a.py")]


def test_a_commit_nobody_knows_any_more_tells_nothing(project: Project) -> None:
    assert changed_since(project.root, "0" * 39 + "1") is None


def test_what_tools_leave_behind_counts_neither_before_nor_after_it_is_committed(project: Project) -> None:
    before = digest(project)
    for path in ("__pycache__/a.pyc", "pkg/__pycache__/b.pyc", ".pytest_cache/v", ".coverage", "docs/.DS_Store"):
        project.write(path, "x")
    assert digest(project) == before
    commit_all(project)
    assert digest(project) == before
