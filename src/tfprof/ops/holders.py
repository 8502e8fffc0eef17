"""Ops that hold, pass on, print or store tensors: constants, feeds, identities, files, strings."""

from __future__ import annotations

import numpy as np

from tfprof.model.dims import Open, elements
from tfprof.model.graph import as_shape, known_shape
from tfprof.ops.rule import INT32, INT64, Call, Family, Infer, Tensor, Value
from tfprof.ops.shape_tools import fixed, like, merged, no_output
from tfprof.wire import dtypes as t
from tfprof.wire.schema import Proto

rule = Family("holders")


# --- what the other families of this kind share


def passed(index: int = 0) -> Infer:
    """The output is an input: with its value, and what it leads to."""
    return lambda call: [call.inputs[index]]


def listed_types(call: Call, name: str) -> list[int]:
    """An attribute that lists data types."""
    attribute = call.attributes.get(name)
    return [] if attribute is None else [int(dtype) for dtype in attribute.list.type]


def listed_shapes(call: Call, name: str) -> list[Open]:
    """An attribute that lists shapes."""
    attribute = call.attributes.get(name)
    return [] if attribute is None else [as_shape(shape) for shape in attribute.list.shape]


def listed(types: str, shapes: str = "") -> Infer:
    """The outputs are listed in attributes; there are as many as there are types."""

    def outputs(call: Call) -> list[Tensor]:
        stated = iter(listed_shapes(call, shapes))
        return [Tensor(next(stated, None), dtype) for dtype in listed_types(call, types)]

    return outputs


# --- constants

_SMALL = 1024
# how whole numbers lie in `tensor_content`
_LAYOUTS = {
    t.INT32: "<i4", t.INT64: "<i8", t.BOOL: "?", 4: "u1", 5: "<i2", 6: "i1", 17: "<u2", 22: "<u4",
    23: "<u8",
}  # fmt: skip
# the field that they stand in otherwise; the others share int_val
_FIELDS = {t.INT64: "int64_val", t.BOOL: "bool_val", 22: "uint32_val", 23: "uint64_val"}


def constant_value(proto: Proto) -> Value | None:
    """The entries of a TensorProto, if they are few and whole numbers."""
    dtype = int(proto.dtype)
    size = elements(known_shape(proto.tensor_shape))
    if dtype not in _LAYOUTS or not isinstance(size, int) or size > _SMALL:
        return None
    if proto.tensor_content:
        found = [int(entry) for entry in np.frombuffer(proto.tensor_content, _LAYOUTS[dtype])]
    else:
        field = getattr(proto, _FIELDS.get(dtype, "int_val"))
        found = [int(entry) for entry in field[:size]] or [0]
        # the last one stands for all that follow
        found += found[-1:] * (size - len(found))
    return tuple(found[:size]) if len(found) >= size else None


def _constant(call: Call) -> list[Tensor]:
    proto = call.attributes["value"].tensor
    return [Tensor(known_shape(proto.tensor_shape), int(proto.dtype), constant_value(proto))]


rule.idle("Const HostConst", _constant, dtype="dtype", allocates=False)
rule.idle("ImmutableConst", lambda call: [call.stated()], dtype="dtype", allocates=False)

# --- what is fed


def _argument(call: Call) -> list[Tensor]:
    """What stands in the attributes of a function's argument, its handle included."""
    (shape, *_) = [*listed_shapes(call, "_output_shapes"), call.stated()]
    behind = None
    for held, dtype in zip(
        listed_shapes(call, "_handle_shapes"), listed_types(call, "_handle_dtypes"), strict=False
    ):
        behind = behind or Tensor(held, dtype)
    if call.dtype("T") == t.RESOURCE:
        shape = ()
    return [Tensor(shape, holds=behind)]


def _default(call: Call) -> list[Tensor]:
    """Nobody feeds it, so the default runs."""
    default = call.inputs[0]
    shape = merged(call.stated(), default.shape)
    return [Tensor(shape, default.dtype, default.value, default.holds, default.length)]


