"""Commits that are to be signed are signed, or are not made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.git.environment import Limits
from loopx.store.git.repository import GitStore
from loopx.store.git.setup import create
from tests.store.building import draft, git, land
from tests.support.clock import FakeClock


@pytest.fixture
def key(tmp_path: Path, home: Path) -> Path:
    """A key the person signs with, as their own configuration says."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("needs ssh-keygen")
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    signers = tmp_path / "signers"
    signers.write_text(f"ada@example.invalid {file.with_suffix('.pub').read_text()}")
    git(tmp_path, "config", "--global", "gpg.format", "ssh")
    git(tmp_path, "config", "--global", "user.signingKey", str(file))
    git(tmp_path, "config", "--global", "gpg.ssh.allowedSignersFile", str(signers))
    return file


def test_G23_a_chain_of_commits_is_signed_by_the_persons_own_program(root: Path, clock: FakeClock, key: Path) -> None:
    store = create(root, clock=clock, sign=True)
    first = land(store, {"a": b"1"}, "first: é\n\nWhy.\n\nLoopx-Command: 1\n")
    chain = store.write(first.oid, [draft({"b": b"2"}, "second"), draft({"c": b"3"}, "third")])
    store.publish(chain[-1].oid, first.oid)
    assert git(root, "log", "--format=%G? %an %ct %s") == "\n".join(
        f"G Ada {int(clock.now().timestamp())} {subject}" for subject in ("third", "second", "first: é")
    )
    assert [commit.message for commit in store.history(chain[-1].oid)][-1].endswith("\n\nLoopx-Command: 1\n")
    assert [commit.changes[0].path for commit in store.history(chain[-1].oid, changes=True)] == ["c", "b", "a"]
    assert store.fsck() == []
    store.close()


def test_without_being_asked_to_nothing_is_signed_whatever_the_persons_own_setting(
    root: Path, clock: FakeClock, key: Path
) -> None:
    git(root.parents[1], "config", "--global", "commit.gpgSign", "true")
    store = create(root, clock=clock)
    land(store, {"a": b"1"})
    store.close()
    assert git(root, "log", "--format=%G?") == "N"


def program(tmp_path: Path, text: str) -> str:
    file = tmp_path / "signer"
    file.write_text(text)
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    "signer", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no key >&2\nexit 2\n", "#!/bin/sh\nsleep 600\n", None]
)
def test_G23_a_commit_that_cannot_be_signed_is_not_made(
    root: Path, tmp_path: Path, clock: FakeClock, signer: str | None
) -> None:
    create(root, clock=clock, sign=True).close()
    git(root, "config", "gpg.program", "/nowhere/gpg" if signer is None else program(tmp_path, signer))
    store = GitStore(root, clock=clock, limits=Limits(signing=0.5))
    with pytest.raises(LoopxError) as error:
        store.write(None, [draft({"a": b"1"})])
    assert error.value.code == "signing-failed"
    assert "could not be signed" in str(error.value)
    assert store.head() is None
    assert git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split() == ["blob", "tree"]
    store.close()


def test_a_signing_program_that_may_not_be_run_is_told_as_such(root: Path, tmp_path: Path, clock: FakeClock) -> None:
    store = create(root, clock=clock, sign=True)
    forbidden = tmp_path / "signer"
    forbidden.write_text("")
    git(root, "config", "gpg.program", str(forbidden))
    with pytest.raises(LoopxError) as error:
        store.write(None, [draft({"a": b"1"})])
    assert error.value.code == "signing-failed"
    store.close()
