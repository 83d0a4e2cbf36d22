"""What happens after a command has answered: pages are rendered, displaced files looked at again, history packed.

Started detached by the workspace, one at a time per workspace; ends by itself when there is nothing left to do. Never
decides anything: hand edits it comes across go through a pass like any other.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from loopx.errors import LoopxError
from loopx.store.git.maintenance import maintain
from loopx.workspace import journal as journals
from loopx.workspace.clock import SystemClock
from loopx.workspace.discovery import Found
from loopx.workspace.facade import Workspace
from loopx.workspace.materialise import displaced_files
from loopx.workspace.passes import Wish
from loopx.workspace.settle import ADOPTION_SECONDS

QUIET_SECONDS = 0.3
"""How long it waits before rendering, so that a burst of commands is rendered once."""
_LOOKS = 20


def main(root: Path) -> None:
    """Work through what is due for the workspace at ``root``, unless somebody else already does."""
    os.nice(10)
    try:
        handle = os.open(root / "local" / "render.lock", os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    with Workspace(Found(root, "option"), environ={**os.environ, "LOOPX_PAGES": "off"}) as ws:
        _work(ws)


def _work(ws: Workspace) -> None:
    clock = SystemClock()
    ws.pages.ensure_schemas()
    for _ in range(_LOOKS):
        clock.wait(QUIET_SECONDS)
        if not ws.places.root.exists():
            return
        if ws.places.pages_dirty.exists():
            ws.pages.render()
        elif _has_displaced(ws):
            clock.wait(ADOPTION_SECONDS)
            ws.run_pass(Wish(), purpose="a second look at replaced files")
        else:
            break
    maintain(ws.places.root)


def _has_displaced(ws: Workspace) -> bool:
    """Whether files wait for their second look that had none yet."""
    looked_at = {each.path.rpartition("/")[2] for each in ws.edits()}
    return any(
        file.name not in looked_at
        for _, write in journals.displaced(ws.places)
        for _, file in displaced_files(ws.places, write)
    )


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (LoopxError, OSError):
        sys.exit(4)
