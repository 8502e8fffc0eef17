"""Options as the original's users write them: a builder, and the ready-made sets."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Self

from tfprof.compat.handed import OptionDict
from tfprof.model.oplog import TRAINABLE

_COMMON: Mapping[str, object] = {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": True,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}


def _common(**changes: object) -> OptionDict:
    return {**copy.deepcopy(dict(_COMMON)), **changes}


class ProfileOptionBuilder:
    """Every method but `build` and the three ready-made sets returns the builder."""

    def __init__(self, options: Mapping[str, object] | None = None) -> None:
        if options is None:
            options = _common(max_depth=100, account_displayed_op_only=False)
        self._options: OptionDict = copy.deepcopy(dict(options))

    @staticmethod
    def trainable_variables_parameter() -> OptionDict:
        """How many parameters each trained variable has; for the scope view."""
        return _common(account_type_regexes=[TRAINABLE], select=["params"])

    @staticmethod
    def float_operation() -> OptionDict:
        """Float operations, most first; what has none is not shown."""
        return _common(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> OptionDict:
        """Time and requested bytes, slowest first; needs run metadata.

        An op that asks for no memory is not shown and, with it, its time does not count: set
        `min_bytes=0` to see the whole time.
        """
        return _common(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            order_by="micros",
            select=["micros", "bytes"],
        )

    def build(self) -> OptionDict:
        """The options as a dict of its own."""
        return copy.deepcopy(self._options)

    def _with(self, **options: object) -> Self:
        self._options.update(copy.deepcopy(options))
        return self

    def with_max_depth(self, max_depth: int) -> Self:
        """Levels of the tree; of the op view, rows."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Self:
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> Self:
        return self._with(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> Self:
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> Self:
        """Nodes of an op type; runs of a node."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> Self:
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> Self:
        """What counts: op types, devices, and the types an op log gives."""
        return self._with(account_type_regexes=account_type_regexes)

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> Self:
        """What is shown of what counts; None keeps what is set."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(**{name: value for name, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> Self:  # noqa: FBT001
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> Self:
        return self._with(output="none")

    def with_stdout_output(self) -> Self:
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> Self:
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> Self:
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> Self:
        """For the code view, with one metric selected."""
        return self._with(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> Self:
        return self._with(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> Self:
        return self._with(select=attributes)

    def with_step(self, step: int) -> Self:
        """One step; -1 is the average over the steps."""
        return self._with(step=step)


def _early(**changes: object) -> OptionDict:
    options = _common(device_regexes=[".*"], dump_to_file="", **changes)
    for late in ("min_occurrence", "step", "output"):
        del options[late]
    return options


# the ready-made sets of the early tool
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _early(account_type_regexes=[TRAINABLE], select=["params"])
FLOAT_OPS_OPTIONS = _early(min_float_ops=1, order_by="float_ops", select=["float_ops"])
PRINT_PARAMS_ON_DEVICE = _early(
    max_depth=1,
    account_type_regexes=[".*ps.*task:0.*"],
    account_displayed_op_only=False,
    select=["device", "params"],
)
PRINT_ALL_TIMING_MEMORY = _early(min_bytes=1, min_micros=1, select=["micros", "bytes"])
