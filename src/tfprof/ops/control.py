"""Branches and loops of the first kind, and what feeds a graph: queues, iterators, tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from tfprof.model.dims import Open, Size
from tfprof.ops.holders import listed, listed_shapes, listed_types, passed
from tfprof.ops.rule import BOOL, INT32, INT64, UNKNOWN, Call, Family, Tensor
from tfprof.ops.shape_tools import by_value, fixed, no_output
from tfprof.wire import dtypes as t

rule = Family("control")

# --- branches


def _branches(call: Call, count: int) -> list[Tensor]:
    """What goes into each branch; all but the one taken are dead, if that is known."""
    data, taken = call.inputs[0], call.scalar(1)
    dead = replace(data, dead=True)
    if call.inputs[1].dead:
        return [dead] * count
    if not isinstance(taken, int):
        return [data] * count
    return [data if place == taken else dead for place in range(count)]


def _meeting(call: Call) -> list[Tensor]:
    """The branch that lives; where several may, what holds for all of them that are known."""
    live = [place for place, one in enumerate(call.inputs) if not one.dead]
    if not live:
        return [replace(call.inputs[0], dead=True), Tensor((), INT32, dead=True)]
    if len(live) == 1:
        return [call.inputs[live[0]], Tensor((), INT32, (live[0],))]
    return [reduce(_agreed, (call.inputs[place] for place in live)), Tensor((), INT32)]


def _agreed(one: Tensor, other: Tensor) -> Tensor:
    """What is known of a tensor that is either of two; of the unknown, that it is like the rest."""
    holds = one.holds or other.holds
    if one.holds is not None and other.holds is not None:
        holds = _agreed(one.holds, other.holds)
    return Tensor(
        _common(one.shape, other.shape),
        one.dtype or other.dtype,
        one.value if one.value == other.value else None,
        holds,
        one.length if one.length == other.length else None,
    )


def _common(one: Open, other: Open) -> Open:
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other):
        return None
    return tuple(_either(a, b) for a, b in zip(one, other, strict=True))


def _either(one: Size | None, other: Size | None) -> Size | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one == other else None


rule.idle(
    "Switch RefSwitch", lambda call: _branches(call, 2), alias=0,
    outputs=("output_false", "output_true"),
)  # fmt: skip
rule.idle("_SwitchN", lambda call: _branches(call, call.count("num_outs")), alias=0)
rule.idle("Merge RefMerge", _meeting, alias=0, outputs=("output", "value_index"))


def _selected(call: Call) -> list[Tensor]:
    index, choices = call.scalar(0), call.inputs[1:]
    if isinstance(index, int):
        return [choices[index]]
    return [reduce(_agreed, choices)]


rule("RefSelect", _selected, alias=1)

# --- loops: the engine knows the frames, here they are passed on

rule.idle(
    "Enter RefEnter Exit RefExit NextIteration RefNextIteration", passed(), alias=0
)  # fmt: skip
rule.idle("LoopCond", passed(), dtype=BOOL, alias=0)
rule.idle("Abort", no_output, allocates=False)
rule.idle("Empty", by_value(0), dtype="dtype")

# --- queues

_VERSIONS = ("", "V2")
_QUEUES = {
    "": "FIFOQueue | PaddingFIFOQueue RandomShuffleQueue PriorityQueue",
    "V2": "FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2 | PriorityQueueV2",
}


def _queue(call: Call) -> list[Tensor]:
    dtypes = listed_types(call, "component_types")
    shapes = listed_shapes(call, "shapes")
    parts = [
        Tensor(shapes[place] if place < len(shapes) else None, dtype)
        for place, dtype in enumerate(dtypes)
    ]
    if call.op.startswith("Priority"):
        parts.insert(0, Tensor((), INT64))
    return [Tensor(() if call.op.endswith("V2") else (2,), holds=_chained(parts))]


def _chained(parts: Sequence[Tensor]) -> Tensor | None:
    """Several tensors behind one handle: each holds the next."""
    chain = None
    for part in reversed(parts):
        chain = replace(part, holds=chain)
    return chain


def _unchained(chain: Tensor | None) -> Iterator[Tensor]:
    while chain is not None:
        yield replace(chain, holds=None)
        chain = chain.holds


def _dequeued(call: Call) -> list[Tensor]:
    dtypes = listed_types(call, "component_types")
    parts = list(_unchained(call.inputs[0].holds))
    if len(parts) != len(dtypes):
        parts = [UNKNOWN] * len(dtypes)
    return [
        Tensor(_batched(call, part.shape), dtype) for part, dtype in zip(parts, dtypes, strict=True)
    ]


def _batched(call: Call, shape: Open) -> Open:
    if shape is None or ("Many" not in call.op and "UpTo" not in call.op):
        return shape
    count = call.scalar(1) if "Many" in call.op else None
    return (count, *shape)


for _v, _queues in _QUEUES.items():
    _kind = rule.idle if _v else rule
    rule.idle(_queues, _queue, allocates=False, dtype=t.RESOURCE if _v else t.STRING)
    _kind(f"QueueDequeue{_v} QueueDequeueMany{_v} QueueDequeueUpTo{_v}", _dequeued)
    _kind(f"QueueEnqueue{_v} QueueEnqueueMany{_v} QueueClose{_v}", no_output, allocates=False)
    _kind(f"QueueSize{_v}", fixed(()), dtype=INT32)
    rule(f"QueueIsClosed{_v}", fixed(()), dtype=BOOL)
rule("FakeQueue", lambda call: [replace(call.inputs[0], dtype=t.STRING)], allocates=False)

# --- stacks: what was pushed is known only where the handle says so


def _popped(call: Call) -> list[Open]:
    held = call.inputs[0].holds
    return [None if held is None else held.shape]


for _v in _VERSIONS:
    _kind = rule.idle if _v else rule
    rule.idle(
        f"Stack{_v}", fixed((2,)), allocates=False,
        dtype=t.RESOURCE if _v else t.STRING,
    )  # fmt: skip
    rule.idle(f"StackPush{_v}", passed(1), alias=1)
    rule.idle(f"StackPop{_v}", _popped, dtype="elem_type", allocates=False)
    _kind(f"StackClose{_v}", no_output, allocates=False)

# --- staging areas

rule.idle("Stage | StageClear MapStage MapClear OrderedMapStage OrderedMapClear", no_output)
rule.idle(
    "Unstage | StagePeek MapPeek MapUnstage OrderedMapPeek OrderedMapUnstage", listed("dtypes")
)
rule("StageSize MapSize OrderedMapSize", fixed(()), dtype=INT32)
rule(
    "MapUnstageNoKey OrderedMapUnstageNoKey", outputs=("key", "values"),
    shapes=lambda call: [Tensor((), INT64), *listed("dtypes")(call)],
)  # fmt: skip

# --- readers

for _v in _VERSIONS:
    _kind = rule.idle if _v else rule
    _kind(
        f"FixedLengthRecordReader{_v} TFRecordReader{_v} WholeFileReader{_v} |"
        f" IdentityReader{_v} TextLineReader{_v}",
        fixed(() if _v else (2,)), dtype=t.RESOURCE if _v else t.STRING, allocates=False,
    )  # fmt: skip
    _kind(f"ReaderRead{_v}", fixed((), ()), dtype=t.STRING, outputs=("key", "value"))
    rule(f"ReaderReadUpTo{_v}", fixed((None,), (None,)), dtype=t.STRING, outputs=("keys", "values"))
    rule(
        f"ReaderNumRecordsProduced{_v} ReaderNumWorkUnitsCompleted{_v}", fixed(()), dtype=INT64
    )  # fmt: skip
    rule(f"ReaderSerializeState{_v}", fixed(()), dtype=t.STRING)
    rule(f"ReaderReset{_v} ReaderRestoreState{_v}", no_output)

# --- datasets and iterators

_IDLE_DATASETS = """
BatchDataset BatchDatasetV2 CacheDataset CacheDatasetV2 ConcatenateDataset
FixedLengthRecordDatasetV2 ModelDataset OptionsDataset PrefetchDataset RangeDataset RepeatDataset
ShuffleDataset ShuffleDatasetV3 SkipDataset TFRecordDataset TakeDataset TensorDataset
TensorSliceDataset TextLineDataset ZipDataset
"""
_DATASETS = """
AssertCardinality AssertNext AssertPrev AutoShard BytesProducedStats CSV ChooseFastestBranch
ChooseFastest DataService DenseToSparseBatch DirectedInterleave Filter FilterByLastComponent
Finalize FixedLengthRecord FlatMap Generator GlobalShuffle GroupByReducer GroupByWindow IgnoreErrors
IndexFlatMap Interleave LMDB LatencyStats List ListSnapshotChunks Load MapAndBatch Map MatchingFiles
MaxIntraOpParallelism NonSerializable Optimize PaddedBatch ParallelBatch ParallelFilter
ParallelInterleave ParallelMap ParseExample PrivateThreadPool Random Rebatch Rewrite Sampling Scan
SetStatsAggregator Shard ShuffleAndRepeat Sleep SlidingWindow SnapshotChunk Snapshot
SparseTensorSlice Sql TakeWhile ThreadPool Unbatch Unique WeightedFlatMap Window
"""
_LATER_DATASETS = """
CSVDatasetV2 DataServiceDatasetV2 DataServiceDatasetV3 DataServiceDatasetV4 DatasetFromGraph
LegacyParallelInterleaveDatasetV2 OptimizeDatasetV2 PaddedBatchDatasetV2 ParallelInterleaveDatasetV2
ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4 ParallelMapDatasetV2 ParseExampleDatasetV2
RandomDatasetV2 RebatchDatasetV2 SaveDatasetV2 ShuffleAndRepeatDatasetV2 ShuffleDatasetV2
SnapshotDatasetReader SnapshotDatasetV2 SnapshotNestedDatasetReader TFRecordDatasetV2
UnwrapDatasetVariant WrapDatasetVariant
"""
_EXPERIMENTAL = """
AssertNext AutoShard BytesProducedStats CSV ChooseFastest DenseToSparseBatch DirectedInterleave
GroupByReducer GroupByWindow IgnoreErrors LMDB LatencyStats MapAndBatch Map MatchingFiles
MaxIntraOpParallelism NonSerializable ParallelInterleave ParseExample PrivateThreadPool Random
Rebatch Scan SetStatsAggregator Sleep SlidingWindow Sql TakeWhile ThreadPool Unbatch Unique
"""
_datasets = [f"{name}Dataset" for name in _DATASETS.split()] + _LATER_DATASETS.split()
_datasets += [f"Experimental{name}Dataset" for name in _EXPERIMENTAL.split()]
rule.idle(
    f"{_IDLE_DATASETS} | {' '.join(_datasets)}", fixed(()), dtype=t.VARIANT, allocates=False
)  # fmt: skip

rule.idle(
    "IteratorGetNext IteratorGetNextSync OptionalGetValue |"
    " MultiDeviceIteratorGetNextFromShard DatasetToSingleElement ReduceDataset",
    listed("output_types", "output_shapes"),
)  # fmt: skip
rule.idle(
    "Iterator IteratorV2 OneShotIterator AnonymousIteratorV3 IteratorFromStringHandleV2 |"
    " AnonymousIterator MultiDeviceIterator AnonymousMultiDeviceIteratorV3 IteratorFromStringHandle"
    " MultiDeviceIteratorFromStringHandle",
    fixed(()), dtype=t.RESOURCE, allocates=False,
)  # fmt: skip
rule.idle(
    "AnonymousIteratorV2 | AnonymousMultiDeviceIterator", fixed((), ()), allocates=False,
    dtype=(t.RESOURCE, t.VARIANT), outputs=("handle", "deleter"),
)  # fmt: skip
rule.idle(
    "MakeIterator DeleteIterator | DeleteMultiDeviceIterator DeserializeIterator SaveDataset"
    " DatasetToTFRecord ExperimentalDatasetToTFRecord",
    no_output,
)  # fmt: skip
rule.idle(
    "IteratorToStringHandle | MultiDeviceIteratorToStringHandle IteratorGetDevice"
    " ExperimentalIteratorGetDevice IteratorGetModelProto DatasetToGraph DatasetToGraphV2",
    fixed(()), dtype=t.STRING,
)  # fmt: skip
rule(
    "MultiDeviceIteratorInit DatasetCardinality ExperimentalDatasetCardinality", fixed(()),
    dtype=INT64,
)  # fmt: skip
rule.idle("IteratorGetNextAsOptional OptionalNone", fixed(()), dtype=t.VARIANT)
rule.idle("OptionalFromValue", fixed(()), dtype=t.VARIANT)
# a step is of a batch that is there: where data ends, nothing is computed but zeros of no size
rule.idle("OptionalHasValue", lambda _: [Tensor((), value=(1,))], dtype=BOOL)

# --- tables: made here, asked with the arrays

_TABLES = ("HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable")
for _v in ("", "V2", "Anonymous"):
    _names = [f"Anonymous{name}" if _v == "Anonymous" else name + _v for name in _TABLES]
    _kind = rule.idle if _v == "V2" else rule
    _kind(
        f"{_names[0]} | {' '.join(_names[1:])}", fixed(() if _v else (2,)),
        dtype=t.RESOURCE if _v else t.STRING, allocates=False,
    )  # fmt: skip
rule("InitializeTableFromDataset", no_output)
