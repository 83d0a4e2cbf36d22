"""What a person does on the live page: one form, one command, one receipt.

Each function gets a form's fields and hands the same command to the workspace that the command line would, in the name
of whoever the server runs for, marked as said on the page. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from loopx.errors import LoopxError
from loopx.kernel.commands import AddTodo, Command, CompleteTodo, DecideGate, EditTodo
from loopx.kernel.refusal import Refused
from loopx.kernel.resolve import find_gate
from loopx.model.actor import Channel, Origin
from loopx.model.todo import Priority, TodoClass
from loopx.projections.escape import one_line
from loopx.projections.live.facts import Said
from loopx.runtime.completion import finish
from loopx.workspace.results import Committed

if TYPE_CHECKING:
    from loopx.web.showing import Showing
    from loopx.workspace.reports import RolledBack

Choice = TypeVar("Choice", Priority, TodoClass)

Fields = Mapping[str, str]
"""A form as it was sent: each name once, values as typed."""

_ANSWERED = {"approve": "approved", "reject": "rejected", "defer": "put off"}


def decide_gate(showing: Showing, fields: Fields) -> Said:
    """Answer a Gate. The page shows that a person did, so nothing more has to confirm it."""
    verb = _needed(fields, "verb")
    gate = _needed(fields, "gate")
    command = DecideGate(
        gate=gate,
        verb=verb,
        reason=_needed(fields, "reason"),
        option=_option(showing, gate, fields.get("option", "")),
        channel=Channel.PAGE,
        confirmed=True,
    )
    return _submitted(showing, command, fields, _ANSWERED.get(verb, verb))


def add_todo(showing: Showing, fields: Fields) -> Said:
    command = AddTodo(
        goal=_needed(fields, "goal"),
        title=_needed(fields, "title"),
        priority=_one_of(Priority, fields.get("priority") or Priority.P2.value),
        todo_class=_one_of(TodoClass, fields.get("class") or TodoClass.ADVANCEMENT.value),
        body=fields.get("body", "").replace("\r\n", "\n"),
    )
    return _submitted(showing, command, fields, "added")


def set_priority(showing: Showing, fields: Fields) -> Said:
    priority = _one_of(Priority, _needed(fields, "priority"))
    command = EditTodo(todo=_needed(fields, "todo"), fields={"priority": priority.value})
    return _submitted(showing, command, fields, f"is {priority} now")


def complete_todo(showing: Showing, fields: Fields) -> Said:
    """Complete a Todo; what it declares to prove it runs first, and must pass."""
    command = CompleteTodo(todo=_needed(fields, "todo"), note=fields.get("note") or None)
    workspace = showing.workspace
    proposal = workspace.proposal(command, actor=showing.actor(), op=fields.get("op") or None, origin=Origin.PAGE)
    return _told(finish(workspace, proposal, workspace.environ), "done")


def accept_edit(showing: Showing, fields: Fields) -> Said:
    path = _needed(fields, "path")
    committed = showing.workspace.accept_edit(path, actor=showing.actor())
    return _said(committed, f"The edit of {path} is accepted.")


def discard_edit(showing: Showing, fields: Fields) -> Said:
    path = _needed(fields, "path")
    kept = showing.workspace.discard_edit(path, actor=showing.actor())
    where = f" What was typed is kept in .loopx/{kept}." if kept else ""
    return Said(text=f"The accepted version of {path} is back.{where}")


def roll_back(showing: Showing, fields: Fields) -> Said:
    """Go back as the packet showed it; refused when the workspace moved on since."""
    _confirmed(fields)
    done = showing.workspace.roll_back(
        _needed(fields, "rev"),
        reason=_needed(fields, "reason"),
        actor=showing.actor(),
        goal=fields.get("goal") or None,
        todo=fields.get("todo") or None,
        op=fields.get("op") or None,
        expect_revision=_needed(fields, "head"),
        origin=Origin.PAGE,
    )
    return _put_back(done)


def undo(showing: Showing, fields: Fields) -> Said:
    """Undo one operation as the packet showed it."""
    _confirmed(fields)
    done = showing.workspace.undo(
        _needed(fields, "undone"),
        reason=_needed(fields, "reason"),
        actor=showing.actor(),
        new_op=fields.get("op") or None,
        expect_revision=_needed(fields, "head"),
        origin=Origin.PAGE,
    )
    return _put_back(done)


ANSWERS: Mapping[str, Callable[[Showing, Fields], Said]] = MappingProxyType(
    {
        "gate": decide_gate,
        "add": add_todo,
        "priority": set_priority,
        "done": complete_todo,
        "accept": accept_edit,
        "discard": discard_edit,
        "rollback": roll_back,
        "undo": undo,
    }
)
"""Every form there is, by the last part of its address."""


def _submitted(showing: Showing, command: Command, fields: Fields, done: str) -> Said:
    committed = showing.workspace.submit(
        command, actor=showing.actor(), op=fields.get("op") or None, origin=Origin.PAGE
    )
    return _told(committed, done)


def _told(committed: Committed, done: str) -> Said:
    receipt = committed.receipt
    subject = receipt.subject or receipt.command
    if committed.replayed:
        return _said(committed, f"{subject} was {done} by this operation before.")
    if receipt.result.get("added") is False:
        return _said(committed, f"{subject} was there already.")
    if committed.revision is None or receipt.result.get("already") or receipt.result.get("changed") == []:
        return _said(committed, f"{subject} needed no change.")
    return _said(committed, f"{subject} {done}.")


def _said(committed: Committed, text: str) -> Said:
    return Said(
        text=text[:1].upper() + text[1:],
        operation=committed.receipt.operation,
        revision=committed.revision,
        warnings=committed.warnings,
    )


def _put_back(done: RolledBack) -> Said:
    count = len(done.packet.items)
    if done.committed.revision is None:
        return _said(done.committed, f"Nothing to put back: all is as it was at {done.packet.target[:10]}.")
    said = f"{count} document{'' if count == 1 else 's'} put back to {done.packet.target[:10]}."
    more = f" To see to outside: {', '.join(done.compensation)}." if done.compensation else ""
    kept = f" Edits that are not accepted stayed as typed: {', '.join(done.saved)}." if done.saved else ""
    return _said(done.committed, said + more + kept)


def _confirmed(fields: Fields) -> None:
    if fields.get("confirm") != "yes":
        raise LoopxError(
            "page-request", "Going back was not confirmed.", hint="Read what would change and tick the box."
        )


def _needed(fields: Fields, name: str) -> str:
    value = fields.get(name, "").strip()
    if not value:
        raise LoopxError("page-request", f"The form came without its field {name}.", facts={"field": name})
    return value


def _one_of(choices: type[Choice], typed: str) -> Choice:
    try:
        return choices(typed)
    except ValueError as error:
        raise LoopxError("page-request", f"{typed[:40]!r} is none of {', '.join(choices)}.") from error


def _option(showing: Showing, typed_gate: str, typed: str) -> str | None:
    """The option as the Gate has it: the form carries what a page can show of it."""
    if not typed:
        return None
    gate = find_gate(showing.workspace.read().state, typed_gate)
    options = () if isinstance(gate, Refused) else gate.options
    return next((each for each in options if one_line(each) == one_line(typed)), typed)
