"""The socket's end in the daemon: requests read as they come, answers written without ever waiting for a reader.

Called by the loop in :mod:`loopx.daemon.running`. Only the same user gets through: the socket's mode, and where the
system tells it, the peer itself. What carries a command out is handed in by the command line.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from loopx.daemon import line
from loopx.daemon.line import Asked
from loopx.daemon.standing import StandingWorkspace
from loopx.errors import LoopxError

BACKLOG = 64
MOST_LINES = 64
"""So many connections are kept; one more takes the place of the oldest that says nothing."""
_MOST_UNSENT = 1024 * 1024


class Connection:
    """One peer: what it said so far, and what it was not yet able to take."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.received = b""
        self.unsent = b""
        self.is_ending = False
        self.is_following = False

    def is_there(self) -> bool:
        """Whether somebody still waits at the other end."""
        try:
            return self.peer.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False


class Serving:
    """The socket of one daemon. ``asked`` is given each complete request and answers with frames."""

    def __init__(self, folder: Path, selector: selectors.BaseSelector) -> None:
        self._path = folder / line.SOCKET
        self._selector = selector
        self.connections: list[Connection] = []
        self._socket = _listening(folder)
        self._inode = os.stat(self._path).st_ino
        selector.register(self._socket, selectors.EVENT_READ, self._accept)

    # requests -------------------------------------------------------------------------------

    def _accept(self) -> None:
        try:
            peer, _ = self._socket.accept()
        except OSError:
            return  # gone again, or no descriptors left: it asks again or does without us
        if not _is_same_user(peer):
            peer.close()
            return
        peer.setblocking(False)
        if len(self.connections) >= MOST_LINES:
            self.drop(self.connections[0])
        connection = Connection(peer)
        self.connections.append(connection)
        self._selector.register(peer, selectors.EVENT_READ, lambda: self._read(connection))

    def _read(self, connection: Connection) -> None:
        try:
            said = connection.peer.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if not said:
            self.drop(connection)
            return
        connection.received += said

    def requests(self) -> Iterable[tuple[Connection, Asked]]:
        """Requests that are complete now, in the order their peers came."""
        for connection in list(self.connections):
            if not connection.received or connection.is_ending or connection.is_following:
                continue
            try:
                asked = line.decoded(connection.received)
            except (ValueError, IndexError):
                self.drop(connection)
                continue
            if asked is not None:
                connection.received = b""
                if connection.is_there():
                    yield connection, asked
                else:
                    self.drop(connection)  # it gave up waiting, and does it by itself

    # answers --------------------------------------------------------------------------------

    def send(self, connection: Connection, content: bytes) -> None:
        """Send what the peer takes now, and keep the rest for when it can."""
        connection.unsent += content
        self._flush(connection)

    def end(self, connection: Connection, content: bytes) -> None:
        """Send the last of an answer."""
        connection.is_ending = True
        self.send(connection, content)

    def tell_followers(self, happening: dict[str, Any]) -> None:
        """One line to everybody who follows. Who takes nothing any more is let go."""
        content = line.frame(line.FACTS, json.dumps(happening, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        for connection in list(self.connections):
            if connection.is_following:
                self.send(connection, content)

    def _flush(self, connection: Connection) -> None:
        try:
            sent = connection.peer.send(connection.unsent) if connection.unsent else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self.drop(connection)
            return
        connection.unsent = connection.unsent[sent:]
        if connection.unsent and len(connection.unsent) <= _MOST_UNSENT * 16:
            wanted = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(connection.peer, wanted, lambda: self._continue(connection))
        elif connection.unsent or connection.is_ending:
            self.drop(connection)
        else:
            self._selector.modify(connection.peer, selectors.EVENT_READ, lambda: self._read(connection))

    def _continue(self, connection: Connection) -> None:
        if not connection.is_there():
            self.drop(connection)
            return
        self._flush(connection)

    def drop(self, connection: Connection) -> None:
        """Be done with a peer."""
        if connection in self.connections:
            self.connections.remove(connection)
            self._selector.unregister(connection.peer)
            connection.peer.close()

    def close(self) -> None:
        """Stop listening. The socket's name goes if it is still ours."""
        for connection in list(self.connections):
            self.drop(connection)
        self._selector.unregister(self._socket)
        self._socket.close()
        try:
            if os.stat(self._path).st_ino == self._inode:
                os.unlink(self._path)
        except OSError:
            return


def _listening(folder: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        (folder / line.SOCKET).unlink(missing_ok=True)  # of a daemon that was killed: the lock says none runs
        before = os.umask(0o177)
        try:
            line.from_here(str(folder), lambda: made.bind(line.SOCKET))
        finally:
            os.umask(before)
        made.listen(BACKLOG)
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise LoopxError("daemon-failed", f"The socket could not be made: {error.strerror or error}.") from error
    return made


def _is_same_user(peer: socket.socket) -> bool:
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True  # the socket's mode lets nobody else in
    _, uid, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return uid in (os.geteuid(), 0)


Answering = Callable[[Asked, StandingWorkspace], list[bytes] | str]
"""Carries a command out: the frames of its answer, or in a word why it is not done here."""
