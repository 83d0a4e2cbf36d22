"""Serving the live page of one workspace: the app put together, and a server that runs it in a thread of its own.

The daemon calls :func:`serve` with its open workspace and its hub, and stops the server when it ends itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from loopx.errors import LoopxError, Problem
from loopx.web import door
from loopx.web.guarding import Doorkeeper, Guarded, answer_of
from loopx.web.hub import Hub
from loopx.web.routes import Routes
from loopx.web.showing import Showing
from loopx.web.streaming import Streams
from loopx.workspace.bugs import report

if TYPE_CHECKING:
    from loopx.workspace import Workspace

LOOPBACK = "127.0.0.1"
_CONNECTIONS = 200
_STOP_SECONDS = 2
_JOIN_SECONDS = 10.0


def serve(
    workspace: Workspace,
    hub: Hub,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    token: str | None = None,
    health: Callable[[], Mapping[str, Any]] = dict,
) -> Server:
    """A server for the page of ``workspace``, listening but not answering before :meth:`Server.start`.

    ``port`` 0 takes a free one; ``token`` is drawn when not given; ``health`` is what ``/healthz`` tells beyond its
    own. Raises ``web-failed`` where nothing can listen.
    """
    keeper = Doorkeeper(token or token_urlsafe(32), workspace.clock)
    return Server(workspace, hub, _listening(host, port), keeper, health)


class Server:
    """One server for one workspace. Start it once, stop it once."""

    def __init__(
        self,
        workspace: Workspace,
        hub: Hub,
        listening: socket.socket,
        keeper: Doorkeeper,
        health: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._workspace = workspace
        self._socket = listening
        self._keeper = keeper
        self.host, self.port = listening.getsockname()[:2]
        keeper.open_at(self.host, self.port)
        showing = Showing(workspace)
        self._streams = Streams(hub, showing.hear)
        routes = Routes(showing, self._streams, keeper, lambda: dict(health()))
        app = Router(routes.all(), default=_nowhere)
        config = uvicorn.Config(
            Guarded(app, keeper, lambda error: report(error, ("the live page",), workspace.places.root)),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=_STOP_SECONDS,
        )
        self._server = uvicorn.Server(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="loopx-web", daemon=True)

    @property
    def address(self) -> str:
        """Where the page is. Opening it needs a :meth:`link`."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{self.port}"

    def start(self) -> None:
        """Answer requests from now on, and let ``loopx web`` find the page."""
        self._thread.start()
        door.leave_open(self._workspace.places, self.address, self._keeper.token)

    def link(self) -> str:
        """An address that opens the page in a browser: once, within minutes."""
        return f"{self.address}/enter?key={self._keeper.new_key()}"

    def stop(self) -> None:
        """Stop answering: open pages are told, and nothing of the server is left."""
        door.close(self._workspace.places, self.address)
        self._server.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # it ended in between
                self._loop.call_soon_threadsafe(self._streams.stop)
        if self._thread.is_alive():
            self._thread.join(_JOIN_SECONDS)
        self._socket.close()

    def _run(self) -> None:
        async def answering() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[self._socket])

        asyncio.run(answering())


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    problem = Problem("page-unknown", "There is nothing at this address.")
    await answer_of(scope, problem, 404)(scope, receive, send)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens already, so that the port is known and no request comes too early."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or error
        raise LoopxError("web-failed", f"Nothing can listen on {host} port {port}: {reason}.") from error
    return made
