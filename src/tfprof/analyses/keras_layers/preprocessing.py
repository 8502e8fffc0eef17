"""Preprocessing whose output shape the config tells."""

from __future__ import annotations

from tfprof.analyses.keras_layers.convolutions import grid
from tfprof.analyses.keras_layers.rule import Call, Cost, Sizes, Tensor, Unknown, layer
from tfprof.analyses.keras_layers.shaping import interpolation
from tfprof.model.dims import Size


@layer("Rescaling")
def _rescale(call: Call) -> Cost:
    return call.cost(call.made(*call.x.shape), work=call.x.elements * 2)


@layer("Resizing CenterCrop RandomCrop")
def _resize(call: Call) -> Cost:
    batched = len(call.x.shape) == 4
    at = grid(call, 2, leading=1 if batched else 0)
    out = call.made(*at.shaped((call.integer("height"), call.integer("width")), at.channels))
    factor = interpolation(call.text("interpolation", "bilinear"))
    return call.cost(out, work=out.elements * factor if call.class_name == "Resizing" else 0)


@layer("RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast RandomErasing"
       " RandomFlip RandomGaussianBlur RandomGrayscale RandomHue RandomInvert RandomPerspective"
       " RandomPosterization RandomRotation RandomSaturation RandomSharpness RandomShear"
       " RandomTranslation RandomZoom RandomElasticTransform MixUp CutMix RandAugment"
       " AugMix")  # fmt: skip
def _augment(call: Call) -> Cost:
    """At inference an image passes as it is."""
    return call.cost(call.made(*call.x.shape))


def _encoded(call: Call, depth: int, mode: str, shape: Sizes) -> Cost:
    if mode == "int":
        return call.cost(Tensor(shape, "int64"))
    if mode == "one_hot" and (len(shape) == 1 or shape[-1] != 1):
        return call.cost(call.made(*shape, depth))
    return call.cost(call.made(*shape[:-1], depth))


@layer("CategoryEncoding")
def _category(call: Call) -> Cost:
    shape = call.x.shape
    return _encoded(call, call.integer("num_tokens"), call.text("output_mode", "multi_hot"), shape)


@layer("Hashing")
def _hash(call: Call) -> Cost:
    mode = call.text("output_mode", "int")
    if mode == "int":
        return call.cost(Tensor(call.x.shape, "int64"))
    return call.cost(call.made(*call.x.shape[:-1], call.integer("num_bins")))


@layer("HashedCrossing")
def _crossing(call: Call) -> Cost:
    mode = call.text("output_mode", "int")
    return _encoded(call, call.integer("num_bins"), mode, call.x.shape)


@layer("Discretization")
def _discretize(call: Call) -> Cost:
    mode, shape = call.text("output_mode", "int"), call.x.shape
    if mode == "int":
        return call.cost(Tensor(shape, "int64"))
    edges = call.config.get("bin_boundaries")
    depth: Size = len(edges) + 1 if isinstance(edges, list) else call.integer("num_bins")
    if mode == "one_hot":
        front = shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
        return call.cost(call.made(*front, depth))
    return call.cost(call.made(shape[0], *shape[2:], depth))


@layer("StringLookup IntegerLookup")
def _lookup(call: Call) -> Cost:
    mode = call.text("output_mode", "int")
    if mode == "int":
        dtype = "string" if call.flag("invert") and call.class_name == "StringLookup" else "int64"
        return call.cost(Tensor(call.x.shape, dtype))
    name = "max_tokens" if call.flag("pad_to_max_tokens") else "vocabulary_size"
    return _encoded(call, call.integer(name), mode, call.x.shape)


@layer("TextVectorization")
def _text(call: Call) -> Cost:
    length = call.config.get("output_sequence_length")
    if call.text("output_mode", "int") != "int" or not isinstance(length, int):
        raise Unknown("how many words a text has is not in the config")
    return call.cost(Tensor((call.x.shape[0], length), "int64"))
