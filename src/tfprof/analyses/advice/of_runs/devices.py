"""How devices are used: idle, waiting for launches or copies, in kernels that are too small."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.of_runs.code_for import for_collectives, for_copies, for_more_work
from tfprof.analyses.advice.of_runs.replay import without
from tfprof.analyses.advice.rule import NOT_MEASURED, finding, modelled, rule
from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.results.advice import Confidence, Finding, Severity
from tfprof.results.categories import Category
from tfprof.results.host_steps import WaitedFor
from tfprof.results.op_times import OpTime
from tfprof.results.steps import DeviceRow, StepsResult

# the original's, and XProf's shares of a step
_LOW_USE = 0.5
_SOME, _MUCH = 0.03, 0.15
_TINY_US, _OFTEN_TINY = 5.0, 0.2
_UNDER_ROOF, _COSTLY = 0.1, 0.1
_COPIES = (Category.HOST_TO_DEVICE, Category.DEVICE_TO_DEVICE, Category.OUTPUT)


def _used(steps: StepsResult | None) -> list[DeviceRow]:
    """Devices that the capture shows at work; of a fragment nothing is said."""
    if steps is None or steps.missing:
        return []
    return [one for one in steps.devices if one.busy]


def _share(part: float, steps: StepsResult) -> float:
    return part / steps.average.period if steps.average.period else 0.0


@rule("accelerator-idle", "XPlane capture of a device")
def _idle(known: Known) -> Iterator[Finding]:
    """A device computes for less than half of the time.

    What: a device is busy for less than 50 % of an average step (the threshold of the original's
    AcceleratorUtilizationChecker), and what it waits for was recorded.

    Why: the device is what is dear.

    Example:
        model.fit(dataset, batch_size=8)

    Fix:
        model.compile(..., steps_per_execution=32)   # launch more at once
        model.fit(dataset.batch(64))                 # or more work a step

    Gain: not told by itself: what the device waits for has a rule of its own (input-bound,
    launch-bound, exposed-copies, exposed-collectives, python-between-steps).
    """
    steps = known.steps
    idle = [one for one in _used(steps) if one.busy is not None and one.busy < _LOW_USE]
    if steps is None or not idle:
        return
    one = min(idle, key=lambda row: row.busy or 0.0)
    most = next(iter(one.waits), (WaitedFor.UNKNOWN.label, 0.0))[0]
    if most == WaitedFor.UNKNOWN.label:
        return
    yield finding(
        "accelerator-idle",
        f"{one.device} computes {units.share(one.busy or 0.0, 1)} of the time; it waits most for "
        f"{most}",
        {"device": one.device, "busy": one.busy or 0.0, "idle_us": as_micros(one.idle),
         "waits_for": most},
        "give it more work a step (a larger batch, steps_per_execution), and look at what it waits "
        "for: `tfprof steps --gaps`.",
        code=for_more_work(known),
        stage=one.device,
        gain="what it waits for decides: see the finding about that",
        weight=1 - (one.busy or 0.0),
    )  # fmt: skip


@rule("launch-bound", "XPlane capture of a device")
def _launches(known: Known) -> Iterator[Finding]:
    """A device waits for the host to launch its kernels.

    What: 3 % or more of a step a device does nothing while the host launches work for it; from
    15 % on it is a problem.

    Why: kernels that are shorter than a launch leave the device idle, however fast it is.

    Example:
        for layer in many_small_layers: x = layer(x)

    Fix:
        model.compile(..., jit_compile=True)         # XLA makes few large kernels of many small
        # TF_GPU_THREAD_MODE=gpu_private where tf.data takes the cores of the launching thread

    Gain: modelled: the steps replayed without the time in which only launches went on.
    """
    steps = known.steps
    if steps is None or not _used(steps):
        return
    before, after = without(steps, [Category.KERNEL_LAUNCH])
    share = 1 - after / before if before else 0.0
    if share < _SOME:
        return
    slow = steps.launches[0] if steps.launches else None
    kernel = f"; a kernel takes {units.duration_ps(slow.kernel)}" if slow is not None else ""
    yield finding(
        "launch-bound",
        f"{units.share(share, 1)} of a step devices wait for launches{kernel}",
        {"share": share, "launches": sum(one.launches for one in steps.launches)},
        "let XLA make few large kernels of many small ones, or enlarge the batch; where tf.data "
        "takes the cores, TF_GPU_THREAD_MODE=gpu_private.",
        code="model.compile(optimizer, loss, jit_compile=True)",
        gain=modelled("step_us", before, after, "the steps replayed without waiting for launches"),
        severity=Severity.PROBLEM if share >= _MUCH else Severity.HINT,
    )


@rule("tiny-kernels", "XPlane capture of a GPU")
def _tiny(known: Known) -> Iterator[Finding]:
    """Much of the time of a device is in kernels of a few microseconds.

    What: kernels that take less than 5 µs on average make up 20 % of the device's time or more.

    Why: such a kernel cannot fill the device, and costs as much to launch as to run.

    Example:
        y = a * x + b; y = tf.nn.relu(y)       # three kernels, each over the whole tensor

    Fix:
        @tf.function(jit_compile=True)
        def block(x): return tf.nn.relu(a * x + b)

    Gain: not measured: what XLA makes of them hangs on the device.
    """
    own = [one for one in known.kernels if not one.is_copy]
    whole = sum(one.total_us for one in own)
    tiny = [one for one in own if one.mean_us < _TINY_US]
    took = sum(one.total_us for one in tiny)
    if not whole or took / whole < _OFTEN_TINY:
        return
    runs = sum(one.runs for one in tiny)
    first = max(tiny, key=lambda one: one.total_us)
    yield finding(
        "tiny-kernels",
        f"{runs:,} runs of kernels under {_TINY_US:.0f} µs take {units.share(took, whole)} of the "
        f"time of all kernels; most of it {first.short_name}",
        {"runs": runs, "share": took / whole, "time_us": took, "kernel": first.short_name},
        "let XLA fuse them.",
        code="@tf.function(jit_compile=True)",
        stage=first.op,
        gain=NOT_MEASURED,
        weight=took / whole,
    )


@rule("far-under-roofline", "XPlane capture of a device that states its peak, and FLOPs of its ops")
def _roofline(known: Known) -> Iterator[Finding]:
    """An op that takes long comes nowhere near what the device can do.

    What: an op type takes 10 % of the device's time or more, and reaches less than 10 % of the
    peak in FLOPs and in bytes.

    Why: the kernel is too small, badly shaped or not the fast one; arithmetic is not what it
    takes.

    Example:
        x = tf.keras.layers.Dense(1000 + 3)(x)     # odd sizes: no tensor cores

    Fix:
        x = tf.keras.layers.Dense(1008)(x)         # multiples of 8, larger batches

    Gain: not measured: how near an op can come to the roof hangs on its shapes.
    """
    ops = known.ops
    if ops is None or ops.peak is None or not ops.device_us:
        return
    slow = [(_under(row, ops.device_us), row) for row in ops.rows]
    most, row = max(slow, key=lambda one: one[0], default=(0.0, None))
    if row is None or not most:
        return
    share = (row.device_us or 0.0) / ops.device_us
    yield finding(
        "far-under-roofline",
        f"{row.name} takes {units.share(share, 1)} of the device's time at "
        f"{units.share(row.peak_share or 0.0, 1)} of its FLOPs and "
        f"{units.share(row.bandwidth_share or 0.0, 1)} of its bytes a second",
        {"op": row.name, "share": share, "peak_share": row.peak_share or 0.0,
         "bandwidth_share": row.bandwidth_share or 0.0},
        "larger batches, sizes that are multiples of 8, or XLA; `tfprof layers --by kernel` shows "
        "which kernels it runs.",
        stage=row.name,
        gain=NOT_MEASURED,
        weight=most,
    )  # fmt: skip


def _under(row: OpTime, whole: float) -> float:
    """How much of the device's time it takes for nothing; 0 for what is near a roof, or small."""
    rates = [one for one in (row.peak_share, row.bandwidth_share) if one is not None]
    share = (row.device_us or 0.0) / whole
    if len(rates) < 2 or max(rates) >= _UNDER_ROOF or share < _COSTLY or _is_copy(row):
        return 0.0
    return share * (1 - max(rates))


