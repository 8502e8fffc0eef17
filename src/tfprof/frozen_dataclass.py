"""A frozen dataclass with slots that costs next to nothing to define.

`dataclass(frozen=True, slots=True)` writes six functions as text and compiles them: 0.6 ms a class.
A command defines hundreds of classes and makes objects of a third of them, mostly one or two, so
that was half of what it took to start. Here `__init__` is compiled for a class with many objects
only, and what `dataclasses` has to know of the fields is worked out when it asks; until then that
module is not even loaded. The rest is as ever: `fields`, `replace`, `asdict`, comparing, pickling,
patterns; all fields are parameters. What `tfprof --help` imports takes `replace` from here.

`mutable_dataclass` is the same of `dataclass(slots=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, get_origin

C = TypeVar("C")
_set = object.__setattr__
_SPECS = "__frozen_fields__"
# to compile `__init__` takes as long as setting the fields of so many objects one by one
_FEW = 16


class _Factory:
    """What stands in a signature for a default that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


class _Spec:
    """What is said of a field; `given` holds the default or what `field(...)` made, if anything."""

    __slots__ = ("_is_described", "given", "kind", "name")

    def __init__(self, name: str, kind: object, given: tuple[Any, ...]) -> None:
        self.name, self.kind, self.given = name, kind, given
        self._is_described = bool(given) and _is_field(given[0])

    def said(self, about: str, *, otherwise: bool) -> bool:
        """What `field(...)` says about it."""
        if not self._is_described:
            return otherwise
        found = getattr(self.given[0], about)
        return found if isinstance(found, bool) else otherwise

    def default(self) -> tuple[object, ...]:
        """None or one."""
        if not self._is_described:
            return self.given
        return () if _is_missing(self.given[0].default) else (self.given[0].default,)

    def factory(self) -> Callable[[], object] | None:
        if not self._is_described or _is_missing(self.given[0].default_factory):
            return None
        made: Callable[[], object] = self.given[0].default_factory
        return made

    def otherwise(self) -> tuple[object, ...]:
        """What it is where nobody says it: none or one."""
        factory = self.factory()
        return self.default() if factory is None else (factory(),)


def field_names(cls: type) -> tuple[str, ...]:
    """In order, those of its bases first."""
    return tuple(getattr(cls, _SPECS))


def replace(one: C, /, **changes: object) -> C:
    """As that of `dataclasses`, for what is made here."""
    return type(one)(**{name: getattr(one, name) for name in getattr(one, _SPECS)} | changes)


def _is_field(value: object) -> bool:
    """Without loading the module: if it is not there, nothing is."""
    kind = type(value)
    return kind.__module__ == "dataclasses" and kind.__name__ == "Field"


def _is_missing(value: object) -> bool:
    from dataclasses import MISSING

    return value is MISSING


if TYPE_CHECKING:
    from dataclasses import field
    from typing import dataclass_transform, overload

    @overload
    def frozen_dataclass(cls: type[C], /) -> type[C]: ...
    @overload
    def frozen_dataclass(
        *, slots: bool = True, eq: bool = True
    ) -> Callable[[type[C]], type[C]]: ...
    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    def frozen_dataclass(cls: Any = None, /, *, slots: bool = True, eq: bool = True) -> Any: ...

    @overload
    def mutable_dataclass(cls: type[C], /) -> type[C]: ...
    @overload
    def mutable_dataclass(*, unsafe_hash: bool = False) -> Callable[[type[C]], type[C]]: ...
    @dataclass_transform(field_specifiers=(field,))
    def mutable_dataclass(cls: Any = None, /, *, unsafe_hash: bool = False) -> Any: ...

else:

    def frozen_dataclass(cls=None, /, *, slots=True, eq=True):  # noqa: ANN001, ANN201
        """As `dataclass(frozen=True, slots=True)`; without slots where a property is cached."""
        make = partial(_made, slots=slots, eq=eq, hashed=eq, frozen=True)
        return make if cls is None else make(cls)

    def mutable_dataclass(cls=None, /, *, unsafe_hash=False):  # noqa: ANN001, ANN201
        """As `dataclass(slots=True)`."""
        make = partial(_made, slots=True, eq=True, hashed=unsafe_hash, frozen=False)
        return make if cls is None else make(cls)


