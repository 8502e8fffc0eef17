"""How long ops took in run metadata, as the original tool counts it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.late_pattern import late_pattern
from tfprof.model.device import holds_kernels, is_cpu_or_gpu
from tfprof.model.trace import Executions

Ints = npt.NDArray[np.int64]

# what the runtime does between nodes: the original leaves it out
_NO_NODE = late_pattern(r"(_SOURCE|RecvTensor)(:.*)?|[^:]*MEMCPY.*")


def op_micros(executions: Executions) -> Ints:
    """Microseconds by execution; 0 for what the original does not time (copies, host threads)."""
    timed = np.array(
        [holds_kernels(name) or is_cpu_or_gpu(name) for name in executions.device.table],
        bool,
    )
    # an op faster than the clock still took time
    micros = np.maximum(executions.op_end_rel, 1)
    nodes = np.array([not _NO_NODE.fullmatch(name) for name in executions.node.table], bool)
    counts = timed[executions.device.codes] & (executions.start > 0) & nodes[executions.node.codes]
    return np.where(counts, micros, 0)
