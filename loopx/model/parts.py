"""The door for parts of a document that come from somewhere else than a file, such as a planner's program.

As strict as :mod:`loopx.model.validation`, and stricter in one thing: a name nobody knows, and one only LoopX writes,
is an error, since nobody will ever look at it again.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from loopx.model.fields import Owner, marks
from loopx.model.validation import FieldProblem, Unbound

P = TypeVar("P")


def bind_part(cls: type[P], values: object, where: tuple[str | int, ...] = ()) -> P:
    """The ``cls`` (one of the model's dataclasses) that ``values`` (JSON values) describe; ``where`` says in what they
    stand. Raises :class:`Unbound`."""
    problems = list(_unknown(cls, values, where))
    if problems:
        raise Unbound(problems)
    try:
        return _adapter(cls).validate_json(json.dumps(values), strict=True)  # type: ignore[no-any-return, arg-type]
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise Unbound([_problem(each, where) for each in found]) from error


@cache
def _adapter(cls: type) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def _problem(error: Any, where: tuple[str | int, ...]) -> FieldProblem:
    message = error["msg"].removeprefix("Value error, ")
    return FieldProblem((*where, *error["loc"]), error["type"], message, error.get("input"))


def _unknown(cls: type, values: object, where: tuple[str | int, ...]) -> Iterator[FieldProblem]:
    if not isinstance(values, Mapping):
        return
    known, hints = marks(cls), typing.get_type_hints(cls)
    for name, value in values.items():
        if name not in known:
            yield FieldProblem((*where, name), "unknown", f"a {cls.__name__} has no field {name}", value)
        elif known[name].owner is not Owner.HUMAN:
            yield FieldProblem((*where, name), "machine_owned", f"{name} is written by LoopX alone", value)
        else:
            yield from _inside(hints[name], value, (*where, name))


def _inside(hint: Any, value: object, where: tuple[str | int, ...]) -> Iterator[FieldProblem]:
    nested = next(
        (each for each in (hint, *typing.get_args(hint)) if isinstance(each, type) and is_dataclass(each)), None
    )
    if nested is None:
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _unknown(nested, item, (*where, number))
    else:
        yield from _unknown(nested, value, where)
