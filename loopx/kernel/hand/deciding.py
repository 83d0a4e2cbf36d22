"""The way in for hand edits: the order of questions, the place of a refusal, the receipt of what is accepted."""

from __future__ import annotations

from dataclasses import replace

from loopx.errors import Problem
from loopx.kernel.answering import headline, stamp
from loopx.kernel.context import Context
from loopx.kernel.digest import edit_digest
from loopx.kernel.hand.adopting import judge_new
from loopx.kernel.hand.changing import judge_change
from loopx.kernel.hand.edit import HandEdit, Judged
from loopx.kernel.hand.guarding import waits_for_an_operator
from loopx.kernel.hand.removing import judge_removal
from loopx.kernel.outcome import Accepted, Outcome, Receipt, Refused, Update
from loopx.kernel.state import State
from loopx.kernel.wording import cut, listed, refuse


def decide_hand(state: State, edit: HandEdit, context: Context) -> Outcome:
    """Accept or refuse one edited document.

    The first change of an accepted edit is the document itself (``Create`` with machine-owned fields filled in,
    ``Update`` with the fields that changed, or ``Delete``): its text is typed already. What follows it is new.
    """
    judged = _judged(state, edit, context)
    if not isinstance(judged, Refused):
        judged = waits_for_an_operator(state, edit, context) or judged
    if isinstance(judged, Refused):
        return replace(judged, place=edit.place_of_refusal(judged.facts.get("field")))
    return _accepted(edit, judged, context)


def _judged(state: State, edit: HandEdit, context: Context) -> Judged | Refused:
    if edit.is_return and edit.before is not None and edit.before == edit.after:
        return Judged("mend", Update(edit.kind, edit.goal, edit.id, {}), edit.id)
    if edit.kind.is_forward_only:
        return refuse("record-machine-owned", f"{edit.id} is a record of what happened; only LoopX writes it.")
    if edit.before is None and edit.after is not None:
        return judge_new(state, edit.after, context, is_return=edit.is_return)
    if edit.before is not None and edit.after is None:
        return judge_removal(state, edit.before, context)
    if edit.before is None or edit.after is None:
        raise ValueError("a hand edit needs a document before or after it")
    return judge_change(state, edit.before, edit.after, context)


def _accepted(edit: HandEdit, judged: Judged, context: Context) -> Accepted:
    changed = list(judged.change.fields) if isinstance(judged.change, Update) else []
    receipt = Receipt(
        operation=context.operation,
        command=f"{edit.kind} {judged.verb}",
        actor=context.actor,
        origin=context.origin,
        subject=f"{edit.kind} {edit.id}",
        goal=edit.goal,
        request=edit_digest(edit.kind, edit.id, edit.after, context.actor),
        at=stamp(context),
        result={"id": edit.id, **({"changed": changed} if changed else {})},
    )
    return Accepted(
        (judged.change, *judged.additional),
        receipt,
        headline(edit.kind, judged.verb, edit.id, judged.title),
        f"Changed: {', '.join(changed)}." if changed else "",
        (*(_placed(each, edit) for each in judged.notices), *_reverting(edit)),
    )


def _placed(notice: Problem, edit: HandEdit) -> Problem:
    return replace(notice, place=edit.place(notice.facts.get("field")))


def _reverting(edit: HandEdit) -> tuple[Problem, ...]:
    if not edit.reverts:
        return ()
    message = f"{cut(edit.id, 40)}: this undoes an accepted change of {listed(edit.reverts)}."
    return (Problem("edit-reverts", message, edit.place(None), facts={"reverts": list(edit.reverts[:5])}),)
