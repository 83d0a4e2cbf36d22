"""Making the repository of a workspace, and giving it settings a person's own cannot override.

Called by ``loopx init``; running it again mends what is missing and changes nothing else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.store.disk import guarded
from loopx.store.git.environment import Limits, plumbing
from loopx.store.git.programs import Programs, converse, start
from loopx.store.git.repository import GitStore
from loopx.store.git.trouble import explained

OLDEST_GIT = (2, 36)
"""The first Git that runs hooks on request and flushes what ``core.fsync`` names."""

TEMPORARY_SUFFIX = ".loopx-tmp"

_ATTRIBUTES = "* -text -filter -ident !working-tree-encoding\n"
_EXCLUDED = (
    "/local/",
    "/status/",
    f".*{TEMPORARY_SUFFIX}",
    "*.swp",
    "*.swo",
    "*~",
    ".#*",
    r"\#*#",
    "4913",
    ".DS_Store",
)
_SETTINGS = {
    "core.autocrlf": "false",
    "core.fsync": "all",
    "core.fsyncMethod": "fsync",
    "core.logAllRefUpdates": "true",
    "core.quotePath": "false",
    "core.splitIndex": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "index.version": "2",
    "maintenance.auto": "false",
}


def create(
    root: Path,
    *,
    clock: Clock,
    git_dir: Path | None = None,
    sign: bool = False,
    durable: bool = True,
    limits: Limits | None = None,
) -> GitStore:
    """The store of ``root`` (a ``.loopx`` folder), made where it is missing.

    ``git_dir`` keeps the history elsewhere. ``sign`` asks for signed commits. Raises ``git-missing`` for a Git that is
    absent or too old, ``git-failed`` and the disk's codes.
    """
    check_version()
    with guarded(str(root)):
        root.mkdir(parents=True, exist_ok=True)
    is_new = _initialise(root, git_dir)
    store = GitStore(root, clock=clock, durable=durable, limits=limits)
    programs = Programs(store.root, durable=durable, run_hooks=False, limits=limits or Limits())
    if is_new:
        _write_settings(store.git_dir)
    for key, value in {**_SETTINGS, **_placed(store), "commit.gpgsign": str(sign).lower()}.items():
        if store.config(key) != value:
            programs.run("write its settings", "config", "--local", key, value)
    _write_info(store.git_dir)
    return store


def check_version() -> None:
    """Raise ``git-missing`` when Git is absent or older than :data:`OLDEST_GIT`."""
    answer = converse(start(["git", "version"], Path(os.sep), plumbing(os.environ, "")), b"", Limits().program)
    said = "" if answer is None else answer.output.decode("utf-8", "replace")
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise LoopxError("git-missing", f"Git {oldest} or later is needed; found: {said.strip() or 'nothing'}.")


def _initialise(root: Path, git_dir: Path | None) -> bool:
    """Make the repository where there is none; whether it was made."""
    if (root / ".git").exists():
        return False
    elsewhere = [] if git_dir is None else [f"--separate-git-dir={os.path.abspath(git_dir)}"]
    command = ["git", "init", "-q", "--initial-branch=main", "--template=", *elsewhere, str(root)]
    answer = converse(start(command, root, plumbing(os.environ, str(root.parent))), b"", Limits().program)
    if answer is None or answer.code:
        raise explained("make a repository", "" if answer is None else answer.words)
    return True


def _write_settings(git_dir: Path) -> None:
    """Add all settings to a file just made, at once: Git itself sets one a process."""
    sections: dict[str, list[str]] = {}
    for key, value in _SETTINGS.items():
        section, _, name = key.partition(".")
        sections.setdefault(section, []).append(f"\t{name} = {value}\n")
    text = "".join(f"[{section}]\n{''.join(lines)}" for section, lines in sections.items())
    path = git_dir / "config"
    with guarded(str(path)), open(path, "a", encoding="utf-8") as file:
        file.write(text)


def _placed(store: GitStore) -> dict[str, str]:
    """Settings that depend on where the repository lies: its own hooks must be found from the workspace."""
    if (store.root / ".git").is_dir():
        return {"core.hooksPath": ".git/hooks"}
    # No core.worktree: it would name the old place once the project is moved, and Git would then refuse everything.
    return {"core.hooksPath": str(store.git_dir / "hooks")}


def _write_info(git_dir: Path) -> None:
    info = git_dir / "info"
    with guarded(str(info)):
        info.mkdir(exist_ok=True)
        _add_lines(info / "attributes", [_ATTRIBUTES.strip()])
        _add_lines(info / "exclude", _EXCLUDED)


def _add_lines(path: Path, wanted: tuple[str, ...] | list[str]) -> None:
    """Append what is missing; lines of the person's own stay."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.exists() else ""
    missing = [line for line in wanted if line not in text.splitlines()]
    if missing:
        gap = "" if not text or text.endswith("\n") else "\n"
        whole = text + gap + "".join(f"{line}\n" for line in missing)
        path.write_text(whole, encoding="utf-8", errors="surrogateescape")
