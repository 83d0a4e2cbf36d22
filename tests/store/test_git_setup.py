"""Making the repository of a workspace, with settings nobody's own can override."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.repository import GitStore
from loopx.store.git.setup import create
from tests.store.building import draft, git, land, place
from tests.support.clock import FakeClock


def settings(root: Path) -> dict[str, str]:
    rows = git(root, "config", "--local", "-z", "--list").split("\0")
    return dict(row.split("\n", 1) for row in rows if row)


def test_a_new_repository_has_branch_main_and_its_own_settings(repository: GitStore, root: Path) -> None:
    assert git(root, "symbolic-ref", "HEAD") == "refs/heads/main"
    found = settings(root)
    wanted = {
        "core.autocrlf": "false",
        "core.fsync": "all",
        "core.hookspath": ".git/hooks",
        "core.quotepath": "false",
        "commit.gpgsign": "false",
        "gc.auto": "0",
        "i18n.commitencoding": "UTF-8",
    }
    assert {key: found[key] for key in wanted} == wanted
    assert not (repository.git_dir / "hooks").exists(), "a template came in"


def test_setting_up_again_mends_what_was_changed_and_nothing_else(
    repository: GitStore, root: Path, clock: FakeClock
) -> None:
    written = land(repository, {"a": b"1"})
    git(root, "config", "core.autocrlf", "true")
    git(root, "config", "user.signingKey", "mine")
    exclude = root / ".git" / "info" / "exclude"
    exclude.write_text("mine\n/local/")
    (root / ".git" / "info" / "attributes").unlink()
    once = create(root, clock=clock)
    kept = (settings(root), exclude.read_text(), (root / ".git" / "info" / "attributes").read_text())
    again = create(root, clock=clock)
    assert (settings(root), exclude.read_text(), (root / ".git" / "info" / "attributes").read_text()) == kept
    assert (kept[0]["core.autocrlf"], kept[0]["user.signingkey"]) == ("false", "mine")
    assert exclude.read_text().startswith("mine\n/local/\n/status/\n")
    assert once.head() == again.head() == written.oid


@pytest.mark.parametrize(
    "dropping", ["local/cache.sqlite", "status/README.md", "goals/.x.md.loopx-tmp", "a.swp", "a~", ".#a", "#a#", "4913"]
)
def test_what_is_not_canonical_is_ignored_by_git(repository: GitStore, root: Path, dropping: str) -> None:
    place(root, {dropping: b"x", "goals/real.md": b"y"})
    assert git(root, "status", "--porcelain", "-uall") == "?? goals/real.md"


def test_G21_our_blob_is_the_one_git_add_would_store_whatever_the_persons_settings(
    repository: GitStore, root: Path, home: Path
) -> None:
    attributes = home / "attributes"
    attributes.write_text("*.md text eol=crlf ident working-tree-encoding=UTF-16\n")
    git(root, "config", "--global", "core.attributesFile", str(attributes))
    git(root, "config", "--global", "core.autocrlf", "true")
    git(root, "config", "--global", "core.eol", "crlf")
    content = b"one\r\ntwo\n$Id$\r\n"
    place(root, {".gitattributes": b"*.md text\n", "note.md": content})
    git(root, "add", ".")
    assert git(root, "ls-files", "-s", "note.md").split()[1] == repository.hash(content)
    land(repository, {"note.md": content, ".gitattributes": b"*.md text\n"})
    assert git(root, "status", "--porcelain") == ""


def test_a_history_kept_elsewhere_is_found_hooks_and_all(tmp_path: Path, root: Path, clock: FakeClock) -> None:
    elsewhere = tmp_path / "histories" / "lab.git"
    elsewhere.parent.mkdir()
    store = create(root, clock=clock, git_dir=elsewhere)
    written = land(store, {"a": b"1"})
    place(root, {"a": b"1"})
    assert (root / ".git").read_text() == f"gitdir: {elsewhere}\n"
    assert git(root, "status", "--porcelain") == ""
    hook = elsewhere / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\npwd > seen\n")
    hook.chmod(0o755)
    store.run_hook("pre-commit", 10)
    assert (root / "seen").read_text() == f"{root}\n"
    store.close()
    assert GitStore(root, clock=clock).head() == written.oid


def test_a_project_that_was_moved_still_works_with_a_history_elsewhere(
    tmp_path: Path, root: Path, clock: FakeClock
) -> None:
    create(root, clock=clock, git_dir=tmp_path / "lab.git").close()
    moved = root.parent.rename(tmp_path / "moved") / ".loopx"
    store = GitStore(moved, clock=clock)
    written = land(store, {"a": b"1"})
    store.run_hook("pre-commit", 10)
    assert store.fsck() == []
    store.close()
    assert git(moved, "rev-parse", "main") == written.oid


def test_signing_is_switched_on_only_when_asked_for(tmp_path: Path, clock: FakeClock, home: Path) -> None:
    git(tmp_path, "config", "--global", "commit.gpgSign", "true")
    assert create(tmp_path / "one", clock=clock).config("commit.gpgSign") == "false"
    assert create(tmp_path / "two", clock=clock, sign=True).config("commit.gpgSign") == "true"


def test_a_machine_without_git_is_told_so_before_anything_is_made(
    root: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LoopxError) as error:
        create(root, clock=clock)
    assert error.value.code == "git-missing"
    assert not root.exists()


def test_a_git_that_is_too_old_is_told_so(
    tmp_path: Path, root: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.35.9\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(LoopxError, match=r"2\.36 or later .* 2\.35\.9") as error:
        create(root, clock=clock)
    assert error.value.code == "git-missing"


def test_a_folder_that_cannot_be_made_is_told_with_its_path(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LoopxError) as error:
        create(tmp_path / "file" / ".loopx", clock=clock)
    assert error.value.code == "disk-failed"
    assert str(tmp_path / "file") in str(error.value)


@pytest.mark.parametrize("content", [None, "gitdir: ../nowhere\n", "nonsense\n"])
def test_a_folder_without_a_repository_cannot_be_opened(root: Path, clock: FakeClock, content: str | None) -> None:
    root.mkdir(parents=True)
    if content is not None:
        (root / ".git").write_text(content)
    with pytest.raises(LoopxError) as error:
        GitStore(root, clock=clock)
    assert error.value.code == "repository-broken"


def test_a_linked_worktree_is_no_workspace_of_its_own(repository: GitStore, root: Path, clock: FakeClock) -> None:
    land(repository, {"a": b"1"})
    git(root, "worktree", "add", "-q", "../second", "-b", "second")
    with pytest.raises(LoopxError, match="linked worktree"):
        GitStore(root.parent / "second", clock=clock)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[commit]\n\tgpgSign\n", True),
        ("[commit] gpgSign = yes\n", True),
        ("[COMMIT]\nGPGSIGN=on ; for now\n", True),
        ('[commit]\ngpgSign = "true"\n', True),
        ("[commit]\ngpgSign = false # not yet\n", False),
        ("[commit]\ngpgSign = true\n[commit]\ngpgSign = no\n", False),
        ("# [commit]\n; gpgSign = true\n", False),
        ("[user]\nname = a\\\n[commit]\n[commit]\n\tgpgSign = true\n", True),
    ],
)
def test_settings_are_read_as_git_reads_them(repository: GitStore, root: Path, text: str, expected: bool) -> None:
    plain = (root / ".git" / "config").read_text().replace("[commit]\n\tgpgsign = false\n", "")
    (root / ".git" / "config").write_text(plain + text)
    assert (git(root, "config", "--local", "--type=bool", "--default=false", "commit.gpgsign") == "true") is expected
    assert repository._settings.is_on("commit.gpgsign") is expected


def test_a_setting_that_is_included_from_another_file_counts(repository: GitStore, root: Path, tmp_path: Path) -> None:
    (tmp_path / "more").write_text("[loopx]\n\tcolour = blue\n")
    git(root, "config", "include.path", str(tmp_path / "more"))
    assert repository.config("loopx.colour") == "blue"
    assert repository.config("loopx.nothing") is None


def test_a_store_for_throwaway_workspaces_flushes_nothing(
    root: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = create(root, clock=clock, durable=False)

    def flushed(_: int) -> None:
        raise AssertionError("flushed")

    monkeypatch.setattr(os, "fsync", flushed)
    land(store, {"a": b"1"})
    store.write(store.head(), [draft({"b": b"2"})])
    store.close()
