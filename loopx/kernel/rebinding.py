"""New values for named fields, checked by the model's door: from an entity and what was typed to a new entity.

Only commands that edit fields come here. Everyday values are told without the door, which loads pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.kernel.answering import accepted, headline
from loopx.kernel.refusal import Refused
from loopx.kernel.transitions import update
from loopx.kernel.wording import listed, quoted, refuse
from loopx.model.codec import encode
from loopx.model.entities import CLASSES, Entity, goal_of, kind_of
from loopx.model.fields import Owner, attributes, file_keys, marks
from loopx.model.plain_values import NotPlain, plain_values

if TYPE_CHECKING:
    from loopx.errors import Problem
    from loopx.kernel.commands import Command
    from loopx.kernel.context import Context
    from loopx.kernel.outcome import Accepted, Change
    from loopx.model.goal import Goal
    from loopx.model.todo import Todo

E = TypeVar("E", bound=Entity)

_ITS_COMMAND = {
    "status": "the command for the change, such as `loopx todo done` or `loopx goal pause`",
    "claimed_by": "`loopx todo claim` or `loopx todo unclaim`",
    "resume_when": "`loopx todo defer --until`",
}
"""Fields that :func:`rebound` never sets, with the command that does. ``resume_when`` is people's to type, but on a
Todo that is not deferred it would mean nothing."""


def named_fields(entity: Entity, fields: Mapping[str, Any]) -> dict[str, Any]:
    """``fields`` by attribute name, where people may also have used the keys of the file (``class``)."""
    return {attributes(_class_of(entity)).get(name, name): value for name, value in fields.items()}


def rebound(entity: E, fields: Mapping[str, Any]) -> E | Refused:
    """``entity`` with ``fields`` (attribute names or file keys, JSON values; ``None`` clears) set and checked."""
    named = named_fields(entity, fields)
    for name in named:
        if refused := _not_editable(entity, name):
            return refused
    try:
        return replace(entity, **plain_values(_class_of(entity), named))
    except NotPlain:
        values = {name: value for name, value in {**encode(entity), **named}.items() if value is not None}
        return _bound(entity, values)


def _not_editable(entity: Entity, name: str) -> Refused | None:
    known = marks(_class_of(entity))
    if name == "body":
        return None
    if name not in known:
        editable = [mark.key or key for key, mark in known.items() if mark.owner is Owner.HUMAN]
        hint = f"Fields are {listed(editable, 20)}."
        return refuse("field-name-unknown", f"A {kind_of(entity)} has no field {quoted(name)}.", hint, typed=name)
    if known[name].owner is Owner.MACHINE:
        hint = "Leave it as it is; it changes with what is done to the document."
        return refuse("field-machine-owned", f"{name} is written by LoopX alone.", hint, field=name)
    if known[name].owner is Owner.LIFECYCLE or name == "resume_when":
        hint = f"Use {_ITS_COMMAND[name]}."
        return refuse("field-by-command", f"{name} changes through a command of its own.", hint, field=name)
    return None


def _bound(entity: E, values: Mapping[str, Any]) -> E | Refused:
    from loopx.model.validation import Unbound, bind

    try:
        return bind(kind_of(entity), values)  # type: ignore[return-value]
    except Unbound as error:
        problem = error.problems[0]
        where = ".".join(str(each) for each in problem.where)
        key = str(problem.where[0]) if problem.where else ""
        field = attributes(_class_of(entity)).get(key, key) or None
        return refuse(_code(problem.rule), f"{where}: {problem.message}.", field=field, where=where)


def _code(rule: str) -> str:
    if rule == "missing":
        return "field-missing"
    return "field-type" if rule.endswith("_type") else "field-value"


def file_key(entity: Entity, field: str) -> str:
    """The key in the file of the attribute ``field``; the name itself where it has no mark (``body``)."""
    return file_keys(_class_of(entity)).get(field, field)


def owner_of(entity: Entity, field: str) -> Owner | None:
    """Who may change the attribute ``field``; ``None`` where it has no mark."""
    mark = marks(_class_of(entity)).get(field)
    return mark.owner if mark else None


def changed_fields(before: Entity, after: Entity) -> dict[str, Any]:
    """New values, by attribute name, of every field in which ``after`` differs from ``before``, in written order."""
    names = [*marks(_class_of(after)), *(name for name in ("goal", "body") if hasattr(after, name))]
    return {name: getattr(after, name) for name in names if getattr(before, name) != getattr(after, name)}


def edited(
    command: Command,
    context: Context,
    before: Todo | Goal,
    after: Todo | Goal,
    notices: Sequence[Problem],
    more: Sequence[Change] = (),
) -> Accepted:
    """The answer to an edit that may be made: what changed, by name, and nothing where nothing did.

    ``more`` is what follows from it for other documents.
    """
    changes = changed_fields(before, after)
    kind = kind_of(before).value
    return accepted(
        command,
        context,
        subject=f"{kind} {before.id}",
        goal=goal_of(before),
        headline=headline(kind, "edit", before.id, after.title),
        changes=[update(before, **changes), *more],
        body=f"Changed: {', '.join(changes)}." if changes else "",
        result={"id": before.id, "changed": list(changes)},
        notices=notices,
    )


def _class_of(entity: Entity) -> type:
    return CLASSES[kind_of(entity)]
