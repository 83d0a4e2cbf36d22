"""The steps that are being carried out just now: waited for, or cut short so that their end is not known."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from loopx.loop import acting
from loopx.loop.components.protocols import Acted
from loopx.model.step import AttemptOutcome, FailureType

if TYPE_CHECKING:
    from loopx.loop.attempt import Attempt
    from loopx.loop.context import LoopContext
    from loopx.loop.step import Step

CUT = Acted(AttemptOutcome.UNKNOWN, failure=FailureType.INTERRUPTED, message="interrupted while it ran")
"""What is known of an execution that was cut short."""


class Underway:
    """Executions by step id. A single one at a time is carried out in place, which costs no task."""

    def __init__(self, context: LoopContext) -> None:
        self._context = context
        self._tasks: dict[asyncio.Task[Acted], str] = {}
        self._here: tuple[str, asyncio.Task[object]] | None = None
        self._cut: set[str] = set()
        self.is_awaited = False
        """Whether the engine does nothing but wait for one of them."""

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def ids(self) -> list[str]:
        return list(self._tasks.values())

    async def carry_out(self, step: Step, attempt: Attempt, task: asyncio.Task[object]) -> Acted:
        """Carry one step out in ``task``, the one that asks, and come back with its end."""
        self._here, self.is_awaited = (step.id, task), True
        try:
            return await self._guarded(step, attempt)
        finally:
            self._here, self.is_awaited = None, False

    def start(self, step: Step, attempt: Attempt) -> None:
        """Carry one step out beside others."""
        self._tasks[asyncio.create_task(self._guarded(step, attempt))] = step.id

    async def first(self, wake: asyncio.Future[None] | None = None) -> list[tuple[str, Acted]]:
        """Wait for one of them, or until ``wake`` is done; whatever came to its end by then."""
        self.is_awaited = True
        try:
            awaited: set[asyncio.Future[Acted] | asyncio.Future[None]] = {*self._tasks}
            if wake is not None:
                awaited.add(wake)
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if wake is not None and wake.done():
                wake.result()
        finally:
            self.is_awaited = False
        return self._ended()

    async def all(self) -> list[tuple[str, Acted]]:
        """Wait for all of them."""
        self.is_awaited = True
        try:
            if self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            self.is_awaited = False
        return self._ended()

    def interrupt(self, ids: Collection[str] | None = None) -> None:
        """Cut these steps short, or all of them. They come back like any other, with an end that is not known."""
        tasks: list[tuple[str, asyncio.Task[Any]]] = [(name, task) for task, name in self._tasks.items()]
        if self._here is not None:
            tasks.append(self._here)
        for name, task in tasks:
            if ids is None or name in ids:
                self._cut.add(name)
                task.cancel()

    async def abandon(self) -> None:
        """After an error: leave none of them behind. What they did is not known."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    def _ended(self) -> list[tuple[str, Acted]]:
        done = [task for task in self._tasks if task.done()]
        return [(self._tasks.pop(task), CUT if task.cancelled() else task.result()) for task in done]

    async def _guarded(self, step: Step, attempt: Attempt) -> Acted:
        try:
            return await acting.act(step, attempt, self._context)
        except asyncio.CancelledError:
            if step.id not in self._cut:
                raise
            self._cut.discard(step.id)
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            return CUT
