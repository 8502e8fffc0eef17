"""Ops that sort, scatter, add up along an axis or by segment; sparse matrices, tables, text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from operator import add, mul

from tfprof.model.dims import Open, Size, elements, product
from tfprof.ops.arrays import replaced
from tfprof.ops.rule import BOOL, INT32, INT64, Call, Family, Fold, Infer, Value
from tfprof.ops.shape_tools import (
    axes,
    broadcast,
    by_value,
    dimension,
    fixed,
    known_rank,
    like,
    no_output,
    per_element,
    per_input,
    reduced,
    times,
)
from tfprof.ops.shape_values import small, typed
from tfprof.wire import dtypes

rule = Family("arrays")

STRING = dtypes.STRING

# --- sort and search


def _best(call: Call) -> list[Open]:
    shape = call.input(0)
    count = call.scalar(1) if call.op == "TopKV2" else call.integer("k")
    return [None if shape is None else replaced(shape, len(shape) - 1, count)] * 2


rule("TopK", _best, dtype=("T", INT32), outputs=("values", "indices"))
rule("TopKV2", typed(_best, "index_type", INT32, 1), dtype=("T", "index_type"),
     outputs=("values", "indices"))  # fmt: skip
rule("NthElement", lambda call: [_without_last(call.input(0))])
rule("InTopK InTopKV2", like(1), dtype=BOOL)
rule("LowerBound UpperBound", typed(like(1), "out_type", INT32), dtype="out_type")
rule("Bucketize", like(), dtype=INT32)


def _without_last(shape: Open) -> Open:
    return None if shape is None else shape[:-1]


# --- scatter

# what meets in one place is added, which the original does not count
rule("ScatterNd", by_value(2), work=per_input(1, 1), float_ops=0)
rule.idle("TensorScatterUpdate", like(), reuse=(0,))
rule(
    "TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin ScatterNdNonAliasingAdd",
    like(), work=per_input(1, 2), reuse=(0,),
)  # fmt: skip
rule("InplaceUpdate", like(), alias=0)
rule("InplaceAdd InplaceSub", like(), work=per_input(1, 2), alias=0)
rule("SparseToDense", by_value(1))

# --- along an axis


def _accumulated(combine: Callable[[Size, Size], Size], empty: int) -> Fold:
    def values(call: Call) -> list[Value | None]:
        tensor = small(call.inputs[0])
        if tensor is None or len(tensor.shape) != 1:
            return [None]
        sizes = [entry for entry in tensor.entries if entry is not None]
        if len(sizes) < len(tensor.entries):
            return [None]
        turned = -1 if call.flag("reverse") else 1
        running = list(accumulate(sizes[::turned], combine))
        if call.flag("exclusive"):
            running = [empty, *running][: len(sizes)]
        return [tuple(running[::turned])]

    return values


rule("Cumsum", like(), values=_accumulated(add, 0), work=per_input())
rule("Cumprod", like(), values=_accumulated(mul, 1), work=per_input())
rule("CumulativeLogsumexp", like(), work=per_input(3))  # an exponential, a sum, a logarithm
rule("LinSpace", lambda call: [(call.scalar(2),)], work=per_element(2))

# --- segments


def _segments(count: int | None, ids: int | None = None) -> Infer:
    """Rows by segment: as many as an input says, the rest shaped like the data.

    `ids` is the input with a segment a row, where it may have more dimensions than one.
    """

    def shapes(call: Call) -> list[Open]:
        data = call.input(0)
        rows = None if count is None else call.scalar(count)
        which = (None,) if ids is None else call.input(ids)
        return [None if data is None or which is None else (rows, *data[len(which) :])]

    return shapes


rule("SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd", _segments(None),
     work=per_input())  # fmt: skip
rule(
    "SegmentSumV2 SegmentProdV2 SegmentMaxV2 SegmentMinV2 UnsortedSegmentSum UnsortedSegmentMax"
    " UnsortedSegmentMin UnsortedSegmentProd",
    _segments(2, 1), work=per_input(),
)  # fmt: skip


def _rows_read(call: Call) -> Size | None:
    """An operation for each element of the rows that the indices pick."""
    data = call.input(0)
    return None if data is None else times(dimension(call.input(1), 0), product(data[1:]))


rule("SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN", _segments(None), work=_rows_read)
rule(
    "SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments"
    " SparseSegmentSqrtNWithNumSegments SparseSegmentSumGrad SparseSegmentMeanGrad"
    " SparseSegmentSqrtNGrad",
    _segments(3), work=_rows_read,
)  # fmt: skip
rule(
    "SparseSegmentSumGradV2 SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2",
    lambda call: [*_segments(None)(call), (None,)],
    dtype=("T", "Tidx"), outputs=("output", "sorted_unique_indices"), work=_rows_read,
)  # fmt: skip

# --- sparse matrices


def _sparse_product(call: Call) -> list[Open]:
    left = known_rank(call.value(2), 2)
    return [
        (
            left[int(call.flag("adjoint_a"))],
            dimension(call.input(3), int(not call.flag("adjoint_b"))),
        )
    ]


rule(
    "SparseTensorDenseMatMul", _sparse_product,
    macs=lambda call: times(dimension(call.input(1), 0), dimension(call.output(0), 1)),
)  # fmt: skip

rule("SparseTensorDenseAdd", like(3), work=per_input(1, 1))
rule("SparseReorder", lambda call: [call.input(0), call.input(1)], dtype=(INT64, "T"),
     outputs=("output_indices", "output_values"))  # fmt: skip
# how many pairs of categories a row has depends on what is in it
rule("SparseCross", fixed((None, 2), (None,), (2,)), dtype=(INT64, "out_type", INT64),
     outputs=("output_indices", "output_values", "output_shape"))  # fmt: skip


def _sparse_reshaped(call: Call) -> list[Open]:
    rank = dimension(call.input(2), 0)
    return [(dimension(call.input(0), 0), rank), (rank,)]


def _rows_filled(call: Call) -> list[Open]:
    """At least an entry a row: how many that makes depends on the data."""
    rows = dimension(call.value(2), 0)
    entries = dimension(call.input(0), 0)
    return [(None, dimension(call.input(0), 1)), (None,), (rows,), (entries,)]


rule("SparseReshape", _sparse_reshaped, dtype=INT64, outputs=("output_indices", "output_shape"))
rule(
    "SparseFillEmptyRows", _rows_filled, dtype=(INT64, "T", BOOL, INT64),
    outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
)  # fmt: skip

# --- tables and text

rule("LookupTableFind LookupTableFindV2", like(1), dtype="Tout")
rule("LookupTableSize LookupTableSizeV2", fixed(()), dtype=INT64)
rule("LookupTableExport LookupTableExportV2", fixed((None,), None), dtype=("Tkeys", "Tvalues"),
     outputs=("keys", "values"))  # fmt: skip
rule.idle(
    "LookupTableImport LookupTableImportV2 InitializeTableV2 InitializeTableFromTextFileV2 |"
    " LookupTableInsert LookupTableInsertV2 LookupTableRemoveV2 InitializeTable"
    " InitializeTableFromTextFile",
    no_output, allocates=False,
)  # fmt: skip


def _text_joined(call: Call) -> list[Open]:
    """Single strings go with each of the others."""
    shapes = [one.shape for one in call.inputs if one.shape != ()]
    return [shapes[0] if shapes else ()]


rule.idle("StringJoin", _text_joined, dtype=STRING)
rule.idle(
    "AsString RegexReplace StaticRegexReplace | DecodeBase64 EncodeBase64 StringLower StringStrip"
    " StringUpper UnicodeTranscode",
    like(), dtype=STRING,
)  # fmt: skip
rule.idle("Substr", lambda call: [broadcast(call.input(0), call.input(1))], dtype=STRING)
rule.idle("RegexFullMatch StaticRegexFullMatch", like(), dtype=BOOL)
rule("StringLength UnicodeScript", like(), dtype=INT32)
rule("StringToHashBucket StringToHashBucketFast StringToHashBucketStrong", like(), dtype=INT64)
rule("StringToNumber", typed(like(), "out_type", dtypes.FLOAT), dtype="out_type")


def _text_reduced(call: Call) -> list[Open]:
    shape = call.input(0)
    over = None if shape is None else axes(call, 1, len(shape))
    return [reduced(shape, over, keep=call.flag("keep_dims"))]


rule("ReduceJoin", _text_reduced, dtype=STRING)


def _coordinates(call: Call) -> list[Open]:
    indices, depth = call.input(0), dimension(call.input(1), 0)
    if indices is None:
        return [None]
    return [(depth,) if not indices else (depth, elements(indices))]


rule("UnravelIndex", _coordinates, dtype="Tidx")
