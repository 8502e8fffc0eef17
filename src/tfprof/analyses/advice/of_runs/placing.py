"""Where ops and variables are: placed elsewhere than asked, or unevenly; who is behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.results.advice import Confidence, Finding, Severity
from tfprof.results.host_steps import Straggler
from tfprof.results.steps import StepsResult

_UNEVEN = 1.5
_OFTEN = 0.5


@rule("soft-placed-ops", "graph and run, or a placement log")
def _soft_placed(known: Known) -> Iterator[Finding]:
    """Ops ran elsewhere than the graph asks.

    What: nodes whose graph names one device ran on another.

    Why: soft placement moves an op that a device has no kernel for, without a word: every step then
    copies its data to the other device and back.

    Example:
        with tf.device("/gpu:0"):
            ids = tf.strings.to_number(text)       # there is no such kernel on a GPU

    Fix:
        with tf.device("/cpu:0"):
            ids = tf.strings.to_number(text)       # in the input pipeline, better still

    Gain: not told: what its copies took is part of exposed-copies.
    """
    found = known.placement.soft_placed if known.placement is not None else ()
    if not found:
        return
    kinds = Counter(one.op for one in found)
    op, count = kinds.most_common(1)[0]
    first = next(one for one in found if one.op == op)
    yield finding(
        "soft-placed-ops",
        f"{units.plural(len(found), 'op')} ran elsewhere than asked, such as {first.name} ({op}): "
        f"{first.asked} was asked, {first.ran} ran it",
        {"ops": len(found), "most": op, "of_that": count},
        f"name the device that ran them, or move them into the pipeline: tf.device('{first.ran}').",
        code=f"with tf.device('{first.ran}'): ...",
        stage=first.name,
        gain="what the copies took is told by exposed-copies",
        confidence=Confidence.HIGH,
    )


@rule("unbalanced-parameter-servers", "graph of a cluster")
def _unbalanced(known: Known) -> Iterator[Finding]:
    """One parameter server holds much more than the others.

    What: the fullest task holds 1.5 times the bytes of the mean or more.

    Why: every worker waits for the fullest one: it sends and receives most.

    Example:
        tf.compat.v1.train.replica_device_setter(cluster=cluster)        # round robin by name

    Fix:
        strategy = tf.contrib.training.GreedyLoadBalancingStrategy(
            num_ps, tf.contrib.training.byte_size_load_fn)
        # or split the largest variable: partitioner=tf.compat.v1.fixed_size_partitioner(num_ps)

    Gain: modelled: the bytes of the fullest task, if all held the mean or the largest variable.
    """
    servers = known.placement.parameter_servers if known.placement is not None else None
    if servers is None or servers.imbalance is None or servers.imbalance < _UNEVEN:
        return
    held = {task: one.bytes.number for task, one in servers.tasks.items()}
    known_bytes = [size for size in held.values() if size is not None]
    if len(known_bytes) < 2 or servers.fullest is None:
        return
    mean = sum(known_bytes) / len(known_bytes)
    after = max(mean, servers.largest_bytes or 0.0)
    split = after > mean
    yield finding(
        "unbalanced-parameter-servers",
        f"{servers.fullest} holds {servers.imbalance:.1f} times the mean of "
        f"{len(known_bytes)} parameter servers; the largest variable is {servers.largest_variable}",
        {"imbalance": servers.imbalance, "fullest_bytes": max(known_bytes), "mean_bytes": mean},
        "split the largest variable with a partitioner." if split else "balance them by bytes.",
        code="tf.compat.v1.fixed_size_partitioner(num_ps)",
        stage=servers.fullest,
        gain=modelled("fullest_bytes", max(known_bytes), after,
                      "the mean of all tasks, or the largest variable if that is more"),
        severity=Severity.PROBLEM,
        confidence=Confidence.HIGH,
    )  # fmt: skip


@rule("stragglers", "XPlane capture of several devices or hosts")
def _stragglers(known: Known) -> Iterator[Finding]:
    """One device or host is behind the others.

    What: in half of the steps or more it took more than half of the others did, by a tenth of a
    period.

    Why: in a synchronous step all wait for the slowest.

    Example:
        strategy = tf.distribute.MultiWorkerMirroredStrategy()     # one host reads from a slow disk

    Fix:
        # look at that one alone: tfprof steps PATH --device /gpu:3, or of the file of a host
        dataset = dataset.shard(num_workers, worker)               # as much data for each

    Gain: modelled: the step without what it is usually behind.
    """
    steps = known.steps
    for one in steps.stragglers if steps is not None else ():
        if one.steps < _OFTEN * one.of_steps or steps is None:
            continue
        behind = one.behind / 1e6
        before = _step_of(one, steps)
        yield finding(
            "stragglers",
            f"{one.name} is behind in {one.steps} of {one.of_steps} steps, usually by "
            f"{units.duration(behind)} ({one.took})",
            {"name": one.name, "steps": one.steps, "behind_us": behind, "share": one.share},
            _alone(one),
            stage=one.name,
            gain=modelled("step_us", before, max(0.0, before - behind),
                          "a step of the slowest without what it is usually behind"),
            severity=Severity.PROBLEM,
        )  # fmt: skip


def _alone(late: Straggler) -> str:
    """How to look at it: a device is a part of a capture, a host has one of its own."""
    if late.kind == "host":
        return "see what it does meanwhile: `tfprof steps` of its capture alone."
    return f"see what it does meanwhile: `tfprof steps PATH --device {late.name}`."


def _step_of(late: Straggler, steps: StepsResult) -> float:
    """In microseconds: of a host its own, as others go on where nobody waits for it."""
    own = [one.median for one in steps.hosts if late.kind == "host" and one.host == late.name]
    return as_micros(own[0]) if own else steps.period.median_us


@rule("first-batch-profiled", "XPlane capture with steps")
def _first_batch(known: Known) -> Iterator[Finding]:
    """The first batch is among what was profiled.

    What: the first step of the capture is step 0 or 1, and took twice as long as the median or
    traced a function.

    Why: the first batch traces functions, chooses kernels, fills buffers: it is like no other, and
    averages with it tell of no step.

    Example:
        tf.keras.callbacks.TensorBoard(logdir, profile_batch=(1, 10))

    Fix:
        tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))

    Gain: not told: it is the profile that becomes right, not the step faster.
    """
    steps = known.steps
    if steps is None or len(steps.steps) < 3 or steps.steps[0].step > 1:
        return
    first, usual = steps.steps[0].period / 1e6, steps.period.median_us
    if first < 2 * usual:
        return
    yield finding(
        "first-batch-profiled",
        f"step {steps.steps[0].step} took {units.duration(first)}, a usual one "
        f"{units.duration(usual)}: the first batch was profiled",
        {"first_us": first, "median_us": usual, "step": steps.steps[0].step},
        "profile from the tenth batch on.",
        code="tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))",
        gain="the profile becomes right, the step not faster",
        confidence=Confidence.HIGH,
    )
