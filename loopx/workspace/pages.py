"""The pages: rendered from the state by a background process after writes, or at once where somebody waits for them.

Pages are never read back and failing to write them is never a failed command. Environment variable LOOPX_PAGES: ``off``
starts no background process (pages are then written by ``--render`` only).
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.workspace import rendered
from loopx.workspace.crashpoints import reach

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from loopx.store.cache import Cache
    from loopx.workspace.opened import OpenWorkspace
    from loopx.workspace.places import Places
    from loopx.workspace.results import View


class Pages:
    """The pages of one workspace."""

    def __init__(self, ws: OpenWorkspace) -> None:
        self._ws = ws

    def mark(self) -> None:
        """Say that the pages are out of date, and see to it that somebody renders them."""
        try:
            self._ws.places.pages_dirty.touch()
        except OSError:
            return
        reach("pages-marked")
        self.start()

    def start(self) -> None:
        """Start the background process, unless one is running: it looks again before it ends."""
        places = self._ws.places
        if self._ws.environ.get("LOOPX_PAGES") == "off" or is_rendering(places.render_lock):
            return
        subprocess.Popen(
            [sys.executable, "-m", "loopx.workspace.background", str(places.root)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            close_fds=True,
        ).returncode = 0  # nobody waits for it; without this, collecting the object would warn

    def render(self) -> list[str]:
        """Bring every page up to date now; the paths that changed. Raises ``pages-failed``."""
        places = self._ws.places
        places.pages_dirty.unlink(missing_ok=True)
        view = self._ws.reader.now(take_in=False)
        pages = made(self._ws.cache, view, places)
        try:
            places.status.mkdir(exist_ok=True)
            changed = [path for path, text in pages.items() if _write(places.status / path, text)]
            _remove_others(places.status, set(pages))
            rendered.note(places, view.revision, pages)
        except OSError as error:
            raise LoopxError("pages-failed", f"the pages could not be written: {error.strerror or error}") from error
        return changed

    def render_goals(self, goals: Collection[str]) -> list[str]:
        """Bring the pages of a few Goals up to date now, ahead of all the others; the paths that changed.

        The same bytes as :meth:`render` gives them. Raises ``pages-failed``.
        """
        from loopx.projections.escape import joined_surrogates
        from loopx.projections.goalpage import goal_page
        from loopx.projections.links import goal_page as place_of
        from loopx.workspace.survey import Surveyor

        view = self._ws.reader.now(take_in=False)
        surveyor = Surveyor(self._ws.cache, view, full=True, with_work=True, only=goals)
        facts = filter(None, map(surveyor.goal, goals))
        pages = {place_of(each.id): joined_surrogates(goal_page(each)) for each in facts}
        status = self._ws.places.status
        try:
            status.mkdir(exist_ok=True)
            changed = [path for path, text in pages.items() if _write(status / path, text)]
            rendered.note_some(self._ws.places, pages)
        except OSError as error:
            raise LoopxError("pages-failed", f"the pages could not be written: {error.strerror or error}") from error
        return changed

    def are_schemas_fresh(self) -> bool:
        """Whether the copies of the file schemas are this version's."""
        from loopx import __version__

        stamp = self._ws.places.schemas / "version"
        return stamp.exists() and stamp.read_text(encoding="ascii", errors="replace") == __version__

    def ensure_schemas(self) -> None:
        """Copies of the file schemas for editors, which the first line of each new document points to."""
        from loopx import __version__
        from loopx.model.kind import Kind
        from loopx.model.validation import json_schema_text

        if self.are_schemas_fresh():
            return
        folder = self._ws.places.schemas
        folder.mkdir(parents=True, exist_ok=True)
        for kind in Kind:
            (folder / f"{kind}.schema.json").write_text(json_schema_text(kind), encoding="utf-8")
        (folder / "version").write_text(__version__, encoding="ascii")


def made(cache: Cache, view: View, places: Places) -> Mapping[str, str]:
    """Every page of ``view``, path to text; ``cache`` stands for the same revision."""
    from loopx.projections.pages import TIMELINE_LIMIT, render
    from loopx.workspace.doctor.repairs import repeated
    from loopx.workspace.survey import survey_for_pages, timeline

    shown = survey_for_pages(cache, view, repeated(places, view.at))
    return render(shown, timeline(cache, TIMELINE_LIMIT))


def is_rendering(lock: Path) -> bool:
    """Whether a background process holds the lock file."""
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return True  # nowhere to write: nothing to start
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _write(file: Path, text: str) -> bool:
    """Write a page where its bytes differ, whole or not at all."""
    content = text.encode()
    try:
        if file.read_bytes() == content:
            return False
    except FileNotFoundError:
        file.parent.mkdir(exist_ok=True)  # but none above: a workspace that was moved away is not begun anew
    fresh = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    fresh.write_bytes(content)
    os.replace(fresh, file)
    return True


def _remove_others(folder: Path, pages: set[str]) -> None:
    """Pages of Goals that are gone."""
    for file in folder.glob("goals/*.md"):
        if file.relative_to(folder).as_posix() not in pages:
            file.unlink(missing_ok=True)
