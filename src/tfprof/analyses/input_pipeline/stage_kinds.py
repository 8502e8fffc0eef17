"""What kind of stage an iterator is, by its name: that decides what can be done about it."""

from __future__ import annotations

from tfprof.analyses.input_pipeline.pipelines import Stage
from tfprof.analyses.input_pipeline.xprof_categories import reads_files
from tfprof.results.input import StageKind

# by how a name begins; the first that fits
_BEGINNINGS: tuple[tuple[StageKind, tuple[str, ...]], ...] = (
    (StageKind.PARALLEL_MAP, ("ParallelMap", "MapAndBatch", "ParseExample")),
    (StageKind.PARALLEL_INTERLEAVE, ("ParallelInterleave", "LegacyParallelInterleave")),
    (StageKind.MAP, ("Map",)),
    (StageKind.GENERATOR, ("Generator",)),
    (StageKind.INTERLEAVE, ("Interleave", "FlatMap")),
    (StageKind.BATCH, ("Batch", "ParallelBatch", "PaddedBatch", "DenseToRaggedBatch")),
    (StageKind.SHUFFLE, ("Shuffle",)),
    (StageKind.CACHE, ("MemoryCache", "FileCache", "Cache", "MemoryReader", "MemoryWriter",
                       "FileReader", "FileWriter", "Snapshot")),
    (StageKind.SEQUENTIAL, ("Filter", "Unbatch", "Scan", "Window", "GroupBy", "TakeWhile",
                            "Unique")),
    (StageKind.SERVICE, ("DataService",)),
    (StageKind.PREFETCH, ("Prefetch",)),
    (StageKind.ROOT, ("Root", "Model", "Options", "MaxIntraOpParallelism",
                      "PrivateThreadPool")),
    (StageKind.SOURCE, ("TensorSlice", "Tensor", "FromTensor", "Range", "Random",
                        "SparseTensorSlice", "ListFiles", "Sql", "Parquet", "Lmdb", "BigQuery")),
)  # fmt: skip


def kind_of(stage: Stage) -> StageKind:
    if reads_files(stage.path):
        return StageKind.FILES
    label = stage.label
    return next((kind for kind, words in _BEGINNINGS if label.startswith(words)), StageKind.OTHER)
