"""Layout and precision on GPUs, and work on them that belongs elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import NOT_MEASURED, finding, modelled, rule
from tfprof.late_pattern import late_pattern
from tfprof.model import units
from tfprof.results.advice import Finding

_LITTLE_HALF, _MUCH = 0.10, 0.2
_TRANSPOSES = late_pattern(r"nchwToNhwc|nhwcToNchw|NHWCToNCHW|NCHWToNHWC|SwapDimension1And2|"
                         r"BatchSwapDimension", re.IGNORECASE)  # fmt: skip
_SOME = 0.03
_PREPROCESSING = late_pattern(
    r"(^|/)(random_(flip|rotation|zoom|contrast|crop|translation|brightness|height|width)|resizing|"
    r"rescaling|center_crop|data_augmentation|augment\w*|preprocess\w*)(_\d+)?(/|$)"
)


@rule("nhwc-on-gpu", "graph that names GPUs, or a capture of one")
def _layout(known: Known) -> Iterator[Finding]:
    """Channels come last on a GPU that wants them first.

    What: kernels that change the layout take 3 % of the device's time or more; or, without a
    capture, ops that the graph places on a GPU have data_format NHWC.

    Why: cuDNN's kernels for float32 want NCHW: tensors are transposed before and after. In half
    precision on tensor cores it is NHWC that is fast.

    Example:
        tf.keras.layers.Conv2D(64, 3, data_format="channels_last")

    Fix:
        tf.keras.layers.Conv2D(64, 3, data_format="channels_first")

    Gain: modelled where a capture shows the transposes: the device's time without them; else not
    measured.
    """
    own = [one for one in known.kernels if not one.is_copy]
    if own:
        whole = sum(one.total_us for one in own)
        took = sum(one.total_us for one in own if _TRANSPOSES.search(one.kernel))
        if not whole or took / whole < _SOME:
            return
        model = "the time of all kernels without those that change the layout"
        yield finding(
            "nhwc-on-gpu",
            f"{units.share(took, whole)} of the time of kernels changes the layout of tensors",
            {"transpose_us": took, "share": took / whole},
            "build the model with channels first, or in half precision, where NHWC is fast.",
            code='tf.keras.backend.set_image_data_format("channels_first")',
            gain=modelled("kernel_us", whole, whole - took, model),
        )
        return
    names = known.graph.nhwc_on_gpu if known.graph is not None else ()
    if names:
        yield finding(
            "nhwc-on-gpu",
            f"{units.plural(len(names), 'op')} on a GPU keep channels last, such as {names[0]}",
            {"ops": len(names)},
            "NCHW may be faster there, in float32.",
            code='tf.keras.backend.set_image_data_format("channels_first")',
            stage=names[0],
            gain=NOT_MEASURED,
        )


@rule("half-precision-unused", "XPlane capture of a GPU with tensor cores")
def _half(known: Known) -> Iterator[Finding]:
    """Matrix products run in 32 bits where 16 would do.

    What: kernels that tensor cores could run, and do not, take 20 % of the device's time or more,
    and less than 10 % of it is in half precision.

    Why: tensor cores do several times as many products a second in 16 bits, and half the bytes
    move.

    Example:
        model = build()

    Fix:
        tf.keras.mixed_precision.set_global_policy("mixed_float16")   # bfloat16 on TPUs
        model = build()

    Gain: not measured: nobody here has the device.
    """
    own = [one for one in known.kernels if not one.is_copy]
    whole = sum(one.total_us for one in own)
    could = sum(one.total_us for one in own if one.launch.could_do_better)
    half = sum(one.half_us for one in own)
    if not whole or could / whole < _MUCH or half / whole >= _LITTLE_HALF:
        return
    yield finding(
        "half-precision-unused",
        f"{units.share(could, whole)} of the time of kernels could be on tensor cores; "
        f"{units.share(half, whole)} is in 16 bits",
        {"could_us": could, "share": could / whole, "half_share": half / whole},
        "train in mixed precision.",
        code='tf.keras.mixed_precision.set_global_policy("mixed_float16")',
        gain=NOT_MEASURED,
        weight=could / whole,
    )


@rule("tensor-cores-unused", "XPlane capture of a GPU with tensor cores")
def _tensor_cores(known: Known) -> Iterator[Finding]:
    """Half precision, and no tensor cores.

    What: 10 % or more of the device's time is in 16 bits, and kernels that tensor cores could run,
    and do not, take 20 % or more.

    Why: sizes that are no multiples of 8 fall back to ordinary kernels.

    Example:
        tf.keras.layers.Dense(1003)

    Fix:
        tf.keras.layers.Dense(1008)          # channels, units, batch: multiples of 8

    Gain: not measured: nobody here has the device.
    """
    own = [one for one in known.kernels if not one.is_copy]
    whole = sum(one.total_us for one in own)
    slow = [one for one in own if one.launch.could_do_better]
    could, half = sum(one.total_us for one in slow), sum(one.half_us for one in own)
    if not whole or could / whole < _MUCH or half / whole < _LITTLE_HALF:
        return
    first = max(slow, key=lambda one: one.total_us)
    yield finding(
        "tensor-cores-unused",
        f"{units.share(could, whole)} of the time of kernels is in half precision without tensor "
        f"cores, most of it {first.short_name}",
        {"share": could / whole, "half_share": half / whole, "kernel": first.short_name},
        "make channels, units and the batch multiples of 8.",
        stage=first.op,
        gain=NOT_MEASURED,
        weight=could / whole,
    )


@rule("preprocessing-on-device", "capture of a device")
def _preprocessing(known: Known) -> Iterator[Finding]:
    """The device prepares its data itself.

    What: ops in scopes of Keras' preprocessing layers, or called augment or preprocess, take 3 % of
    the device's time or more.

    Why: the CPU can do that for the next batch while the device computes.

    Example:
        model = tf.keras.Sequential([RandomFlip(), Resizing(224, 224), backbone])

    Fix:
        dataset = dataset.map(lambda x, y: (augment(x), y), num_parallel_calls=tf.data.AUTOTUNE)
        model = tf.keras.Sequential([backbone])

    Gain: modelled: the device's time without these ops; the CPU has to have the time.
    """
    run = known.run
    if run is None or not run.device_us:
        return
    mine = [one for one in run.nodes if _PREPROCESSING.search(one.name.lower())]
    took = sum(one.micros for one in mine)
    if took / run.device_us < _SOME:
        return
    yield finding(
        "preprocessing-on-device",
        f"{units.share(took, run.device_us)} of the device's time prepares data, most of it "
        f"{mine[0].name}",
        {"time_us": took, "share": took / run.device_us, "ops": len(mine)},
        "move it into the tf.data pipeline, where the CPU does it ahead.",
        code="dataset = dataset.map(augment, num_parallel_calls=tf.data.AUTOTUNE)",
        stage=mine[0].name,
        gain=modelled("device_us", run.device_us, run.device_us - took,
                      "the device's time without these ops"),
    )  # fmt: skip
