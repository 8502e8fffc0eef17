"""Pages of the documentation that are made from the code: JSON Schema, Python, rules of advice.

`tests/unit/test_generated_docs.py` compares them with what is there; `--accept` writes them anew.
"""

import dataclasses
import enum
import inspect
import operator
import types
import typing
from collections.abc import Iterable, Mapping

from advice_cases import CASES

import tfprof
from tfprof.analyses.advice.rule import AdviceRule, rules
from tfprof.commands.registry import commands
from tfprof.model.dims import Dim
from tfprof.model.quantity import Kind, Quantity
from tfprof.results.answered import SCHEMA, Answered
from tfprof.results.fields import JsonPlace, plan_of
from tfprof.results.times import Nanoseconds
from tfprof.results.trees import CostRecord, CostRows

_NUMBER = {"type": ["number", "null"]}
_FORMULA = {"$ref": "#/$defs/Formula"}
_KIND = {"enum": [Kind.ESTIMATED.value, Kind.AT_LEAST.value]}
_FORMULA_SCHEMA = {
    "description": "A number that is null because sizes are open: terms are coefficient · powers.",
    "type": "object",
    "properties": {"text": {"type": "string"}, "terms": {"type": "array"}},
    "required": ["text", "terms"],
}
# rows that are kept as columns
_RECORDS = {CostRows: CostRecord}
_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def json_schema() -> dict[str, object]:
    """What `--json` prints, of every command, from the types of the results."""
    made = SchemasOfTypes()
    envelope = made.of_class(Answered)
    answers = []
    for name, command in commands().items():
        if command.report:
            hint = typing.get_type_hints(command.module().view, include_extras=True)["answered"]
            told = {"command": {"const": name}, "data": made.of(typing.get_args(hint)[0])}
            answers.append({"properties": told, "required": ["command", "data"]})
    properties = {**envelope["properties"], "schema": {"const": SCHEMA}}
    del properties["data"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What tfprof prints with --json",
        "description": "Keys may be added; those that are here stay. Units are in the names: _us "
        "microseconds, _bytes bytes; what has none is a count.",
        "type": "object",
        "properties": {**properties, "command": {"enum": [_name(a) for a in answers]}},
        "required": envelope["required"],
        "oneOf": answers,
        "$defs": dict(sorted({**made.found, "Formula": _FORMULA_SCHEMA}.items())),
    }


def _name(answer: Mapping[str, typing.Any]) -> str:
    return answer["properties"]["command"]["const"]


