"""What of the surroundings reaches our Git, and what never does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from loopx.store.git.environment import overrides, plumbing, scrubbed
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git, land, place
from tests.support.clock import FakeClock

LEAKS = {
    "GIT_INDEX_FILE": "{elsewhere}/index",
    "GIT_WORK_TREE": "{elsewhere}",
    "GIT_DIR": "{elsewhere}/.git",
    "GIT_COMMON_DIR": "{elsewhere}/.git",
    "GIT_OBJECT_DIRECTORY": "{elsewhere}/.git/objects",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "{elsewhere}/.git/objects",
    "GIT_NAMESPACE": "other",
    "GIT_CEILING_DIRECTORIES": "/",
    "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
    "GIT_AUTHOR_NAME": "Somebody Else",
    "GIT_CONFIG_PARAMETERS": "'core.bare'='true'",
    "GIT_EXTERNAL_DIFF": "/bin/false",
    "GIT_TRACE": "1",
}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Another repository, which must never be touched."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "file").write_text("theirs")
    git(folder, "add", "file")
    git(folder, "commit", "-q", "-m", "theirs")
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", LEAKS)
def test_G09_a_leaked_variable_changes_neither_our_repository_nor_another(
    name: str, root: Path, repository: GitStore, elsewhere: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(elsewhere)
    first = land(repository, {"a": b"1"})
    place(root, {"a": b"1"})
    with monkeypatch.context() as leaking:
        leaking.setenv(name, LEAKS[name].format(elsewhere=elsewhere))
        store = GitStore(root, clock=clock)
        written = land(store, {"b/c": b"2"})
        assert "+2" in store.patch(first.oid, written.oid)
        assert store.resolve(written.oid[:10]) == written.oid
        assert store.fsck() == []
        store.close()
    place(root, {"b/c": b"2"})
    assert git(root, "rev-parse", "HEAD") == written.oid
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "log", "-1", "--format=%an %ct") == f"Ada {int(clock.now().timestamp())}"
    assert snapshot(elsewhere) == before


def test_a_store_set_up_inside_a_hook_of_the_project_is_its_own(
    tmp_path: Path, elsewhere: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loopx.store.git.setup import create

    before = snapshot(elsewhere)
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(elsewhere))
    store = create(tmp_path / "lab" / ".loopx", clock=clock)
    assert store.git_dir == tmp_path / "lab" / ".loopx" / ".git"
    assert not (store.git_dir / "file").exists()
    assert snapshot(elsewhere) == before


def test_variables_that_say_how_to_reach_git_pass_and_those_that_redirect_it_do_not() -> None:
    outside = {"PATH": "/bin", "GIT_EXEC_PATH": "/x", "GIT_SSH_COMMAND": "ssh -v", "GIT_DIR": "/y", "GIT_WHATEVER": "1"}
    assert scrubbed(outside) == {"PATH": "/bin", "GIT_EXEC_PATH": "/x", "GIT_SSH_COMMAND": "ssh -v"}


def test_our_git_speaks_plainly_asks_nothing_and_takes_no_optional_lock() -> None:
    made = plumbing({"LC_ALL": "zh_CN.GBK", "LANGUAGE": "zh", "HOME": "/h"}, "/ceiling")
    assert (made["LC_ALL"], made["GIT_TERMINAL_PROMPT"], made["GIT_OPTIONAL_LOCKS"]) == ("C", "0", "0")
    assert "LANGUAGE" not in made
    assert (made["HOME"], made["GIT_CEILING_DIRECTORIES"]) == ("/h", "/ceiling")


def test_where_variables_cannot_be_taken_away_they_are_made_harmless() -> None:
    made = overrides({"GIT_DIR": "/theirs", "GIT_NAMESPACE": "n", "GIT_SSH": "ssh", "PATH": "/bin"}, "/w", "/w/.git")
    assert (made["GIT_DIR"], made["GIT_NAMESPACE"], made["GIT_OBJECT_DIRECTORY"]) == ("/w/.git", "", "/w/.git/objects")
    assert not made.keys() & {"PATH", "GIT_SSH"}


def test_a_workspace_without_a_repository_never_falls_back_on_the_project_around_it(
    tmp_path: Path, root: Path, repository: GitStore
) -> None:
    git(root.parent, "init", "-q")
    (root / ".git" / "HEAD").unlink()
    oid = repository.hash(b"x")
    with pytest.raises(Exception, match="repository"):
        repository.read(oid)
    assert subprocess.run(["git", "count-objects"], cwd=root.parent, capture_output=True).stdout.startswith(
        b"0 objects"
    )


def test_ctrl_c_at_the_terminal_does_not_reach_a_standing_program(repository: GitStore) -> None:
    first = land(repository, {"a": b"1"})
    program = repository._references._program._started().process
    assert os.getpgid(program.pid) != os.getpgid(0)
    [second] = repository.write(first.oid, [draft({"a": b"2"})])
    repository.publish(second.oid, first.oid)
    assert program.poll() is None
