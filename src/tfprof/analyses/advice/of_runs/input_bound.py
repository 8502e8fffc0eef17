"""A step waits for input: one finding with all its causes, and the step that is left without."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.of_runs.input_causes import MUCH, InputCase
from tfprof.analyses.advice.of_runs.input_stages import causes
from tfprof.analyses.advice.of_runs.replay import Machine, Stretch, fed_ahead, stretches
from tfprof.analyses.advice.rule import modelled, rule, several
from tfprof.model import units
from tfprof.model.medians import median_of
from tfprof.model.units import as_micros
from tfprof.results.advice import Change, Confidence, Finding, Gain, Severity
from tfprof.results.input import HostInput, InputPipeline, SessionFetch, StageKind, Waiting
from tfprof.results.input_bound import MATTERS

# from this share on XProf tells of it
_PROBLEM = 0.10
# a model that runs on the CPU keeps this many cores busy while it computes
_MODEL_CORES = 1.0
_MODEL = (
    "the steps replayed with the pipeline running ahead: the longest of the rest of a step, the "
    "pipeline's work at {speed:.3g} times its speed, and all work over {cores} cores ({work})"
)
_TAKEN = "the model taken to keep one of them busy: `tfprof run` measures it"
_AT_MOST = "the steps replayed without the wait: the most that can be gained"
_OTHER = {
    StageKind.SOURCE: "the source itself is slow: fewer and larger elements cost less a step.",
    StageKind.SEQUENTIAL: (
        "this stage cannot run in parallel: put it inside an interleave over parts of the data, "
        "or .cache() what it yields."
    ),
    StageKind.SERVICE: "the elements come from a tf.data service: profile its workers.",
    StageKind.PREFETCH: (
        "what fills this buffer is not at work while it is waited for: its thread starts late, "
        "or all cores are busy."
    ),
    StageKind.ROOT: (
        "the pipeline does little: what is slow is to start it, or the machine is busy."
    ),
    StageKind.OTHER: ".cache() behind this stage spares it from the second epoch on.",
}
QUEUE_CHANGE = (
    "more threads fill the queue: num_threads= of tf.train.batch and its like, or more enqueue ops "
    "in its QueueRunner. A tf.data.Dataset needs neither."
)
ITERATOR_CHANGE = (
    "which stage of tf.data is slow, a capture tells: tf.profiler.experimental.start(logdir), some "
    "session.run, stop(), then `tfprof input LOGDIR`."
)
_NOT_STAGES = (
    "the stages of its pipeline were not recorded: host_tracer_level=2 records them, "
    "`tfprof input` then tells which is slow."
)


def changes(pipeline: InputPipeline) -> tuple[Change, ...]:
    """What to change about a pipeline that is waited for, what helps most first."""
    if pipeline.slow is None:
        return ()
    case = InputCase(pipeline, pipeline.slow.stage)
    known = _OTHER.get(case.kind)
    own = () if known is None else (Change("input-bound", known, None, case.stage.label),)
    return (*own, *causes(case))


@rule("input-bound", "XPlane capture or run metadata")
def _input_bound(known: Known) -> Iterator[Finding]:
    """A step waits for its data.

    What: 5 % of a step or more is spent in waiting for the next batch; from 10 % on it is a
    problem. All causes that are found are told together, under the name of the first.

    Why: a device or a core that waits for data does nothing.

    Example:
        dataset = files.map(decode).batch(32)

    Fix:
        dataset = files.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(32)
        dataset = dataset.prefetch(tf.data.AUTOTUNE)

    Gain: modelled: steps are replayed with the pipeline running ahead of them. Where the model runs
    on the CPU, the two share the cores: what they have to do is the CPU time of a step, where the
    run was recorded by tfprof; else the model is taken to keep one core busy. Not told where it is
    not known how much faster the stage can become.
    """
    if known.input is None:
        return
    held = [one for one in known.input.hosts if one.waiting and one.waiting.share >= MATTERS]
    if held:
        worst = max(held, key=lambda one: one.waiting.share if one.waiting else 0)
        yield _finding(known, worst, named=len(known.input.hosts) > 1)


def _finding(known: Known, host: HostInput, *, named: bool) -> Finding:
    waiting = host.waiting or Waiting(0, 0, 0, 0, by_steps=False)
    pipeline = next((one for one in host.pipelines if one.slow is not None), None)
    todo = changes(pipeline) if pipeline is not None else _without_stages(host)
    evidence: dict[str, float | int | str] = {
        "waiting_us": as_micros(waiting.waited / max(1, waiting.periods)),
        "step_us": as_micros(waiting.time / max(1, waiting.periods)),
        "share": waiting.share,
    }
    if named:
        evidence["host"] = host.host
    says = (
        f"{units.share(waiting.share, 1)} of a step{f' of {host.host}' if named else ''} "
        "waits for input, "
        f"{units.duration(float(evidence['waiting_us']))} of "
        f"{units.duration(float(evidence['step_us']))}"
    )
    if pipeline is not None and pipeline.slow is not None:
        stage = pipeline.stages[pipeline.slow.stage]
        evidence |= {"stage": stage.name, "stage_self_us": as_micros(stage.self_time),
                     "stage_share": stage.self_share or 0.0}  # fmt: skip
        says += f"; {stage.label} takes {units.share(stage.self_share or 0.0, 1)} of the work"
    return several(
        todo,
        says,
        evidence,
        gain=_gain(known, host, pipeline),
        severity=Severity.PROBLEM if waiting.share >= _PROBLEM else Severity.HINT,
        confidence=Confidence.HIGH if waiting.by_steps else Confidence.MEDIUM,
        weight=waiting.share,
    )


def _without_stages(host: HostInput) -> tuple[Change, ...]:
    """The runs of sessions tell which op waited, captures without details not even that."""
    if not host.fetches:
        return (Change("input-bound", _NOT_STAGES),)
    first: SessionFetch = host.fetches[0]
    is_queue = "Queue" in first.op
    name = "input-queue-slow" if is_queue else "input-bound"
    said = QUEUE_CHANGE if is_queue else ITERATOR_CHANGE
    return (Change(name, said, None, first.source or first.name),)


def _gain(known: Known, host: HostInput, pipeline: InputPipeline | None) -> Gain | str:
    steps = _steps(known, host)
    # the cores of a host are free while a device computes
    on_device = known.steps is not None and bool(known.steps.devices)
    if pipeline is None or pipeline.slow is None:
        if not on_device or host.fetches:
            return "the stages of the pipeline are not known"
        before = median_of([one.period for one in steps])
        rest = median_of([one.rest for one in steps])
        return modelled("step_us", before, rest, _AT_MOST)
    case = InputCase(pipeline, pipeline.slow.stage)
    speed = _speed_up(case)
    if isinstance(speed, str):
        return speed
    cores = case.threads
    if cores is None:
        return "how many threads the pipeline may use was not recorded"
    machine = Machine(cores, 0.0 if on_device else _MODEL_CORES, known.step_cpu_us)
    before, after = fed_ahead(steps, speed_up=speed, machine=machine)
    if after >= before:
        return "all cores are at work: the pipeline and the model share them"
    work = _worked(known.step_cpu_us, on_device=on_device)
    return modelled("step_us", before, after, _MODEL.format(speed=speed, cores=cores, work=work))


def _worked(measured: float | None, *, on_device: bool) -> str:
    if measured is not None:
        return f"{units.duration(measured)} of CPU time in a step, measured"
    return "those of the host alone: the model is on a device" if on_device else _TAKEN


def _speed_up(case: InputCase) -> float | str:
    """How many times faster the slow stage gets; a reason where nobody knows."""
    threads, now = case.threads or 1, case.stage.parallelism or 1
    if case.python_share >= MUCH or case.kind not in (StageKind.MAP, StageKind.PARALLEL_MAP):
        if case.is_prefetched:
            return f"how much faster {case.stage.label} can become is not known"
        return 1.0
    if case.kind is StageKind.MAP:
        return float(threads)
    if case.stage.autotuned or now >= threads:
        return "map uses all threads already: what a cheaper function takes is not known"
    return threads / now


def _steps(known: Known, host: HostInput) -> list[Stretch]:
    """One by one where they are known, else the usual one."""
    waiting = host.waiting
    steps = known.steps
    if steps is not None and len(steps.hosts) <= 1:
        found = stretches(steps)
        if found:
            return found
    if waiting is None:
        return [Stretch(0.0, 0.0)]
    period = as_micros(waiting.period)
    return [Stretch(period, period * waiting.share)]


@rule("input-queue-slow", "run metadata")
def _queue(_known: Known) -> Iterator[Finding]:
    """A queue is filled more slowly than it is read.

    What: a session run waits in a dequeue op for 5 % of its time or more. It is told as part of
    input-bound.

    Why: the threads of a QueueRunner do not keep up, and the step waits for them.

    Example:
        batch = tf.train.batch([image], 32, num_threads=1)

    Fix:
        batch = tf.train.batch([image], 32, num_threads=8)

    Gain: not told: the runs that fill the queue were not traced.
    """
    yield from ()


@rule("input-fed-by-python", "graph and run metadata")
def _fed(known: Known) -> Iterator[Finding]:
    """A session is fed from Python, step by step.

    What: a training run of a session whose graph has placeholders, and neither a queue nor a
    dataset.

    Why: what is fed is copied from NumPy before the run begins, while nothing else works.

    Example:
        session.run(train, feed_dict={images: batch})

    Fix:
        images, labels = dataset.prefetch(2).make_one_shot_iterator().get_next()
        session.run(train)

    Gain: not told: feeding happens before the run begins, and is not traced.
    """
    graph = known.graph
    if not known.of_session or graph is None or not graph.trains:
        return
    if graph.placeholders and not graph.fed_by_queue:
        names = ", ".join(graph.placeholders[:3])
        yield several(
            (
                Change(
                    "input-fed-by-python",
                    "read with tf.data in the graph, and prefetch: the next batch is then there "
                    "when a step begins.",
                    "images, labels = dataset.prefetch(2).make_one_shot_iterator().get_next()",
                    graph.placeholders[0],
                ),
            ),
            f"{units.plural(len(graph.placeholders), 'placeholder')} fed with every run: {names}",
            {"placeholders": len(graph.placeholders)},
            gain="feeding happens before a run begins, and is not traced",
            severity=Severity.HINT,
            confidence=Confidence.LOW,
            weight=0.0,
        )
