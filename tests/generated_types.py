"""What the page is given, as TypeScript: `web/src/results.ts`, from the types of the results.

`tests/unit/test_generated_docs.py` compares it with what is there; `--accept` writes it anew.
"""

import dataclasses
import importlib
import inspect
import json
import pkgutil
import types
import typing
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
from generated_docs import SchemasOfTypes

from tfprof import results
from tfprof.renderers.page.pack import type_for_a_browser
from tfprof.results.answered import Answered
from tfprof.results.columns import FieldColumns
from tfprof.results.fields import JsonPlace, plan_of

_HEAD = """\
// Made by tests/generated_types.py from the results; `make test-fast ARGS=--accept` writes it anew.

/** A number that is null because sizes are open: terms are coefficient and powers. */
export interface Formula {
  text: string;
  terms: unknown[];
}
"""
_ARRAYS = {
    "u1": "Uint8Array", "i1": "Int8Array", "u2": "Uint16Array", "i2": "Int16Array",
    "u4": "Uint32Array", "i4": "Int32Array", "f4": "Float32Array", "f8": "Float64Array",
}  # fmt: skip
_PLAIN = {"integer": "number"}


def typescript() -> str:
    """An interface a class, in the order of their names."""
    made = SchemasOfTypes()
    columns: dict[str, str] = {}
    for kind in sorted(set(_classes()), key=lambda one: one.__name__):
        if issubclass(kind, FieldColumns):
            columns[kind.__name__] = _columns(kind, made)
        elif kind is not Answered:
            made.named(kind)
    parts = {name: _interface(name, made.kinds[name], one) for name, one in made.found.items()}
    parts["Answered"] = _interface("Answered<T>", Answered, made.of_class(Answered), data="T")
    return "\n".join([_HEAD, *(one for _, one in sorted({**parts, **columns}.items()))])


def _classes() -> Iterator[type]:
    """Every result there is; what a page adds is found when its file is there."""
    for file in pkgutil.walk_packages(results.__path__, f"{results.__name__}."):
        if file.name == plan_of.__module__:
            continue  # how results are told, none itself
        for kind in vars(importlib.import_module(file.name)).values():
            own = inspect.isclass(kind) and kind.__module__.startswith(results.__name__)
            if own and _is_told(kind):
                yield kind


def _is_told(kind: type) -> bool:
    if issubclass(kind, FieldColumns):
        return kind is not FieldColumns
    told = dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")
    return told and not hasattr(kind, "columns")


def _interface(name: str, kind: type, schema: Mapping[str, typing.Any], **known: str) -> str:
    left_out = {one.key for one in plan_of(kind) if one.place is JsonPlace.IF_KNOWN}
    lines = []
    for key, one in schema["properties"].items():
        said = known.get(key) or _type(one)
        optional = "" if key in schema["required"] else "?"
        if key in left_out:
            said = said.removesuffix(" | null")
        lines.append(f"  {_key(key)}{optional}: {said};\n")
    if "additionalProperties" in schema:
        lines.append("  [key: string]: unknown;\n")
    return f"{_about(kind)}export interface {name} {{\n{''.join(lines)}}}\n"


def _about(kind: type) -> str:
    """What the class says about itself; a class without a docstring has its signature there."""
    said = (inspect.getdoc(kind) or "") if "__doc__" in vars(kind) else ""
    first = said.partition("\n\n")[0].replace("*/", "* /").replace("\n", " ")
    return f"/** {first} */\n" if first and not first.startswith(f"{kind.__name__}(") else ""


def _key(key: str) -> str:
    return key if key.isidentifier() else json.dumps(key)


def _type(schema: Mapping[str, typing.Any]) -> str:
    return _either(_alternatives(schema)) or "unknown"


def _alternatives(schema: Mapping[str, typing.Any]) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    elif "enum" in schema:
        yield from map(json.dumps, schema["enum"])
    else:
        for one in schema.get("anyOf", ()):
            yield from _alternatives(one)
        names = schema.get("type", [])
        yield from (_named(name, schema) for name in ([names] if isinstance(names, str) else names))


def _named(name: str, schema: Mapping[str, typing.Any]) -> str:
    if name == "array":
        return _array(_type(schema.get("items", {})))
    if name == "object":
        return f"Record<string, {_type(schema.get('additionalProperties', {}))}>"
    return _PLAIN.get(name, name)


def _array(inside: str) -> str:
    return f"({inside})[]" if " | " in inside else f"{inside}[]"


def _either(alternatives: Iterable[str]) -> str:
    """What may be null says so last."""
    return " | ".join(sorted(dict.fromkeys(alternatives), key=lambda one: one == "null"))


def _columns(kind: type, made: SchemasOfTypes) -> str:
    hints = typing.get_type_hints(kind)
    lines = [
        f"  {one.name}: {_field(hints[one.name], made)};\n" for one in dataclasses.fields(kind)
    ]
    return f"{_about(kind)}export interface {kind.__name__} {{\n{''.join(lines)}}}\n"


def _field(hint: typing.Any, made: SchemasOfTypes) -> str:
    """A typed array, columns again, or what a result has."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is np.ndarray or origin is typing.get_origin(npt.NDArray[np.float64]):
        # from numpy 2.5 on, NDArray is a name of its own, of numbers
        (number,) = typing.get_args(inside[1]) if origin is np.ndarray else inside
        return _ARRAYS[type_for_a_browser(np.dtype(number))]
    if isinstance(hint, type) and issubclass(hint, FieldColumns):
        return hint.__name__
    if origin in (typing.Union, types.UnionType):
        return _either(_field(one, made) for one in inside)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Record<string, {_field(inside[1], made)}>"
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return _array(_either(_field(one, made) for one in inside if one is not Ellipsis))
    return "null" if hint is type(None) else _type(made.of(hint))
