"""The references of a repository: read by hand, moved by compare-and-swap through ``git update-ref``.

Called by the store. A move is one transaction of one reference; whether it took place is what the reference says
afterwards, never what the program managed to answer.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.store.disk import flush_folder, guarded
from loopx.store.protocol import Oid
from loopx.store.waiting import Patience, lock_facts

if TYPE_CHECKING:
    from loopx.store.git.programs import Programs
    from loopx.store.git.standing import StandingProgram

MAIN = "refs/heads/main"
ADMITTED = "refs/loopx/admitted"

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HELD = re.compile(r"Unable to create '([^']+)': File exists")
_MOVED = re.compile(r"but expected|reference already exists|unable to resolve reference")
_STOPPED = re.compile(r"aborted by hook|transaction hook")


class _Held(Exception):
    """Somebody else holds the lock file named."""

    def __init__(self, lock: str) -> None:
        super().__init__(lock)
        self.lock = lock


class References:
    """The references of one repository. Safe for several threads."""

    def __init__(
        self, git_dir: Path, programs: Callable[[], Programs], clock: Clock, *, durable: bool, seconds: float
    ) -> None:
        self._git_dir = str(git_dir)
        self._programs = programs
        self._clock = clock
        self._durable = durable
        self._seconds = seconds
        self._lock = threading.Lock()

    def read(self, name: str) -> Oid | None:
        """What ``name`` names; ``None`` where there is no such reference. Raises ``repository-broken``."""
        text = self._text(name)
        if text is None:
            return self._packed(name)
        if not _OID.fullmatch(text):
            raise LoopxError("repository-broken", f"{name} is damaged.", facts={"reference": name, "content": text})
        return text

    def target(self) -> str | None:
        """The reference HEAD stands for; ``None`` when it is detached. Raises ``repository-broken``."""
        text = self._text("HEAD")
        if text is None:
            raise LoopxError("repository-broken", "The repository has no HEAD.")
        kind, _, name = text.partition(": ")
        if name == "refs/heads/.invalid":
            raise LoopxError("repository-broken", "The repository keeps its references in a form LoopX cannot read.")
        return name.strip() if kind == "ref" else None

    def swap(self, name: str, new: Oid, expected: Oid | None) -> None:
        """Move ``name`` from ``expected`` (``None``: not there yet) to ``new``.

        Raises ``head-moved`` when it names something else, ``repository-busy`` when its lock is held too long, and
        ``hook-refused`` when a hook stops the move.
        """
        absent = "0" * len(new)
        self._move(name, f"update {name}\0{new}\0{expected or absent}\0", new)

    def put(self, name: str, new: Oid | None) -> None:
        """Set ``name`` to ``new`` whatever it is now; ``None`` drops it. Raises as :meth:`swap` does."""
        if new is None:
            if self.read(name) is not None:
                self._move(name, f"delete {name}\0\0", None)
        elif self.read(name) != new:
            self._move(name, f"update {name}\0{new}\0\0", new)

    def close(self) -> None:
        with self._lock:
            if "_program" in self.__dict__:
                self._program.close()

    @cached_property
    def _program(self) -> StandingProgram:
        from loopx.store.git.standing import StandingProgram

        return StandingProgram(self._programs(), "update-ref", "-m", "loopx", "-z", "--stdin")

    def _text(self, name: str) -> str | None:
        try:
            with open(f"{self._git_dir}/{name}", encoding="utf-8", errors="replace") as file:
                return file.read().strip()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def _packed(self, name: str) -> Oid | None:
        for line in (self._text("packed-refs") or "").splitlines():
            oid, _, found = line.partition(" ")
            if found == name and _OID.fullmatch(oid):
                return oid
        return None

    def _move(self, name: str, request: str, new: Oid | None) -> None:
        patience = Patience(self._clock, self._seconds)
        while True:
            try:
                with self._lock:
                    self._transact(name, request, new)
                break
            except _Held as held:
                if not patience.is_left():
                    raise self._busy(held.lock) from None
                patience.wait()
        if self._durable:
            self._flush(name)

    def _transact(self, name: str, request: str, new: Oid | None) -> None:
        from loopx.store.git.standing import Died

        try:
            self._program.ask(f"start\0{request}prepare\0commit\0".encode())
            for _ in ("start", "prepare", "commit"):
                self._program.line()
        except Died as death:
            self._judge(name, death.words, new)
        except LoopxError:
            if self.read(name) != new:
                raise

    def _judge(self, name: str, words: str, new: Oid | None) -> None:
        """Say why a transaction failed, unless the reference shows that it did not."""
        from loopx.store.git.trouble import explained, tail_of

        actual = self.read(name)
        if actual == new:
            return
        held = _HELD.search(words)
        if held:
            raise _Held(held[1])
        if _MOVED.search(words):
            raise LoopxError("head-moved", f"{name} is not where it was.", facts={"reference": name, "actual": actual})
        if _STOPPED.search(words):
            raise LoopxError("hook-refused", f"A hook stopped the move of {name}.", facts={"hook": tail_of(words)})
        raise explained(f"move {name}", words)

    def _busy(self, lock: str) -> LoopxError:
        return LoopxError("repository-busy", f"{lock} is held.", facts=lock_facts(lock, self._clock))

    def _flush(self, name: str) -> None:
        folder = os.path.dirname(f"{self._git_dir}/{name}")
        with guarded(folder):
            if os.path.isdir(folder):
                flush_folder(folder)
