"""Everything one daemon holds for one workspace while it lies where it lies; opened and given back as a whole."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Mapping
from pathlib import Path

from loopx.daemon.ground import Ground, stood_on
from loopx.daemon.looking import Looking
from loopx.daemon.rendering import Rendering
from loopx.daemon.serving import Serving
from loopx.daemon.single import Single
from loopx.daemon.standing import StandingWorkspace
from loopx.daemon.watch import FolderWatch
from loopx.errors import LoopxError, Place
from loopx.model.clock import Clock
from loopx.workspace.discovery import Found
from loopx.workspace.places import Places


class Opened:
    """The claim, the watch, the socket and the open workspace. Raises ``daemon-running`` and ``workspace-gone``."""

    def __init__(
        self,
        root: Path,
        *,
        environ: Mapping[str, str],
        clock: Clock,
        selector: selectors.BaseSelector,
        on_event: Callable[[], None],
    ) -> None:
        ground = stood_on(root)
        if ground is None:
            raise gone(root)
        self.ground: Ground = ground
        self.places = Places(root)
        self.single = Single(self.places)
        undo: list[Callable[[], None]] = [self.single.release]
        try:
            is_polling = environ.get("LOOPX_WATCH") == "polling"
            self.watch = FolderWatch(root, on_event=on_event, is_polling=is_polling)
            undo.append(self.watch.stop)
            self.ws = StandingWorkspace(Found(root, "option"), environ=environ, clock=clock, watch=self.watch)
            undo.append(self.ws.end)
            self.serving = Serving(self.places.local, selector)
        except BaseException:
            for each in reversed(undo):
                each()
            raise
        self.looking = Looking(self.ws)
        self.rendering = Rendering(self.ws)

    def close(self) -> None:
        """Give everything back, the claim last."""
        self.serving.close()
        self.rendering.stop()
        self.ws.end()
        self.watch.stop()
        self.single.release()


def gone(root: Path) -> LoopxError:
    """What is said when no workspace lies at ``root``."""
    message = f"No workspace lies at {root} any more; nothing is taken for deleted."
    return LoopxError("workspace-gone", message, place=Place(str(root)))
