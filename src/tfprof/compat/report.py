"""The text around a view: the options, what the view and its columns mean, and the frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from tfprof.compat.options import ReportOutput
from tfprof.model.metrics import METRICS
from tfprof.model.options import Options

_OPTIONS_LINE = "=" * 25 + "Options" + "=" * 29
_REPORT_LINE = "=" * 18 + "Model Analysis Report" + "=" * 22
_END_LINE = "=" * 22 + "End of Report" + "=" * 26
_NAME_WIDTH = 28

# the late tool has no devices to choose by; style and compat are ours
_LATE = tuple(
    option.name
    for option in fields(Options)
    if option.name not in ("device_regexes", "style", "compat")
)
_EARLY = (
    "max_depth", "min_bytes", "min_micros", "min_params", "min_float_ops", "device_regexes",
    "order_by", "account_type_regexes", "start_name_regexes", "trim_name_regexes",
    "show_name_regexes", "hide_name_regexes", "account_displayed_op_only", "select",
)  # fmt: skip

VIEW_DOCS = {
    "scope": "scope: nodes by name; a/b stands below a.",
    "graph": "graph: nodes above what they read; a shared input stands below its first reader.",
    "op": "op: nodes of one op type together; each row, and the sum of it and the rows below.",
    "code": "code: nodes by the Python lines that made them.",
}
SELECT_DOCS = {
    **{metric.name: f"{metric.name}: {metric.about}" for metric in METRICS},
    "device": "device: where it ran.",
    "op_types": "op_types: what it counts as: op type, device, types of an op log.",
    "input_shapes": "input_shapes: shape of each input; unknown where the graph does not say.",
    "tensor_value": "tensor_value: the values a checkpoint holds for it.",
    "num_hidden_ops": "num_hidden_ops: how many nodes were left out above it.",
}
STREAM_NOTICE = (
    "\nThe run has a GPU but no stream:all device: accelerator time is missing. "
    "Trace with FULL_TRACE and a working CUPTI.\n"
)


def option_block(options: Options, output: ReportOutput) -> str:
    """A line an option, as the original prints them."""
    early = options.style == "early"
    lines = [(name, getattr(options, name)) for name in (_EARLY if early else _LATE)]
    if early:
        lines += [("viz", False), ("dump_to_file", output.outfile)]
    else:
        lines.append(("output", str(output)))
    return "".join(f"{'-' + name:<{_NAME_WIDTH}}{_written(name, value)}\n" for name, value in lines)


def _written(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(sorted(value) if name == "select" else value)
    return str(value)


def body(command: str, options: Options, text: str, *, misses_stream: bool = False) -> str:
    """What goes into a file; inside the frame it goes to the screen."""
    if options.style == "early":
        return text
    docs = "\n".join([VIEW_DOCS[command], *_select_docs(options)])
    notice = STREAM_NOTICE if misses_stream else ""
    return f"{notice}\nDoc:\n{docs}\n\nProfile:\n{text}"


def _select_docs(options: Options) -> Iterator[str]:
    for name in sorted(set(options.select)):
        yield SELECT_DOCS.get(name, f"Unknown select: {name}")


def framed(options: Options, output: ReportOutput, text: str) -> str:
    return (
        f"\n{_OPTIONS_LINE}\n{option_block(options, output)}\n{_REPORT_LINE}\n{text}\n{_END_LINE}\n"
    )
