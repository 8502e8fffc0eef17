"""Where the time of ops is, if it is in one place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, rule
from tfprof.late_pattern import late_pattern
from tfprof.model import units
from tfprof.results.advice import Confidence, Finding

_MOST = 0.5
_NOT_KNOWN = "what a cheaper op would take is not known"
# copies, and ops that mostly wait for others: no relative of them is cheaper
_NO_WORK = late_pattern(
    r"copy(-start|-done)?$|Memcpy|all-|(in|out)feed|Collective|Nccl|_(Host)?Recv|(Queue|Map).*Dequeue",
    re.IGNORECASE,
)


@rule("expensive-op-type", "a run with ops")
def _op_type(known: Known) -> Iterator[Finding]:
    """One type of op takes half of the time.

    What: of the time of all ops of the model in a step, 50 % or more is of one type that computes;
    copies and ops that wait for other hosts or devices are told of by other rules. (The original's
    ExpensiveOperationChecker lists the first three, always.)

    Why: nothing else is worth a look before it.

    Example:
        x = tf.nn.conv3d(x, kernel, strides=[1, 1, 1, 1, 1], padding="SAME")

    Fix:
        # a cheaper relative: separable convolutions, a smaller kernel, strides, half precision

    Gain: not told: what a cheaper op would take is not known.
    """
    run, ops = known.run, known.ops
    if run is None or ops is None:
        return
    own = run.op_us - run.pipeline_us
    kinds: dict[str, float] = {}
    for node in run.nodes:
        if node.op is not None:
            kinds[node.op] = kinds.get(node.op, 0.0) + node.micros - node.copies
    for row in [one for one in ops.rows if not _NO_WORK.match(one.name)][:1]:
        took = kinds.get(row.name, 0.0)
        if own <= 0 or took / run.op_us < _MOST or len(kinds) < 3:
            return
        yield finding(
            "expensive-op-type",
            f"{row.name} takes {units.share(took, run.op_us)} of the time of all ops, "
            f"{units.duration(took)} a step in {units.plural(row.runs, 'run')}",
            {"op": row.name, "share": took / run.op_us, "time_us": took, "runs": row.runs},
            "look for a cheaper relative of it; `tfprof layers --by node` shows which ones.",
            stage=row.name,
            gain=_NOT_KNOWN,
            confidence=Confidence.LOW,
            weight=took / run.op_us,
        )


@rule("expensive-scope", "a run with ops")
def _scope(known: Known) -> Iterator[Finding]:
    """One layer takes half of the time.

    What: of the time of all nodes with a scope, 50 % or more is in one scope that is not around
    everything.

    Why: a change to that layer is worth most.

    Example:
        x = tf.keras.layers.Dense(50_000, name="logits")(x)

    Fix:
        x = tf.keras.layers.Dense(256)(x)             # a bottleneck before it, or sampled softmax

    Gain: not told: what another layer would take is not known.
    """
    run = known.run
    if run is None or not run.op_us:
        return
    scopes: dict[str, float] = {}
    for node in run.nodes:
        scope = _leaf_scope(node.name)
        if scope:
            scopes[scope] = scopes.get(scope, 0.0) + node.micros
    if len(scopes) < 4:
        return
    name, took = max(scopes.items(), key=lambda item: (item[1], item[0]))
    if took / run.op_us < _MOST:
        return
    yield finding(
        "expensive-scope",
        f"{name} takes {units.share(took, run.op_us)} of the time of all ops, "
        f"{units.duration(took)} a step",
        {"scope": name, "share": took / run.op_us, "time_us": took},
        "begin with this layer; `tfprof layers` shows what it computes.",
        stage=name,
        gain=_NOT_KNOWN,
        confidence=Confidence.LOW,
        weight=took / run.op_us,
    )


def _leaf_scope(name: str) -> str:
    """The scope right around a node, of the layer also where it is a gradient of it."""
    for prefix in ("gradient_tape/", "gradients/"):
        name = name.partition(prefix)[2] or name
    return name.rpartition("/")[0]


@rule("expensive-code-line", "a run, and an op log with code")
def _code_line(known: Known) -> Iterator[Finding]:
    """The ops of one line of Python take half of the time.

    What: of the time of all ops, 50 % or more is of nodes that one line made, after the lines
    that every node goes through.

    Why: that is the line to change.

    Example:
        similarity = tf.matmul(queries, keys, transpose_b=True)     # all against all

    Fix:
        scores, nearest = tf.math.top_k(...)                          # fewer of them

    Gain: not told: what another line would take is not known.
    """
    for one in known.lines[:1]:
        if one.share >= _MOST:
            yield finding(
                "expensive-code-line",
                f"{one.line} made ops that take {units.share(one.share, 1)} of the time, "
                f"{units.duration(one.time_us)}",
                {"line": one.line, "share": one.share, "time_us": one.time_us},
                "begin with this line; `tfprof code` shows what it calls.",
                stage=one.line,
                gain=_NOT_KNOWN,
                confidence=Confidence.LOW,
                weight=one.share,
            )
