"""What the store's tests build with: drafts, landed commits, plain Git beside the store, a real clock."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from loopx.store.protocol import Draft, Oid, Signature, Store, Written
from tests.support.clock import START

ADA = Signature("Ada", "ada@example.invalid")
BOT = Signature("bot-1", "bot-1@agents.invalid")

Changes = Mapping[str, bytes | None]


class RealClock:
    """The machine's own time, for tests in which other processes take part."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


def draft(
    changes: Changes, message: str = "note: write", *, extra: tuple[Oid, ...] = (), at: datetime = START
) -> Draft:
    """A commit to be, by Ada."""
    return Draft(changes, message, ADA, ADA, at, extra)


def land(store: Store, changes: Changes, message: str = "note: write", *, at: datetime = START) -> Written:
    """Write ``changes`` on main and publish them, index and ``admitted`` included."""
    base = store.head()
    [written] = store.write(base, [draft(changes, message, at=at)])
    index = store.lock_index(written.blobs, 0)
    store.publish(written.oid, base)
    index.commit()
    store.admit(written.oid)
    return written


def place(root: Path, changes: Changes) -> None:
    """Put the files themselves into the folder, as the workspace does after publishing."""
    for path, content in changes.items():
        target = root / path
        if content is None:
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def git(root: Path, *arguments: str, given: bytes | None = None, code: int = 0, **environment: str) -> str:
    """Run plain Git in ``root``, as a person would; its output."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, input=given, capture_output=True, env={**os.environ, **environment}
    )
    assert done.returncode == code, f"git {arguments} ended with {done.returncode}: {done.stderr.decode()}"
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
