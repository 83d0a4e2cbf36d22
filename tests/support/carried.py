"""A Todo with a plan whose steps are Python callables, carried out under the kernel's decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from loopx.kernel.commands import AddAgent, DecideGate, NewPlan
from loopx.loop.step import StepView
from loopx.loop.work.running import Carried, Order, Runner
from loopx.loop.work.surroundings import Parts
from loopx.model.actor import Actor, Channel
from loopx.model.plan import Action, ActorKind, Judge, JudgeKind, PlanStep, RunSettings
from loopx.model.todo import Todo, Validation
from tests.support.lab import BOT, Lab

QUICK = RunSettings(max_retry_attempts=1, backoff_base=0.0)
PASSES, FAILS = Validation(argv=("true",)), Validation(argv=("false",))


def py(identity: str, *after: str) -> PlanStep:
    """A step a callable carries out, verified by another one."""
    judge = Judge(kind=JudgeKind.PYTHON, value="holds")
    action = Action(actor=ActorKind.PYTHON, callable=identity)
    return PlanStep(
        id=identity, title=f"Do {identity}", action=action, depends_on=after, evaluate=(judge,), verify=(judge,)
    )


class Work:
    """A Todo with a plan, and what its steps do."""

    def __init__(
        self,
        lab: Lab,
        *,
        validation: Validation | None = PASSES,
        settings: RunSettings = QUICK,
        agents: Sequence[str] = ("bot", "rex"),
    ) -> None:
        self.lab = lab
        if lab.look().state.goal("beta") is None:
            lab.goal()
            for agent in agents:
                lab.submit(AddAgent(agent=agent))
        self.id = lab.todo("Ship it", validation=validation)
        steps = (py("one"), py("two", "one"))
        planned = lab.submit(NewPlan(todo=self.id, steps=steps, settings=settings))
        self.run = str(planned.receipt.result["id"])
        self.done: list[str] = []
        self.does: dict[str, Callable[[], Any]] = {}
        self.holds: Callable[[StepView], bool] = lambda _step: True

    @property
    def todo(self) -> Todo:
        found: Todo | None = self.lab.look().state.todo(self.id)
        assert found is not None
        return found

    def runner(self, actor: Actor = BOT, **order: Any) -> Runner:
        def act(name: str) -> Callable[[StepView], str]:
            def carry_out(_step: StepView) -> str:
                self.done.append(name)
                self.does.get(name, lambda: None)()
                return name

            return carry_out

        parts = Parts(callables={each: act(each) for each in ("one", "two")}, judges={"holds": lambda s: self.holds(s)})
        return Runner(self.lab.ws, actor, Order(parts=parts, **order))

    def carry_out(self, actor: Actor = BOT, **order: Any) -> Carried:
        return self.runner(actor, **order).carry_out(self.todo)

    def record(self) -> Any:
        return self.lab.look().state.run(self.run)

    def turns(self) -> list[Any]:
        return [each for each in self.lab.look().state.turns("beta") if each.todo == self.id]

    def lease(self) -> Any:
        return self.lab.look().state.lease(self.id)

    def answer(self, option: str) -> None:
        gate = self.record().gate
        self.lab.submit(
            DecideGate(gate=gate, verb="approve", reason="so", option=option, channel=Channel.TERMINAL, confirmed=True)
        )


def human(identity: str, *after: str) -> PlanStep:
    return PlanStep(
        id=identity,
        title=f"Do {identity}",
        action=Action(actor=ActorKind.HUMAN, question="Is it done?"),
        depends_on=after,
    )
