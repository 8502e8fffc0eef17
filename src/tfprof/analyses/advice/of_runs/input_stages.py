"""Causes of a wait for input, by the stage that is slow. What helps most stands first."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.advice.of_runs.input_causes import (
    AUTOTUNE,
    CAUSES,
    MUCH,
    InputCase,
    input_cause,
)
from tfprof.model import units
from tfprof.results.advice import Change
from tfprof.results.input import StageKind

# whether Python waits or computes, a capture does not tell
_COMPUTES = "where it computes, it holds the GIL, and ops of TensorFlow help"
_WAITS = "Where it waits, as for files or a network"
_READ = ("ReadFile",)
_PARALLEL_MAP_CODE = f"dataset = dataset.map(f, {AUTOTUNE})"


@input_cause("input-map-not-parallel")
def _serial_map(case: InputCase) -> Iterator[Change]:
    """A map works on one element after the other.

    What: the stage that a step waits for is a map without num_parallel_calls.

    Why: one core makes the elements while the others, and the model, wait.

    Example:
        dataset = files.map(decode).batch(32)

    Fix:
        dataset = files.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(32)

    Gain: modelled: steps are replayed with the pipeline running ahead on all cores. The longest of
    the rest of the step, the map's work over the cores, and all work over the cores decides.
    """
    if case.kind is StageKind.MAP and case.python_share < MUCH:
        said = f"map runs one element after the other: give it {AUTOTUNE}."
        yield Change("input-map-not-parallel", said, _PARALLEL_MAP_CODE, case.stage.label)


@input_cause("input-map-not-autotuned")
def _parallel_map(case: InputCase) -> Iterator[Change]:
    """A parallel map leaves threads unused, or has nothing left to use.

    What: the stage that a step waits for is a parallel map whose number of calls was fixed below
    the number of threads. Where it uses all of them, its function has to become cheaper.

    Why: a fixed number fits one machine; AUTOTUNE follows the cores that are there.

    Example:
        dataset = files.map(decode, num_parallel_calls=2)

    Fix:
        dataset = files.map(decode, num_parallel_calls=tf.data.AUTOTUNE)

    Gain: modelled as for input-map-not-parallel, from the parallel calls there are to all threads;
    none is told where all threads are in use: what a cheaper function takes is not known.
    """
    if case.kind is not StageKind.PARALLEL_MAP or case.python_share >= MUCH:
        return
    stage, threads = case.stage, case.threads
    name, now = "input-map-not-autotuned", stage.parallelism
    cheaper = "make its function cheaper, or do its work once and store it."
    if now is None:
        said = f"how many elements map works on at once was not recorded: {cheaper}"
        yield Change(name, said, None, stage.label)
    elif stage.autotuned or (threads is not None and now >= threads):
        done = "already works" if now > 1 else "works"
        by = ", as autotuned" if stage.autotuned and now == 1 else ""
        said = f"map {done} on {units.plural(now, 'element')} at once{by}: {cheaper}"
        yield Change(name, said, None, stage.label)
    elif threads is None:
        said = f"map works on {units.plural(now, 'element')} at once: {AUTOTUNE} may find more."
        yield Change(name, said, _PARALLEL_MAP_CODE, stage.label)
    else:
        said = f"map uses {now} of {threads} threads: give it {AUTOTUNE}."
        yield Change(name, said, _PARALLEL_MAP_CODE, stage.label)


@input_cause("input-from-python")
def _from_python(case: InputCase) -> Iterator[Change]:
    """Python makes the elements: a generator, numpy_function or py_function.

    What: the stage that a step waits for is from_generator, or a map of which 30 % or more of the
    time is Python.

    Why: Python holds the GIL while it computes, so elements are made one after the other, and the
    program's own Python waits, too.

    Example:
        dataset = tf.data.Dataset.from_generator(samples, output_signature=spec).batch(32)

    Fix:
        files = tf.data.Dataset.list_files(pattern)
        dataset = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
        dataset = dataset.map(parse, num_parallel_calls=tf.data.AUTOTUNE).batch(32)

    Gain: of the prefetch only, where there is none yet: what the same work takes in ops of
    TensorFlow is not known.
    """
    name, python = "input-from-python", case.python_share
    if case.kind is StageKind.GENERATOR:
        said = _generator(case) if python else _HANDS_OVER
        yield Change(name, said, None, case.stage.label)
    elif case.kind in (StageKind.MAP, StageKind.PARALLEL_MAP) and python >= MUCH:
        said = f"{python:.0%} of the function is Python. {_WAITS}, "
        if case.kind is StageKind.MAP:
            said += f"{AUTOTUNE} lets several calls wait at once; {_COMPUTES}."
            yield Change(name, said, _PARALLEL_MAP_CODE, case.stage.label)
        else:
            said += f"more parallel calls wait at once; {_COMPUTES}."
            yield Change(name, said, None, case.stage.label)


_HANDS_OVER = "it only hands over what another pipeline makes: that one decides."


def _generator(case: InputCase) -> str:
    if case.is_batched_later:
        return (
            "a generator makes its elements one after the other in Python: let it yield whole "
            "batches, or read with ops of TensorFlow."
        )
    return (
        f"a generator makes its batches one after the other in Python. {_WAITS}, several of them "
        f"in an interleave(..., {AUTOTUNE}) wait at once; {_COMPUTES}."
    )


@input_cause("input-files-not-parallel")
def _files(case: InputCase) -> Iterator[Change]:
    """Files are read one after the other.

    What: the stage that a step waits for reads files or goes through them with an interleave that
    is not parallel, or has a short cycle.

    Why: a disk or a network is waited for a file at a time, though it could serve several.

    Example:
        dataset = tf.data.TFRecordDataset(files)

    Fix:
        dataset = tf.data.Dataset.from_tensor_slices(files).interleave(
            tf.data.TFRecordDataset, cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)

    Gain: of the prefetch only, where there is none yet: how many files the disk serves at once is
    not known.
    """
    said = _READING.get(case.kind)
    if said is not None:
        code = f"dataset = files.interleave(tf.data.TFRecordDataset, {AUTOTUNE})"
        yield Change("input-files-not-parallel", said, code, case.stage.label)


_READING = {
    StageKind.FILES: (
        "files are read one after the other: "
        f"files.interleave(reader, {AUTOTUNE}) reads several at once."
    ),
    StageKind.INTERLEAVE: f"one input is read after the other: .interleave(..., {AUTOTUNE}).",
    StageKind.PARALLEL_INTERLEAVE: "a larger cycle_length reads more inputs at once.",
}


@input_cause("input-small-files")
def _small_files(case: InputCase) -> Iterator[Change]:
    """Every element is a file of its own.

    What: the function of the slow stage reads a file, and that takes 30 % of it or more.

    Why: a small file costs an open, a seek and a close; a few large ones are read in a row.

    Example:
        dataset = tf.data.Dataset.list_files("*.jpg").map(lambda f: decode(tf.io.read_file(f)))

    Fix:
        with tf.io.TFRecordWriter("train-0.tfrecord") as writer:  # once, offline
            for file in files:
                writer.write(open(file, "rb").read())
        dataset = tf.data.TFRecordDataset("train-0.tfrecord").map(decode)

    Gain: not told: what the disk takes for large files was not measured.
    """
    share = case.share_of(*_READ)
    if share >= MUCH:
        said = (
            f"{share:.0%} of its function is ReadFile, a file an element: store the elements in a "
            "few TFRecord files."
        )
        code = 'dataset = tf.data.TFRecordDataset(["train-0.tfrecord", "train-1.tfrecord"])'
        yield Change("input-small-files", said, code, case.stage.label)


@input_cause("input-batch-not-parallel")
def _batch(case: InputCase) -> Iterator[Change]:
    """One thread copies elements into batches.

    What: the stage that a step waits for is a batch without num_parallel_calls.

    Why: batching copies every byte once; of large elements that takes longer than a thread has.

    Example:
        dataset = dataset.batch(256)

    Fix:
        dataset = dataset.batch(256, num_parallel_calls=tf.data.AUTOTUNE)

    Gain: of the prefetch only, where there is none yet.
    """
    if case.kind is StageKind.BATCH:
        said = f".batch(..., {AUTOTUNE}) copies several elements into a batch at once."
        code = f"dataset = dataset.batch({case.stage.batch_size or 'size'}, {AUTOTUNE})"
        yield Change("input-batch-not-parallel", said, code, case.stage.label)


@input_cause("input-shuffle-misplaced")
def _shuffle(case: InputCase) -> Iterator[Change]:
    """A shuffle fills its buffer with elements that are large or dear.

    What: the stage that a step waits for is a shuffle, or one stands behind the slow stage and
    filled its buffer during the capture.

    Why: before the first element comes out, buffer_size elements have been read and decoded.

    Example:
        dataset = files.map(decode).shuffle(10_000)

    Fix:
        dataset = files.shuffle(10_000).map(decode, num_parallel_calls=tf.data.AUTOTUNE)

    Gain: not told: it is the start of every epoch that gets shorter.
    """
    name, code = "input-shuffle-misplaced", "dataset = files.shuffle(buffer_size).map(f)"
    if case.kind is StageKind.SHUFFLE:
        said = (
            "shuffle what is small, such as names of files, before it is read and decoded; "
            "a smaller buffer_size fills sooner."
        )
        yield Change(name, said, code, case.stage.label)
        return
    for one in case.above():
        if one.kind is StageKind.SHUFFLE and one.filled is not None:
            said = (
                f"{one.label} took {one.filled.elements:,} elements of {case.stage.label} to fill "
                "its buffer: shuffle before it."
            )
            yield Change(name, said, code, one.label)


@input_cause("input-cache-misplaced")
def _cache(case: InputCase) -> Iterator[Change]:
    """A cache stands before the work that it should spare, or is slow itself.

    What: the slow stage reads from a cache, or is one that is kept in a file.

    Why: what stands behind a cache is done again in every epoch.

    Example:
        dataset = files.cache().map(decode)

    Fix:
        dataset = files.map(decode, num_parallel_calls=tf.data.AUTOTUNE).cache()

    Gain: of the prefetch only, where there is none yet: from the second epoch on the stage goes
    away, which one capture does not show.
    """
    name = "input-cache-misplaced"
    if case.kind is StageKind.CACHE:
        said = "a cache in memory, .cache() without a file, is faster if there is room for it."
        yield Change(name, said, "dataset = dataset.cache()", case.stage.label)
        return
    if case.kind in (StageKind.MAP, StageKind.PARALLEL_MAP):
        for one in case.below():
            if one.kind is StageKind.CACHE:
                said = (
                    f"{one.label} stands before {case.stage.label}, whose work is done again in "
                    "every epoch: put .cache() behind it, and what is random behind that."
                )
                yield Change(name, said, "dataset = dataset.map(f).cache()", one.label)


@input_cause("input-batch-after-map")
def _batched_later(case: InputCase) -> Iterator[Change]:
    """A map works on single elements that are batched behind it.

    What: the slow stage is a map of ops of TensorFlow, and a batch stands behind it.

    Why: every op of the function is started once an element; on a batch it starts once.

    Example:
        dataset = dataset.map(normalise).batch(32)

    Fix:
        dataset = dataset.batch(32).map(normalise)  # normalise works on [32, ...]

    Gain: not told by itself: it hangs on what the function does with a whole batch.
    """
    if case.kind not in (StageKind.MAP, StageKind.PARALLEL_MAP) or case.python_share >= MUCH:
        return
    if case.is_batched_later:
        said = "batch() before map() lets the function work on whole batches."
        yield Change("input-batch-after-map", said, None, case.stage.label)


@input_cause("input-not-cached")
def _not_cached(case: InputCase) -> Iterator[Change]:
    """The slow map is followed by no cache.

    What: the slow stage is a map, and nothing behind it keeps what it makes.

    Why: work that is the same in every epoch is done again in every epoch.

    Example:
        dataset = files.map(decode).map(augment)

    Fix:
        dataset = files.map(decode).cache().map(augment)

    Gain: not told: one capture does not show the second epoch.
    """
    if case.kind in (StageKind.MAP, StageKind.PARALLEL_MAP) and all(
        one.kind is not StageKind.CACHE for one in case.above()
    ):
        said = ".cache() behind it spares the work if it is the same in every epoch."
        yield Change("input-not-cached", said, None, case.stage.label)


@input_cause("input-no-prefetch")
def _no_prefetch(case: InputCase) -> Iterator[Change]:
    """The pipeline does nothing while a step runs.

    What: a step waits for input, and the last stage of the pipeline is no prefetch.

    Why: without a buffer behind it, the pipeline begins when the step asks, and stops when it got
    its batch.

    Example:
        dataset = dataset.batch(32)

    Fix:
        dataset = dataset.batch(32).prefetch(tf.data.AUTOTUNE)

    Gain: modelled: steps are replayed with the pipeline running beside them, on the same cores.
    """
    if not case.is_prefetched:
        said = "End the pipeline with .prefetch(tf.data.AUTOTUNE): it then works during a step."
        yield Change("input-no-prefetch", said, "dataset = dataset.prefetch(tf.data.AUTOTUNE)",
                     "Root")  # fmt: skip


def causes(case: InputCase) -> tuple[Change, ...]:
    """What helps most comes first."""
    return tuple(change for cause in CAUSES for change in cause(case))
