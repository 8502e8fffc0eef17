"""Layers that move values and compute nothing, or nothing at inference."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.analyses.keras_layers.convolutions import grid, rank_of
from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Sizes,
    Unknown,
    count,
    layer,
    positive,
)
from tfprof.model.dims import Size, divided


@layer("Identity Masking ActivityRegularization Dropout SpatialDropout1D SpatialDropout2D"
       " SpatialDropout3D AlphaDropout GaussianDropout GaussianNoise StochasticDepth")  # fmt: skip
def _same(call: Call) -> Cost:
    work: Size = call.x.elements if call.class_name == "Masking" else 0
    return call.cost(call.moved(*call.x.shape), work=work)


@layer("Flatten")
def _flatten(call: Call) -> Cost:
    batch, *left = call.x.shape
    return call.cost(call.moved(batch, count(left)))


def filled(elements: Size, target: Sequence[object]) -> Sizes:
    """A target with its -1 worked out."""
    sizes: list[Size] = [size for size in target if isinstance(size, int)]
    if len(sizes) != len(target):
        raise Unknown("the shape to take is not written in numbers")
    if -1 not in sizes:
        return tuple(sizes)
    place = sizes.index(-1)
    rest = divided(elements, count([size for at, size in enumerate(sizes) if at != place]))
    if rest is None:
        raise Unknown(f"{elements} elements cannot be divided among {list(target)}")
    sizes[place] = rest
    return tuple(sizes)


@layer("Reshape")
def _reshape(call: Call) -> Cost:
    batch, *left = call.x.shape
    target = call.config.get("target_shape")
    if not isinstance(target, list | tuple):
        raise Unknown("Reshape has no 'target_shape'")
    known = [-1 if size is None else size for size in target]
    return call.cost(call.moved(batch, *filled(count(left), known)))


@layer("Permute")
def _permute(call: Call) -> Cost:
    shape = call.x.shape
    order = call.integers("dims", len(shape) - 1)
    return call.cost(call.moved(shape[0], *(shape[axis] for axis in order)))


@layer("RepeatVector")
def _repeat(call: Call) -> Cost:
    batch, features = call.x.shape
    return call.cost(call.moved(batch, call.integer("n"), features))


def _pairs(call: Call, name: str, rank: int) -> list[tuple[int, int]]:
    value = call.config.get(name)
    if (
        rank == 1
        and isinstance(value, list | tuple)
        and len(value) == 2
        and isinstance(value[0], int)
    ):
        value = [value]
    if isinstance(value, int):
        value = [value] * rank
    if not isinstance(value, list | tuple) or len(value) != rank:
        raise Unknown(f"{call.class_name} has no {rank} pairs {name!r}")
    return [(one, one) if isinstance(one, int) else (int(one[0]), int(one[1])) for one in value]


@layer("ZeroPadding1D ZeroPadding2D ZeroPadding3D")
def _pad(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    pairs = _pairs(call, "padding", len(at.space))
    space = tuple(size + sum(pair) for size, pair in zip(at.space, pairs, strict=True))
    return call.cost(call.moved(*at.shaped(space, at.channels)))


@layer("Cropping1D Cropping2D Cropping3D")
def _crop(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    pairs = _pairs(call, "cropping", len(at.space))
    space = tuple(
        positive(size - sum(pair), "a cropped size")
        for size, pair in zip(at.space, pairs, strict=True)
    )
    return call.cost(call.moved(*at.shaped(space, at.channels)))


@layer("UpSampling1D UpSampling2D UpSampling3D")
def _up(call: Call) -> Cost:
    at = grid(call, rank_of(call))
    factors = call.integers("size", len(at.space), 2)
    space = tuple(size * factor for size, factor in zip(at.space, factors, strict=True))
    out = call.moved(*at.shaped(space, at.channels))
    return call.cost(out, work=out.elements * interpolation(call.text("interpolation", "nearest")))


def interpolation(name: str) -> int:
    """Operations for each element of a resized image: of 4, 16 or 36 neighbours, weighted."""
    factors = {
        "nearest": 0,
        "bilinear": 7,
        "area": 7,
        "bicubic": 31,
        "lanczos3": 71,
        "lanczos5": 199,
    }
    return factors.get(name, 7)
