"""What kind of stage an iterator is, by its name: that decides what can be done about it."""

from __future__ import annotations

from tfprof.analyses.input_pipeline.pipelines import Stage
from tfprof.analyses.input_pipeline.xprof_categories import reads_files
from tfprof.results.input import Kind

# by how a name begins; the first that fits
_BEGINNINGS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (Kind.PARALLEL_MAP, ("ParallelMap", "MapAndBatch", "ParseExample")),
    (Kind.PARALLEL_INTERLEAVE, ("ParallelInterleave", "LegacyParallelInterleave")),
    (Kind.MAP, ("Map",)),
    (Kind.GENERATOR, ("Generator",)),
    (Kind.INTERLEAVE, ("Interleave", "FlatMap")),
    (Kind.BATCH, ("Batch", "ParallelBatch", "PaddedBatch", "DenseToRaggedBatch")),
    (Kind.SHUFFLE, ("Shuffle",)),
    (Kind.CACHE, ("MemoryCache", "FileCache", "Cache", "MemoryReader", "MemoryWriter",
                       "FileReader", "FileWriter", "Snapshot")),
    (Kind.SEQUENTIAL, ("Filter", "Unbatch", "Scan", "Window", "GroupBy", "TakeWhile",
                            "Unique")),
    (Kind.SERVICE, ("DataService",)),
    (Kind.PREFETCH, ("Prefetch",)),
    (Kind.ROOT, ("Root", "Model", "Options", "MaxIntraOpParallelism",
                      "PrivateThreadPool")),
    (Kind.SOURCE, ("TensorSlice", "Tensor", "FromTensor", "Range", "Random",
                        "SparseTensorSlice", "ListFiles", "Sql", "Parquet", "Lmdb", "BigQuery")),
)  # fmt: skip


def kind_of(stage: Stage) -> Kind:
    if reads_files(stage.path):
        return Kind.FILES
    label = stage.label
    return next((kind for kind, words in _BEGINNINGS if label.startswith(words)), Kind.OTHER)
