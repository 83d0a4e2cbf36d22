"""The right to carry out one Todo, as long as a run takes: this machine's hold of it, and its Lease.

Called by :mod:`loopx.loop.work.running`. Two processes of one machine are told apart by a lock on a file, which the
system gives back whatever ends them; everybody else by the Lease. The execution key is kept in that file, so that
whoever goes on after a crash goes on under the same Lease.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import threading
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

from loopx.errors import LoopxError
from loopx.kernel.claims import holder_name
from loopx.kernel.commands import AcquireLease, ReleaseLease, RenewLease
from loopx.kernel.lease_standing import live_lease
from loopx.loop.keeping.attempting import process_started
from loopx.model.ids import KEY
from loopx.store.disk import flush_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from loopx.model.actor import Actor
    from loopx.model.lease import Lease
    from loopx.workspace import Workspace

_LOOK_SECONDS = 1.0
"""How often it is looked whether the Lease should be renewed. The clock that counts is the workspace's."""
_ROW = 256
_LINGERS, _LINGER_SECONDS = 100, 0.02
"""How long a hold is waited for whose holder has ended."""


class Tenure(AbstractContextManager["Tenure"]):
    """Held while a run is carried on in this process. Raises ``run-held`` where another process of this machine does,
    and whatever keeps ``actor`` from the Todo's Lease. A ``key`` that was given is its giver's to release."""

    def __init__(self, workspace: Workspace, todo: str, actor: Actor, key: str | None = None) -> None:
        self.workspace = workspace
        self.todo = todo
        self.actor = actor
        self._given = key
        self._path = workspace.places.local / "runs" / f"{todo}.json"
        self._file: int | None = None
        self.key = ""

    def __enter__(self) -> Tenure:
        self._file = _locked(self._path, self.todo)
        try:
            self.key = self._given or self._acquired()
            if self._given:
                self._keep(self._kept())
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if self._given is None and _is_orderly(error):
                self._give_back()
        finally:
            self._let_go()

    async def renewing(self, fenced: Callable[[LoopxError], None]) -> None:
        """Renew the Lease for as long as this is awaited. Once that is refused it is told, and nothing more is done."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                self._renew_in_time()
            except LoopxError as error:
                if error.exit.name in ("REFUSED", "CONFLICT"):
                    fenced(error)
                    return

    def lease(self) -> Lease | None:
        """The Lease of the Todo while it lives."""
        return live_lease(self.workspace.read(take_in=False).state, self.todo, self.workspace.clock.now())

    # the lease -----------------------------------------------------------------------------------

    def _acquired(self) -> str:
        """The key of the Lease: of the one that is ours already, or of a new one."""
        known, lease = self._kept(), self.lease()
        if lease is not None and lease.owner == holder_name(self.actor) and lease.key == known:
            self._keep(known)
            return known
        key = self.workspace.ids.fresh(KEY)
        self._keep(key)
        self.workspace.submit(AcquireLease(todo=self.todo, key=key), actor=self.actor)
        return key

    def _renew_in_time(self) -> None:
        lease = self.lease()
        now = self.workspace.clock.now()
        if lease is not None and now < lease.renewed_at + timedelta(seconds=lease.ttl_seconds / 3):
            return
        version = lease.version if lease is not None else 0
        self.workspace.submit(RenewLease(todo=self.todo, key=self.key, version=version), actor=self.actor)

    def _give_back(self) -> None:
        """Release the Lease where it is still ours. A failure leaves it to its time."""
        lease = self.lease()
        if lease is not None and lease.key == self.key:
            with suppress(LoopxError):
                self.workspace.submit(ReleaseLease(todo=self.todo, key=self.key), actor=self.actor)

    # the file ------------------------------------------------------------------------------------

    def _kept(self) -> str:
        assert self._file is not None
        try:
            found: Any = json.loads(os.pread(self._file, 4096, 0))
            return str(found["key"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def _keep(self, key: str) -> None:
        """Put the key on file before it is used: after a crash in between it is known either way."""
        assert self._file is not None
        row = json.dumps({"key": key, "pid": os.getpid()})
        os.pwrite(
            self._file, row.ljust(_ROW).encode(), 0
        )  # in one go: whoever is killed here leaves the one or the other
        os.fsync(self._file)
        flush_folder(str(self._path.parent))

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def is_held(workspace: Workspace, todo: str) -> bool:
    """Whether a process of this machine carries a run of the Todo on right now."""
    path = workspace.places.local / "runs" / f"{todo}.json"
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _taken(file)
    finally:
        os.close(file)


def _locked(path: Path, todo: str) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if _taken(file):
        return file
    patience = threading.Event()
    for _ in range(_LINGERS):
        holder = _holder(file)
        if holder is not None and process_started(holder):
            break
        patience.wait(_LINGER_SECONDS)  # a program that it was just starting as it was killed has not let go yet
        if _taken(file):
            return file
    os.close(file)
    message = f"A run of {todo} is carried on by process {holder or 'another'}."
    raise LoopxError("run-held", message, facts={"todo": todo, "pid": holder})


def _holder(file: int) -> int | None:
    try:
        return int(json.loads(os.pread(file, 4096, 0))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_orderly(error: BaseException | None) -> bool:
    """Whether the Lease is this process's to give back: not where it is somebody else's by now, and not where the
    process is torn away, whose successor goes on under the key that is on file."""
    if isinstance(error, LoopxError):
        return not error.code.startswith("lease-")
    return error is None or isinstance(error, Exception)
