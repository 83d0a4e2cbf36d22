"""Plain Git used by a person or an agent in ``.loopx/``, beside LoopX."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from loopx.workspace.results import PendingEdit
from tests.support.lab import Lab

AGENT = "bot <bot@agents.invalid>"


@dataclass(frozen=True, slots=True)
class Done:
    """How a Git command ended."""

    code: int
    words: str


def git(root: Path, *arguments: str) -> Done:
    """Run Git in ``root``, whatever becomes of it."""
    ended = subprocess.run(["git", *arguments], cwd=root, capture_output=True, encoding="utf-8")
    return Done(ended.returncode, ended.stderr + ended.stdout)


def commit(lab: Lab, message: str = "with plain Git", author: str | None = None) -> str:
    """Commit everything that differs in ``.loopx/``; the commit."""
    lab.git("add", "--all")
    by = [] if author is None else [f"--author={author}"]
    lab.git("commit", "--quiet", f"--message={message}", *by)
    return lab.git("rev-parse", "HEAD").strip()


def pending(lab: Lab) -> dict[str, list[str]]:
    """Path to the codes of what stands in the way, for every edit that is not accepted."""
    listed: list[PendingEdit] = lab.ws.edits()
    return {each.path: [problem.code for problem in each.problems] for each in listed}


def without_cache(lab: Lab) -> None:
    """Start again with nothing but files and history."""
    lab.close()
    for each in (lab.root / "local").glob("cache.sqlite*"):
        each.unlink()
    lab.restart()
