"""Who owns a field, and how a field may be written: the marks every entity puts on its fields.

``documents`` reads them to edit and compare texts, ``kernel`` to refuse a hand on a machine-owned field, the schema
generator to write ``readOnly`` and descriptions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, field, fields
from enum import StrEnum
from functools import cache
from typing import Any

from loopx.model.defining import dataclass


class Owner(StrEnum):
    """Who may change a field in a text editor."""

    HUMAN = "human"
    MACHINE = "machine"
    LIFECYCLE = "lifecycle"
    """Typed by people, but every change is a command with guards (`status`, `claimed_by`)."""


class Merge(StrEnum):
    """How two changes of one field are brought together."""

    VALUE = "value"
    SET = "set"
    """A list whose order means nothing: additions and removals of both sides apply."""
    KEYED = "keyed"
    """A list of mappings with an ``id``: merged item by item."""
    TEXT = "text"
    """Lines."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known of one field beyond its type."""

    owner: Owner
    about: str
    merge: Merge = Merge.VALUE
    guard: bool = False
    """Changing it loosens or tightens what may happen; needs more authority than a title."""
    key: str | None = None
    """Its name in the file, where that is not the attribute's name."""


def human(
    about: str,
    *,
    default: Any = ...,
    factory: Callable[[], Any] | None = None,
    merge: Merge = Merge.VALUE,
    guard: bool = False,
    key: str | None = None,
) -> Any:
    """A field people own."""
    return _marked(Mark(Owner.HUMAN, about, merge, guard, key), default, factory)


def machine(
    about: str,
    *,
    default: Any = ...,
    factory: Callable[[], Any] | None = None,
    merge: Merge = Merge.VALUE,
    key: str | None = None,
) -> Any:
    """A field only LoopX writes."""
    return _marked(Mark(Owner.MACHINE, about, merge, key=key), default, factory)


def lifecycle(about: str, *, default: Any = ..., factory: Callable[[], Any] | None = None) -> Any:
    """A field whose every change is a command."""
    return _marked(Mark(Owner.LIFECYCLE, about), default, factory)


def _marked(mark: Mark, default: Any, factory: Callable[[], Any] | None) -> Any:
    metadata = {"mark": mark}
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    if default is ...:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


@cache
def marks(entity: type) -> dict[str, Mark]:
    """The marks of an entity class by field name, in the order a new document lists them.

    Fields without a mark (`goal`, taken from the folder; `body`, the text below the header) are left out.
    """
    found: dict[str, Mark] = {}
    each: Field[Any]
    for each in fields(entity):
        if "mark" in each.metadata:
            found[each.name] = each.metadata["mark"]
    return found


@cache
def file_keys(entity: type) -> dict[str, str]:
    """Attribute name to key in the file, for every marked field."""
    return {name: mark.key or name for name, mark in marks(entity).items()}


@cache
def attributes(entity: type) -> dict[str, str]:
    """Key in the file to attribute name, for every marked field."""
    return {key: name for name, key in file_keys(entity).items()}
