"""The options that put the graph that ran in place of the one that was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, OptionSection, Values

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData

FORMS = ("written", "executed")
PARTITION = Option(
    "--partition", "only the graph that ran on this device: /gpu:0", metavar="DEVICE"
)
WHICH_GRAPH = OptionSection(
    "which graph",
    (
        Option("--as", "the graph of the file, or the one a run holds", choices=FORMS,
               default="written", key="form"),
        PARTITION,
    ),
)  # fmt: skip


def as_asked(data: ProfileData, values: Values) -> ProfileData:
    """The graph as it ran, on all devices or on one."""
    partition = values.text("partition")
    if partition is None and values.text("form") != "executed":
        return data
    return _executed(data, partition)


def on_partition(data: ProfileData, values: Values) -> ProfileData:
    """The same for commands with a meaning of their own for `--as`, or with none."""
    partition = values.text("partition")
    return data if partition is None else _executed(data, partition)


def _executed(data: ProfileData, partition: str | None) -> ProfileData:
    from tfprof.reports.shared.partition_graphs import executed

    return executed(data, partition)
