"""Constants that make a graph large."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding, Severity

# a GraphDef ends at 2 GB
_LARGE, _LIMIT = 10_000_000, 2**31
_REPEATED = 100_000


@rule("repeated-constants", "graph")
def _repeated(known: Known) -> Iterator[Finding]:
    """The same tensor is baked into the graph many times.

    What: constants of 16 KB or more that hold the same bytes, 100 KB or more in copies.

    Why: an array that is handed to an op becomes a constant each time: the graph grows, loads
    slowly, and ends at 2 GB.

    Example:
        for _ in range(100):
            total += tf.matmul(x, table)       # table is a NumPy array: a constant each time

    Fix:
        table = tf.constant(table)             # once
        for _ in range(100):
            total += tf.matmul(x, table)

    Gain: modelled: the bytes of all constants with each content once.
    """
    graph = known.graph
    many = [one for one in graph.constants if one.copies > 1] if graph is not None else []
    wasted = sum(one.bytes * (one.copies - 1) for one in many)
    if graph is None or wasted < _REPEATED:
        return
    first = max(many, key=lambda one: one.bytes * (one.copies - 1))
    model = "the bytes of the constants, each content once"
    before = graph.constant_bytes
    yield finding(
        "repeated-constants",
        f"{first.name} is in the graph {first.copies} times, {units.size(first.bytes)} each; "
        f"{units.size(wasted)} of the constants are copies",
        {"copies": sum(one.copies - 1 for one in many), "copied_bytes": wasted,
         "largest": first.name},
        "make a tensor of the array once, with tf.constant or tf.convert_to_tensor, and use that.",
        code="table = tf.constant(array)",
        stage=first.name,
        gain=modelled("constant_bytes", before, before - wasted, model),
        severity=Severity.PROBLEM if wasted >= _LARGE else Severity.HINT,
        confidence=Confidence.HIGH,
    )  # fmt: skip


@rule("big-constants", "graph")
def _big(known: Known) -> Iterator[Finding]:
    """Data is stored in the graph.

    What: a graph with variables has constants of 10 MB or more, each content counted once. In a
    frozen graph the weights are constants, and meant to be.

    Why: a GraphDef ends at 2 GB, is copied for every session and every export, and is parsed
    whole before anything runs.

    Example:
        dataset = tf.data.Dataset.from_tensor_slices(images)    # NumPy, inside a tf.function

    Fix:
        dataset = tf.data.TFRecordDataset(files)                # or a variable, initialised once

    Gain: modelled: the bytes of the graph's constants without these.
    """
    graph = known.graph
    if graph is None or graph.frozen:
        return
    large = [one for one in graph.constants if one.bytes >= _LARGE]
    whole = sum(one.bytes for one in large)
    if not large:
        return
    before = graph.constant_bytes
    yield finding(
        "big-constants",
        f"{units.size(whole)} of data are constants of the graph, such as {large[0].name}",
        {"constants": len(large), "bytes": whole, "of_limit": whole / _LIMIT},
        "read data with tf.data, or keep it in a variable.",
        code="dataset = tf.data.TFRecordDataset(files)",
        stage=large[0].name,
        gain=modelled("constant_bytes", before, before - whole, "the constants without these"),
        confidence=Confidence.HIGH,
    )
