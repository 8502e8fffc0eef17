"""A class made by `frozen_dataclass` does what one by `dataclass(frozen=True, slots=True)` does."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import re
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import pytest

import tfprof
from tfprof.frozen_dataclass import field_names, frozen_dataclass, mutable_dataclass
from tfprof.frozen_dataclass import replace as quick_replace


@frozen_dataclass
class Point:
    """Somewhere."""

    x: int
    y: float = 0.5
    names: list[str] = field(default_factory=list)
    label: str = field(default="", kw_only=True, repr=False)
    seen: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Referee:
    x: int
    y: float = 0.5
    names: list[str] = field(default_factory=list)
    label: str = field(default="", kw_only=True, repr=False)
    seen: int = field(default=0, compare=False)


@frozen_dataclass
class Child(Point):
    z: int = 7

    def __post_init__(self) -> None:
        if self.z < 0:
            raise ValueError("below")


@frozen_dataclass
class Alone:
    value: float


@frozen_dataclass
class Nothing:
    pass


@frozen_dataclass
class OwnWays:  # noqa: PLW1641 - it is given one
    a: int
    b: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnWays) and self.a == other.a

    def __repr__(self) -> str:
        return "own"


def test_parameters_are_those_of_a_dataclass():
    assert str(inspect.signature(Point)) == str(inspect.signature(Referee))
    assert Point.__init__.__qualname__ == "Point.__init__"
    assert Point(1, 2.0, ["a"], 4, label="b").seen == 4
    for wrong in ({}, {"x": 1, "nope": 2}):
        with pytest.raises(TypeError) as ours:
            Point(**wrong)
        with pytest.raises(TypeError) as theirs:
            Referee(**wrong)
        assert str(ours.value) == str(theirs.value).replace("Referee", "Point")
    with pytest.raises(TypeError):
        Point(1, 2.0, [], 4, "label by place")


def test_shown_and_described_alike():
    assert repr(Point(1, seen=3)) == repr(Referee(1, seen=3)).replace("Referee", "Point")
    assert Point.__doc__ == "Somewhere."
    assert repr(OwnWays(1, 2)) == "own"
    assert repr(Nothing()) == "Nothing()"


def test_equal_by_the_fields_that_are_compared():
    assert Point(1) == Point(1, seen=9)
    assert Point(1) != Point(2)
    assert Point(1) != Referee(1)
    assert Child(1) != Point(1)
    assert Nothing() == Nothing()
    assert OwnWays(1, 2) == OwnWays(1, 3)
    # as in a tuple: what is the same object is equal
    assert Alone(math.nan) != Alone(float("nan"))
    assert Alone(math.nan) == Alone(math.nan)


def test_hashed_by_the_same():
    assert hash(Alone(1.0)) == hash(Alone(1.0))
    assert {Child(1, names=()), Child(1, names=(), seen=2)} == {Child(1, names=())}
    assert len({OwnWays(1, 2), OwnWays(1, 2)}) == 1
    with pytest.raises(TypeError):
        hash(Point(1))  # a list in it


def test_nothing_can_be_changed_or_added():
    one = Child(1)
    for name in ("x", "z", "new"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(one, name, 2)
    with pytest.raises(FrozenInstanceError):
        del one.x
    assert not hasattr(one, "__dict__")


def test_the_functions_of_dataclasses_take_it():
    one = Point(1, names=["a"], label="b")
    assert is_dataclass(one)
    assert [it.name for it in fields(Child)] == ["x", "y", "names", "label", "seen", "z"]
    assert asdict(one) == asdict(Referee(1, names=["a"], label="b"))
    assert replace(one, x=2) == Point(2, names=["a"], label="b")
    match Child(1, z=3):
        case Child(1, _, _, _, z):
            assert z == 3


def test_replaced_without_the_module_of_python():
    one = Child(1, names=["a"], label="b", z=4)
    assert quick_replace(one, x=2) == replace(one, x=2)
    assert field_names(Child) == tuple(it.name for it in fields(Child))
    with pytest.raises(TypeError):
        quick_replace(one, nope=2)
    with pytest.raises(ValueError, match="below"):
        quick_replace(one, z=-1)


def test_fields_are_described_as_those_of_a_dataclass():
    for ours, theirs in zip(fields(Point), fields(Referee), strict=True):
        about = ("name", "type", "default", "default_factory", "repr", "compare", "kw_only", "init")
        assert [getattr(ours, it) for it in about] == [getattr(theirs, it) for it in about]
    assert Point.__match_args__ == Referee.__match_args__


def test_what_belongs_to_the_class_is_no_field():
    @frozen_dataclass
    class Counted:
        made: ClassVar[int] = 3
        value: int

    assert field_names(Counted) == ("value",)
    assert Counted(1).made == 3


def test_a_default_that_all_would_share_is_refused():
    with pytest.raises(ValueError, match="share"):

        @frozen_dataclass
        class Shared:
            names: list[str] = []  # noqa: RUF012


def test_each_has_its_own_list():
    assert Point(1).names is not Point(1).names


def test_a_check_after_init_is_made():
    with pytest.raises(ValueError, match="below"):
        Child(1, z=-1)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copied(again):
    one = Child(1, names=["a"], z=2)
    assert again(one) == one
    assert again(Nothing()) == Nothing()


def test_init_is_written_for_many_objects_or_who_looks_at_it():
    @frozen_dataclass
    class Late:
        a: int

    def is_written():
        return inspect.isfunction(Late.__dict__["__init__"])

    assert (Late(1).a, is_written()) == (1, False)
    assert ([Late(at).a for at in range(99)], is_written()) == ([*range(99)], True)


def test_who_looks_at_init_finds_a_function():
    @frozen_dataclass
    class Seen:
        a: int

    assert inspect.isfunction(Seen.__init__)
    assert Seen(2).a == 2


CALLS = [
    ((1,), {}),
    ((1, 2.0, ["a"], 4, 5), {"label": "b"}),
    ((), {"x": 1, "z": 3, "seen": 2}),
    ((1, 2.0), {"names": ["c"]}),
    ((), {}),
    ((1,), {"x": 1}),
    ((1,), {"nope": 2}),
    ((1, 2.0, [], 4, 5, "label by place"), {}),
    ((1,), {"z": -1}),
]


@pytest.mark.parametrize(("given", "named"), CALLS)
@pytest.mark.parametrize("slots", [True, False])
def test_first_objects_are_made_as_later_ones(given, named, slots):
    def told(cls):
        try:
            return repr(cls(*given, **named))
        except (TypeError, ValueError) as fault:
            return f"{type(fault).__name__}: {fault}"

    @frozen_dataclass(slots=slots)
    class Child(Point):
        z: int = 7

        def __post_init__(self) -> None:
            if self.z < 0:
                raise ValueError("below")

    first = told(Child)
    assert inspect.isfunction(Child.__init__)
    assert first == told(Child)


def test_first_objects_have_each_a_list_of_their_own():
    @frozen_dataclass
    class Fresh:
        names: list[str] = field(default_factory=list)

    assert Fresh().names is not Fresh().names


def test_what_is_below_a_class_is_made_by_its_init():
    @mutable_dataclass
    class Above:
        a: int

    class Below(Above):
        def __init__(self, a: int) -> None:
            super().__init__(a + 1)

    assert Below(1).a == 2


@frozen_dataclass(slots=False)
class Caching:
    value: int

    @cached_property
    def double(self) -> list[int]:
        return [self.value, self.value]


def test_a_property_is_cached_where_there_are_no_slots():
    one = Caching(2)
    assert one.double is one.double
    with pytest.raises(FrozenInstanceError):
        one.value = 3
    assert pickle.loads(pickle.dumps(one)) == one


def test_without_equality_an_object_equals_itself_only():
    @frozen_dataclass(eq=False)
    class Single:
        value: int

    one = Single(1)
    assert one == one  # noqa: PLR0124
    assert one != Single(1)
    assert repr(one).endswith("Single(value=1)")


def test_the_package_has_no_other_frozen_ones():
    """They take eight times as long to define, at the start of every command."""
    slow = re.compile(r"^\s*@dataclass\(.*frozen=True", re.MULTILINE)
    files = Path(tfprof.__file__).parent.rglob("*.py")
    assert [str(file) for file in files if slow.search(file.read_text())] == []


@mutable_dataclass
class Changing:
    """A place to count in."""

    count: int
    names: list[str] = field(default_factory=list)
    label: str = field(default="", kw_only=True, repr=False)


@dataclass(slots=True)
class ChangingReferee:
    """A place to count in."""

    count: int
    names: list[str] = field(default_factory=list)
    label: str = field(default="", kw_only=True, repr=False)


@mutable_dataclass(unsafe_hash=True)
class Hashed:
    value: int


def test_one_that_can_be_changed_is_as_pythons():
    one, other = Changing(1), ChangingReferee(1)
    for each in (one, other):
        each.count += 2
        each.names.append("a")
        with pytest.raises(AttributeError):
            each.new = 3
        with pytest.raises(TypeError):
            hash(each)
    assert repr(one) == repr(other).replace("ChangingReferee", "Changing")
    assert asdict(one) == asdict(other)
    assert str(inspect.signature(Changing)) == str(inspect.signature(ChangingReferee))
    assert one == replace(Changing(7), count=3, names=["a"])
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == one
    assert hash(Hashed(2)) == hash(Hashed(2))
