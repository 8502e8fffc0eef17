"""The options of a call, whatever form they have, as the one option set and a place to write to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace

from tfprof.compat.handed import Live, OptionDict
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.options import LISTS, Options

ORIGINAL = "original"
_OUTPUTS = ("timeline", "stdout", "file", "pprof", "none")
_WITH_FILE = frozenset({"timeline", "file", "pprof"})
# what a key that is missing in a dict stands for, where it is not the default of Options
_MISSING: OptionDict = {
    "account_type_regexes": (), "start_name_regexes": (), "show_name_regexes": (), "select": (),
}  # fmt: skip
_ELSEWHERE = frozenset({"output", "dump_to_file", "viz"})


@frozen_dataclass
class ReportOutput:
    """Where a report goes, from `-output kind:key=value,...`."""

    kind: str = "stdout"
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def outfile(self) -> str:
        return self.keys.get("outfile", "")

    def __str__(self) -> str:
        return f"{self.kind}:{','.join(f'{key}={value}' for key, value in self.keys.items())}"

    @classmethod
    def parsed(cls, text: str) -> ReportOutput:
        kind, _, rest = text.partition(":")
        kind = kind or "stdout"
        if kind not in _OUTPUTS:
            raise UsageError(
                f"unknown output {kind!r}", hint=f"One of {', '.join(sorted(_OUTPUTS))}."
            )
        keys = {}
        for part in rest.split(",") if rest else ():
            key, equals, value = part.partition("=")
            if not equals or key != "outfile" or kind not in _WITH_FILE:
                raise UsageError(f"output {kind!r} does not take {part!r}", hint=_example(kind))
            keys[key] = value
        if kind in _WITH_FILE and not keys.get("outfile"):
            raise UsageError(f"output {kind!r} needs a file", hint=_example(kind))
        return cls(kind, keys)


def _example(kind: str) -> str:
    return f"E.g. {kind}:outfile=..." if kind in _WITH_FILE else f"E.g. {kind}"


def is_compat(compat: str | None) -> bool:
    """Whether the call asks for the original engine to the byte."""
    if compat not in (None, ORIGINAL):
        raise UsageError(f"compat={compat!r} is unknown", hint=f'None or "{ORIGINAL}".')
    return compat == ORIGINAL


def as_options(
    given: Live,  # also a builder
    *,
    style: str = "late",
    compat: bool = False,
) -> tuple[Options, ReportOutput]:
    """A builder's dict, one with missing keys, a builder, or our own Options."""
    if isinstance(given, Options):
        return replace(given, compat=given.compat or compat), ReportOutput()
    if hasattr(given, "build"):
        given = given.build()
    if not isinstance(given, Mapping):
        raise UsageError(
            f"options is a {type(given).__name__}, not a dict",
            hint="ProfileOptionBuilder().build() makes one.",
        )
    names = {entry.name for entry in fields(Options)} - {"style", "compat"}
    unknown = sorted(set(given) - names - _ELSEWHERE)
    if unknown and not compat:
        raise UsageError(f"no such option: {', '.join(unknown)}")
    chosen = {name: _value(name, value) for name, value in given.items() if name in names}
    options = Options(**{**_MISSING, **chosen}, style=style, compat=compat)
    if not compat:
        options.check()
    dump = given.get("dump_to_file", "")
    output = (
        ReportOutput("file", {"outfile": dump})
        if dump
        else ReportOutput.parsed(given.get("output", ""))
    )
    return options, output


def _value(name: str, value: Live) -> Live:
    if name not in LISTS:
        return value
    if isinstance(value, str):  # a text would be taken apart into letters
        raise UsageError(f"{name} is a text", hint=f"{name}=[{value!r}]")
    return tuple(value)
