"""Steps and judgements by registered Python callables. Each gets a :class:`loopx.loop.step.StepView` and nothing else.

A coroutine function runs in the loop; any other callable in a thread of its own, which nobody can end: a run that gives
it up goes on without it.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from loopx.loop.components.protocols import Acted, Verdict
from loopx.model.step import AttemptOutcome, FailureType

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.step import StepView

StepCallable = Callable[["StepView"], Any]
"""Returns (or a coroutine comes to) the output or an :class:`Acted`; for a judgement true, false or a
:class:`Verdict`."""


class PythonActor:
    """Calls what the step names. What it raises leaves the outcome unknown, as the engine's contract says."""

    def __init__(self, callables: Mapping[str, StepCallable]) -> None:
        self._callables = callables

    async def act(self, step: StepView, attempt: str, context: LoopContext) -> Acted:
        name = step.meant.action.callable
        return await carried_out(name, self._callables.get(name or ""), step)


async def carried_out(name: str | None, function: StepCallable | None, step: StepView) -> Acted:
    """What became of ``step`` in ``function``, which goes by ``name``."""
    if function is None:
        message = f"no callable is registered as {name}"
        return Acted(AttemptOutcome.NOT_STARTED, failure=FailureType.EXECUTION_ERROR, message=message)
    limit = step.meant.action.timeout_seconds
    try:
        found = await asyncio.wait_for(called(function, step), limit)
    except TimeoutError:
        message = f"{name} took longer than {limit} s"
        return Acted(AttemptOutcome.UNKNOWN, failure=FailureType.TIMEOUT, message=message)
    return found if isinstance(found, Acted) else Acted(AttemptOutcome.SUCCEEDED, found, 0)


async def called(function: StepCallable, step: StepView) -> Any:
    """What ``function`` makes of ``step``."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return await function(step)
    found = await _in_thread(lambda: function(step))
    return await found if inspect.isawaitable(found) else found


async def judged(function: StepCallable, step: StepView) -> Verdict:
    """The verdict of ``function``. Anything but true, false or a Verdict raises: it is none."""
    found = await called(function, step)
    if isinstance(found, bool):
        return Verdict(found)
    if isinstance(found, Verdict):
        return found
    raise TypeError(f"{found!r} is no verdict")


def _in_thread(call: Callable[[], Any]) -> Awaitable[Any]:
    """``call`` in a thread that the end of the interpreter does not wait for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(set_it: Callable[[Any], None], found: Any) -> None:
        if not done.done():
            set_it(found)

    def work() -> None:
        try:
            set_it, found = done.set_result, call()
        except BaseException as error:  # noqa: BLE001  (handed over to whoever awaits it)
            set_it, found = done.set_exception, error
        try:
            loop.call_soon_threadsafe(settle, set_it, found)
        except RuntimeError:  # nobody waits any more
            pass

    threading.Thread(target=work, name="loopx-callable", daemon=True).start()
    return done