def _is_copy(row: OpTime) -> bool:
    """A wait for a copy is one, too: arithmetic is not what it is there for."""
    return row.name.startswith("copy") or (row.copy_us or 0.0) > (row.device_us or 0.0) / 2


@rule("exposed-copies", "XPlane capture of a device")
def _copies(known: Known) -> Iterator[Finding]:
    """A device waits for copies.

    What: 3 % or more of a step goes to copies while no kernel runs; from 15 % on it is a problem.

    Why: a copy that nothing hides is time in which nothing is computed.

    Example:
        with tf.device("/cpu:0"): table = tf.Variable(...)    # read by every step on the GPU

    Fix:
        dataset = dataset.apply(tf.data.experimental.copy_to_device("/gpu:0")).prefetch(2)
        # keep variables and small ops where they are read

    Gain: modelled: the steps replayed without copies that nothing hides.
    """
    steps = known.steps
    if steps is None or not _used(steps):
        return
    before, after = without(steps, _COPIES)
    share = 1 - after / before if before else 0.0
    if share < _SOME:
        return
    parts = {one: steps.average.breakdown.get(one, 0.0) for one in _COPIES}
    most = max(parts, key=lambda one: parts[one])
    yield finding(
        "exposed-copies",
        f"{units.share(share, 1)} of a step are copies with no kernel beside them, most of it "
        f"{most.label}",
        {"share": share, **{f"{one.value}_us": as_micros(time) for one, time in parts.items()}},
        "copy ahead (prefetch to the device), keep what is read in every step where it is read, "
        "and fetch results rarely.",
        code=for_copies(known, _used(steps)[0].device, most),
        gain=modelled("step_us", before, after, "the steps replayed without exposed copies"),
        severity=Severity.PROBLEM if share >= _MUCH else Severity.HINT,
    )


