"""The other end of the daemon's socket, for whoever has loaded LoopX already: how it is doing, and what happens.

The thin client of the command line speaks the same words without loading this.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from loopx import __version__
from loopx.daemon import line
from loopx.daemon.identity import Identity, is_same, process
from loopx.daemon.program import HOME
from loopx.daemon.single import owner
from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.workspace.places import Places

ANSWER_SECONDS = 5.0
_ENDING_SECONDS = 15.0
_STEP_SECONDS = 0.05


def health(places: Places) -> dict[str, Any] | None:
    """What the daemon of a workspace says of itself; ``None`` when none runs or none answers."""
    for letter, content in _frames(places, line.STATUS, ANSWER_SECONDS):
        if letter == line.FACTS:
            found: dict[str, Any] = json.loads(content)
            return found
    return None


def happenings(places: Places) -> Iterator[dict[str, Any]]:
    """What happens, from now on, until the daemon ends. Raises ``daemon-missing`` when none runs."""
    is_heard = False
    for letter, content in _frames(places, line.FOLLOW, None):
        is_heard = True
        if letter == line.FACTS:
            yield json.loads(content)
    if not is_heard:
        raise missing(places)


def missing(places: Places) -> LoopxError:
    """What is said where a daemon is needed and none runs."""
    return LoopxError("daemon-missing", f"No daemon watches {places.root}.")


def end(places: Places, clock: Clock) -> int | None:
    """Ask the daemon of a workspace to end, and wait for it; its pid, or ``None`` when none ran.

    Raises ``daemon-failed`` when it does not end, or when nobody can tell which process it is.
    """
    noted = owner(places)
    if noted is None:
        return None
    try:
        identity = Identity.from_json(noted)
    except (KeyError, TypeError, ValueError) as error:
        raise LoopxError("daemon-failed", "The daemon has not said yet which process it is.") from error
    if not is_same(identity, process(identity.pid)):
        raise LoopxError("daemon-failed", f"Process {identity.pid} is not on this machine, or not the daemon any more.")
    os.kill(identity.pid, signal.SIGTERM)
    for _ in range(int(_ENDING_SECONDS / _STEP_SECONDS)):
        if owner(places) is None:
            return identity.pid
        clock.wait(_STEP_SECONDS)
    raise LoopxError("daemon-failed", f"Process {identity.pid} was asked to end and has not.")


def _frames(places: Places, kind: str, seconds: float | None) -> Iterator[tuple[bytes, bytes]]:
    """Frames as they come, until the other end closes. Nobody there gives none."""
    try:
        peer: Any = line.connect(str(places.local))
    except OSError:
        return
    with closing(peer):
        try:
            peer.settimeout(ANSWER_SECONDS)
            peer.sendall(line.encoded(line.Asked(kind, line.told(__version__, HOME, umask=0))))
            peer.settimeout(seconds)
            received = b""
            while said := peer.recv(1 << 16):
                found, received = line.frames(received + said)
                yield from found
        except (OSError, ValueError):
            return
