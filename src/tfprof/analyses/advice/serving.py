"""Graphs that predict: what training left in them, and what would make them smaller."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding, Severity

_FLOAT = "float32"
_WORTH_IT = 1_000_000


@rule("training-ops-in-inference", "graph that predicts")
def _training_ops(known: Known) -> Iterator[Finding]:
    """A graph that predicts still does what only training needs.

    What: a graph with a signature or frozen weights, and no updates, drops at random, or
    normalises by the statistics of the batch.

    Why: answers hang on chance or on the other samples of the batch, and the work is for nothing.

    Example:
        model(x, training=True)                 # exported like this

    Fix:
        tf.saved_model.save(model, path, signatures=tf.function(lambda x: model(x, training=False)))

    Gain: not told: it is the answers that are wrong.
    """
    graph = known.graph
    if graph is None or not graph.serves or not graph.training_ops:
        return
    kinds = {kind: len(names) for kind, names in graph.training_ops.items()}
    what, names = next(iter(graph.training_ops.items()))
    yield finding(
        "training-ops-in-inference",
        ", ".join(f"{units.plural(count, 'op')} of {kind}" for kind, count in kinds.items())
        + f" in a graph that predicts, such as {names[0]}",
        {f"{kind.replace(' ', '_')}_ops": count for kind, count in kinds.items()},
        "export the model with training=False.",
        code="serving = tf.function(lambda x: model(x, training=False))",
        stage=names[0],
        gain=f"it is the answers that change: {what}",
        severity=Severity.PROBLEM,
        confidence=Confidence.HIGH,
    )


@rule("unfrozen-graph", "graph that predicts")
def _unfrozen(known: Known) -> Iterator[Finding]:
    """A graph that predicts reads its weights from variables.

    What: a graph with a signature reads variables, and updates none.

    Why: a weight that may change cannot be folded into a convolution or laid out for a kernel
    before it runs.

    Example:
        tf.saved_model.save(model, path)

    Fix:
        from tensorflow.python.framework.convert_to_constants import (
            convert_variables_to_constants_v2)
        frozen = convert_variables_to_constants_v2(serving.get_concrete_function(spec))

    Gain: not told: what constant folding then finds is not worked out here.
    """
    graph = known.graph
    if graph is None or not graph.serves or graph.frozen or not graph.variables_read:
        return
    yield finding(
        "unfrozen-graph",
        f"{units.plural(graph.variables_read, 'variable')} read in a graph that only predicts",
        {"variables": graph.variables_read},
        "freeze it: weights become constants, which TensorFlow folds.",
        code="frozen = convert_variables_to_constants_v2(serving.get_concrete_function(spec))",
        gain="what constant folding then finds was not measured",
        confidence=Confidence.LOW,
    )


@rule("unquantised-graph", "graph that predicts")
def _unquantised(known: Known) -> Iterator[Finding]:
    """A graph that predicts has its weights in 32 bits.

    What: a graph with a signature or frozen weights has 1 MB or more of float32, and no op of
    quantisation.

    Why: at int8 weights take a quarter of the bytes to store, load and read.

    Example:
        converter = tf.lite.TFLiteConverter.from_saved_model(path)

    Fix:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]      # weights at int8

    Gain: modelled: weights at a byte each; a scale a channel is not counted. Time is not told.
    """
    graph, params = known.graph, known.params
    if graph is None or params is None or not graph.serves or graph.quantised:
        return
    full = params.bytes.get(_FLOAT, 0)
    whole = sum(params.bytes.values())
    if full < _WORTH_IT:
        return
    yield finding(
        "unquantised-graph",
        f"{units.size(full)} of weights are float32; {units.size(full / 4)} at int8",
        {"float32_bytes": full, "int8_bytes": full / 4},
        "quantise the weights, and compare the answers.",
        code="converter.optimizations = [tf.lite.Optimize.DEFAULT]",
        gain=modelled("weight_bytes", whole, whole - full * 3 / 4, "a byte a weight"),
        confidence=Confidence.MEDIUM,
    )


@rule("loop-step-by-step", "graph")
def _loop(known: Known) -> Iterator[Finding]:
    """A recurrent cell is run step by step in a loop.

    What: a loop of the forward pass whose body has the products and activations of an LSTM, a GRU
    or a simple cell.

    Why: every round starts dozens of small ops; a fused kernel does all rounds in one.

    Example:
        tf.keras.layers.LSTM(128, recurrent_dropout=0.1)      # or unroll, or another activation

    Fix:
        tf.keras.layers.LSTM(128)                             # cuDNN's kernel on a GPU
        # on a CPU: tf.raw_ops.BlockLSTMV2 does all steps in one op

    Gain: not measured: the fused kernel is the GPU's.
    """
    graph = known.graph
    loops = [one for one in graph.loops if one.ops] if graph is not None else []
    if not loops:
        return
    one = loops[0]
    evidence: dict[str, float | int | str] = {
        "loops": len(loops), "ops_a_round": one.ops, "cell": one.cell,
    }  # fmt: skip
    if isinstance(one.rounds, int):
        evidence["rounds"] = one.rounds
    rounds = f"{one.rounds} rounds of " if isinstance(one.rounds, int) else "a round has "
    yield finding(
        "loop-step-by-step",
        f"{one.name} runs {one.cell} step by step: {rounds}{one.ops} ops",
        evidence,
        f"{one.cell} of Keras with its default activations and no recurrent_dropout is one kernel "
        "on a GPU.",
        code=f"tf.keras.layers.{one.cell}(units)",
        stage=one.name,
        gain="not measured: the fused kernel is the GPU's",
        severity=Severity.HINT,
        confidence=Confidence.LOW,
    )
