"""Whether people allow what a step does: asked by the engine before it begins a step that needs a yes.

Nothing is sent, published or managed without one. In a workspace it is given by Gates (:class:`GatePermits`); a caller
in Python may give it explicitly (:class:`Granted`); without either there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from loopx.kernel.plans.permitting import OUTWARD
from loopx.kernel.wording import listed
from loopx.model.step import StepEffect

if TYPE_CHECKING:
    from loopx.kernel.standing import Coverage
    from loopx.loop.keeping.durable import WorkspaceRunStore
    from loopx.model.plan import PlanStep

_LONGEST_QUESTION = 300


@dataclass(frozen=True, slots=True)
class Permit:
    """Whether a step may begin, as far as people have a say. Neither given nor refused: they have to be asked."""

    is_given: bool
    is_refused: bool = False
    message: str = ""


class Permits(Protocol):
    """Asked about steps that need a yes, and about no others."""

    def standing(self, step: PlanStep) -> Permit:
        """Whether the step, as it is meant, may begin now."""
        ...

    def ask(self, step: PlanStep) -> tuple[str, ...]:
        """Have people asked for what is missing; the Gates they answer by. Asked twice, it is the same ones."""
        ...


class Granted:
    """A yes of whoever calls LoopX from Python: to effects, and to decision scopes steps require."""

    def __init__(self, given: Iterable[StepEffect | str] = ()) -> None:
        self._given = frozenset(map(str, given))

    def standing(self, step: PlanStep) -> Permit:
        wanted = [*(each.value for each in step.effects if each in OUTWARD), *step.requires]
        missing = [each for each in wanted if each not in self._given]
        if not missing:
            return Permit(True)
        return Permit(False, is_refused=True, message=f"nobody permits {step.id}: {listed(missing)}")

    def ask(self, step: PlanStep) -> tuple[str, ...]:
        return ()


class GatePermits:
    """A yes by Gates of the run's Goal."""

    def __init__(self, store: WorkspaceRunStore) -> None:
        self._store = store

    def standing(self, step: PlanStep) -> Permit:
        from loopx.kernel.plans.permitting import is_refused

        try:
            missing = self._uncovered(step)
        except ValueError as error:
            return Permit(False, is_refused=True, message=f"{step.id} requires what nobody can permit: {error}")
        refused = next((each for each in missing if is_refused(each)), None)
        if refused is not None and refused.lapsed is not None:
            message = f"{step.id} may not: {refused.need} was refused by {refused.lapsed.id}"
            return Permit(False, is_refused=True, message=message)
        return Permit(not missing, message=", ".join(str(each.need) for each in missing))

    def ask(self, step: PlanStep) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._asked(step, each) for each in self._uncovered(step)))

    def _uncovered(self, step: PlanStep) -> tuple[Coverage, ...]:
        from loopx.kernel.plans.permitting import uncovered

        store, workspace = self._store, self._store.workspace
        return uncovered(workspace.read().state, store.plan.goal, store.run, step, workspace.clock.now())

    def _asked(self, step: PlanStep, coverage: Coverage) -> str:
        """The Gate that is open for it, or a new one."""
        if coverage.pending is not None:
            return coverage.pending.id
        from loopx.kernel.commands import OpenGate

        store, scope = self._store, str(coverage.need)
        question, body = _question(store.run, step, scope), _told(store, step, scope)
        command = OpenGate(goal=store.plan.goal, scope=scope, question=question, body=body)
        earlier = "" if coverage.lapsed is None else f":{coverage.lapsed.id}"
        operation = f"{store.run}:{step.id}:{sha256(scope.encode()).hexdigest()[:12]}:permit{earlier}"
        committed = store.workspace.submit(command, actor=store.actor, op=operation)
        return str(committed.receipt.result["id"])


def _question(run: str, step: PlanStep, scope: str) -> str:
    what = " ".join(step.title.split())
    if scope in step.requires:
        return f"May the step {step.id} ({what}) of {run} go ahead, which requires {scope}?"[:_LONGEST_QUESTION]
    effects = listed([each.value for each in step.effects if scope.startswith(f"{OUTWARD.get(each)}:")])
    return f"May the step {step.id} ({what}) of {run} {effects}?"[:_LONGEST_QUESTION]


def _told(store: WorkspaceRunStore, step: PlanStep, scope: str) -> str:
    """What a person needs to know to say yes, as lines."""
    action = step.action
    does = " ".join(action.argv) or action.prompt or action.callable or action.question or ""
    lines = [
        f"Run {store.run} of {store.record.todo}: the step {step.id} begins once this is approved.",
        f"- by: {action.actor}",
        f"- does: {' '.join(does.split())}" if does else "",
        f"- effects: {', '.join(each.value for each in step.effects)}",
        f"- may write: {', '.join(step.write_scopes)}" if step.write_scopes else "",
        ""
        if scope in step.requires
        else "An approval is of the step as it is written now, and lapses when that changes.",
    ]
    return "\n".join(each for each in lines if each)
