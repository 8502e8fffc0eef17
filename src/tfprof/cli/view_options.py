"""Every option of the early and the late tool, as command-line options of the four views."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.model.options import Options

_LISTS = (
    "account_type_regexes", "start_name_regexes", "trim_name_regexes", "show_name_regexes",
    "hide_name_regexes", "device_regexes", "select",
)  # fmt: skip
_TRUE = ("true", "t", "yes", "y", "1")
_FALSE = ("false", "f", "no", "n", "0")
_HELP = {
    "max_depth": "how many levels to show",
    "step": "a recorded step; -1 averages",
    "order_by": "name, depth or a metric",
    "account_type_regexes": "types whose cost counts",
    "start_name_regexes": "start from these names",
    "trim_name_regexes": "show nothing below these names",
    "show_name_regexes": "show only these names",
    "hide_name_regexes": "do not show these names",
    "device_regexes": "show only what is on these devices",
    "account_displayed_op_only": "totals count only what is shown",
    "select": "what to show of each node",
}


def add_view_options(parser: argparse.ArgumentParser) -> None:
    from tfprof.model.options import Options

    group = parser.add_argument_group("what to show (lists with commas; names match as a whole)")
    for option in fields(Options):
        name = option.name
        if name in ("style", "compat"):
            continue
        flag = f"--{name.replace('_', '-')}"
        text = _HELP.get(name, f"show only what has at least so many {name.removeprefix('min_')}")
        if name == "account_displayed_op_only":
            group.add_argument(flag, nargs="?", const="true", metavar="BOOL", help=text)
        elif name in _LISTS or name == "order_by":
            group.add_argument(flag, metavar="LIST" if name in _LISTS else "KEY", help=text)
        else:
            group.add_argument(flag, type=int, metavar="N", help=text)
    group.add_argument("--style", choices=["early", "late"], help="the README's text, or TF 1.x's")
    group.add_argument(
        "--compat", choices=["original"], help="the engine to the byte, faults included"
    )
    group.add_argument("--viz", nargs="?", const="true", help=argparse.SUPPRESS)
    group.add_argument("--dump-to-file", metavar="FILE", help="write there instead (as -o)")
    group.add_argument(
        "--output", metavar="KIND", help="stdout, none, file|timeline|pprof:outfile=F"
    )


def options_of(args: argparse.Namespace, start: Options | None = None) -> Options:
    """The defaults of the style, with what was given put over them.

    `start` is what the early style starts from, if not from the README's options.
    """
    from tfprof.model.options import Options, early

    late = args.compat is not None or args.style == "late"
    return given_options(args, Options() if late else start or early())


def given_options(args: argparse.Namespace, base: Options) -> Options:
    """`base`, with what was given put over it."""
    given: dict[str, Any] = {}
    for option in fields(base):
        value = getattr(args, option.name, None)
        if value is not None and option.name not in ("style", "compat"):
            given[option.name] = _value(option.name, value)
    compat = base.compat or args.compat is not None
    options = replace(base, **given, compat=compat)
    options.check()
    return options


def _value(name: str, value: str | int) -> object:
    if isinstance(value, int):
        return value
    if name == "account_displayed_op_only":
        word = value.lower()
        if word not in (*_TRUE, *_FALSE):
            raise UsageError(f"-{name} is true or false, not {value!r}")
        return word in _TRUE
    if name in _LISTS:
        return tuple(part.strip("'\"") for part in value.split(",") if part.strip("'\""))
    return value
