"""Letting time pass by the injected clock, without holding up steps that run, and no longer than anybody wants to."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext


def passing(context: LoopContext, seconds: float) -> asyncio.Future[None]:
    """Done once ``seconds`` have passed. It may be left alone: nothing waits for the thread it takes."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def wait() -> None:
        broken: Exception | None = None
        try:
            context.clock.wait(seconds)
        except Exception as error:  # noqa: BLE001  (handed over to whoever waits)
            broken = error
        try:
            loop.call_soon_threadsafe(_finish, done, broken)
        except RuntimeError:  # the run is over and its loop closed: nobody waits any more
            pass

    threading.Thread(target=wait, name="loopx-wait", daemon=True).start()
    return done


async def paused(context: LoopContext, seconds: float) -> None:
    """Wait until ``seconds`` have passed."""
    if seconds > 0:
        await passing(context, seconds)


def _finish(done: asyncio.Future[None], broken: Exception | None) -> None:
    if done.done():
        return
    if broken is None:
        done.set_result(None)
    else:
        done.set_exception(broken)
