"""Where the machine-local things of one workspace lie. Nothing here opens a file."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from loopx.model.defining import dataclass

FOLDER = ".loopx"
TEMP_SUFFIX = ".loopx-tmp"


@dataclass(frozen=True)
class Places:
    """Paths of a workspace. ``root`` is ``.loopx``, resolved, so that every spelling of it means one lock. Those asked
    for many times over in one write are put together once."""

    root: Path

    @property
    def project(self) -> Path:
        return self.root.parent

    @cached_property
    def local(self) -> Path:
        return self.root / "local"

    @property
    def status(self) -> Path:
        return self.root / "status"

    @cached_property
    def journal(self) -> Path:
        return self.local / "journal.json"

    @property
    def late(self) -> Path:
        return self.local / "late.json"

    @cached_property
    def displaced(self) -> Path:
        return self.local / "displaced"

    @property
    def discarded(self) -> Path:
        return self.local / "discarded"

    @property
    def attempts(self) -> Path:
        """What is known on this machine of executions of steps."""
        return self.local / "attempts"

    @property
    def schemas(self) -> Path:
        return self.local / "schemas"

    @property
    def cache(self) -> Path:
        return self.local / "cache.sqlite"

    @property
    def pages_dirty(self) -> Path:
        return self.local / "pages-dirty"

    @property
    def rendered(self) -> Path:
        return self.local / "pages.json"

    @property
    def repairs(self) -> Path:
        return self.local / "repairs.json"

    @property
    def render_lock(self) -> Path:
        return self.local / "render.lock"

    @property
    def web(self) -> Path:
        """Where the live page is served, with its token: for its owner's eyes alone."""
        return self.local / "web.json"

    def file(self, path: str) -> Path:
        """The file of a document path such as ``goals/beta/goal.md``."""
        return self.root / path

    def linked_folder(self, path: str) -> str | None:
        """The first folder on the way to a document that is a symbolic link: what lies behind it is not ours."""
        parts = path.split("/")[:-1]
        root, folders = str(self.root), ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        return next((each for each in folders if os.path.islink(f"{root}/{each}")), None)

    def temp(self, path: str, write: str, number: int) -> str:
        """The hidden name, beside its target, under which new contents wait; as a document path."""
        folder, slash, _ = path.rpartition("/")
        return f"{folder}{slash}.{write}.{number}{TEMP_SUFFIX}"