def _made(cls: Any, *, slots: bool, eq: bool, hashed: bool, frozen: bool) -> Any:  # noqa: ANN401
    specs = {name: one for base in cls.__mro__[:0:-1] for name, one in _specs_of(base).items()}
    specs |= {one.name: one for one in _own_specs(cls)}
    init, fields = _FirstInit(frozen=frozen), _FieldsOnDemand()
    methods: dict[str, object] = {"__init__": init, "__match_args__": _places(specs), **_SHARED}
    if eq:
        compared = (one.name for one in specs.values() if one.said("compare", otherwise=True))
        values = _values(tuple(compared))
        methods |= {"__eq__": _equal(values), "__hash__": _hashed(values) if hashed else None}
    if slots:
        methods |= _STATE
    own = cls.__dict__
    # a class that defines __eq__ has the name __hash__, as None
    added = {name: one for name, one in methods.items() if own.get(name) is None}
    added |= {_SPECS: specs, "__dataclass_fields__": fields, **(_FROZEN if frozen else {})}
    made = _with_slots(cls, specs, added) if slots else _without_descriptions(cls, specs, added)
    init.cls = fields.cls = made
    return made


def _places(specs: dict[str, _Spec]) -> tuple[str, ...]:
    """The fields that need not be named."""
    return tuple(one.name for one in specs.values() if not one.said("kw_only", otherwise=False))


def _specs_of(cls: Any) -> dict[str, _Spec]:  # noqa: ANN401
    """Also of a base that is a dataclass of Python's."""
    found: dict[str, _Spec] | None = cls.__dict__.get(_SPECS)
    if found is None:
        theirs = cls.__dict__.get("__dataclass_fields__", {}).values()
        found = {one.name: _Spec(one.name, one.type, (one,)) for one in theirs}
    return found


def _own_specs(cls: Any) -> Iterator[_Spec]:  # noqa: ANN401
    for name, kind in cls.__annotations__.items():
        if not _is_of_class(kind):
            given = (cls.__dict__[name],) if name in cls.__dict__ else ()
            if given and isinstance(given[0], list | dict | set):
                raise ValueError(f"all objects would share the default of {name}: use a factory")
            yield _Spec(name, kind, given)


def _is_of_class(kind: object) -> bool:
    if isinstance(kind, str):
        return kind.startswith(("ClassVar", "typing.ClassVar"))
    return kind is ClassVar or get_origin(kind) is ClassVar


def _with_slots(cls: Any, specs: dict[str, _Spec], added: dict[str, Any]) -> Any:  # noqa: ANN401
    """The class once more: slots are taken when a class is made."""
    taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    hidden = {"__dict__", "__weakref__", *specs}
    content = {name: value for name, value in cls.__dict__.items() if name not in hidden} | added
    content["__slots__"] = tuple(name for name in specs if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    return made


def _without_descriptions(
    cls: Any,  # noqa: ANN401
    specs: dict[str, _Spec],
    added: dict[str, Any],
) -> Any:  # noqa: ANN401
    """What `field(...)` made is no value of the class."""
    for name, value in added.items():
        setattr(cls, name, value)
    for one in specs.values():
        if one.name in cls.__dict__ and _is_field(cls.__dict__[one.name]):
            delattr(cls, one.name)
            for default in one.default():
                setattr(cls, one.name, default)
    return cls


class _FieldsOnDemand:
    """In place of `__dataclass_fields__` until somebody looks at it."""

    cls: Any  # when it is made

    def __get__(self, _instance: object, _owner: type | None = None) -> dict[str, Any]:
        from dataclasses import dataclass

        specs: dict[str, _Spec] = getattr(self.cls, _SPECS)
        content: dict[str, Any] = {one.name: one.given[0] for one in specs.values() if one.given}
        content["__annotations__"] = {one.name: one.kind for one in specs.values()}
        # without __doc__, dataclass asks for a signature
        content |= {"__module__": self.cls.__module__, "__doc__": self.cls.__name__}
        described: Any = dataclass(init=False, repr=False, eq=False, match_args=False)(
            type(self.cls.__name__, (), content)
        )
        self.cls.__dataclass_params__ = described.__dataclass_params__
        self.cls.__dataclass_fields__ = found = described.__dataclass_fields__
        return found  # type: ignore[no-any-return]


class _FirstInit:
    """In place of `__init__` for the first objects, or until somebody looks at it."""

    cls: Any  # when it is made

    def __init__(self, *, frozen: bool) -> None:
        self._frozen = frozen
        self._left = _FEW

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., None]:
        # who asks for a signature may bind it to the class
        if not self._left or not isinstance(instance, self.cls):
            return self._compiled().__get__(instance, owner)  # type: ignore[no-any-return]
        self._left -= 1
        return partial(self._set_fields, instance)

    def _compiled(self) -> Any:  # noqa: ANN401
        self.cls.__init__ = init = _written(self.cls, frozen=self._frozen)
        return init

    def _set_fields(self, instance: Any, /, *given: object, **named: object) -> None:  # noqa: ANN401
        values = _all_values(getattr(self.cls, _SPECS), given, named)
        if values is None:  # Python has the words for what is wrong
            self._compiled()(instance, *given, **named)
            return
        set_ = _set if self._frozen else setattr
        for name, value in values.items():
            set_(instance, name, value)
        if hasattr(self.cls, "__post_init__"):
            instance.__post_init__()