rule.idle("Placeholder PlaceholderV2", lambda call: [call.stated()], dtype="dtype", allocates=False)
rule.idle("PlaceholderWithDefault", _default, dtype="dtype", alias=0)
rule.idle("_Arg _DeviceArg", _argument, allocates=False)
rule.idle("_Retval _DeviceRetval", no_output)

# --- what is passed on

rule.idle(
    "Identity RefIdentity StopGradient PreventGradient Snapshot GuaranteeConst Print |"
    " DebugIdentity DebugIdentityV2 DebugIdentityV3 DebugGradientIdentity DebugGradientRefIdentity",
    passed(), alias=0,
)  # fmt: skip
rule.idle("IdentityN", lambda call: list(call.inputs), alias=0)
rule.idle("DeepCopy Copy CopyHost | CopyOp", passed())
rule.idle("NoOp ControlTrigger", no_output, allocates=False)
rule.idle("Assert PrintV2", no_output, allocates=False)
rule.idle("_Send _HostSend", no_output)
# the input is what was sent, where the graphs that ran are joined
rule.idle(
    "_Recv _HostRecv", lambda call: list(call.inputs[:1]) or [None], dtype="tensor_type", alias=0
)
rule.idle("Timestamp", fixed(()), dtype=2)

# --- summaries and files

rule.idle(
    "ScalarSummary HistogramSummary ImageSummary AudioSummary AudioSummaryV2 TensorSummary"
    " TensorSummaryV2 MergeSummary | StatsAggregatorSummary ExperimentalStatsAggregatorSummary",
    fixed(()), dtype=t.STRING,
)  # fmt: skip
rule.idle("SummaryWriter", fixed(()), dtype=t.RESOURCE, allocates=False)
rule.idle(
    "WriteSummary WriteScalarSummary WriteHistogramSummary WriteImageSummary WriteRawProtoSummary |"
    " WriteAudioSummary WriteGraphSummary CreateSummaryFileWriter CreateSummaryDbWriter"
    " CloseSummaryWriter FlushSummaryWriter StatsAggregatorSetSummaryWriter",
    no_output,
)  # fmt: skip
rule.idle("Save SaveV2 SaveSlices MergeV2Checkpoints WriteFile", no_output)
rule.idle("Restore RestoreSlice", fixed(None), dtype="dt")
rule.idle("RestoreV2", listed("dtypes"))
rule.idle(
    "ShardedFilename ShardedFilespec ReadFile StringFormat | SerializeTensor", fixed(()),
    dtype=t.STRING,
)  # fmt: skip
rule.idle("MatchingFiles", fixed((None,)), dtype=t.STRING)
rule("ParseTensor", fixed(None), dtype="out_type")

# --- strings that fall apart; what keeps its shape stands with the arrays

rule("DecodeCompressed", like(), dtype=t.STRING)
rule.idle(
    "StringSplit | StringSplitV2", fixed((None, 2), (None,), (2,)),
    dtype=(INT64, t.STRING, INT64), outputs=("indices", "values", "shape"),
)  # fmt: skip


def _splits(call: Call, shape: Open) -> Tensor:
    return Tensor(shape, call.dtype("Tsplits") or INT64)


def _decoded(call: Call) -> list[Open | Tensor]:
    size = elements(call.input(0))
    return [_splits(call, (None if size is None else size + 1,)), (None,), (None,)]


rule(
    "StringNGrams", lambda call: [(None,), _splits(call, call.input(1))], dtype=t.STRING,
    outputs=("ngrams", "ngrams_splits"),
)  # fmt: skip
rule(
    "UnicodeDecode", lambda call: _decoded(call)[:2], dtype=INT32,
    outputs=("row_splits", "char_values"),
)  # fmt: skip
rule(
    "UnicodeDecodeWithOffsets", _decoded, dtype=(INT32, INT32, INT64),
    outputs=("row_splits", "char_values", "char_to_byte_starts"),
)  # fmt: skip
