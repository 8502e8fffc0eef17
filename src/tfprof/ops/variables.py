"""Variables: making, reading, assigning, scattering into them, and the updates of optimizers."""

from __future__ import annotations

from dataclasses import replace

from tfprof.model.dims import Open, Size, elements
from tfprof.ops.holders import listed_shapes, listed_types
from tfprof.ops.rule import BOOL, INT32, UNKNOWN, Call, Count, Family, Tensor
from tfprof.ops.shape_tools import (
    by_attribute,
    fixed,
    like,
    merged,
    no_output,
    per_input,
    times,
)
from tfprof.wire import dtypes as t

rule = Family("variables")

# --- making and reading


def _old_variable(call: Call) -> list[Open]:
    """The first kind of variable writes an unknown shape as that of a scalar."""
    return [call.stated() or None]


def _handle(call: Call) -> list[Tensor]:
    return [Tensor((), holds=Tensor(call.stated(), call.dtype("dtype")))]


def _handles(call: Call) -> list[Tensor]:
    pairs = zip(listed_shapes(call, "shapes"), listed_types(call, "dtypes"), strict=False)
    return [Tensor((), holds=Tensor(shape, dtype)) for shape, dtype in pairs]


def behind(call: Call, index: int = 0) -> Tensor:
    """What an input leads to: the variable of a handle, a variable itself."""
    if index >= call.input_count:
        return UNKNOWN
    one = call.inputs[index]
    if one.holds is not None:
        return one.holds
    return UNKNOWN if one.dtype in {0, t.RESOURCE, t.VARIANT} else one


def _read(call: Call) -> list[Tensor]:
    return [Tensor(behind(call).shape, holds=behind(call).holds)]


def _read_all(call: Call) -> list[Tensor]:
    return [
        Tensor(behind(call, place).shape, dtype)
        for place, dtype in enumerate(listed_types(call, "dtypes"))
    ]


rule.idle("Variable", _old_variable, dtype="dtype", allocates=False)
rule.idle("VariableV2", by_attribute(), dtype="dtype", allocates=False)
rule.idle("TemporaryVariable", by_attribute(), dtype="dtype")
rule.idle("DestroyTemporaryVariable", like(), alias=0)
rule.idle("VarHandleOp", _handle, dtype=t.RESOURCE, allocates=False)
rule.idle("_VarHandlesOp", _handles, dtype=t.RESOURCE, allocates=False)
rule.idle("ReadVariableOp", _read, dtype="dtype", alias=0)
rule.idle("_ReadVariablesOp", _read_all, alias=0)
rule.idle("IsVariableInitialized VarIsInitializedOp", fixed(()), dtype=BOOL)
rule.idle("DestroyResourceOp", no_output, allocates=False)
rule("CountUpTo ResourceCountUpTo", fixed(()))

# --- assigning


def _assigned(call: Call) -> list[Tensor]:
    ref, value = call.inputs[0], call.inputs[1]
    checked = call.attributes.get("validate_shape")
    if checked is not None and not checked.b:
        return [replace(ref, shape=value.shape, value=None)]
    return [replace(ref, shape=merged(ref.shape, value.shape), value=None)]


def _updated(call: Call) -> list[Tensor]:
    """The variable itself, with another value."""
    return [replace(call.inputs[0], value=None)]


rule.idle("Assign", _assigned, alias=0, allocates=False)
rule(
    "AssignAdd AssignSub", _assigned, alias=0, allocates=False, work=per_input(1, 1),
    float_ops=per_input(),
)  # fmt: skip
rule.idle("AssignVariableOp", no_output, allocates=False)
rule("AssignAddVariableOp AssignSubVariableOp", no_output, allocates=False, work=per_input(1, 1))

# --- scattering

_ARITHMETIC = "Add Sub Mul Div Min Max"
for _kind, _words in {"Scatter": _ARITHMETIC, "ScatterNd": "Add Sub Min Max"}.items():
    _ops = " ".join(_kind + word for word in _words.split())
    _on_handles = " ".join(f"Resource{_kind}{word}" for word in _words.split())
    _one_each = per_input(1, 2)
    rule(_ops, _updated, alias=0, allocates=False, work=_one_each)
    rule(_on_handles, no_output, allocates=False, work=_one_each)
rule.idle("ScatterUpdate ScatterNdUpdate", _updated, alias=0, allocates=False)
rule.idle("ResourceScatterUpdate | ResourceScatterNdUpdate", no_output, allocates=False)

# --- optimizers

