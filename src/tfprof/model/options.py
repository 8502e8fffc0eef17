"""The one option set of the four views: every option of the early and the late tool."""

from __future__ import annotations

from dataclasses import dataclass

METRICS = (
    "params", "float_ops", "bytes", "peak_bytes", "residual_bytes", "output_bytes",
    "micros", "accelerator_micros", "cpu_micros", "occurrence",
)  # fmt: skip
ORDERS = ("name", "depth", *METRICS)
SELECTS = (*METRICS, "tensor_value", "device", "op_types", "input_shapes", "num_hidden_ops")
EVERYTHING = (".*",)

EARLY_ACCOUNT = ("Variable", "VariableV2", "VarHandleOp")
EARLY_HIDDEN = ("IsVariableInitialized_[0-9]+", r"save\/.*", "^zeros[0-9_]*")


@dataclass(frozen=True, slots=True)
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
        return {metric: getattr(self, f"min_{metric}") for metric in METRICS}


def early() -> Options:
    """What the command line and the prompt start from."""
    return Options(
        max_depth=4,
        account_type_regexes=EARLY_ACCOUNT,
        hide_name_regexes=EARLY_HIDDEN,
        select=("params",),
        style="early",
    )
