"""What a settled turn makes of its Todo and of the Goal's criteria, judged by the rules of the single commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from loopx.kernel.commands import (
    AddTodo,
    BlockTodo,
    CancelTodo,
    Command,
    CompleteTodo,
    DeferTodo,
    MeetCriterion,
    SettleTurn,
    SupersedeTodo,
)
from loopx.kernel.outcome import Record, Refused
from loopx.kernel.resolve import find_criterion
from loopx.kernel.support import criterion_subject, standing_completion
from loopx.kernel.texts import bad_reason
from loopx.kernel.turns.citing import Cited
from loopx.kernel.turns.scratch import Scratch
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.times import format_instant

if TYPE_CHECKING:
    from loopx.kernel.commands.turns import TodoSettlement
    from loopx.model.goal import Criterion, Goal
    from loopx.model.todo import Todo
    from loopx.model.turn import Turn

_MISSING = ("criterion-evidence-insufficient", "readback-stale")
"""What a run of the criterion's check may put right."""


class Worked(NamedTuple):
    """What became of the Todo: the word for it (``done``, ``blocked``, …), or ``None`` where it stays open."""

    became: str | None
    is_validated: bool = False
    added: tuple[str, ...] = ()
    """Todos that were made."""


def work(scratch: Scratch, turn: Turn, todo: Todo | None, command: SettleTurn) -> Worked | Refused:
    """Bring the turn's Todo to where the settlement says, and add what carries the work on."""
    said = command.settlement
    if refused := _contradiction(todo, said):
        return refused
    if refused := _done_by_another(scratch, todo, turn, said):
        return refused
    before = set(scratch.made)
    became, step = _step(todo, command)
    parts = [step] if step is not None else []
    if became != "done":
        parts += [_successor(command.goal, todo, title) for title in said.successors]
    answers = []
    for part in parts:
        answer = scratch.ask(part)
        if isinstance(answer, Refused):
            return answer
        answers.append(answer)
    is_validated = became == "done" and bool(answers[0].receipt.result.get("validated"))
    return Worked(became, is_validated, tuple(each for each in scratch.made if each not in before))


def meet_criteria(
    scratch: Scratch, goal: Goal, command: SettleTurn, cited: Cited, worked: Worked, todo: Todo | None
) -> tuple[str, ...] | Refused:
    """Judge the criteria named as met; ids of those that were open until now.

    The evidence is what the turn cites, the Todo where its validation passed, and the criterion's own check.
    """
    support = [*cited.ids, *([todo.id] if todo is not None and worked.is_validated else [])]
    met: dict[str, None] = {}
    for typed in dict.fromkeys(command.meets):
        criterion = find_criterion(goal, typed)
        if isinstance(criterion, Refused):
            return criterion
        checked = _checked(scratch, goal, criterion, command)
        answer = scratch.ask(MeetCriterion(goal=goal.id, criterion=criterion.id, evidence=(*support, *checked)))
        if isinstance(answer, Refused):
            return _check_wanted(criterion, answer, checked)
        if not answer.receipt.result["already"]:
            met[criterion.id] = None
    return tuple(met)


def _step(todo: Todo | None, command: SettleTurn) -> tuple[str | None, Command | None]:
    said, key = command.settlement, command.lease_key
    if todo is None:
        return None, None
    if said.done:
        done = CompleteTodo(
            todo=todo.id,
            successors=said.successors,
            no_follow_up=said.no_follow_up,
            note=command.note,
            lease_key=key,
            evidence=command.validation,
            validated_on=command.validated_on,
        )
        return "done", done
    if said.blocked is not None:
        return "blocked", BlockTodo(todo=todo.id, reason=said.blocked)
    if said.deferred_until is not None:
        return "deferred", DeferTodo(todo=todo.id, until=said.deferred_until)
    if said.cancelled is not None:
        return "cancelled", CancelTodo(todo=todo.id, reason=said.cancelled, lease_key=key)
    if said.superseded_by:
        return "superseded", SupersedeTodo(todo=todo.id, by=said.superseded_by, lease_key=key)
    return None, None


def _successor(goal: str, todo: Todo | None, title: str) -> AddTodo:
    if todo is None:
        return AddTodo(goal=goal, title=title)
    return AddTodo(goal=goal, title=title, priority=todo.priority, acceptance=todo.acceptance)


def _contradiction(todo: Todo | None, said: TodoSettlement) -> Refused | None:
    ways = {
        "done": said.done,
        "blocked": said.blocked is not None,
        "deferred": said.deferred_until is not None,
        "cancelled": said.cancelled is not None,
        "superseded": bool(said.superseded_by),
    }
    chosen = [name for name, is_said in ways.items() if is_said]
    if len(chosen) > 1:
        return refuse("settlement-contradiction", f"The Todo cannot be {listed(chosen)} at once.")
    if chosen and todo is None:
        return refuse("turn-mismatch", f"The turn has no Todo that could be {chosen[0]}.")
    if said.no_follow_up is None:
        return None
    if todo is not None and chosen != ["done"]:
        return refuse("settlement-contradiction", "That nothing follows is said of work that is done.")
    if said.successors:
        return refuse("settlement-contradiction", "Something follows, or nothing does, not both.")
    return bad_reason(said.no_follow_up)


def _done_by_another(scratch: Scratch, todo: Todo | None, turn: Turn, said: TodoSettlement) -> Refused | None:
    """The refusal to finish what was finished before, unless the same actor did so since the turn opened."""
    completion = standing_completion(scratch.state, todo) if todo is not None and said.done else None
    if todo is None or completion is None:
        return None
    if completion.by == str(scratch.context.actor) and completion.at >= turn.opened_at:
        return None
    message = f"{todo.id} {quoted(todo.title)} was finished by {completion.by} at {format_instant(completion.at)}."
    return refuse("todo-already-done", message, todo=todo.id, by=completion.by, operation=completion.operation)


def _checked(scratch: Scratch, goal: Goal, criterion: Criterion, command: SettleTurn) -> tuple[str, ...]:
    """Ids of the runs of the criterion's check that LoopX brought along, kept with the rest."""
    subject = criterion_subject(goal, criterion)
    found = [each for each in command.checks if each.subject == subject]
    scratch.put(*(Record(each) for each in found if scratch.state.evidence(each.id) is None))
    return tuple(each.id for each in found)


def _check_wanted(criterion: Criterion, refused: Refused, checked: tuple[str, ...]) -> Refused:
    """Where only evidence is missing and the criterion has a check nobody ran, the check is what is wanted."""
    if refused.code not in _MISSING or criterion.check is None or checked:
        return refused
    message = f"{criterion.id} has a check, and nothing cited shows that it is met."
    return refuse("check-required", message, criterion=criterion.id)
