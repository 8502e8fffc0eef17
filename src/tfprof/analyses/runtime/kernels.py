"""The kernels of devices: how often, how long, with which registers, memory, grid and occupancy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce

import numpy as np
import numpy.typing as npt

from tfprof.analyses.device_events.columns import DeviceEvents, device_events
from tfprof.late_pattern import late_pattern
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.model.interned import Interned
from tfprof.model.joint_codes import joint_codes
from tfprof.model.kernel_names import short_name
from tfprof.model.merging import merged
from tfprof.model.xspace import Plane, Space
from tfprof.results.device_work import Kind
from tfprof.results.kernels import KernelsPartial, KernelSums, Launch

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_DETAILS = "kernel_details"
_OCCUPANCY = "theoretical_occupancy_pct"
# more registers than any thread can have: an old tracer writes garbage
_MOST_REGISTERS = 1024
_PART = late_pattern(r"(\w+):(\S+)")
_SHARED = ("static_shared", "dynamic_shared", "shm", "group_mem")
# what libraries build into the names of kernels that use such cores: cuBLAS, cuDNN, CUTLASS,
# AMD's Tensile with a matrix instruction, its attention, and what Triton makes of products
_TENSOR_CORES = late_pattern(
    r"16816|c1688|h1688|s1688|h884|s884|hmma|i8816|i16832|xmma_gemm|xmma_implicit_gemm"
    r"|xmma_sparse|conv1x1|sm90_|sm100_|wgmma|tensorop|Cijk_.*MI\d|ck_tile.*Fmha|gemm_fusion",
    re.IGNORECASE,
)
# what stands beside a product: it prepares, fills, converts or adds up
_BESIDE = late_pattern(
    r"FmhaBwdOGradDotOKernel|FmhaBwdConvertQGradKernel|fillBuffer|copyBuffer|rng_state|reduce|memset",
    re.IGNORECASE,
)
# the same libraries' kernels for ordinary cores
_ORDINARY = late_pattern(
    r"[sdcz]gemm|gemv|scudnn|implicit_convolve|winograd|fft|eigen", re.IGNORECASE
)
_ELIGIBLE_KINDS = (Kind.MATMUL.value, Kind.CONVOLUTION.value, Kind.ATTENTION.value)


def kernels(spaces: Iterable[Space]) -> KernelsPartial:
    """Of all devices of all hosts."""
    return merged([KernelsPartial(), *map(of_space, spaces)])


def kernels_of(hosts: Hosts) -> KernelsPartial:
    return hosts.merged(KERNELS.key, _of_host) if hosts else KernelsPartial()


def _of_host(host: Host) -> KernelsPartial:
    space = host.trace.space
    return KernelsPartial() if space is None else of_space(space)


KERNELS = HostTask("kernels", _of_host, together=True)


def of_space(space: Space) -> KernelsPartial:
    parts = (KernelsPartial(tuple(_of(one))) for one in device_events(space) if len(one))
    return merged([KernelsPartial(), *parts])


def _of(events: DeviceEvents) -> list[KernelSums]:
    plane = events.plane
    # before all else, while there is least in memory
    details = _texts(plane, _DETAILS)
    rows, kernel, op = events.rows, events.kernel, events.op
    occupancy = _floats_at(plane, _OCCUPANCY, rows)
    group, _ = joint_codes([kernel.codes, op.codes])
    order = np.argsort(group, kind="stable")
    made = []
    for mine in np.split(order, np.cumsum(np.bincount(group))[:-1]):
        row = int(mine[0])
        took, name = events.self_ps[mine], kernel[row]
        _, first = np.unique(details.codes[rows[mine]], return_index=True)
        eligible = events.kind[row] in _ELIGIBLE_KINDS and not _BESIDE.search(name)
        launches = [
            _launch(name, details[int(rows[it])], float(occupancy[it]), eligible=eligible)
            for it in mine[first].tolist()
        ]
        made.append(
            KernelSums(
                name,
                short_name(name),
                op[row],
                frozenset((plane.device,)),
                len(mine),
                int(took.sum()),
                int(took.min()),
                int(took.max()),
                int(took[events.is_half[mine]].sum()),
                reduce(Launch.merge, launches),
                bool(events.is_copy[row]),
            )
        )
    return sorted(made, key=lambda one: one.key)


def _launch(name: str, details: str, stated: float, *, eligible: bool) -> Launch:
    parts = dict(_PART.findall(details))
    uses = _uses_tensor_cores(name, eligible=eligible)
    return Launch(
        _registers(parts),
        _shared(parts),
        parts.get("grid"),
        parts.get("block"),
        _percent(parts, stated),
        uses,
        eligible or bool(uses),
    )


def _uses_tensor_cores(name: str, *, eligible: bool) -> bool | None:
    """By its name, which libraries build from what a kernel does; None if that says nothing."""
    if _TENSOR_CORES.search(name) and not _BESIDE.search(name):
        return True
    return None if eligible and not _ORDINARY.search(name) else False


def _texts(plane: Plane, stat: str) -> Interned:
    """A stat of all events, the empty string without one."""
    found = plane.stat(stat)
    texts = found.texts()
    if len(found) == len(plane.events):
        return texts
    codes = np.full(len(plane.events), len(texts.table), np.int32)
    codes[found.rows] = texts.codes
    return Interned(codes, [*texts.table, ""])


def _floats_at(plane: Plane, stat: str, rows: Ints) -> Floats:
    if not plane.has_stat(stat):
        return np.broadcast_to(np.float64(np.nan), (len(rows),))
    found = plane.stat(stat)
    values = np.full(len(plane.events), np.nan)
    values[found.rows] = found.floats()
    return values[rows]


def _registers(parts: dict[str, str]) -> int | None:
    count = _whole(parts.get("regs"))
    return count if count is not None and count <= _MOST_REGISTERS else None


def _shared(parts: dict[str, str]) -> int | None:
    """Static and dynamic; earlier one number, and AMD calls it the memory of a group."""
    found = [_whole(parts.get(key)) for key in _SHARED]
    known = [size for size in found if size is not None]
    return sum(known) if known else None


def _percent(parts: dict[str, str], stated: float) -> float | None:
    """As a share of 1; AMD's tracer writes 0 for what it does not know."""
    try:
        found = float(parts["occ_pct"]) if np.isnan(stated) else stated
    except (KeyError, ValueError):
        return None
    return found / 100 if found > 0 else None


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
