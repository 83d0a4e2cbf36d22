"""Questions to the project's own repository. It is only ever read, and without taking any lock."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from loopx.errors import LoopxError
from loopx.store.git.environment import plumbing
from loopx.store.git.programs import Answer, converse, start

_SECONDS = 20.0


def tracked_files(top: Path, inside: str) -> list[str]:
    """Paths below ``inside`` that the repository at ``top`` tracks now."""
    listed = _ask(top, "ls-files", "-z", "--", inside)
    return [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]


def last_commit_of(top: Path, inside: str) -> str | None:
    """The newest commit on any branch that touched something below ``inside``, shortened."""
    return _ask(top, "log", "-1", "--format=%h", "--all", "--", inside).decode("ascii", "replace").strip() or None


def asked(folder: Path, *arguments: str, accept: Collection[int] = (0,)) -> bytes | None:
    """What Git answers in ``folder``; ``None`` when it cannot be asked or ends with a status not in ``accept``."""
    try:
        answer = _run(folder, *arguments)
    except LoopxError:
        return None
    return answer.output if answer is not None and answer.code in accept else None


def _ask(top: Path, *arguments: str) -> bytes:
    answer = _run(top, *arguments)
    return answer.output if answer is not None and answer.code == 0 else b""


def _run(folder: Path, *arguments: str) -> Answer | None:
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    return converse(start(command, folder, plumbing(os.environ, "")), b"", _SECONDS)
