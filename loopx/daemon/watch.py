"""Being told by the system which folders of a workspace change, so that a long-lived process need not look at all.

Made by whoever keeps a :class:`loopx.workspace.Workspace` open for long. It decides nothing: an event only means *look
at this folder again*, and whatever is uncertain means *look at everything*. Where events cannot be had it says so.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Collection
from importlib import import_module
from pathlib import Path
from typing import Any

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from loopx.daemon.mounts import shared_kind

EVENTS, POLLING = "events", "polling"
COOKIE = ".loopx-watch.swp"
"""A file touched to learn that every event before it has been heard of. Hidden and ignored like an editor's."""
_NOT_WATCHED = frozenset({".git", "local", "status"})
_WAIT_SECONDS = 0.1
_FIRST_WAIT_SECONDS = 2.0
_PAIRING_SECONDS = 0.005
"""How long half of a rename is kept back for the other half. Either half tells us all we want to know."""
_QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


logging.getLogger("watchdog").addHandler(logging.NullHandler())  # what it has to say, we say in words of ours


class FolderWatch:
    """Collects the folders below a ``.loopx`` folder in which something happened. Stop it when done.

    ``on_event`` is called, on another thread, for whatever happens. ``limit`` is how many events between two looks are
    believed to be all there were. ``mode`` is ``events`` or ``polling``, and ``why`` says why it polls.
    """

    def __init__(
        self,
        root: Path,
        *,
        on_event: Callable[[], None] | None = None,
        limit: int | None = None,
        is_polling: bool = False,
    ) -> None:
        self._root = root.resolve()
        self._on_event = on_event
        self._limit = limit or _believable()
        self._guard = threading.Lock()
        self._asking = threading.Lock()
        self._is_wanted = not is_polling
        self.overflows = 0
        self._default = Ear(self)
        self._ears = [self._default]
        self._observer: Any = None
        self.rearm()

    # what is known --------------------------------------------------------------------------

    def changed_folders(self) -> Collection[str] | None:
        """Folders with events since the last call; ``None`` when everything has to be looked at."""
        return self._default.changed_folders()

    def ear(self) -> Ear:
        """Another listener with a memory of its own, for another workspace object in this process."""
        with self._guard:
            made = Ear(self)
            self._ears.append(made)
        return made

    @property
    def is_armed(self) -> bool:
        """Whether what is watched is what lies there now, and somebody is watching."""
        if self.mode == POLLING and not self._is_wanted:
            return True
        return self._armed == self._ground() and (self.mode == POLLING or self._observer.is_alive())

    # arming ---------------------------------------------------------------------------------

    def rearm(self) -> None:
        """Watch what lies there now. Nothing is known of the time before."""
        self._end()
        self._heard = threading.Event()
        self._is_asked = False
        self._armed = self._ground()
        self.mode, self.why = POLLING, "polling was asked for"
        self._lose()
        if not self._is_wanted:
            return
        kind = shared_kind(self._root)
        if kind is not None:
            self.why = f"{kind} tells nobody what other machines change"
            return
        try:
            self._observer = self._started()
        except OSError as error:
            self.why = f"the system gives no more events: {error.strerror or error}"
            return
        self.mode, self.why = EVENTS, ""
        if self._armed[1] is not None and not self._has_heard(_FIRST_WAIT_SECONDS):
            self._end()
            self.mode, self.why = POLLING, "no event comes from this folder"

    def _started(self) -> Any:
        _pair_quickly()
        observer = Observer()
        # History, local things and pages lie beside `goals/`, so they are not watched at all.
        observer.schedule(_Marker(self), str(self._root), recursive=False)
        if self._armed[1] is not None:
            observer.schedule(_Marker(self), str(self._root / "goals"), recursive=True)
        main = self._root / ".git" / "refs" / "heads"
        if main.is_dir():
            observer.schedule(_Waker(self), str(main), recursive=False)
        try:
            observer.start()
        except BaseException:
            observer.stop()
            raise
        return observer

    def _ground(self) -> tuple[Any, Any]:
        return _inode(self._root), _inode(self._root / "goals")

    def stop(self) -> None:
        """End watching; afterwards every call says that everything has to be looked at."""
        self._end()
        self.mode, self.why, self._is_wanted = POLLING, "watching was ended", False
        self._lose()

    def _end(self) -> None:
        if self._observer is None:
            return
        self._observer.stop()
        self._observer.join()
        self._observer = None
        (self._root / "goals" / COOKIE).unlink(missing_ok=True)

    # what happens ---------------------------------------------------------------------------

    def mark(self, path: str, *, is_new: bool = False) -> None:
        """Note an event at ``path``; a folder that came, went or moved may hold files nobody was told of."""
        try:
            below = Path(path).relative_to(self._root)
        except ValueError:
            return
        if below.parts and below.parts[0] in _NOT_WATCHED:
            return
        if below.name == COOKIE:
            self._is_asked = False
            self._heard.set()
            return
        with self._guard:
            for ear in self._ears:
                ear.note({below.parent.as_posix().removeprefix("."), below.as_posix()}, is_lost=is_new)
                if ear.events == self._limit:
                    self.overflows += 1
        self.wake()

    def wake(self) -> None:
        """Tell whoever wants to know that something happened."""
        if self._on_event is not None:
            self._on_event()

    def has_heard_everything(self) -> bool:
        """Whether every change made before this call has been told; waits for it a moment."""
        return self.mode == EVENTS and self._observer.is_alive() and self._has_heard(_WAIT_SECONDS)

    def _has_heard(self, seconds: float) -> bool:
        if not self._asking.acquire(blocking=False):
            return False  # another thread is asking, and its answer says nothing about what happened since
        try:
            return self._ask(seconds)
        finally:
            self._asking.release()

    def _ask(self, seconds: float) -> bool:
        if self._is_asked:
            return False  # an answer of before may still come, and would be taken for this one's
        self._heard.clear()
        self._is_asked = True
        cookie = self._root / "goals" / COOKIE
        try:
            if not cookie.exists():
                if not cookie.parent.is_dir():
                    raise FileNotFoundError(cookie)
                cookie.touch()
            os.utime(cookie)
        except OSError:
            self._is_asked = False
            return False
        return self._heard.wait(seconds)

    def take(self, ear: Ear) -> tuple[set[str], bool]:
        """What ``ear`` was told since it was asked last, and whether that may not be all."""
        is_all = self.has_heard_everything()
        with self._guard:
            changed, is_lost = ear.forget()
        return changed, is_lost or not is_all

    def believes(self, events: int) -> bool:
        return events < self._limit

    def _lose(self) -> None:
        with self._guard:
            for ear in self._ears:
                ear.note((), is_lost=True)


