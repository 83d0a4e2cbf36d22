"""The words spoken on the daemon's socket. Loads next to nothing: the command line speaks them before anything else.

A request is one line, ``loopx 1 LENGTH``, then texts with NULs between them. An answer is a row of frames: a letter, a
length, a newline, so many bytes.
"""

from __future__ import annotations

import os

MAGIC = b"loopx 1 "
ACCEPTED, OUT, ERR, FACTS, ENDED, DECLINED = b"a", b"1", b"2", b"f", b"x", b"n"
"""Frames: it is being carried out · to stdout · to stderr · one JSON value · exit status · why it is not done here."""
RUN, STATUS, FOLLOW = "run", "status", "follow"
"""What may be asked."""
MOST = 4 * 1024 * 1024
"""Bytes a request may have."""
SOCKET = "daemon.sock"
_KEPT_PREFIXES = ("GIT_",)
_KEPT_NAMES = ("HOME", "XDG_CONFIG_HOME", "EMAIL", "LOOPX_IN_HOOK", "LOOPX_STANDING_GIT")


class Asked:
    """One request. ``facts`` says who asks from where: version and place of the program, umask, terminals."""

    __slots__ = ("arguments", "environ", "facts", "folder", "kind", "operation")

    def __init__(
        self,
        kind: str,
        facts: str,
        operation: str = "",
        folder: str = "",
        arguments: tuple[str, ...] = (),
        environ: dict[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.facts = facts
        self.operation = operation
        self.folder = folder
        self.arguments = arguments
        self.environ = environ or {}


def encoded(asked: Asked) -> bytes:
    """The request as bytes."""
    texts = [asked.kind, asked.facts, asked.operation, asked.folder, str(len(asked.arguments)), *asked.arguments]
    texts += [f"{name}={value}" for name, value in asked.environ.items()]
    body = "\0".join(texts).encode("utf-8", "surrogateescape")
    return MAGIC + b"%d\n" % len(body) + body


def decoded(received: bytes) -> Asked | None:
    """The request in ``received``; ``None`` while it is not complete. Raises :class:`ValueError` for anything else."""
    head, newline, rest = received.partition(b"\n")
    if not MAGIC.startswith(head[: len(MAGIC)]) or len(head) > 64:
        raise ValueError("no request")
    if not newline:
        return None
    size = int(head.removeprefix(MAGIC))
    if not 0 <= size <= MOST:
        raise ValueError("too long")
    if len(rest) < size:
        return None
    kind, facts, operation, folder, count, *texts = rest[:size].decode("utf-8", "surrogateescape").split("\0")
    pairs = (each.partition("=") for each in texts[int(count) :])
    environ = {name: value for name, _, value in pairs}
    return Asked(kind, facts, operation, folder, tuple(texts[: int(count)]), environ)


def frame(letter: bytes, content: bytes = b"") -> bytes:
    """One frame of an answer."""
    return b"%s%d\n%s" % (letter, len(content), content)


def frames(received: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The complete frames in ``received``, and the rest. Raises :class:`ValueError` for what is no answer."""
    found: list[tuple[bytes, bytes]] = []
    while True:
        head, newline, rest = received.partition(b"\n")
        if not newline or len(rest) < int(head[1:]):
            return found, received
        size = int(head[1:])
        found.append((head[:1], rest[:size]))
        received = rest[size:]


def told(version: str, home: str, *, umask: int, terminals: str = "") -> str:
    """``facts`` of a request. ``terminals`` names which of stdin (i), stdout (o) and stderr (e) are one."""
    return f"{version}\n{home}\n{umask:o}\n{terminals}"


def setting(environ: dict[str, str] | os._Environ[str]) -> dict[str, str]:
    """What of an environment decides who is asking and which Git answers: the same on both sides, or not served."""
    return {name: value for name, value in environ.items() if name in _KEPT_NAMES or name.startswith(_KEPT_PREFIXES)}


def connect(folder: str) -> object:
    """A connection to the daemon whose socket lies in ``folder``. Raises :class:`OSError` when nobody answers there.

    A socket's path may be a hundred bytes long, a folder's a thousand: it is reached from within.
    """
    import _socket

    if os.stat(f"{folder}/{SOCKET}").st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else")
    made = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        if len(os.fsencode(folder)) < 90:
            made.connect(f"{folder}/{SOCKET}")
        else:
            from_here(folder, lambda: made.connect(SOCKET))
    except BaseException:
        made.close()
        raise
    return made


def from_here(folder: str, do: object) -> None:
    """Call ``do`` while ``folder`` is the current one."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        do()  # type: ignore[operator]
    finally:
        os.fchdir(here)
        os.close(here)
