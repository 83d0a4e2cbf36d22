"""Two questions to the project's own repository. It is only ever read, and without taking any lock."""

from __future__ import annotations

import os
from pathlib import Path

from loopx.store.git.environment import plumbing
from loopx.store.git.programs import converse, start

_SECONDS = 20.0


def tracked_files(top: Path, inside: str) -> list[str]:
    """Paths below ``inside`` that the repository at ``top`` tracks now."""
    listed = _ask(top, "ls-files", "-z", "--", inside)
    return [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]


def last_commit_of(top: Path, inside: str) -> str | None:
    """The newest commit on any branch that touched something below ``inside``, shortened."""
    return _ask(top, "log", "-1", "--format=%h", "--all", "--", inside).decode("ascii", "replace").strip() or None


def _ask(top: Path, *arguments: str) -> bytes:
    command = ["git", "--no-optional-locks", "-C", str(top), *arguments]
    answer = converse(start(command, top, plumbing(os.environ, "")), b"", _SECONDS)
    return answer.output if answer is not None and answer.code == 0 else b""
