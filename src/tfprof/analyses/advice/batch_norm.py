"""Batch norms: built of small ops, or two of them behind a condition."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding, Gain, Severity

_WORTH_A_WORD = 0.01


@rule("unfused-batch-norm", "graph; run metadata or a capture adds the gain")
def _unfused(known: Known) -> Iterator[Finding]:
    """A batch norm is built of small ops.

    What: a value for every channel, one over the root of a variance, scales an activation, outside
    of FusedBatchNorm. A layer norm, which has a value for every row, is none.

    Why: each small op reads and writes the whole activation; the fused op goes over it two or three
    times in all, and keeps less for the gradient.

    Example:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        y = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)

    Fix:
        y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3)
        # Keras 3 builds it of small ops itself: jit_compile=True lets XLA fuse them

    Gain: modelled where a run tells the time of these ops: that time by the passes over an
    activation, of the fused op over those of the small ones.
    """
    if known.graph is None or not known.graph.norms.unfused:
        return
    norms = known.graph.norms
    count = len(norms.unfused)
    gain, took = _gain(known)
    if took is not None and took < _WORTH_A_WORD:
        return
    evidence: dict[str, float | int | str] = {
        "batch_norms": count,
        "ops": len(norms.nodes),
        "passes": norms.passes,
        "fused_passes": norms.fused_passes,
    }
    said = f"{units.plural(count, 'batch norm')} built of small ops, such as {norms.unfused[0]}"
    if took is not None:
        evidence["share"] = took
        said += f": {units.share(took, 1)} of the time of ops"
    said += f"; they go over an activation {norms.passes:,} times, fused {norms.fused_passes:,}"
    yield finding(
        "unfused-batch-norm",
        said,
        evidence,
        "use the fused op: fused_batch_norm, or fused=True of the layer; with Keras 3 let XLA fuse "
        "the small ops (jit_compile=True).",
        code="y, _, _ = tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, is_training=True)",
        stage=norms.unfused[0],
        gain=gain,
        weight=took or 0.0,
    )


def _gain(known: Known) -> tuple[Gain | str, float | None]:
    """What a step takes then, and the share of these ops now."""
    run, norms = known.run, known.graph.norms if known.graph is not None else None
    if run is None or norms is None:
        return "no run tells the time of these ops", None
    mine = sum(one.micros for one in run.nodes if one.name in norms.nodes)
    if not mine or not run.op_us:
        return "the run does not name these ops", None
    after = run.op_us - mine * (1 - norms.fused_passes / max(1, norms.passes))
    model = (
        "the time of these ops by the passes over an activation, fused and not; at most, since a "
        "pass of one fused op is quicker than one of several"
    )
    return modelled("op_us", run.op_us, after, model), mine / run.op_us


@rule("batch-norm-under-cond", "graph")
def _under_cond(known: Known) -> Iterator[Finding]:
    """A condition chooses between two batch norms.

    What: two fused batch norms, one for training and one for predicting, meet in a Merge.

    Why: the gradient of a condition needs zeros for the branch that is not taken, as large as the
    activation. They are made early and kept until the backward pass comes to them. Both branches
    are in the graph, and TensorFlow's optimizers leave conditions alone.

    Example:
        training = tf.compat.v1.placeholder(tf.bool)
        x = tf.compat.v1.layers.batch_normalization(x, training=training)

    Fix:
        x = tf.compat.v1.layers.batch_normalization(x, training=True)  # a graph for each mode

    Gain: modelled: the peak without these zeros, which the run or the estimate names at the peak.
    Where shapes are fixed, TensorFlow makes constants of them, and the peak has none.
    """
    if known.graph is None or not known.graph.norms.under_cond:
        return
    norms, memory = known.graph.norms, known.memory
    held = memory.asked_bytes if memory is not None else None
    gain: Gain | str = "sizes are open: --batch and --dim say them"
    if memory is not None and held is not None:
        model = "the peak without the zeros for the branch that is not taken"
        gain = "none of it is alive at the peak"
        if held:
            gain = modelled("total_bytes", memory.total, memory.total - held, model)
    cost = f": zeros of {units.size(held)} at the peak" if held else ""
    evidence: dict[str, float | int | str] = {"batch_norms": len(norms.under_cond)}
    if held is not None:
        evidence["zeros_bytes"] = held
    yield finding(
        "batch-norm-under-cond",
        f"{units.plural(len(norms.under_cond), 'batch norm')} under tf.cond, such as "
        f"{norms.under_cond[0]}{cost}",
        evidence,
        "build a graph for training and one for predicting: no placeholder says which.",
        code="x = tf.compat.v1.layers.batch_normalization(x, training=True)",
        stage=norms.under_cond[0],
        gain=gain,
        severity=Severity.HINT,
        confidence=Confidence.HIGH,
    )
