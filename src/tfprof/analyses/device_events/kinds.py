"""The kind of work of a kernel or an instruction: by its op, by XLA's words, by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tfprof.late_pattern import late_pattern
from tfprof.model.device_labels import LABELS
from tfprof.results.device_work import Activity, Kind

_OF_ACTIVITY = {
    Activity.MEMSET: Kind.MEMSET,
    Activity.COLLECTIVE: Kind.COLLECTIVE,
    Activity.WAITING: Kind.WAITING,
    Activity.INPUT: Kind.FEED,
    Activity.OUTPUT: Kind.FEED,
}
# what the rules of ops call their families
_OF_FAMILY = {
    "matrix products": Kind.MATMUL,
    "convolutions": Kind.CONVOLUTION,
    "element-wise": Kind.ELEMENTWISE,
    "reductions": Kind.REDUCTION,
    "normalisation": Kind.NORMALISATION,
    "pooling": Kind.POOLING,
    "recurrent": Kind.RECURRENT,
    "random": Kind.RANDOM,
    "arrays": Kind.DATA,
    "images": Kind.DATA,
    "variables": Kind.UPDATE,
    "quantized": Kind.MATMUL,
}
# words of XLA's instructions, which fusions are named after, and of libraries of kernels;
# the first that fits decides
_WORDS = {
    Kind.ATTENTION: "attn|attention|fmha|flash",
    Kind.CONVOLUTION: "conv(?!ert)|cudnn|implicit_gemm|wgrad|dgrad|winograd",
    Kind.MATMUL: "gemm|gemv|dot|matmul|einsum|cublas|cutlass|cijk_|s884|s1688|s16816",
    Kind.NORMALISATION: "batch_?norm|layer_?norm|rms_?norm|bn_fw|bn_bw",
    Kind.POOLING: "pool|reduce-window|select-and-scatter",
    Kind.RANDOM: "rng|random|philox|threefry|uniform|normal_distribution",
    Kind.REDUCTION: "reduc|softmax|argmax|argmin|sort|cumsum|cumulative",
    Kind.DATA: (
        r"transpose|concat|gather|scatter|slice|\bpad\b|reverse|copy|bitcast|reshape|iota"
        r"|broadcast(?!_\w)|tuple|swapdimension|tile|split|pack"
    ),
    Kind.ELEMENTWISE: (
        r"add|sub|mul|div|max|min|exp|log|tanh|sqrt|pow|neg|abs|sign|compare|select|convert|cast"
        r"|clamp|and\b|or\b|xor|not\b|relu|sigmoid|erf|gelu|floor|ceil|round|where|loop fusion"
        r"|elementwise|element_wise|eigenmetakernel|vectorized"
    ),
}
_PATTERNS = {kind: late_pattern(words, re.IGNORECASE) for kind, words in _WORDS.items()}


def kind_of(activity: Activity, *words: str) -> Kind:
    """By what an event is called: the type of its op, instruction, kernel; the first tells most."""
    if activity is not Activity.COMPUTE:
        return _OF_ACTIVITY.get(activity, Kind.COPY)
    for text in words:
        if text in LABELS:
            continue
        family = _families().get(text)
        if family in _OF_FAMILY:
            return _OF_FAMILY[family]
        for kind, pattern in _PATTERNS.items():
            if pattern.search(text):
                return kind
    return Kind.OTHER


@cache
def _families() -> Mapping[str, str]:
    """By op type. Loaded when kinds are asked for: a capture needs nothing else of the rules."""
    from tfprof.ops.rule import rules

    return {op: rule.family for op, rule in rules().items()}