@rule("exposed-collectives", "XPlane capture of several devices")
def _collectives(known: Known) -> Iterator[Finding]:
    """Devices wait for each other to exchange gradients.

    What: 3 % or more of a step goes to collectives while nothing is computed; from 15 % on it is a
    problem.

    Why: gradients of early layers can be exchanged while later ones are still computed; what is
    not hidden adds to every step.

    Example:
        strategy = tf.distribute.MirroredStrategy(
            cross_device_ops=tf.distribute.ReductionToOneDevice())

    Fix:
        strategy = tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.NcclAllReduce())
        # larger batches a replica, gradients in 16 bits, or accumulated over steps

    Gain: modelled: the steps replayed without collectives that nothing hides, the most that can be
    gained.
    """
    steps = known.steps
    if steps is None or len(_used(steps)) < 2:
        return
    before, after = without(steps, [Category.COLLECTIVES])
    share = 1 - after / before if before else 0.0
    if share < _SOME:
        return
    yield finding(
        "exposed-collectives",
        f"{units.share(share, 1)} of a step are collectives with no kernel beside them",
        {"share": share, "collectives_us": before - after},
        "overlap them with the backward pass, enlarge the batch of a replica, or reduce in "
        "16 bits.",
        code=for_collectives(known, _used(steps)[0].device),
        gain=modelled("step_us", before, after, "the steps replayed without exposed collectives"),
        severity=Severity.PROBLEM if share >= _MUCH else Severity.HINT,
        confidence=Confidence.LOW,
    )