def _all_values(
    specs: dict[str, _Spec], given: tuple[object, ...], named: dict[str, object]
) -> dict[str, object] | None:
    """Of every field, by name; None where a call has too few values, or too many."""
    places = _places(specs)
    said = {**dict(zip(places, given, strict=False)), **named}
    if len(said) < len(given) + len(named) or not said.keys() <= specs.keys():
        return None
    found: dict[str, object] = {}
    for name, one in specs.items():
        values = (said[name],) if name in said else one.otherwise()
        if not values:
            return None
        found[name] = values[0]
    return found


def _written(cls: Any, *, frozen: bool) -> Any:  # noqa: ANN401
    """The function that sets every field, compiled."""
    known: dict[str, Any] = {"set_": _set, "FACTORY": _FACTORY, "__name__": cls.__module__}
    every: list[_Spec] = [*getattr(cls, _SPECS).values()]
    places = [_parameter(one, known) for one in every if not one.said("kw_only", otherwise=False)]
    names = [_parameter(one, known) for one in every if one.said("kw_only", otherwise=False)]
    lines = [_assigned(one, frozen=frozen) for one in every]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(["self", *places, *(["*", *names] if names else [])])
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({parameters}):\n {body}", known)  # noqa: S102 - names of fields, no others
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.kind for one in every} | {"return": None}
    return init


def _parameter(one: _Spec, known: dict[str, Any]) -> str:
    for default in one.default():
        known[f"default_{one.name}"] = default
        return f"{one.name}=default_{one.name}"
    factory = one.factory()
    if factory is None:
        return one.name
    known[f"make_{one.name}"] = factory
    return f"{one.name}=FACTORY"


def _assigned(one: _Spec, *, frozen: bool) -> str:
    value = one.name
    if one.factory() is not None:
        value = f"make_{one.name}() if {one.name} is FACTORY else {one.name}"
    return f"set_(self, {one.name!r}, {value})" if frozen else f"self.{one.name} = {value}"


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
    every: list[_Spec] = [*getattr(self, _SPECS).values()]
    named = (one.name for one in every if one.said("repr", otherwise=True))
    shown = (f"{name}={getattr(self, name)!r}" for name in named)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[object]:  # noqa: ANN401
    return [getattr(self, name) for name in getattr(self, _SPECS)]


def _restore(self: Any, state: list[object]) -> None:  # noqa: ANN401
    for name, value in zip(getattr(self, _SPECS), state, strict=True):
        _set(self, name, value)


def _refuse(_self: object, name: str, *_value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"a frozen object: {name!r} cannot be changed")


# what all classes have, those with slots, those that are frozen
_SHARED = {"__repr__": _repr, "__replace__": replace}
_STATE = {"__getstate__": _state, "__setstate__": _restore}
_FROZEN = {"__setattr__": _refuse, "__delattr__": _refuse}
