"""What becomes of one request: told at once, carried out, or declined in a word so that the asker does it alone.

A request is declined for anything that could make its answer another one than without a daemon: another version,
another Git setting, another umask, a workspace that lies elsewhere, a lock somebody else holds.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING

from loopx import __version__
from loopx.daemon import line
from loopx.daemon.line import Asked
from loopx.daemon.opened import Opened
from loopx.daemon.program import HOME
from loopx.daemon.serving import Answering
from loopx.workspace.places import Places

if TYPE_CHECKING:
    from loopx.daemon.running import Daemon


def answered(daemon: Daemon, opened: Opened, asked: Asked, answering: Answering) -> bytes:
    """The frames of the answer."""
    if asked.kind == line.STATUS:
        told = json.dumps(daemon.health.as_json(), ensure_ascii=False).encode("utf-8", "surrogatepass")
        return line.frame(line.FACTS, told) + line.frame(line.ENDED, b"0")
    why = "unknown" if asked.kind != line.RUN else _why_not(daemon, opened, asked)
    if not why:
        found = answering(asked, opened.ws)
        if not isinstance(found, str):
            daemon.health.served += 1
            return b"".join(found)
        why = found
    daemon.health.declined[why] = daemon.health.declined.get(why, 0) + 1
    return line.frame(line.DECLINED, why.encode())


def _why_not(daemon: Daemon, opened: Opened, asked: Asked) -> str:
    umask = _umask()
    own = line.told(__version__, HOME, umask=umask)
    if asked.facts.rpartition("\n")[0] != own.rpartition("\n")[0]:
        return "another version or umask"
    if daemon.health.outdated is not None or daemon.program.change() is not None:
        return "this daemon is of an older version"
    if line.setting(asked.environ) != line.setting(dict(daemon.environ)):
        return "another setting of Git"
    if not opened.ground.is_same():
        return "the workspace is gone"
    if _is_locked(opened.places):
        return "the workspace is locked"  # whoever waits for that should not keep everybody else waiting
    return ""


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def _is_locked(places: Places) -> bool:
    """Whether somebody else is writing just now."""
    try:
        fd = os.open(places.local / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
