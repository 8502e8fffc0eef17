"""Normalisation: batch statistics are stored, all others computed from the input."""

from __future__ import annotations

from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Unknown,
    Variable,
    axes_of,
    axis_of,
    layer,
    whole,
)

# mean 1, variance 3, subtract and multiply 2
_STATISTICS = 6


def _scale_and_center(
    call: Call, shape: tuple[int, ...], *, scale: bool = True, center: bool = True
) -> list[Variable]:
    wanted = {"gamma": scale and call.flag("scale", absent=True)}
    wanted["beta"] = center and call.flag("center", absent=True)
    return [Variable(name, shape) for name, there in wanted.items() if there]


@layer("BatchNormalization SyncBatchNormalization")
def _batch(call: Call) -> Cost:
    """At inference a multiplication and an addition for each element, with stored statistics."""
    axis = call.config.get("axis", -1)
    axis = axis[0] if isinstance(axis, list) and len(axis) == 1 else axis
    size = whole(call.x.shape[axis_of(axis, len(call.x.shape))], "the normalised axis")
    variables = _scale_and_center(call, (size,))
    state = ["moving_mean", "moving_variance"]
    if call.flag("renorm"):
        state += ["moving_stddev", "renorm_mean", "renorm_stddev"]
    variables += [Variable(name, (size,), trained=False) for name in state]
    return call.cost(call.made(*call.x.shape), variables=variables, work=call.x.elements * 2)


@layer("LayerNormalization")
def _layer(call: Call) -> Cost:
    shape = call.x.shape
    axes = axes_of(call.config.get("axis", -1), len(shape))
    sizes = tuple(whole(shape[axis], "the normalised axis") for axis in axes)
    if call.flag("rms_scaling"):
        return call.cost(
            call.made(*shape), variables=[Variable("gamma", sizes)], work=call.x.elements * 5
        )
    variables = _scale_and_center(call, sizes)
    work = call.x.elements * (_STATISTICS + len(variables))
    return call.cost(call.made(*shape), variables=variables, work=work)


@layer("RMSNormalization")
def _root_mean_square(call: Call) -> Cost:
    shape = call.x.shape
    axes = axes_of(call.config.get("axis", -1), len(shape))
    sizes = tuple(whole(shape[axis], "the normalised axis") for axis in axes)
    return call.cost(
        call.made(*shape), variables=[Variable("scale", sizes)], work=call.x.elements * 4
    )


@layer("GroupNormalization")
def _group(call: Call) -> Cost:
    shape = call.x.shape
    size = whole(shape[axis_of(call.config.get("axis", -1), len(shape))], "the normalised axis")
    variables = _scale_and_center(call, (size,))
    return call.cost(call.made(*shape), variables=variables, work=call.x.elements * _STATISTICS)


@layer("LayerScale")
def _layer_scale(call: Call) -> Cost:
    """Of ConvNeXt in keras.applications."""
    gamma = Variable("gamma", (call.integer("projection_dim"),))
    return call.cost(call.made(*call.x.shape), variables=[gamma], work=call.x.elements)


@layer("UnitNormalization")
def _unit(call: Call) -> Cost:
    return call.cost(call.made(*call.x.shape), work=call.x.elements * 3)


@layer("SpectralNormalization")
def _spectral(call: Call) -> Cost:
    """At inference the wrapped layer alone: its kernel was divided while it was trained."""
    inner = call.engine.inner(call.config.get("layer"), call.inputs, trainable=call.trainable)
    kernels = [one for one in inner.variables if one.name in ("kernel", "embeddings")]
    if not kernels:
        raise Unknown("the layer to normalise has no kernel")
    vector = Variable("vector_u", (1, kernels[0].shape[-1]), trained=False)
    outputs = tuple(call.made(*out.shape) for out in inner.outputs)
    return Cost(outputs, (vector, *inner.variables), inner.macs, inner.work, inner.note)


@layer("Normalization")
def _normalization(call: Call) -> Cost:
    """Subtract and divide, by numbers in the config or learned from data."""
    shape = call.x.shape
    variables = []
    if call.config.get("mean") is None:
        stated = call.config.get("axis", -1)
        axes = [] if stated is None else axes_of(stated, len(shape))
        sizes = tuple(whole(shape[axis], "the normalised axis") for axis in axes)
        variables = [
            Variable("mean", sizes, trained=False),
            Variable("variance", sizes, trained=False),
            Variable("count", (), trained=False),
        ]
    return call.cost(call.made(*shape), variables=variables, work=call.x.elements * 2)
