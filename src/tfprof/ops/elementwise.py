"""Ops that take each element by itself: 40 unary names are one rule, 30 binary ones another."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub

from tfprof.model.dims import Open, Size, divided, elements, is_positive
from tfprof.ops.rule import BOOL, Call, Family, Fold, Value, flops
from tfprof.ops.shape_tools import (
    broadcasting,
    like,
    merged,
    per_element,
    per_input,
    times,
)

rule = Family("element-wise")

# --- one input; an exponential counts 1 and Rsqrt 2, as in the original

rule(
    "Log Reciprocal Square |"
    " Abs Acos Acosh Asin Asinh Atan Atanh BesselI0e BesselI1e Ceil Conj Cos Cosh Digamma Elu Erf"
    " Erfc Erfinv Exp Expm1 Floor Inv Invert LeakyRelu Lgamma Log1p Ndtri Relu Relu6 Rint Round"
    " Selu Sign Sin Sinh Softplus Softsign Sqrt Tan _MklRelu",
    like(), work=per_input(), reuse=(0,), float_ops=flops,
)  # fmt: skip
rule(
    "Neg", like(), values=lambda call: [_negative(call)], work=per_input(), reuse=(0,),
    float_ops=flops,
)  # fmt: skip
rule("Rsqrt", like(), work=per_input(2), reuse=(0,), float_ops=flops)
rule("Sigmoid Tanh", like(), work=per_input(4), reuse=(0,))
rule("LogicalNot", like(), dtype=BOOL, reuse=(0,))
rule("IsNan IsInf IsFinite", like(), dtype=BOOL, work=per_input())
rule("ClipByValue", like(), work=per_input(2), reuse=(0,))
rule.idle("Cast", like(), dtype="DstT", values=lambda call: [_cast(call)])
rule.idle("ZerosLike OnesLike", like(), values=lambda call: [_all(call)])
rule("CheckNumerics CheckNumericsV2", like(), alias=0)


def _negative(call: Call) -> Value | None:
    value = call.value(0)
    return None if value is None else tuple(None if v is None else v * -1 for v in value)


def _cast(call: Call) -> Value | None:
    """A number as it is; as a truth, 0 or 1."""
    value = call.value(0)
    if value is None or call.dtype("DstT") != BOOL:
        return value
    return tuple(int(entry != 0) if isinstance(entry, int) else None for entry in value)


def _all(call: Call) -> Value | None:
    size = elements(call.input(0))
    entry = int(call.op == "OnesLike")
    return (entry,) * size if isinstance(size, int) and size <= _SMALL else None


_SMALL = 64

# --- two inputs that stretch over each other


def folded(compute: Callable[[Size, Size], Size | None]) -> Fold:
    """Entry by entry on small whole numbers; a single one goes with all of the other."""

    def values(call: Call) -> list[Value | None]:
        one, other = call.value(0), call.value(1)
        if one is None or other is None:
            return [None]
        ranks = (len(shape) for index in (0, 1) if (shape := call.input(index)) is not None)
        if max(ranks, default=0) > 1 and len(one) != 1 and len(other) != 1:
            return [None]  # entries of matrices do not pair up one by one
        length = max(len(one), len(other)) if one and other else 0
        if len(one) not in (1, length) or len(other) not in (1, length):
            return [None]
        left = one * length if len(one) == 1 else one
        right = other * length if len(other) == 1 else other
        pairs = zip(left, right, strict=True)
        return [tuple(None if a is None or b is None else compute(a, b) for a, b in pairs)]

    return values


def _whole_quotient(one: Size, other: Size) -> Size | None:
    if isinstance(other, int) and other > 0:
        return one // other
    return divided(one, other)


def _remainder(one: Size, other: Size) -> Size | None:
    return one % other if isinstance(other, int) and other > 0 else None


def _larger(one: Size, other: Size) -> Size | None:
    return one if _is_at_least(one, other) else other if _is_at_least(other, one) else None


def _smaller(one: Size, other: Size) -> Size | None:
    return other if _is_at_least(one, other) else one if _is_at_least(other, one) else None


def _is_at_least(one: Size, other: Size) -> bool:
    return is_positive(one - other + 1)


def _truth(compare: Callable[[Size, Size], bool | None]) -> Fold:
    def decided(one: Size, other: Size) -> Size | None:
        answer = compare(one, other)
        return None if answer is None else int(answer)

    return folded(decided)


def _less(one: Size, other: Size) -> bool | None:
    return True if is_positive(other - one) else False if _is_at_least(one, other) else None


def _equal(one: Size, other: Size) -> bool | None:
    difference = one - other
    return difference == 0 if isinstance(difference, int) else None


def _not(answer: bool | None) -> bool | None:  # noqa: FBT001
    return None if answer is None else not answer


_FOLDS = {
    "Add AddV2": add, "Sub": sub, "Mul": mul, "RealDiv | Div": divided, "Maximum": _larger,
    "Minimum": _smaller, "| FloorDiv TruncateDiv": _whole_quotient,
    "| FloorMod Mod TruncateMod": _remainder,
}  # fmt: skip
for _ops, _compute in _FOLDS.items():
    rule(
        _ops, broadcasting(), values=folded(_compute), work=per_element(), reuse=(0, 1),
        float_ops=flops,
    )  # fmt: skip
rule(
    "Pow | DivNoNan MulNoNan Xdivy Xlogy Xlog1py Atan2 RightShift LeftShift BitwiseAnd BitwiseOr"
    " BitwiseXor Igamma Igammac Zeta Polygamma NextAfter",
    broadcasting(), work=per_element(), reuse=(0, 1), float_ops=flops,
)  # fmt: skip
rule("SquaredDifference", broadcasting(), work=per_element(2), reuse=(0, 1), float_ops=flops)
_TRUTHS: dict[str, Callable[[Size, Size], bool | None]] = {
    "Less": _less,
    "Greater": lambda one, other: _less(other, one),
    "LessEqual": lambda one, other: _not(_less(other, one)),
    "GreaterEqual": lambda one, other: _not(_less(one, other)),
    "Equal": _equal,
    "NotEqual": lambda one, other: _not(_equal(one, other)),
}
for _op, _compare in _TRUTHS.items():
    rule(
        _op, broadcasting(), dtype=BOOL, values=_truth(_compare), work=per_element(),
        float_ops=flops,
    )  # fmt: skip
rule("ApproximateEqual", broadcasting(), dtype=BOOL, work=per_element(2))
rule(
    "LogicalAnd", broadcasting(), dtype=BOOL, reuse=(0, 1),
    values=folded(lambda a, b: int(a == 1 and b == 1)),
)  # fmt: skip
rule(
    "LogicalOr", broadcasting(), dtype=BOOL, reuse=(0, 1),
    values=folded(lambda a, b: int(1 in (a, b))),
)  # fmt: skip

# --- gradients of activations: shaped like what they are the gradient of

rule(
    "EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad SeluGrad",
    like(), work=per_element(), reuse=(0, 1),
)  # fmt: skip
rule("SoftsignGrad SoftplusGrad SqrtGrad", like(), work=per_element(3), reuse=(0, 1))
rule("RsqrtGrad", like(), work=per_element(4), reuse=(0, 1), float_ops=flops)
rule("SigmoidGrad TanhGrad", like(), work=per_element(3), reuse=(0, 1))

# --- more than two


def _any_shape(call: Call) -> list[Open]:
    """All inputs have one shape; what is known of any of them is known of it."""
    shape = call.input(0)
    for index in range(1, call.input_count):
        shape = merged(shape, call.input(index))
    return [shape]


def _additions(call: Call) -> Size | None:
    """As the original counts them: by the first summand, which may be less known than the sum."""
    return times(call.input_count - 1, elements(call.input(0))) if call.input_count > 1 else 0


rule(
    "AddN | AccumulateNV2", _any_shape, reuse=(0, 1), float_ops=_additions,
    work=lambda call: times(max(0, call.input_count - 1), elements(call.output(0))),
)  # fmt: skip
rule.idle("Select", lambda call: [merged(call.input(1), call.input(2))], reuse=(1, 2))
rule.idle("SelectV2", broadcasting(3), reuse=(1, 2), values=lambda call: [_chosen(call)])


def _chosen(call: Call) -> Value | None:
    which = call.scalar(0)
    return None if not isinstance(which, int) else call.value(1 if which else 2)
