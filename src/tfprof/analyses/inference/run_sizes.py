"""The sizes that symbols had in a run: told by any tensor that it met."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof.analyses.inference.sites import Site
from tfprof.model.dims import Dim, symbols
from tfprof.model.profile import ProfileData
from tfprof.ops.run_shapes import RunShapes


def sizes_of_run(data: ProfileData, sites: Iterable[Site]) -> dict[str, int]:
    """Symbol to size, where a dimension that is just the symbol was met."""
    run = data.recorded
    if run is None:
        return {}
    met = RunShapes(run)
    found: dict[str, int] = {}
    for site in sites:
        for port, tensor in enumerate(site.call.outputs):
            open_ = [
                (axis, size)
                for axis, size in enumerate(tensor.shape or ())
                if isinstance(size, Dim) and _name(size) not in ("", *found)
            ]
            shape = met.of(site.name, port) if open_ else None
            if shape is None or tensor.shape is None or len(shape) != len(tensor.shape):
                continue
            for axis, size in open_:
                known = shape[axis]
                if known is not None:
                    found.setdefault(_name(size), known)
    return found


def _name(size: Dim) -> str:
    """The symbol that a size is, if it is nothing else."""
    (name, *others) = [*symbols(size), ""]
    return name if size == Dim({((name, 1),): 1}) and others == [""] else ""
