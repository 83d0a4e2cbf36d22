"""What is left of a plan, planned anew: done steps stay, begun ones get new ids, and nobody waits for what is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from loopx.kernel.plans.checking import plan_problem
from loopx.loop.recovery.limits import only_with_a_person
from loopx.loop.step import Step
from loopx.model.plan import PlanStep
from loopx.model.step import Role, StepStatus

if TYPE_CHECKING:
    from loopx.loop.context import LoopContext
    from loopx.loop.state import LoopState

KEPT = frozenset(
    {
        StepStatus.VERIFIED_COMPLETED,
        StepStatus.SKIPPED,
        StepStatus.IN_PROGRESS,
        StepStatus.EXECUTED,
        StepStatus.EVALUATED,
    }
)
"""Steps a replan leaves where they are."""
NOT_BEGUN = frozenset({StepStatus.PENDING, StepStatus.READY, StepStatus.BLOCKED})
NO_DELTA = "replan-no-delta: the rest of the plan came back as it was"


def rewritable(state: LoopState) -> list[str]:
    """Ids of the open steps a replan may rewrite, in order. What only a person may have done again is not among them:
    to plan it anew would be to do it again."""
    plan = state.plan
    looks = (plan.peek(each) for each in plan.ids)
    return [
        each.id
        for each in looks
        if each.status not in KEPT and not each.status.is_terminal and only_with_a_person(each, state) is None
    ]


def meaning(meant: PlanStep) -> PlanStep:
    """A definition without what the engine writes into it."""
    return replace(meant, version=1, lineage=None, replaces=None)


def new_step(meant: PlanStep, old: Step | None = None) -> Step:
    """A step as a planner wants it. What it replaces hands its lineage, its counter and what it tried on; what a
    planner says of these itself is not listened to."""
    if old is None:
        return Step(meaning(meant), tool=meant.tool, model=meant.model)
    defined = replace(meant, version=old.version + 1, lineage=old.lineage, replaces=old.id)
    return Step(defined, old.retry_count, tool=meant.tool, model=meant.model, tried=old.tried)


def free_id(state: LoopState, wanted: str, version: int, taken: Sequence[str] = ()) -> str:
    """``wanted``, or with a version behind it where that is the id of a step there is or was."""
    used = {*state.plan.ids, *state.plan.archived, *taken}
    found, number = wanted, version
    while found in used:
        found, number = f"{wanted}-v{number}", number + 1
    return found


class Remainder:
    """One replan of the rest of a plan, on a working copy. ``wanted`` is what the planner came back with."""

    def __init__(self, state: LoopState, wanted: Sequence[PlanStep]) -> None:
        self.state = state
        self.open = rewritable(state)
        dead = state.plan.in_status(StepStatus.FAILED, StepStatus.CANCELLED)
        self._replaceable = {*self.open, *dead}
        self._kept = [each for each in state.plan.ids if each not in self._replaceable]
        self.wanted = [each for each in wanted if not self._stays(each.id)]
        self._names: dict[str, str] = {}
        """What the planner calls a step to what it is called."""
        self._olds: dict[str, Step] = {}
        """New id to the step it replaces."""
        for each in self.wanted:
            self._name(each.id)

    def problem(self) -> str | None:
        """Why this cannot be the rest of the plan; ``None`` when it can."""
        if len(self._names) < len(self.wanted):
            twice = next(each.id for at, each in enumerate(self.wanted) if each.id in _ids(self.wanted[:at]))
            return f"The step {twice} stands twice."
        if self.open and not self.wanted:
            return "The planner left nothing to be done."
        return plan_problem([*self._kept_definitions(), *self.definitions()])

    def is_no_delta(self) -> bool:
        """Whether the planner came back with what is there."""
        there = [meaning(self.state.plan.peek(each).meant) for each in self.open]
        return there == [meaning(each) for each in self.wanted]

    def definitions(self) -> list[PlanStep]:
        """The new rest under its own names."""
        return [
            replace(each, id=self._names[each.id], depends_on=self._waiting_for(each.depends_on))
            for each in self.wanted
        ]

    def put_in(self, context: LoopContext, cause: str) -> None:
        """Make it the rest of the plan."""
        state, plan = self.state, self.state.plan
        for definition in self._kept_definitions():
            if plan.peek(definition.id).meant != definition:
                plan.step(definition.id).meant = definition
        steps = [plan.peek(each) for each in self._kept]
        staying = set(self._names.values())
        for identity in self.open:
            if identity not in staying:
                self._retire(plan.step(identity), context, cause)
        for definition in self.definitions():
            steps.append(self._made(definition, context, cause))
        plan.rebuild(steps)
        state.changed.update(each.id for each in steps[len(self._kept) :])

    def _stays(self, identity: str) -> bool:
        """Whether the planner speaks of a step that stays as it is, perhaps by an id it once had."""
        return self._today(identity) in self._kept

    def _today(self, identity: str) -> str:
        """The id a step has today that once had this one."""
        plan = self.state.plan
        if identity in plan or identity not in plan.archived:
            return identity
        return plan.current_id(plan.archived[identity].lineage) or identity

    def _name(self, wanted: str) -> None:
        plan, today = self.state.plan, self._today(wanted)
        if today in plan and plan.status(today) in NOT_BEGUN:
            self._names[wanted] = today
            return
        old = plan.peek(today) if today in plan or today in plan.archived else None
        version = 2 if old is None else old.version + 1
        name = free_id(self.state, wanted, version, tuple(self._names.values()))
        self._names[wanted] = name
        if old is not None:
            self._olds[name] = old

    def _waiting_for(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names a step waits for as they are called now, so that nobody waits for what was replaced."""
        found = (self._names.get(each) or self._names.get(self._today(each)) or self._today(each) for each in names)
        return tuple(dict.fromkeys(found))

    def _kept_definitions(self) -> list[PlanStep]:
        """What stays. A skipped step no longer waits for what is gone."""
        plan, found = self.state.plan, []
        there = {*self._kept, *self._names.values()}
        for each in self._kept:
            meant = plan.peek(each).meant
            if plan.status(each) is StepStatus.SKIPPED and not there.issuperset(meant.depends_on):
                meant = replace(meant, depends_on=tuple(name for name in meant.depends_on if name in there))
            found.append(meant)
        return found

    def _made(self, definition: PlanStep, context: LoopContext, cause: str) -> Step:
        plan = self.state.plan
        if definition.id in plan and plan.status(definition.id) in NOT_BEGUN:
            known = plan.step(definition.id)
            if meaning(known.meant) != meaning(definition):
                known.tool, known.model = definition.tool, definition.model
                past = known.meant
                known.meant = replace(
                    definition, version=past.version + 1, lineage=past.lineage, replaces=past.replaces
                )
            return known
        made = new_step(definition, self._olds.get(definition.id))
        context.lifecycle.create(self.state, made, StepStatus.PENDING, Role.PLANNER, cause)
        return made

    def _retire(self, old: Step, context: LoopContext, cause: str) -> None:
        state = self.state
        state.waiting.pop(old.id, None)
        old.superseded_by = next((new for new, each in self._olds.items() if each.id == old.id), None)
        if old.status in NOT_BEGUN:
            context.lifecycle.move(state, old, StepStatus.SKIPPED, Role.RECOVERY, cause)
            return
        if old.status not in (StepStatus.RECOVERY_PENDING, StepStatus.RETRY_PENDING):
            context.lifecycle.move(state, old, StepStatus.RECOVERY_PENDING, Role.RECOVERY, cause)
        context.lifecycle.move(state, old, StepStatus.FAILED, Role.RECOVERY, cause)


def _ids(steps: Sequence[PlanStep]) -> set[str]:
    return {each.id for each in steps}