# The position of the gradient, and how many operations an element takes: every +, -, *, / and
# maximum, |x|, sign, root, exponential and power is 1, 1/sqrt(x) is 2. What is computed once, on
# the rates, is not counted.
_UPDATES = {
    "GradientDescent": (2, 2),  # var -= lr*g
    "Momentum": (3, 4),  # a = a*mu + g (2), var -= lr*a (2)
    "KerasMomentum": (3, 4),  # a = a*mu - lr*g (3), var += a (1)
    "Adagrad": (3, 7),  # a += g*g (2), var -= lr*g*rsqrt(a) (5)
    "AdagradV2": (4, 7),  # a += g*g (2), var -= lr*g / (sqrt(a)+eps) (5)
    # s += g (1), q += g*g (2), var = -lr * sign(s)*max(|s|-c, 0) / (sqrt(q)+d) (10)
    "AdagradDA": (3, 13),
    "Adam": (9, 12),  # m += (g-m)*c (3), v += (g*g-v)*d (4), var -= m*a / (sqrt(v)+eps) (5)
    "AdamWithAmsgrad": (10, 13),  # and vhat = max(vhat, v)
    "AdaMax": (8, 10),  # m += (g-m)*c (3), v = max(b*v, |g|) (3), var -= a * m/(v+eps) (4)
    # ms += (g*g-ms)*c (4), mom = mom*mu + lr*g*rsqrt(ms+eps) (7), var -= mom (1)
    "RMSProp": (7, 12),
    # besides mg += (g-mg)*c (3), and ms - mg*mg under the root (2)
    "CenteredRMSProp": (8, 17),
    # n = a + g*g (2), l += g - (n^p - a^p)/lr*var (7), q = n^p/lr + c (2),
    # var = (sign(l)*l1 - l)/q where |l| > l1 (6)
    "Ftrl": (3, 17),
    "FtrlV2": (3, 19),  # and g + c*var (2)
    # a = a*rho + g*g*c (4), d = sqrt(u+eps)*rsqrt(a+eps)*g (7), var -= lr*d (2), and
    # four for u, which keeps d as a keeps g
    "Adadelta": (6, 17),
    # p = var - lr*g (2), var = sign(p)*max(|p|-c, 0)/d (6)
    "ProximalGradientDescent": (4, 8),
    # a += g*g (2), r = lr*rsqrt(a) (3), p = var - r*g (2), the same with r*l1, 1 + r*l2 (9)
    "ProximalAdagrad": (5, 16),
    "AddSign": (6, 11),  # m = m*b + g*c (3), var -= lr * (alpha + d*sign(g)*sign(m)) * g (8)
    "PowerSign": (6, 11),  # m = m*b + g*c (3), var -= lr * exp(d*sign(g)*sign(m)) * g (8)
}
# what looking ahead adds
_NESTEROV = 3
_DENSE_ONLY = {
    "GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax", "AddSign", "PowerSign",
}  # fmt: skip
_ON_HANDLES_ONLY = {"KerasMomentum", "AdamWithAmsgrad"}


def _update_work(gradient: int, per_element: int, *, sparse: bool) -> Count:
    def work(call: Call) -> Size | None:
        """An element of the gradient is one of the variable, unless it is sparse."""
        size = elements(call.input(gradient))
        if size is None and not sparse:
            size = elements(behind(call).shape)
        return times(per_element + _NESTEROV * call.flag("use_nesterov"), size)

    return work


for _name, (_gradient, _count) in _UPDATES.items():
    for _sparse in ("",) if _name in _DENSE_ONLY else ("", "Sparse"):
        _work = _update_work(_gradient, _count, sparse=bool(_sparse))
        rule(f"Resource{_sparse}Apply{_name}", no_output, allocates=False, work=_work)
        if _name not in _ON_HANDLES_ONLY:
            rule(f"{_sparse}Apply{_name}", _updated, alias=0, allocates=False, work=_work)

# --- gradients that wait for each other, and locks


def _accumulator(call: Call) -> list[Tensor]:
    shape = () if call.op.startswith("Resource") else (2,)
    return [Tensor(shape, holds=Tensor(call.stated(), call.dtype("dtype")))]


def _taken(call: Call) -> list[Open]:
    held = call.inputs[0].holds
    return [None if held is None else held.shape]


rule("ConditionalAccumulator SparseConditionalAccumulator", _accumulator, dtype=t.STRING)
rule("ResourceConditionalAccumulator", _accumulator, dtype=t.RESOURCE)
rule("AccumulatorTakeGradient ResourceAccumulatorTakeGradient", _taken, dtype="dtype")
rule("AccumulatorNumAccumulated ResourceAccumulatorNumAccumulated", fixed(()), dtype=INT32)
rule(
    "AccumulatorApplyGradient ResourceAccumulatorApplyGradient", no_output, work=per_input(1, 2)
)  # fmt: skip
rule("AccumulatorSetGlobalStep ResourceAccumulatorSetGlobalStep", no_output)
rule.idle("MutexV2", fixed(()), dtype=t.RESOURCE, allocates=False)
rule("MutexLock", fixed(()), dtype=t.VARIANT, allocates=False)
rule("ConsumeMutexLock", no_output, allocates=False)
