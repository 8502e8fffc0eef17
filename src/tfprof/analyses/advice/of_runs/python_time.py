"""Time that goes to Python: between steps, in tracing functions, in ops called one by one."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.of_runs.replay import without
from tfprof.analyses.advice.rule import finding, modelled, rule
from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.results.advice import Confidence, Finding, Severity
from tfprof.results.categories import Category

_SOME, _MUCH = 0.05, 0.15
# XProf's: from these shares on
_EAGER, _TRACED = 0.10, 0.20
_OFTEN = 3
_LITTLE = 0.03


@rule("python-between-steps", "XPlane capture with steps")
def _between(known: Known) -> Iterator[Finding]:
    """Python works between the steps, and TensorFlow waits.

    What: 5 % of the time or more lies between the markers of two steps, and neither a thread of
    TensorFlow nor a device recorded anything then; from 15 % on it is a problem.

    Why: callbacks, metrics that are fetched, logging and progress bars run while nothing computes.

    Example:
        for batch in dataset:
            loss = train_step(batch)
            print(float(loss))                        # waits for the step, and prints every time

    Fix:
        for step, batch in enumerate(dataset):
            loss = train_step(batch)
            if step % 100 == 0:
                print(float(loss))
        # Keras: model.compile(..., steps_per_execution=32), callbacks only at the end of an epoch

    Gain: modelled: the steps without that time.
    """
    steps = known.steps
    if steps is None or steps.host.between is None:
        return
    took, period = as_micros(steps.host.between), as_micros(steps.average.period)
    share = took / period if period else 0.0
    if share < _SOME:
        return
    yield finding(
        "python-between-steps",
        f"{units.duration(took)} between two steps ({units.share(share, 1)} of the period) is "
        "Python outside TensorFlow",
        {"between_us": took, "step_us": period, "share": share},
        "do less in callbacks and loggers, or every hundredth step; steps_per_execution of Keras "
        "runs several steps in one call.",
        code="model.compile(optimizer, loss, steps_per_execution=32)",
        gain=modelled("step_us", period, period - took, "an average step without that time"),
        severity=Severity.PROBLEM if share >= _MUCH else Severity.HINT,
    )


@rule("retracing", "XPlane capture, or a run folder")
def _retracing(known: Known) -> Iterator[Finding]:
    """A tf.function is traced again and again.

    What: calls of a function during the capture traced it, which took 20 % or more of its time; or
    the record of a run says that it was traced in a third of its calls or more.

    Why: tracing runs the Python of the function and builds a graph, which takes many times as long
    as a step.

    Example:
        train_step(images, 3)          # a Python number: a new trace for every other one
        train_step(tail_of_epoch)      # another batch size: a new trace

    Fix:
        @tf.function(input_signature=[tf.TensorSpec([None, 224, 224, 3])], reduce_retracing=True)
        def train_step(images): ...
        dataset = dataset.batch(32, drop_remainder=True)

    Gain: modelled: the mean time of the calls that traced nothing, where there are any.
    """
    for one in known.capture.functions if known.capture is not None else ():
        usual = one.calls - one.traced
        share = one.traced_us / one.time_us if one.time_us else 0.0
        if not one.traced or share < _TRACED or one.calls < 2:
            continue
        before = one.time_us / one.calls
        after = (one.time_us - one.traced_us) / usual if usual else 0.0
        model = "the mean of all its calls, and of those that traced nothing"
        yield finding(
            "retracing",
            f"{one.name} was traced in {one.traced} of {one.calls} calls, "
            f"{units.share(share, 1)} of its time",
            {"function": one.name, "calls": one.calls, "traced": one.traced,
             "traced_us": one.traced_us, "share": share},
            "call it with tensors of the same shapes and types: give it an input_signature with "
            "None for what changes, no Python numbers, and drop_remainder=True.",
            code="@tf.function(reduce_retracing=True)",
            stage=one.name,
            gain=modelled("call_us", before, after, model) if usual else
            "every call traced it: what one takes without is not known",
            severity=Severity.PROBLEM,
            confidence=Confidence.HIGH,
            weight=share,
        )  # fmt: skip
    for told in known.functions:
        if told.traces >= _OFTEN and told.traces * 3 >= told.calls:
            yield finding(
                "retracing",
                f"{told.name} was traced {told.traces} times in {told.calls} calls",
                {"function": told.name, "calls": told.calls, "traced": told.traces},
                "call it with tensors of the same shapes and types.",
                code="@tf.function(reduce_retracing=True)",
                stage=told.name,
                gain="how long tracing took was not recorded",
                severity=Severity.PROBLEM,
            )


@rule("eager-ops", "XPlane capture")
def _eager(known: Known) -> Iterator[Finding]:
    """Ops are called one by one from Python.

    What: 10 % or more of the time of ops is of ops that Python called eagerly, and in 3 % or more
    of a step only Python and the runtime work.

    Why: every op goes through Python and the runtime: for small ops that takes longer than the op,
    and nothing is fused or run in parallel.

    Example:
        def train_step(x, y): ...

    Fix:
        @tf.function
        def train_step(x, y): ...

    Gain: modelled: the steps without the time in which only Python and the runtime worked.
    """
    share = known.capture.eager_share if known.capture is not None else None
    if share is None or share < _EAGER:
        return
    gain, cost = None, 0.0
    if known.steps is not None:
        before, after = without(known.steps, [Category.HOST_PYTHON])
        cost = 1 - after / before if before else 0.0
        model = "the steps replayed without the time in which only Python and the runtime worked"
        gain = modelled("step_us", before, after, model)
        if cost < _LITTLE:
            return
    yield finding(
        "eager-ops",
        f"{units.share(share, 1)} of the time of ops is of ops called one by one from Python",
        {"eager_share": share, "python_share": cost},
        "put @tf.function on the function of a step.",
        code="@tf.function\ndef train_step(x, y): ...",
        gain=gain or "no steps were found to replay",
        severity=Severity.PROBLEM if cost >= _MUCH else Severity.HINT,
        weight=share,
    )
