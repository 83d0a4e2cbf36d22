"""Server-sent events: what a hub tells, passed on to one open page until it goes away or the server stops."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from loopx.model.times import format_instant
from loopx.web.hub import Happening, Hear, Hub

QUIET_SECONDS = 15.0
"""After so long without a happening a comment is sent, so that a connection that broke is noticed."""
_WAITING_MOST = 200


class Streams:
    """Every open stream of one server."""

    def __init__(self, hub: Hub, heard: Hear) -> None:
        self._hub = hub
        self._heard = heard
        self._open: set[asyncio.Queue[Happening | None]] = set()
        self._is_over = False

    async def stream(self) -> AsyncIterator[bytes]:
        """The events of one page."""
        queue: asyncio.Queue[Happening | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def hear(happening: Happening) -> None:
            self._heard(happening)
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._put, queue, happening)

        self._open.add(queue)
        end = self._hub.subscribe(hear)
        try:
            yield b"retry: 2000\n\n"
            while not self._is_over:
                try:
                    found = await asyncio.wait_for(queue.get(), QUIET_SECONDS)
                except TimeoutError:
                    yield b": quiet\n\n"
                    continue
                if found is None:
                    break
                yield event(found)
            yield b"event: end\ndata: {}\n\n"
        finally:
            end()
            self._open.discard(queue)

    def stop(self) -> None:
        """End every stream. Called in the server's own loop."""
        self._is_over = True
        for queue in list(self._open):
            queue.put_nowait(None)

    @property
    def number(self) -> int:
        """How many are open."""
        return len(self._open)

    @staticmethod
    def _put(queue: asyncio.Queue[Happening | None], happening: Happening) -> None:
        if queue.qsize() < _WAITING_MOST:  # a page that reads nothing has enough to know that it is behind
            queue.put_nowait(happening)


def event(happening: Happening) -> bytes:
    """One happening as it is sent."""
    told = {
        "kind": happening.kind.value,
        "revision": happening.revision,
        "paths": list(happening.paths[:50]),
        "text": happening.text,
        "at": format_instant(happening.at),
    }
    return b"event: happening\ndata: " + json.dumps(told).encode() + b"\n\n"
