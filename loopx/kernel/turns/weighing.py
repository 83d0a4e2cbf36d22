"""How far a delivery came and what it may cost: the claim held against what the stored state shows."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.answering import stamp
from loopx.kernel.context import Context
from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.turns.citing import Cited, shows_more_than_a_word
from loopx.kernel.turns.delta import is_material
from loopx.kernel.turns.opening import SLOTS_AT_MOST
from loopx.kernel.wording import refuse
from loopx.model.kind import Kind
from loopx.model.records import EvidenceKind, EvidenceResult
from loopx.model.turn import DeliveryOutcome, Spend

if TYPE_CHECKING:
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

_BETTER = (DeliveryOutcome.OUTCOME_PROGRESS, DeliveryOutcome.PRIMARY_GOAL_OUTCOME)


class Weighed(NamedTuple):
    """The outcome as it is recorded. ``why`` says in a sentence what it lacks, where it is lower than claimed."""

    outcome: DeliveryOutcome
    why: str = ""

    @property
    def moves_the_objective(self) -> bool:
        return self.outcome in _BETTER


class Shown(NamedTuple):
    """What a turn shows for itself, and since when what happened belongs to it."""

    delta: tuple[str, ...]
    cited: Cited
    since: datetime


def weigh(claimed: DeliveryOutcome, delta: tuple[str, ...], cited: Cited) -> Weighed:
    """What a claimed outcome is recorded as: progress takes new evidence and a material delta, the primary outcome a
    criterion that was met besides. Claims of less are taken at their word."""
    if claimed not in _BETTER:
        return Weighed(claimed)
    if not cited.new:
        return Weighed(DeliveryOutcome.OUTCOME_GAP, "It cites no evidence that no earlier turn cited.")
    if not is_material(delta):
        why = "It changes no criterion, Todo, Gate or hypothesis, and establishes no wait."
        return Weighed(DeliveryOutcome.OUTCOME_GAP, why)
    is_met = any(each.startswith("criterion:met:") for each in delta)
    if claimed is DeliveryOutcome.PRIMARY_GOAL_OUTCOME and not is_met:
        return Weighed(DeliveryOutcome.OUTCOME_PROGRESS, "No criterion was met.")
    return Weighed(claimed)


def spend_of(
    state: State, turn: Turn, todo: Todo | None, slots: int | None, shown: Shown, context: Context
) -> Spend | Refused | None:
    """What the turn spends; ``None`` when nothing. ``state`` is the one after the settling.

    Slots are spent on a validated delivery only. One is validated by what LoopX saw or a person said; where the Todo
    declares no validation, or none was due, new evidence or a material delta stands for it, and the entry says that it
    rests on a word. What was validated and did not pass is no delivery, and neither is a turn that shows nothing.
    """
    if slots is not None and not 0 <= slots <= SLOTS_AT_MOST:
        message = f"A turn spends 0 to {SLOTS_AT_MOST} slots, not {slots}."
        return refuse("field-value", message, "Spend what it used.", field="spend")
    fresh = [each for each in shown.cited.pieces if each.id in shown.cited.new]
    is_validated = any(shows_more_than_a_word(state, each, context.now) for each in fresh)
    why = "" if is_validated else _undelivered(state, todo, shown)
    wanted = slots if slots is not None else int(not why)
    if wanted == 0:
        return None
    if why:
        return refuse("spend-not-validated", f"{turn.id} cannot spend {wanted}: {why}", turn=turn.id, spend=wanted)
    return Spend(slots=wanted, at=stamp(context), operation=context.operation, validated=is_validated)


def _undelivered(state: State, todo: Todo | None, shown: Shown) -> str:
    """Why nothing was delivered that slots could be spent on; empty when something was."""
    if todo is not None and todo.validation is not None and (failed := _failed(state, todo, shown.since)) is not None:
        return f"the validation of {todo.id} {failed}."
    if not shown.cited.new and not is_material(shown.delta):
        return "it shows no new evidence and no change."
    return ""


def _failed(state: State, todo: Todo, since: datetime) -> str | None:
    """How the newest validation of ``todo`` since then ended, where it did not pass."""
    for each in state.source.latest(Kind.EVIDENCE, todo.goal, since=since):
        if each.kind is EvidenceKind.VALIDATION and each.subject == todo.id:  # type: ignore[union-attr]
            result: EvidenceResult = each.result  # type: ignore[union-attr]
            return None if result is EvidenceResult.PASSED else result.value.replace("_", " ")
    return None