class Ear:
    """One listener's memory of what happened since it asked last."""

    def __init__(self, watch: FolderWatch) -> None:
        self._watch = watch
        self._changed: set[str] = set()
        self._is_lost = True
        """Nothing is known of the time before watching began."""
        self.events = 0

    def changed_folders(self) -> Collection[str] | None:
        """Folders with events since the last call; ``None`` when everything has to be looked at."""
        changed, is_lost = self._watch.take(self)
        # The root holds one document and is watched apart from the rest: it is looked at every time.
        return None if is_lost else {"", *changed}

    def note(self, folders: Collection[str], *, is_lost: bool) -> None:
        self.events += 1
        self._is_lost = self._is_lost or is_lost or not self._watch.believes(self.events)
        self._changed.update(folders)

    def forget(self) -> tuple[set[str], bool]:
        found = self._changed, self._is_lost
        self._changed, self._is_lost, self.events = set(), False, 0
        return found


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
                self._watch.mark(
                    path, is_new=event.is_directory and event.event_type in ("created", "deleted", "moved")
                )


class _Waker(FileSystemEventHandler):
    """The branch moved: a commit of somebody's, or a reset. What that means is for a look to find out."""

    def __init__(self, watch: FolderWatch) -> None:
        self._watch = watch

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("created", "moved", "deleted"):
            self._watch.wake()


def _pair_quickly() -> None:
    """Keep events from waiting half a second behind a file that was moved out of sight, as every write of ours does."""
    if sys.platform != "linux":
        return
    for module, name in (
        ("inotify_move_event_grouper", "InotifyMoveEventGrouper"),
        ("inotify_buffer", "InotifyBuffer"),
    ):
        try:
            getattr(import_module(f"watchdog.observers.{module}"), name).delay = _PAIRING_SECONDS
        except (ImportError, AttributeError):
            continue  # another version of the library; then everything is looked at more often


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _believable() -> int:
    """How many events may come between two looks before some may have been dropped: half of what the system keeps."""
    try:
        return max(16, min(4096, int(_QUEUE.read_text(encoding="ascii")) // 2))
    except (OSError, ValueError):
        return 1024
