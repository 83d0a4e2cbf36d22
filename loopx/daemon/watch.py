"""Being told by the system which folders of a workspace change, so that a long-lived process need not look at all.

Made by whoever keeps a :class:`loopx.workspace.Workspace` open for long; the daemon is built on it. It decides nothing:
an event only means *look at this folder again*.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_NOT_WATCHED = frozenset({".git", "local", "status"})


class FolderWatch:
    """Collects the folders below a ``.loopx`` folder in which something happened. Stop it when done."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._guard = threading.Lock()
        self._changed: set[str] = set()
        self._lost = True
        """Nothing is known of the time before watching began."""
        self._observer = Observer()
        # History, local things and pages lie beside `goals/`, so they are not watched at all.
        (self._root / "goals").mkdir(exist_ok=True)
        self._observer.schedule(_Marker(self), str(self._root), recursive=False)
        self._observer.schedule(_Marker(self), str(self._root / "goals"), recursive=True)
        self._observer.start()

    def changed_folders(self) -> Collection[str] | None:
        """Folders with events since the last call; ``None`` when everything has to be looked at."""
        with self._guard:
            changed, self._changed = self._changed, set()
            lost, self._lost = self._lost, False
        if lost or not self._observer.is_alive():
            return None
        return changed

    def stop(self) -> None:
        """End watching; afterwards every call says that everything has to be looked at."""
        self._observer.stop()
        self._observer.join()

    def mark(self, path: str, *, is_new: bool = False) -> None:
        """Note an event at ``path``; a folder that came, went or moved may hold files nobody was told of."""
        try:
            below = Path(path).relative_to(self._root)
        except ValueError:
            return
        if below.parts and below.parts[0] in _NOT_WATCHED:
            return
        with self._guard:
            self._lost = self._lost or is_new
            self._changed.update({below.parent.as_posix().removeprefix("."), below.as_posix()})


class _Marker(FileSystemEventHandler):
    """Passes every change on; reading a file is none."""

    def __init__(self, watch: FolderWatch) -> None:
        self._watch = watch

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        for each in (event.src_path, event.dest_path):
            if each:
                path = each if isinstance(each, str) else bytes(each).decode("utf-8", "surrogateescape")
                self._watch.mark(path, is_new=event.is_directory and event.event_type != "modified")
