"""The verifier of a run: it judges what a step left behind afresh, knowing nothing of how the actor worked.

Programs run in processes of their own with their own time limit; of the environment they get neither secrets nor what
the step's action added. In a clean checkout they see the files as they were when the step came back, and nothing a
build left beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.loop.components.callables import StepCallable
from loopx.loop.components.commands import names, surroundings
from loopx.loop.components.judges import Case, judged
from loopx.loop.components.protocols import Verdict
from loopx.loop.keeping.attempting import is_secret_name
from loopx.model.plan import Judge
from loopx.model.step import AttemptOutcome

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.step import StepView


class Verifiers:
    """All judgements a step declares under ``verify`` must pass."""

    def __init__(self, callables: Mapping[str, StepCallable] = MappingProxyType({})) -> None:
        self._callables = callables

    async def verify(self, step: StepView, context: LoopContext) -> Verdict:
        judges = step.meant.verify
        if not judges:  # to pass would claim a verification nobody made
            raise LoopxError("verify-missing", f"{step.id} names no independent judgement", facts={"step": step.id})
        clean = tuple(each for each in judges if each.clean_checkout)
        beside = tuple(each for each in judges if not each.clean_checkout)
        if not clean:
            return await judged(judges, self._case(step, context, context.project))
        with checkout(step, clean, context) as folder:
            verdict = await judged(clean, self._case(step, context, folder))
        if not beside or not verdict.passed:
            return verdict
        return await judged(beside, self._case(step, context, context.project))

    def _case(self, step: StepView, context: LoopContext, folder: str) -> Case:
        last = step.attempts[-1] if step.attempts else None
        return Case(
            step=step,
            output=step.output,
            exit_status=last.exit_status if last else None,
            outcome=last.outcome if last else AttemptOutcome.UNKNOWN,
            context=context,
            folder=folder,
            environ={**independent(surroundings(context)), **names(step, context)},
            callables=self._callables,
        )


def independent(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` without secrets, and without what an actor is told."""
    return {
        name: value for name, value in environ.items() if not name.startswith("LOOPX_") and not is_secret_name(name)
    }


@contextmanager
def checkout(step: StepView, judges: Sequence[Judge], context: LoopContext) -> Iterator[str]:
    """The files as they were when the step came back, in a folder of their own. Raises ``checkout-missing``."""
    if context.artifacts is None or step.snapshot is None:
        message = f"{step.id} is to be verified in a clean checkout, and there is no snapshot of its files"
        raise LoopxError("checkout-missing", message, facts={"step": step.id})
    carried = tuple(dict.fromkeys(path for each in judges for path in each.carry))
    with context.artifacts.checkout(step.snapshot, carried) as folder:
        yield folder
