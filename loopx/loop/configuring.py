"""What must be there before a run begins: a component for each phase that is on, a handler for each strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.errors import LoopxError
from loopx.kernel.plans.permitting import needs_permission
from loopx.loop.components.protocols import ComponentType
from loopx.model.step import ExecutionState, RecoveryStrategy

if TYPE_CHECKING:
    from loopx.loop.components.protocols import RecoveryPolicy
    from loopx.loop.context import LoopContext
    from loopx.loop.recovery.registry import RecoveryRegistry
    from loopx.loop.state import LoopState


def recovery_parts(
    policy: RecoveryPolicy | None, registry: RecoveryRegistry | None, context: LoopContext
) -> tuple[RecoveryPolicy, RecoveryRegistry]:
    """The policy and the registry given, or those that come with LoopX."""
    from loopx.loop.recovery.policy import Ladder
    from loopx.loop.recovery.registry import RecoveryRegistry as Registry

    chosen: RecoveryPolicy = policy or context.components.get(ComponentType.RECOVERY) or Ladder()
    return chosen, registry or context.registry or Registry.shipped()


def check(context: LoopContext, registry: RecoveryRegistry, policy: RecoveryPolicy, state: LoopState) -> None:
    """Raise ``component-missing``, ``handler-missing`` or ``permit-missing`` for the first part that is wanted and not
    there."""
    for kind in _wanted(context, state):
        if context.components.get(kind) is None:
            raise LoopxError(
                "component-missing", f"the run wants a {kind} and has none", facts={"component": kind.value}
            )
    for strategy in _strategies(context, policy):
        if registry.handler(strategy) is None:
            raise LoopxError(
                "handler-missing",
                f"the ladder names {strategy}, which has no handler",
                facts={"strategy": strategy.value},
            )

    if context.permits is None:
        _refuse_outward(state)


def _refuse_outward(state: LoopState) -> None:
    """Nothing reaches outside unless somebody has said so."""
    for each in state.plan.ids:
        step = state.plan.peek(each)
        if needs_permission(step.meant) and not step.status.is_terminal:
            message = f"the step {each} needs a person's yes, and nobody is there to give it"
            raise LoopxError("permit-missing", message, facts={"step": each})


def _wanted(context: LoopContext, state: LoopState) -> list[ComponentType]:
    settings = context.settings
    is_to_be_planned = not len(state.plan) and state.execution_state is ExecutionState.INITIALIZED
    pairs = (
        (settings.enable_specification, ComponentType.SPECIFIER),
        (is_to_be_planned, ComponentType.PLANNER),
        (True, ComponentType.ACTOR),
        (settings.enable_observation, ComponentType.OBSERVER),
        (settings.enable_evaluation, ComponentType.EVALUATOR),
        (settings.enable_verification, ComponentType.VERIFIER),
    )
    return [kind for is_on, kind in pairs if is_on]


def _strategies(context: LoopContext, policy: RecoveryPolicy) -> tuple[RecoveryStrategy, ...]:
    """Every strategy that may be chosen, as far as that is known."""
    if not context.settings.enable_recovery:
        return ()
    from loopx.loop.recovery.policy import Ladder

    return policy.strategies(context.settings) if isinstance(policy, Ladder) else context.settings.ladder
