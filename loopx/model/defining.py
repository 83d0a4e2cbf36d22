"""Dataclasses that are quick to define: what a process pays for a class it loads and perhaps never makes one of.

:func:`dataclass` is the standard library's in all that callers see: fields, defaults, slots, ``replace``, ``match``.
The standard one writes and compiles six methods for every class, which was half of what a cold read cost; here the
methods are shared, and the one that must be written, ``__init__``, is written when the first object is made.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False
    ) -> Any:
        """Make a class a dataclass. Takes what :func:`dataclasses.dataclass` takes, as far as LoopX uses it."""
        if cls is None:
            return lambda given: _defined(given, frozen, slots, kw_only)
        return _defined(cls, frozen, slots, kw_only)


def _defined(cls: type, is_frozen: bool, slots: bool, kw_only: bool) -> type:
    own = set(vars(cls))
    cls.__doc__ = cls.__doc__ or cls.__name__  # without one, the standard library looks for a signature to put there
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    methods: dict[str, Any] = {"__init__": _first(made, is_frozen), "__repr__": _repr, "__eq__": _eq, "__hash__": None}
    if is_frozen:
        methods |= {"__hash__": _hash, "__setattr__": _refuse, "__delattr__": _refuse}
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    made.__values__ = staticmethod(_values([each.name for each in dataclasses.fields(made) if each.compare]))
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _first(cls: Any, is_frozen: bool) -> Callable[..., None]:
    """The ``__init__`` of a class nobody made one of yet: it puts the real one in its place."""

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        if cls.__init__ is __init__:
            cls.__init__ = _written(cls, is_frozen)
        cls.__init__(self, *given, **named)

    return __init__


def _written(cls: Any, is_frozen: bool) -> Any:
    """The ``__init__`` of ``cls``, as the standard library would write it."""
    known: dict[str, Any] = {"__set": object.__setattr__, "__absent": dataclasses.MISSING}
    positional: list[str] = ["self"]
    named: list[str] = []
    body: list[str] = []
    for each in dataclasses.fields(cls):
        name = parameter = value = each.name
        if each.default is not dataclasses.MISSING:
            known[f"__default_{name}"] = each.default
            parameter = f"{name}=__default_{name}"
        elif each.default_factory is not dataclasses.MISSING:
            known[f"__make_{name}"] = each.default_factory
            parameter, value = f"{name}=__absent", f"__make_{name}() if {name} is __absent else {name}"
        (named if each.kw_only else positional).append(parameter)
        body.append(f"__set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *named] if named else [])])
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({parameters}):\n {lines}", known)
    return known["__init__"]


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of an object's fields that count when it is compared."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda held: tuple([getattr(held, name) for name in names])


def _repr(self: Any) -> str:
    told = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({told})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__values__(self) == self.__values__(other)


def _hash(self: Any) -> int:
    return hash(self.__values__(self))


def _state(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, each.name) for each in dataclasses.fields(self)])


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _restore(self: Any, state: tuple[Any, ...]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
