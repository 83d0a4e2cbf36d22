"""Hooks of the repository: run when the policy says so, bounded in time, and told apart from breakage."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.environment import Limits
from loopx.store.git.repository import GitStore
from tests.store.building import draft, git, land
from tests.support.clock import FakeClock


def install(store: GitStore, name: str, script: str) -> Path:
    hook = store.git_dir / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
    return hook


def test_G07_a_hook_runs_in_the_workspace_and_knows_who_runs_it(repository: GitStore, root: Path) -> None:
    install(repository, "pre-commit", 'echo "$PWD $LOOPX_IN_HOOK" > local-note')
    repository.run_hook("pre-commit", 10)
    assert (root / "local-note").read_text() == f"{root} 1\n"


def test_G08_a_hook_that_says_no_refuses_with_its_own_words(repository: GitStore) -> None:
    install(repository, "pre-commit", "echo no commits on Sunday; exit 3")
    with pytest.raises(LoopxError, match="no commits on Sunday") as refused:
        repository.run_hook("pre-commit", 10)
    assert refused.value.code == "hook-refused"
    assert refused.value.problem.facts["status"] == 3


def test_a_hook_that_says_no_without_a_word_is_told_all_the_same(repository: GitStore) -> None:
    install(repository, "pre-commit", "exit 1")
    with pytest.raises(LoopxError, match="gave no reason"):
        repository.run_hook("pre-commit", 10)


def test_a_hook_that_takes_too_long_is_ended_with_all_it_started(repository: GitStore, root: Path) -> None:
    os.mkfifo(root / "alive")
    ear = os.open(root / "alive", os.O_RDONLY | os.O_NONBLOCK)
    install(repository, "pre-commit", "exec 3> alive; sleep 300 & wait")
    with pytest.raises(LoopxError, match=r"longer than 0\.5 s") as refused:
        repository.run_hook("pre-commit", 0.5)
    assert refused.value.code == "hook-refused"
    os.set_blocking(ear, True)
    assert os.read(ear, 1) == b"", "the pipe ends when the last process that holds it does"
    os.close(ear)


def test_a_hook_that_cannot_be_run_stops_nothing(repository: GitStore) -> None:
    install(repository, "pre-commit", "exit 1").chmod(0o644)
    repository.run_hook("pre-commit", 10)


def test_a_workspace_that_skips_hooks_runs_none(repository: GitStore, root: Path, clock: FakeClock) -> None:
    install(repository, "pre-commit", "exit 1")
    install(repository, "reference-transaction", "exit 1")
    store = GitStore(root, clock=clock, run_hooks=False)
    store.run_hook("pre-commit", 10)
    written = land(store, {"a": b"1"})
    assert store.head() == written.oid
    store.close()


def test_a_hook_that_stops_the_move_of_main_leaves_main_where_it_was(repository: GitStore) -> None:
    first = land(repository, {"a": b"1"})
    [second] = repository.write(first.oid, [draft({"a": b"2"})])
    hook = install(repository, "reference-transaction", 'test "$1" != prepared || exit 1')
    with pytest.raises(LoopxError) as refused:
        repository.publish(second.oid, first.oid)
    assert refused.value.code == "hook-refused"
    assert repository.head() == first.oid
    hook.unlink()
    repository.publish(second.oid, first.oid)
    assert repository.head() == second.oid


@pytest.mark.parametrize(("phase", "moved"), [("prepared", False), ("committed", True)])
def test_a_move_whose_answer_is_lost_is_judged_by_where_main_is(
    repository: GitStore, root: Path, clock: FakeClock, phase: str, moved: bool
) -> None:
    first = land(repository, {"a": b"1"})
    [second] = repository.write(first.oid, [draft({"a": b"2"})])
    install(repository, "reference-transaction", f'test "$1" != {phase} || sleep 300')
    hasty = GitStore(root, clock=clock, limits=Limits(program=2))
    if moved:
        hasty.publish(second.oid, first.oid)
    else:
        with pytest.raises(LoopxError, match="no answer within"):
            hasty.publish(second.oid, first.oid)
    assert hasty.head() == (second.oid if moved else first.oid)
    hasty.close()


def test_hooks_of_the_persons_own_collection_do_not_run(repository: GitStore, root: Path, home: Path) -> None:
    mine = home / "hooks"
    mine.mkdir()
    (mine / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (mine / "pre-commit").chmod(0o755)
    git(root, "config", "--global", "core.hooksPath", str(mine))
    repository.run_hook("pre-commit", 10)
    git(root, "config", "--local", "--unset", "core.hooksPath")
    with pytest.raises(LoopxError) as refused:
        repository.run_hook("pre-commit", 10)
    assert refused.value.code == "hook-refused", "without our setting Git's own rules hold"


def test_a_folder_of_hooks_in_the_home_folder_can_be_chosen(repository: GitStore, root: Path, home: Path) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (home / "mine" / "pre-commit").chmod(0o755)
    git(root, "config", "core.hooksPath", "~/mine")
    with pytest.raises(LoopxError, match="refused"):
        repository.run_hook("pre-commit", 10)


def test_a_hook_that_is_not_there_starts_no_process(repository: GitStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"PATH": "/nowhere"})
    repository.run_hook("pre-commit", 10)
