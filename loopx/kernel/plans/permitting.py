"""What a step needs a person's yes for before it begins, and which of that no Gate covers. Pure.

A step needs what its ``requires`` name, and a decision of its own for each effect that reaches outside: to send, to
publish, to manage. That decision is about the step as it is written: once its definition changes, it is another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from loopx.kernel.digest import of_everything
from loopx.kernel.wording import listed, refuse
from loopx.model.codec import encode
from loopx.model.gate import DecisionScope, GateStatus, Granularity, ScopeKind
from loopx.model.step import StepEffect, StepStatus

if TYPE_CHECKING:
    from datetime import datetime

    from loopx.kernel.refusal import Refused
    from loopx.kernel.standing import Coverage
    from loopx.kernel.state import State
    from loopx.model.plan import PlanDocument, PlanStep
    from loopx.model.run import TraceEntry

OUTWARD: Mapping[StepEffect, ScopeKind] = MappingProxyType(
    {
        StepEffect.SEND: ScopeKind.OTHER,
        StepEffect.PUBLISH: ScopeKind.PUBLIC_CLAIM,
        StepEffect.MANAGE: ScopeKind.RESOURCE,
    }
)
"""Effects that reach outside, and the kind of decision each needs. A wider decision of that kind, such as
``public_claim:goal:*``, covers it as well."""
_SAYS_NOTHING = ("title", "depends_on", "optional", "critical", "version", "lineage", "replaces", "skip", "cost")
"""Fields that change nothing about what a step does outside."""
_DIGITS = 10


def needs_permission(step: PlanStep) -> bool:
    """Whether anything the step does needs a person's yes."""
    return bool(step.requires) or any(each in OUTWARD for each in step.effects)


def scope_of(run: str, step: PlanStep, effect: StepEffect) -> DecisionScope:
    """The decision that is asked for before ``step`` has an effect outside."""
    fields = {name: value for name, value in encode(step).items() if name not in _SAYS_NOTHING}
    digest = of_everything({"step": json.dumps(fields, sort_keys=True, default=str)})
    return DecisionScope(OUTWARD[effect], Granularity.ACTION, f"{run}/{step.id}@{digest[:_DIGITS]}")


def wanted(run: str, step: PlanStep) -> dict[DecisionScope, StepEffect | None]:
    """Every decision the step needs, with the effect it is about; ``None`` for those it names itself. Raises
    :class:`ValueError` for one that cannot be understood, so that nothing can cover it."""
    found: dict[DecisionScope, StepEffect | None] = {DecisionScope.parse(each): None for each in step.requires}
    for effect in step.effects:
        if effect in OUTWARD:
            found.setdefault(scope_of(run, step, effect), effect)
    return found


def uncovered(state: State, goal: str, run: str, step: PlanStep, now: datetime) -> tuple[Coverage, ...]:
    """The decisions the step needs and no approved Gate of ``goal`` covers now, each with the Gates that matter. Raises
    :class:`ValueError` like :func:`wanted`."""
    from loopx.kernel.standing import GateBook  # most steps need nobody's yes

    book = GateBook(state, now)
    answers = (book.coverage(goal, need) for need in wanted(run, step))
    return tuple(each for each in answers if each.gate is None)


def is_refused(coverage: Coverage) -> bool:
    """Whether a person has said no, and nobody is asked again."""
    return coverage.pending is None and coverage.lapsed is not None and coverage.lapsed.status is GateStatus.REJECTED


def bad_beginning(
    state: State, plans: Iterable[PlanDocument], entries: Iterable[TraceEntry], now: datetime
) -> Refused | None:
    """The refusal of lines that begin a step which needs a yes it does not have, as one of ``plans`` defines it."""
    begun = {
        each.entity.removeprefix("step ")
        for each in entries
        if each.refused is None and each.after == StepStatus.IN_PROGRESS and each.entity.startswith("step ")
    }
    for plan in plans if begun else ():
        for step in plan.steps:
            if step.id in begun and needs_permission(step) and (refused := _unpermitted(state, plan, step, now)):
                return refused
    return None


def _unpermitted(state: State, plan: PlanDocument, step: PlanStep, now: datetime) -> Refused | None:
    try:
        missing = [str(each.need) for each in uncovered(state, plan.goal, plan.run, step, now)]
    except ValueError as error:
        missing = [str(error)]
    if not missing:
        return None
    message = f"The step {step.id} of {plan.run} needs a person's yes, and no approved Gate covers {listed(missing)}."
    return refuse("step-unpermitted", message, run=plan.run, step=step.id, scopes=missing)
