"""A store that refuses while steps run: nothing is left behind, and what runs is not cut short where it need not be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loopx.errors import LoopxError
from loopx.loop.keeping.store import SavePoint
from loopx.model.plan import RunSettings
from tests.support.loop import DONE, Scene, step


async def forever(*_: Any) -> Any:
    await asyncio.Event().wait()


def beside(second: Any, code: str) -> tuple[Scene, set[str]]:
    """``a`` ends while ``b`` runs as ``second`` says, and the store refuses what ``a`` came to; tasks left behind."""
    steps = (step("a", effects=()), step("b", effects=()), step("c", "a", effects=()))
    scene = Scene(*steps, actor={"b": second}, settings=RunSettings(parallel=2))

    async def go() -> set[str]:
        scene.store.fail_at, scene.store.fail_with = SavePoint.ENDED, code
        with pytest.raises(LoopxError) as error:
            await scene.engine.run()
        assert error.value.code == code
        here = asyncio.current_task()
        return {each.get_name() for each in asyncio.all_tasks() if each is not here}

    return scene, asyncio.run(go())


def test_an_error_of_the_store_leaves_no_task_behind() -> None:
    assert beside(forever, "disk-full")[1] == set()


def test_when_the_run_moved_what_runs_comes_to_its_end_first() -> None:
    ended: list[str] = []

    async def slow(*_: Any) -> Any:
        for _ in range(50):
            await asyncio.sleep(0)
        ended.append("b")
        return DONE

    assert (beside(slow, "run-moved")[1], ended) == (set(), ["b"])


def test_whoever_will_not_wait_for_that_interrupts_it() -> None:
    async def until_interrupted(*_: Any) -> Any:
        asyncio.get_running_loop().call_later(0.01, made.engine.interrupt)
        await forever()

    steps = (step("a", effects=()), step("b", effects=()), step("c", "a", effects=()))
    made = Scene(*steps, actor={"b": until_interrupted}, settings=RunSettings(parallel=2))
    made.store.fail_at = SavePoint.ENDED
    with pytest.raises(LoopxError, match="somebody else"):
        made.run()
