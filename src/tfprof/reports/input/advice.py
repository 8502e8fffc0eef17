"""What to change about a pipeline that keeps a model waiting, in words."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.model import units
from tfprof.results.input import InputPipeline, InputStage, StageKind

_AUTOTUNE = "num_parallel_calls=tf.data.AUTOTUNE"
_PYTHON_OPS = ("PyFunc", "PyFuncStateless", "EagerPyFunc")
# from this share of a function on, that it is Python is worth a sentence
_MUCH = 0.3

# whether Python waits or computes, a capture does not tell
_COMPUTES = "where it computes, it holds the GIL, and ops of TensorFlow help"
_WAITS = "Where it waits, as for files or a network"
_BATCH = "AndBatch"
_HANDS_OVER = "it only hands over what another pipeline makes: that one decides."

_BY_KIND = {
    StageKind.MAP: f"map runs one element after the other: give it {_AUTOTUNE}.",
    StageKind.FILES: (
        "files are read one after the other: "
        f"files.interleave(reader, {_AUTOTUNE}) reads several at once."
    ),
    StageKind.SOURCE: "the source itself is slow: fewer and larger elements cost less a step.",
    StageKind.INTERLEAVE: f"one input is read after the other: .interleave(..., {_AUTOTUNE}).",
    StageKind.PARALLEL_INTERLEAVE: "a larger cycle_length reads more inputs at once.",
    StageKind.BATCH: f".batch(..., {_AUTOTUNE}) copies several elements into a batch at once.",
    StageKind.SHUFFLE: (
        "shuffle what is small, such as names of files, before it is read and decoded; "
        "a smaller buffer_size fills sooner."
    ),
    StageKind.CACHE: (
        "a cache in memory, .cache() without a file, is faster if there is room for it."
    ),
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


def changes(found: InputPipeline) -> tuple[str, ...]:
    """What helps most comes first; nothing where nothing needs to change."""
    if found.slow is None:
        return ()
    return (*_of_stage(found, found.slow.stage), *_of_pipeline(found))


def _of_stage(found: InputPipeline, at: int) -> Iterator[str]:
    stage = found.stages[at]
    kind = stage.kind
    python = _python_share(found, at)
    if kind is StageKind.GENERATOR:
        yield _generator(found, at) if python else _HANDS_OVER
        return
    if kind not in (StageKind.MAP, StageKind.PARALLEL_MAP):
        yield _BY_KIND[kind]
        return
    if python >= _MUCH:
        yield _python_map(python, kind)
    else:
        yield _BY_KIND[kind] if kind is StageKind.MAP else _parallel(found, stage)
        if _is_batched_later(found, at):
            yield "batch() before map() lets the function work on whole batches."
    if all(one.kind is not StageKind.CACHE for one in _above(found, at)):
        yield ".cache() behind it spares the work if it is the same in every epoch."


def _above(found: InputPipeline, at: int) -> Iterator[InputStage]:
    """The stages that what a stage yields goes through, the nearest first."""
    places = {one.name: place for place, one in enumerate(found.stages)}
    seen = {at}
    parent = found.stages[at].parent
    while parent is not None and (place := places.get(parent, at)) not in seen:
        seen.add(place)
        yield found.stages[place]
        parent = found.stages[place].parent


def _is_batched_later(found: InputPipeline, at: int) -> bool:
    """Whether a stage yields single elements, which are put into batches behind it."""
    stage = found.stages[at]
    return _BATCH in stage.label or any(
        one.kind is StageKind.BATCH or _BATCH in one.label for one in _above(found, at)
    )


def _generator(found: InputPipeline, at: int) -> str:
    if _is_batched_later(found, at):
        return (
            "a generator makes its elements one after the other in Python: let it yield whole "
            "batches, or read with ops of TensorFlow."
        )
    return (
        f"a generator makes its batches one after the other in Python. {_WAITS}, several of them "
        f"in an interleave(..., {_AUTOTUNE}) wait at once; {_COMPUTES}."
    )


def _python_map(share: float, kind: StageKind) -> str:
    said = f"{share:.0%} of the function is Python. {_WAITS}, "
    if kind is StageKind.MAP:
        return f"{said}{_AUTOTUNE} lets several calls wait at once; {_COMPUTES}."
    return f"{said}more parallel calls wait at once; {_COMPUTES}."


def _python_share(found: InputPipeline, at: int) -> float:
    mine = [op for op in found.functions if op.at == at]
    whole = sum(op.self_time for op in mine)
    return sum(op.self_time for op in mine if op.op in _PYTHON_OPS) / whole if whole else 0.0


def _parallel(found: InputPipeline, stage: InputStage) -> str:
    threads = found.budget.cpu or found.budget.threads
    now = stage.parallelism
    cheaper = "make its function cheaper, or do its work once and store it."
    if now is None:
        return f"how many elements map works on at once was not recorded: {cheaper}"
    if stage.autotuned or (threads is not None and now >= threads):
        done = "already works" if now > 1 else "works"
        by = ", as autotuned" if stage.autotuned and now == 1 else ""
        return f"map {done} on {units.plural(now, 'element')} at once{by}: {cheaper}"
    if threads is None:
        return f"map works on {units.plural(now, 'element')} at once: {_AUTOTUNE} may find more."
    return f"map uses {now} of {threads} threads: give it {_AUTOTUNE}."


def _of_pipeline(found: InputPipeline) -> Iterator[str]:
    last = [one for one in found.stages if one.depth <= 1]
    if all(one.kind is not StageKind.PREFETCH for one in last):
        yield "End the pipeline with .prefetch(tf.data.AUTOTUNE): it then works during a step."
