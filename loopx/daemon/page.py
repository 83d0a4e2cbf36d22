"""The live page, where its library is installed. A daemon without a page says why and does everything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loopx.daemon.opened import Opened
from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.web.hub import MemoryHub
from loopx.workspace import Workspace
from loopx.workspace.discovery import Found


class Page:
    """The live page of one workspace. ``address`` is ``None`` when there is none, and ``why`` says why."""

    def __init__(
        self,
        opened: Opened,
        hub: MemoryHub,
        environ: Mapping[str, str],
        clock: Clock,
        health: Callable[[], Mapping[str, Any]],
    ) -> None:
        self.address: str | None = None
        self.why = ""
        self._ws: Workspace | None = None
        self._server: Any = None
        try:
            from loopx.web.app import serve
        except ImportError as error:
            self.why = f"{error.name or 'its library'} is not installed"
            return
        quiet = {**environ, "LOOPX_PAGES": "off"}
        self._ws = Workspace(Found(opened.places.root, "option"), environ=quiet, clock=clock, watch=opened.watch.ear())
        try:
            self._server = serve(self._ws, hub, health=health)
            self._server.start()
            self.address = self._server.address
        except (LoopxError, OSError) as error:
            self.why = str(error)
            self.stop()

    def stop(self) -> None:
        """End the page."""
        if self._server is not None:
            self._server.stop()
            self._server = None
        if self._ws is not None:
            self._ws.close()
            self._ws = None
