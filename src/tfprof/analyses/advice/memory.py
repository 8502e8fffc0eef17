"""Memory: near the limit, or much of it free; what of it is no activation."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding, Gain, GainKind, Severity

_NEAR, _FREE = 0.9, 0.5
_DOMINATES, _MOST_STATE = 0.5, 1 / 3
# from so many bytes on, state and tables are looked at
LARGE_STATE = 100_000_000
_ONE_SLOT_LESS = (
    "the total without one slot a weight; at most, since the update may need less room, too"
)


@rule("memory-near-limit", "a run or a graph, and what memory the device has")
def _near(known: Known) -> Iterator[Finding]:
    """A step takes nearly all the memory of its device.

    What: peak and variables take 90 % or more of what the device has: its own word in a capture,
    or --device-memory.

    Why: a longer sequence, another batch or a fragmented heap ends the program.

    Example:
        model.fit(dataset.batch(64))

    Fix:
        layer = tf.recompute_grad(layer)          # activations are computed again, not kept
        model.fit(dataset.batch(48))

    Gain: modelled: the estimator's peak for the best plan (recompute, swap or half precision).
    """
    memory = known.memory
    if memory is None or memory.limit is None or memory.total < _NEAR * memory.limit:
        return
    plans = sorted(memory.plans, key=lambda one: one.total_bytes)
    gain: Gain | str = "no graph to work out a plan with"
    advice = "use a smaller batch, or recompute activations: `tfprof memory --recompute`."
    if plans:
        best = plans[0]
        how = f"the estimator: {best.what}"
        gain = Gain("total_bytes", memory.total, best.total_bytes, GainKind.MODELLED, how)
        fits = f", with which a batch of {best.max_batch} fits" if best.max_batch else ""
        advice = f"{best.what}{fits}: `tfprof memory PATH {best.option}`."
    elif memory.max_batch:
        advice = f"a batch of {memory.max_batch} fits."
    yield finding(
        "memory-near-limit",
        f"a step takes {units.size(memory.total)} of {units.size(memory.limit)} on {memory.device} "
        f"({units.share(memory.total, memory.limit)})",
        {"total_bytes": memory.total, "limit_bytes": memory.limit, "device": memory.device},
        advice,
        code="layer = tf.recompute_grad(layer)",
        stage=memory.device,
        gain=gain,
        severity=Severity.PROBLEM,
        confidence=Confidence.HIGH if memory.measured else Confidence.MEDIUM,
        weight=memory.total / memory.limit,
    )


@rule("larger-batch-fits", "a graph, its batch, and what memory the device has")
def _larger(known: Known) -> Iterator[Finding]:
    """A larger batch fits into the device.

    What: less than half of the device's memory is used, and the estimator finds a batch of twice
    the size or more that fits.

    Why: a larger batch fills the device, and every step costs the same launches and the same
    exchange of gradients.

    Example:
        dataset = dataset.batch(32)

    Fix:
        dataset = dataset.batch(128)           # and another learning rate

    Gain: not told: how much faster a sample then is hangs on the device.
    """
    memory = known.memory
    if memory is None or memory.limit is None or not memory.batch or not memory.max_batch:
        return
    if memory.total > _FREE * memory.limit or memory.max_batch < 2 * memory.batch:
        return
    yield finding(
        "larger-batch-fits",
        f"batch {memory.batch} takes {units.size(memory.total)} of {units.size(memory.limit)}; "
        f"{memory.max_batch} fits",
        {"batch": memory.batch, "max_batch": memory.max_batch, "total_bytes": memory.total,
         "limit_bytes": memory.limit},
        f"try a batch of up to {memory.max_batch}, with a learning rate for it.",
        code=f"dataset = dataset.batch({memory.max_batch})",
        gain="how much faster a sample becomes was not measured",
        confidence=Confidence.LOW,
    )  # fmt: skip


@rule("optimizer-memory", "graph of training")
def _optimizer(known: Known) -> Iterator[Finding]:
    """The state of the optimizer takes a third of the memory or more.

    What: 100 MB or more, and a third or more of all that a step takes: variables and the peak, for
    the batch that is known.

    Why: Adam keeps two numbers for every weight; what it keeps is there in every step.

    Example:
        model.compile(tf.keras.optimizers.Adam())

    Fix:
        model.compile(tf.keras.optimizers.Adafactor())          # a row and a column a matrix
        # or SGD with momentum: one number a weight

    Gain: modelled: without the second number of each weight (one slot instead of two). It is the
    most that is left: an update with fewer numbers may need less room for itself, too.
    """
    params, memory = known.params, known.memory
    if params is None or memory is None or memory.batch is None:
        return
    state = params.bytes_by_role.get("optimizer", 0)
    weights = params.bytes_by_role.get("trainable", 0)
    if state < max(LARGE_STATE, _MOST_STATE * memory.total) or not weights:
        return
    slots = round(state / weights)
    after = memory.total - state / slots if slots > 1 else memory.total - state
    yield finding(
        "optimizer-memory",
        f"the optimizer's state is {units.size(state)} of {units.size(memory.total)} "
        f"({units.share(state, memory.total)}), {units.plural(slots, 'number')} a weight",
        {"optimizer_bytes": state, "total_bytes": memory.total, "slots": slots},
        "an optimizer with less state: Adafactor, SGD with momentum, or state in bfloat16.",
        code="model.compile(tf.keras.optimizers.Adafactor())",
        gain=modelled("total_bytes", memory.total, after, _ONE_SLOT_LESS),
    )


@rule("embedding-memory", "graph")
def _embedding(known: Known) -> Iterator[Finding]:
    """A table of embeddings takes most of the weights.

    What: a variable that rows are gathered from has 100 MB or more, and half or more of the bytes
    of all weights.

    Why: a step reads a few of its rows, and the optimizer keeps state for all of them.

    Example:
        tf.keras.layers.Embedding(10_000_000, 128)

    Fix:
        x = tf.keras.layers.Hashing(1_000_000)(ids)
        x = tf.keras.layers.Embedding(1_000_000, 128)(x)       # or fewer columns, or on the host

    Gain: modelled: the weights with a table of half the rows.
    """
    params = known.params
    if known.graph is None or params is None or not known.graph.embeddings:
        return
    weights = sum(params.bytes.values()) - params.bytes_by_role.get("optimizer", 0)
    one = max(known.graph.embeddings, key=lambda table: table.bytes)
    if one.bytes < max(LARGE_STATE, _DOMINATES * weights):
        return
    yield finding(
        "embedding-memory",
        f"{one.variable} is {units.size(one.bytes)} of {units.size(weights)} of weights "
        f"({units.share(one.bytes, weights)})",
        {"variable": one.variable, "bytes": one.bytes, "weight_bytes": weights},
        "hash the ids into fewer rows, use fewer columns, or keep the table on the host.",
        code="x = tf.keras.layers.Hashing(rows // 2)(ids)",
        stage=one.variable,
        gain=modelled("weight_bytes", weights, weights - one.bytes / 2, "half the rows"),
    )
