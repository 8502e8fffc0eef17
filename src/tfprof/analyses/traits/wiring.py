"""Who made a tensor and who reads it, over the inferred ops of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from tfprof.analyses.inference.sites import Site
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Open, Size, elements
from tfprof.ops.rule import Tensor

_PASSES_ON = frozenset({"Identity", "Reshape", "Squeeze", "ExpandDims", "Cast", "ReadVariableOp"})
_LONGEST = 8


@frozen_dataclass(slots=False)
class Wiring:
    """Tensors are objects that the op that makes one and those that read it share."""

    sites: Sequence[Site]

    @cached_property
    def _makers(self) -> dict[int, Site]:
        return {id(tensor): site for site in self.sites for tensor in site.call.outputs}

    @cached_property
    def _readers(self) -> dict[int, list[Site]]:
        found: dict[int, list[Site]] = {}
        for site in self.sites:
            for tensor in site.call.inputs:
                found.setdefault(id(tensor), []).append(site)
        return found

    def maker(self, tensor: Tensor) -> Site | None:
        """The op that a tensor comes from, past those that only hand it on."""
        site = self._makers.get(id(tensor))
        for _ in range(_LONGEST):
            if site is None or site.op not in _PASSES_ON or not site.call.inputs:
                return site
            site = self._makers.get(id(site.call.inputs[0]))
        return site

    def makers(self, site: Site) -> Iterator[Site]:
        """Of what an op reads."""
        found = (self.maker(tensor) for tensor in site.call.inputs)
        return (one for one in found if one is not None)

    def readers(self, site: Site) -> Iterator[Site]:
        """Of what an op makes, past those that only hand it on."""
        stack, seen = [site], 0
        while stack and seen < 1 << 10:
            seen += 1
            at = stack.pop()
            for tensor in at.call.outputs:
                for one in self._readers.get(id(tensor), ()):
                    if one.op in _PASSES_ON:
                        stack.append(one)
                    else:
                        yield one


def count(shape: Open) -> Size | None:
    return elements(shape)


def output(site: Site) -> Open:
    return site.call.output(0)