class SchemasOfTypes:
    """Schemas of types, those of classes by name; as `renderers/data/encode.py` writes them."""

    def __init__(self) -> None:
        self.found: dict[str, typing.Any] = {}
        self.kinds: dict[str, type] = {}

    def of(self, hint: typing.Any) -> dict[str, typing.Any]:
        origin, inside = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            return self.of(inside[0])
        if origin in (typing.Union, types.UnionType):
            return _either(self.of(one) for one in inside)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of_entry(inside[1])}
        if isinstance(origin, type) and issubclass(origin, Iterable):
            kinds = [one for one in inside if one is not Ellipsis]
            return {"type": "array", "items": _either(self.of_item(one) for one in kinds)}
        return self.of_type(hint)

    def of_type(self, hint: typing.Any) -> dict[str, typing.Any]:
        if hint in _PLAIN:
            return {"type": _PLAIN[hint]}
        if hint in (Quantity, Dim, Nanoseconds):
            return _NUMBER
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return {"enum": [one.value for one in hint]}
        if hint in _RECORDS:
            return {"type": "array", "items": self.named(_RECORDS[hint])}
        if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
            return _either(self.named(one) for one in (hint, *hint.__subclasses__()))
        return {}

    def named(self, kind: type) -> dict[str, typing.Any]:
        if kind.__name__ not in self.found:
            self.found[kind.__name__] = {}  # a type may hold itself
            self.kinds[kind.__name__] = kind
            self.found[kind.__name__] = self.of_class(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def of_item(self, hint: typing.Any) -> dict[str, typing.Any]:
        """In a list there is no key to put a formula beside: a size is its text."""
        if hint is Dim:
            return {"type": "string"}
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            return _either(self.of_item(one) for one in typing.get_args(hint))
        return self.of(hint)

    def of_entry(self, hint: typing.Any) -> dict[str, typing.Any]:
        """Of a mapping, whose formulas stand among its entries."""
        own = self.of(hint)
        return _either([own, _FORMULA]) if _may_be_open(hint) else own

    def of_class(self, kind: type) -> dict[str, typing.Any]:
        hints = typing.get_type_hints(kind, include_extras=True)
        properties: dict[str, typing.Any] = {}
        required: list[str] = []
        others: dict[str, typing.Any] = {}
        for plan in plan_of(kind):
            hint = hints[plan.name]
            if plan.place is JsonPlace.INSIDE:
                continue
            if plan.place is JsonPlace.AMONG:
                for inner in self._classes(hint):
                    properties |= self.of_class(inner)["properties"]
                if typing.get_origin(typing.get_args(hint)[0]) is Mapping:
                    others = {"additionalProperties": self.of(typing.get_args(hint)[0].__args__[1])}
                continue
            properties[plan.key] = _times(hint) if plan.is_time else self.of(hint)
            if _may_be_open(hint):
                properties[f"{plan.key}_kind"] = _KIND
                properties[f"{plan.key}_formula"] = _FORMULA
            if plan.place is JsonPlace.OWN:
                required.append(plan.key)
        return {"type": "object", "properties": properties, "required": required, **others}

    def _classes(self, hint: typing.Any) -> list[type]:
        if typing.get_origin(hint) is typing.Annotated:
            return self._classes(typing.get_args(hint)[0])
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            return [one for inner in typing.get_args(hint) for one in self._classes(inner)]
        return [hint] if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields") else []


def _may_be_open(hint: typing.Any) -> bool:
    """A number that may be a formula or not exact, itself or as the values of a mapping."""
    inside = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if hint in (Quantity, Dim):
        return True
    if origin in (typing.Union, types.UnionType, typing.Annotated) or (
        isinstance(origin, type) and issubclass(origin, Mapping)
    ):
        return any(_may_be_open(one) for one in inside)
    return False


def _times(hint: typing.Any) -> dict[str, typing.Any]:
    """Microseconds, one or many."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _times(inside[0])
    if origin in (typing.Union, types.UnionType):
        return _either(_times(one) for one in inside)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _NUMBER}
    return {"type": "array", "items": _NUMBER} if origin is tuple else _NUMBER


def _either(schemas: Iterable[dict[str, typing.Any]]) -> dict[str, typing.Any]:
    """Of plain types one list of names; else any of them."""
    found: list[dict[str, typing.Any]] = []
    for one in schemas:
        if one not in found:
            found.append(one)
    if len(found) == 1:
        return found[0]
    if all(set(one) == {"type"} for one in found):
        names = [name for one in found for name in _listed(one["type"])]
        kept = [name for name in dict.fromkeys(names) if name != "integer" or "number" not in names]
        return {"type": kept}
    return {"anyOf": found}


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


_PAGE = """\
# Python reference

Made from the code; everything here is in `import tfprof`. Names are loaded on first use, and
TensorFlow only if an object of it is handed over. Methods of a profile are the
[commands](index.md), and their answers print as on the command line.

"""
_SECTIONS = {
    "Questions in one call": ("parameter_count", "flops", "peak_memory"),
    "A profile of files": ("load", "Profile"),
    "Several of them": ("diff", "log"),
    "Answers": ("Answer",),
    "Capture a run": ("capture", "keras.Profiler", "trace", "profiler_options"),
    "Rules of your own": ("op_rule",),
    "Errors": ("TfprofError",),
    "The original's calls": (
        "profile", "print_model_analysis", "advise", "write_op_log", "Profiler", "ProfileContext",
        "ProfileOptionBuilder",
    ),
}  # fmt: skip
_DATA = "The original's messages, option sets and modules"


def python_reference() -> str:
    """Every public name with its signature and what it says about itself."""
    parts = [_PAGE]
    for title, names in _SECTIONS.items():
        parts.append(f"## {title}\n\n")
        for name in names:
            parts += _entry(f"tfprof.{name}", operator.attrgetter(name)(tfprof), 3)
    listed = {name for names in _SECTIONS.values() for name in names} | {"__version__"}
    rest = ", ".join(f"`{name}`" for name in sorted(set(tfprof.__all__) - listed))
    parts.append(
        f"## {_DATA}\n\n{rest}: as in the original, "
        "[listed with their old names](coming-from-tfprof.md#python).\n"
    )
    return "".join(parts)


def _entry(name: str, thing: typing.Any, level: int) -> list[str]:
    parts = [f"{'#' * level} {name}\n\n```text\n{_signature(name, thing)}\n```\n\n"]
    said = inspect.getdoc(thing) if thing.__doc__ else ""
    if said:
        parts.append(f"{_indented(said)}\n\n")
    if inspect.isclass(thing):
        short = name.rpartition(".")[2]
        for method, made in vars(thing).items():
            if not method.startswith("_"):
                inner = getattr(made, "__func__", made)
                parts += _member(f"{short}.{method}", inner)
    return parts


def _member(name: str, thing: typing.Any) -> list[str]:
    if isinstance(thing, property) or not callable(thing):
        # a plain value has none of its own, only its type's
        said = (inspect.getdoc(thing) or "") if isinstance(thing, property) else ""
        return [f"- `{name}`\n", *_below(said), "\n"]
    said = inspect.getdoc(thing) or ""
    return [f"- `{_signature(name, thing, one_line=True)}`\n", *_below(said), "\n"]


def _below(said: str) -> list[str]:
    return (
        ["\n", *(f"    {line}\n" if line else "\n" for line in said.splitlines())] if said else []
    )


def _indented(said: str) -> str:
    """A doctest becomes a block of code that is not run."""
    lines = [f"    {line}" if line.startswith(">>>") else line for line in said.splitlines()]
    return "\n".join(lines)


def _signature(name: str, thing: typing.Any, *, one_line: bool = False) -> str:
    try:
        found = inspect.signature(thing)
    except ValueError:
        return name
    kept = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in found.parameters.values()
        if one.name != "self"
    ]
    plain = found.replace(parameters=kept, return_annotation=inspect.Signature.empty)
    text = f"{name}{plain}"
    if one_line or len(text) <= 100:
        return text
    inside = []
    starred = False
    for one in kept:
        if one.kind is one.KEYWORD_ONLY and not starred:
            inside.append("    *,")
            starred = True
        inside.append(f"    {one},")
    return "\n".join([f"{name}(", *inside, ")"])


_TITLES = {"What": "What it finds", "Why": "Why that is bad", "Gain": "What it gains"}


def advice_pages() -> dict[str, str]:
    """A page a rule, from the docstring of the rule."""
    return {f"{name}.md": _advice_page(one) for name, one in rules().items()}


def _advice_page(one: AdviceRule) -> str:
    parts = [f"# {one.name}\n\n{one.about}. Needs: {one.needs}.\n"]
    parts += [f"## {_TITLES[title]}\n\n{_prose(one.section(title))}\n" for title in ("What", "Why")]
    parts += [f"## {title}\n\n```text\n{one.section(title)}\n```\n" for title in ("Example", "Fix")]
    parts.append(f"## {_TITLES['Gain']}\n\n{_prose(one.section('Gain'))}\n")
    parts.append(
        f"## Silence\n\n`tfprof advise PATH --ignore {one.name}`, or in `pyproject.toml`:\n\n"
        f'```text\n[tool.tfprof]\nignore = ["{one.name}"]\n```\n'
    )
    return "\n".join(parts)


def _prose(said: str) -> str:
    joined = " ".join(said.split())
    return joined[:1].upper() + joined[1:]


def advice_table() -> str:
    """Every rule on something that has the fault, and on something that has not."""
    rows = [
        f"| [{one.rule}](advice/{one.rule}.md) | {one.has} | {one.has_not} |"
        for one in sorted(CASES, key=lambda case: case.rule)
    ]
    return "\n".join(["| rule | finds it in | is silent on |", "|---|---|---|", *rows])
