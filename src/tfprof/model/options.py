"""The one option set of the four views: every option of the early and the late tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import field_names, frozen_dataclass, replace
from tfprof.model import metrics

ORDERS = ("name", "depth", *metrics.NAMES)
SELECTS = (*metrics.NAMES, "tensor_value", "device", "op_types", "input_shapes", "num_hidden_ops")
EVERYTHING = (".*",)
LISTS = (
    "account_type_regexes", "start_name_regexes", "trim_name_regexes", "show_name_regexes",
    "hide_name_regexes", "device_regexes", "select",
)  # fmt: skip

EARLY_ACCOUNT = ("Variable", "VariableV2", "VarHandleOp")
EARLY_HIDDEN = ("IsVariableInitialized_[0-9]+", r"save\/.*", "^zeros[0-9_]*")


@frozen_dataclass
class Options:
    """Defaults are the late tool's. `early()` gives those of the command line."""

    max_depth: int = 10
    min_bytes: int = 0
    min_peak_bytes: int = 0
    min_residual_bytes: int = 0
    min_output_bytes: int = 0
    min_micros: int = 0
    min_accelerator_micros: int = 0
    min_cpu_micros: int = 0
    min_params: int = 0
    min_float_ops: int = 0
    min_occurrence: int = 0
    step: int = -1
    order_by: str = "name"
    account_type_regexes: tuple[str, ...] = EVERYTHING
    start_name_regexes: tuple[str, ...] = EVERYTHING
    trim_name_regexes: tuple[str, ...] = ()
    show_name_regexes: tuple[str, ...] = EVERYTHING
    hide_name_regexes: tuple[str, ...] = ()
    device_regexes: tuple[str, ...] = EVERYTHING
    account_displayed_op_only: bool = False
    select: tuple[str, ...] = ("micros",)
    style: str = "late"
    compat: bool = False

    @property
    def minimums(self) -> dict[str, int]:
        return {metric: getattr(self, f"min_{metric}") for metric in metrics.NAMES}

    def but(self, changes: Mapping[str, object]) -> Options:
        """Some of them otherwise, and checked."""
        values: dict[str, Any] = dict(changes)
        options = replace(self, **values)
        options.check()
        return options

    def check(self) -> None:
        """An error for names of metrics that do not exist, with the nearest that does."""
        for option, values, known in (
            ("order_by", (self.order_by,), ORDERS),
            ("select", self.select, SELECTS),
        ):
            for value in values:
                if value not in known:
                    hint = _nearest(value, known)
                    raise UsageError(f"-{option} does not know {value!r}", hint=hint)


def early() -> Options:
    """What the command line and the prompt start from."""
    return Options(
        max_depth=4,
        account_type_regexes=EARLY_ACCOUNT,
        hide_name_regexes=EARLY_HIDDEN,
        select=("params",),
        style="early",
    )


def traced() -> Options:
    """The same for a trace without a graph, which has times and no parameters."""
    return replace(
        early(),
        max_depth=10,
        order_by="micros",
        account_type_regexes=EVERYTHING,
        hide_name_regexes=(),
        select=("micros",),
    )


def options_from(given: Mapping[str, object], start: Options | None = None) -> Options:
    """Options by name, as in Python: those of the style, with the given ones put over them.

    `start` is what the early style starts from, if not from `early()`.
    """
    names = field_names(Options)
    for name in given:
        if name not in names:
            raise UsageError(f"no option is called {name!r}", hint=_nearest(name, names))
    compat = given.get("compat") not in (None, False)
    base = Options() if compat or given.get("style") == "late" else start or early()
    values = {name: _value(name, value) for name, value in given.items()}
    return base.but({**values, "compat": compat})


def _nearest(word: str, known: Sequence[str]) -> str:
    import difflib  # where something is misspelt

    near = difflib.get_close_matches(word, known, 1)
    return f"Did you mean {near[0]}?" if near else f"One of {', '.join(known)}."


def _value(name: str, value: object) -> object:
    """Lists may be written as on the command line."""
    if name not in LISTS or not isinstance(value, Iterable):
        return value
    return tuple(value.split(",") if isinstance(value, str) else value)
