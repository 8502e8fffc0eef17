"""Every option of the early and the late tool, as options of the four views."""

from __future__ import annotations

from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import field_names
from tfprof.model.options import LISTS
from tfprof.model.options import Options as ViewOptions

_TRUE = ("true", "t", "yes", "y", "1")
_FALSE = ("false", "f", "no", "n", "0")
_STYLE = ("style", "compat")
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
NAMES = tuple(name for name in field_names(ViewOptions) if name not in _STYLE)


def _option(name: str) -> Option:
    flag = f"--{name.replace('_', '-')}"
    text = _HELP.get(name, f"show only what has at least so many {name.removeprefix('min_')}")
    if name == "account_displayed_op_only":
        return Option(flag, text, Takes.MAYBE, "BOOL")
    if name in LISTS or name == "order_by":
        return Option(flag, text, metavar="LIST" if name in LISTS else "KEY")
    return Option(flag, text, Takes.WHOLE, "N")


VIEW_OPTIONS = OptionSection(
    "what to show (lists with commas; names match as a whole)",
    (
        *map(_option, NAMES),
        Option("--style", "the README's text, or TF 1.x's", choices=("early", "late")),
        Option("--compat", "the engine to the byte, faults included", choices=("original",)),
        Option("--viz", "", Takes.MAYBE),
        Option("--dump-to-file", "write there instead (as -o)", metavar="FILE"),
        Option("--output", "stdout, none, file|timeline|pprof:outfile=F", metavar="KIND"),
    ),
)


def said_of(values: Values) -> dict[str, object]:
    """The options that were said, by name, the style among them."""
    said = {name: values.said.get(name) for name in (*NAMES, *_STYLE)}
    return {name: _value(name, value) for name, value in said.items() if value is not None}


def said_over(base: ViewOptions, values: Values) -> ViewOptions:
    """`base`, with what was said put over it; its style stays."""
    said = said_of(values)
    compat = base.compat or "compat" in said
    return base.but({**said, "style": base.style, "compat": compat})


def _value(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    if name == "account_displayed_op_only":
        word = value.lower()
        if word not in (*_TRUE, *_FALSE):
            raise UsageError(f"-{name} is true or false, not {value!r}")
        return word in _TRUE
    if name in LISTS:
        return tuple(part.strip("'\"") for part in value.split(",") if part.strip("'\""))
    return value
