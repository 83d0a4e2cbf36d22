"""Our dataclasses are the standard library's in all that callers see."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import Any, ClassVar

import pytest

from loopx.model.defining import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The base of the others."""

    NAME: ClassVar[str] = "base"

    label: str = "none"


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    more: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived(Base):
    number: int
    seen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("less than nothing")


@dataclass(slots=True)
class Changing:
    value: int = 0
    _kept: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Aside:
    """One field that counts, and one that is only carried along."""

    name: str
    carried: list[int] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Told:
    text: str

    def __repr__(self) -> str:
        return "told"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told)

    def __hash__(self) -> int:
        return 7


def test_objects_are_made_by_place_and_by_name_with_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1).more) == (1, 2, [])
    assert Point(1, y=5, more=[3]).more == [3]
    assert Point(1).more is not Point(1).more
    assert (Derived(number=1).label, Derived(label="a", number=1).seen) == ("none", ())
    for wrong in (lambda: Point(), lambda: Derived(1), lambda: Point(1, z=1)):  # type: ignore[call-arg,arg-type]
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="less than nothing"):
        Derived(number=-1)
    assert Empty() == Empty()


def test_a_frozen_object_does_not_change_and_another_does() -> None:
    point: Any = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2
    with pytest.raises(FrozenInstanceError):
        del point.x
    changing = Changing()
    changing.value = 4
    changing._kept.append(1)
    assert (changing.value, changing._kept) == (4, [1])
    with pytest.raises(TypeError, match="unhashable"):
        hash(changing)


def test_objects_are_equal_when_their_class_and_fields_are() -> None:
    assert Base(label="a") == Base(label="a") != Base(label="b")
    assert hash(Base(label="a")) == hash(Base(label="a"))
    assert Point(1).__eq__((1, 2, [])) is NotImplemented
    assert Base() != Derived(number=1)
    assert Changing(1) == Changing(1)
    assert Told("a") == Told("b") and repr(Told("a")) == "told" and hash(Told("a")) == 7


def test_a_field_may_stand_aside_when_objects_are_compared_and_shown() -> None:
    assert Aside("a", [1]) == Aside("a", [2]) and hash(Aside("a", [1])) == hash(Aside("a"))
    assert repr(Aside("a", [1])) == "Aside(name='a')"
    assert copy.deepcopy(Aside("a", [1])).carried == [1]


def test_slots_leave_no_room_for_anything_else() -> None:
    with pytest.raises((AttributeError, TypeError)):
        object.__setattr__(Point(1), "z", 1)
    assert not hasattr(Point(1), "__dict__")


def test_the_standard_library_takes_them_for_its_own() -> None:
    assert is_dataclass(Point) and [each.name for each in fields(Derived)] == ["label", "number", "seen"]
    assert replace(Point(1), y=7) == Point(1, 7)
    assert dataclasses.asdict(Point(1, more=[2])) == {"x": 1, "y": 2, "more": [2]}
    assert repr(Point(1)) == "Point(x=1, y=2, more=[])"
    match Point(1, 9):
        case Point(1, y):
            assert y == 9
        case _:
            pytest.fail("no match")
    for each in (Point(1, 3, [4]), Derived(number=3), Changing(2), Empty()):
        assert copy.deepcopy(each) == copy.copy(each) == pickle.loads(pickle.dumps(each)) == each


def test_an_init_is_written_when_the_first_object_is_made() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        name: str

    unwritten = Late.__init__
    assert Late("a").name == "a" and Late.__init__ is not unwritten
    assert Late(name="b").name == "b"
