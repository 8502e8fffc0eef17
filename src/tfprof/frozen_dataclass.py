"""A frozen dataclass with slots that costs next to nothing to define.

`dataclass(frozen=True, slots=True)` writes six functions as text and compiles them: 0.6 ms a class.
A command defines hundreds of classes and makes objects of a third of them, so that was half of what
it took to start. Here nothing is compiled but `__init__`, when the first object is made. The rest
is as ever: `fields`, `replace`, `asdict`, comparing, pickling, patterns; all fields are parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import partial
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

C = TypeVar("C")
_set = object.__setattr__


class _Factory:
    """What stands in a signature for a default that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


@overload
def frozen_dataclass(cls: type[C], /) -> type[C]: ...
@overload
def frozen_dataclass(*, slots: bool = True, eq: bool = True) -> Callable[[type[C]], type[C]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_dataclass(cls: Any = None, /, *, slots: bool = True, eq: bool = True) -> Any:
    """As `dataclass(frozen=True, slots=True)`; without slots where a property is cached."""
    return partial(_made, slots=slots, eq=eq) if cls is None else _made(cls, slots=slots, eq=eq)


def _made(cls: Any, *, slots: bool, eq: bool) -> Any:  # noqa: ANN401
    described = cls.__doc__
    cls.__doc__ = cls.__name__  # without one, dataclass asks for a signature, and that for __init__
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    # with slots there are two: the first one stays until garbage is collected
    cls.__doc__ = made.__doc__ = described
    methods: dict[str, object] = {"__init__": _FirstInit(made), "__repr__": _repr}
    if eq:
        values = _values(tuple(one.name for one in fields(made) if one.compare))
        methods |= {"__eq__": _equal(values), "__hash__": _hashed(values)}
    if slots:
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    for name, method in methods.items():
        # a class that defines __eq__ has the name __hash__, as None
        if made.__dict__.get(name) is None:
            setattr(made, name, method)
    made.__setattr__, made.__delattr__ = _refuse, _refuse
    return made


class _FirstInit:
    """In place of `__init__` until somebody looks at it; then it is written, for the class."""

    def __init__(self, cls: type) -> None:
        self._cls: Any = cls

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., None]:
        self._cls.__init__ = init = _written(self._cls)
        return init.__get__(instance, owner)  # type: ignore[no-any-return]


def _written(cls: Any) -> Any:  # noqa: ANN401
    """The function that sets every field, compiled."""
    known: dict[str, Any] = {"set_": _set, "FACTORY": _FACTORY, "__name__": cls.__module__}
    every = fields(cls)
    places = [_parameter(one, known) for one in every if not one.kw_only]
    names = [_parameter(one, known) for one in every if one.kw_only]
    lines = [_assigned(one) for one in every]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(["self", *places, *(["*", *names] if names else [])])
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({parameters}):\n {body}", known)  # noqa: S102 - names of fields, no others
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in every} | {"return": None}
    return init


def _parameter(one: Field[Any], known: dict[str, Any]) -> str:
    if one.default is not MISSING:
        known[f"default_{one.name}"] = one.default
        return f"{one.name}=default_{one.name}"
    if one.default_factory is not MISSING:
        known[f"make_{one.name}"] = one.default_factory
        return f"{one.name}=FACTORY"
    return one.name


def _assigned(one: Field[Any]) -> str:
    if one.default_factory is MISSING:
        return f"set_(self, {one.name!r}, {one.name})"
    made = f"make_{one.name}()"
    return f"set_(self, {one.name!r}, {made} if {one.name} is FACTORY else {one.name})"


def _values(names: tuple[str, ...]) -> Callable[[object], object]:
    """Always a tuple: those ask whether two are the same before whether they are equal."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _one: ()
    only = attrgetter(*names)
    return lambda one: (only(one),)


def _equal(values: Callable[[object], object]) -> Callable[[object, object], bool]:
    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - its name in tracebacks
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hashed(values: Callable[[object], object]) -> Callable[[object], int]:
    def __hash__(self: object) -> int:  # noqa: N807 - its name in tracebacks
        return hash(values(self))

    return __hash__


def _repr(self: Any) -> str:  # noqa: ANN401
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[object]:  # noqa: ANN401
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: list[object]) -> None:  # noqa: ANN401
    for one, value in zip(fields(self), state, strict=True):
        _set(self, one.name, value)


def _refuse(_self: object, name: str, *_value: object) -> NoReturn:
    raise FrozenInstanceError(f"a frozen object: {name!r} cannot be changed")
