"""What each field of an entity holds, as this room needs it: its name in the file, its form, what is nested in it.

Read off the entity classes' own annotations, once a class. Called to bind, to explain what is wrong, to write and to
edit; it holds no rule of its own.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any

from loopx.model import ids
from loopx.model.defining import dataclass
from loopx.model.fields import Mark, marks
from loopx.model.forms import InstantForm, TextForm

_ID_PATTERNS = frozenset(
    {
        ids.GOAL_PATTERN,
        ids.TODO_PATTERN,
        ids.GATE_PATTERN,
        ids.EVIDENCE_PATTERN,
        ids.REVISION_PATTERN,
        ids.RUN_PATTERN,
        ids.STEP_PATTERN,
        ids.AGENT_PATTERN,
        ids.CRITERION_PATTERN,
        ids.OPERATION_PATTERN,
    }
)


@dataclass(frozen=True, slots=True)
class Shape:
    """One field. ``base`` is the type of a single value: ``str``, ``int``, an enum, ``datetime``, a dataclass …"""

    name: str
    key: str
    mark: Mark
    base: type[Any]
    form: TextForm | None
    is_list: bool
    default: Any
    """What an absent field means; ``dataclasses.MISSING`` when it must be there."""

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    @property
    def is_id(self) -> bool:
        """Whether its values are ids, which are always written in quotes."""
        return self.key == "id" or (self.form is not None and self.form.pattern in _ID_PATTERNS)

    @property
    def is_free_text(self) -> bool:
        """Whether people write prose in it."""
        return self.base is str and not self.is_id

    @property
    def nested(self) -> type[Any] | None:
        """The class of the mapping (or of each item of the list) it holds."""
        return self.base if is_dataclass(self.base) else None

    @property
    def wanted(self) -> str:
        """In words, what one value must be."""
        if self.form is not None:
            return self.form.about
        if issubclass(self.base, Enum):
            return "one of " + ", ".join(each.value for each in self.base)
        named = {bool: "true or false", int: "a whole number", float: "a number", datetime: InstantForm().about}
        return named.get(self.base, "`name: value` lines" if self.nested else "text")


def shapes(cls: type) -> Mapping[str, Shape]:
    """Every marked field of ``cls`` by its attribute name, in the order a new document lists them."""
    return _read_off(cls)[0]


def by_key(cls: type) -> Mapping[str, Shape]:
    """The same by the name in the file."""
    return _read_off(cls)[1]


@cache
def _read_off(cls: type) -> tuple[Mapping[str, Shape], Mapping[str, Shape]]:
    hints = typing.get_type_hints(cls, include_extras=True)
    known = marks(cls)
    found = {each.name: _shape(each, hints[each.name], known[each.name]) for each in fields(cls) if each.name in known}
    return found, {shape.key: shape for shape in found.values()}


def shape_at(cls: type[Any], where: tuple[str | int, ...]) -> Shape | None:
    """The field that ``where`` (file keys and list positions) leads to."""
    found: Shape | None = None
    inner: type[Any] | None = cls
    for step in where:
        if isinstance(step, int):
            continue
        found = by_key(inner).get(step) if inner is not None else None
        inner = found.nested if found else None
    return found


def _shape(field: Field[Any], hint: Any, mark: Mark) -> Shape:
    is_list = False
    form: TextForm | None = None
    while not isinstance(hint, type):
        if isinstance(hint, typing.NewType):  # a number with a name of its own, such as an epoch
            hint = hint.__supertype__
            continue
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            form = next((each for each in inner[1:] if isinstance(each, TextForm)), form)
        elif origin is tuple:
            is_list = True
        elif origin is dict:
            hint = dict
            break
        elif origin not in (typing.Union, types.UnionType):
            raise TypeError(f"{field.name}: {hint!r} is no type of a field")
        hint = next(each for each in inner if each is not types.NoneType and each is not Ellipsis)
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    return Shape(field.name, mark.key or field.name, mark, hint, form, is_list, default)
