"""Sizes that are not known before a run, and who needs them."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding, Severity

_TOOK = 0.05


@rule("open-batch", "graph of training")
def _open_batch(known: Known) -> Iterator[Finding]:
    """The batch of a training graph is not known before it runs.

    What: an input of a graph that trains has no first size.

    Why: Grappler takes 1 for it: its peaks, and what its swapping pass does with them, are of one
    sample. XLA compiles for every size it meets, a TPU refuses.

    Example:
        images = tf.compat.v1.placeholder(tf.float32, [None, 224, 224, 3])

    Fix:
        images = tf.compat.v1.placeholder(tf.float32, [64, 224, 224, 3])
        dataset = dataset.batch(64, drop_remainder=True)     # the same for tf.data and Keras

    Gain: not told: plans become right, the step not faster.
    """
    graph, memory = known.graph, known.memory
    if graph is None or not graph.trains or not graph.open_batch or known.of_session:
        return
    one = graph.open_batch[0]
    evidence: dict[str, float | int | str] = {"inputs": len(graph.open_batch), "shape": one.shape}
    says = f"{one.name} {one.shape} leaves the batch open"
    if memory is not None and memory.slope:
        evidence["bytes_a_sample"] = memory.slope
        says += f": Grappler plans for one sample, and each takes {units.size(memory.slope)} more"
    yield finding(
        "open-batch",
        says,
        evidence,
        "say the batch: a fixed first size, or drop_remainder=True.",
        code="dataset = dataset.batch(64, drop_remainder=True)",
        stage=one.name,
        gain="plans become right, the step not faster",
        confidence=Confidence.LOW,
    )


@rule("xla-dynamic-shapes", "graph with functions for XLA, or a capture")
def _dynamic(known: Known) -> Iterator[Finding]:
    """XLA is given shapes that change.

    What: a function that has to be compiled takes inputs of open sizes beside the batch or has ops
    whose shapes hang on values (Where, Unique, NonMaxSuppression); or compiling took 5 % of the
    steps of a capture.

    Why: XLA compiles anew for every shape it meets, which takes seconds each, and some ops it does
    not compile at all.

    Example:
        @tf.function(jit_compile=True)
        def step(tokens): ...                      # [32, 17], then [32, 21], ...

    Fix:
        dataset = dataset.padded_batch(32, padded_shapes=[128], drop_remainder=True)

    Gain: modelled where a capture shows the compiling: the steps without it.
    """
    steps, graph = known.steps, known.graph
    if steps is not None and steps.average.period:
        from tfprof.analyses.advice.of_runs.replay import without
        from tfprof.results.categories import Category

        before, after = without(steps, [Category.COMPILATION])
        traced = known.capture is not None and any(one.traced for one in known.capture.functions)
        share = 1 - after / before if before else 0.0
        if share >= _TOOK and not traced:
            yield finding(
                "xla-dynamic-shapes",
                f"{units.share(share, 1)} of a step goes to compiling",
                {"share": share, "compile_us": before - after},
                "give it the same shapes every time: pad to a fixed length, drop_remainder=True.",
                code="dataset = dataset.padded_batch(32, padded_shapes=[128], drop_remainder=True)",
                gain=modelled("step_us", before, after, "the steps without compiling"),
                severity=Severity.PROBLEM,
            )
            return
    if graph is None or not graph.xla or not (graph.xla_dynamic or graph.open_sizes):
        return
    said = graph.xla_dynamic[0] if graph.xla_dynamic else ""
    shape = f"{graph.open_sizes[0].name} {graph.open_sizes[0].shape}" if graph.open_sizes else ""
    yield finding(
        "xla-dynamic-shapes",
        f"{graph.xla[0]} is compiled by XLA, and its shapes change: {said or shape}",
        {"functions": len(graph.xla), "dynamic_ops": len(graph.xla_dynamic),
         "open_inputs": len(graph.open_sizes)},
        "pad to fixed lengths; leave ops whose shapes hang on values outside.",
        code="dataset = dataset.padded_batch(32, padded_shapes=[128], drop_remainder=True)",
        stage=graph.xla[0],
        gain="how many shapes there are is not known before a run",
        severity=Severity.PROBLEM,
    )  # fmt: skip
