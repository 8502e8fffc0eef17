"""A kernel's name as people say it: demangled, without arguments, templates folded."""

from __future__ import annotations

import re
from functools import lru_cache

from tfprof.late_pattern import late_pattern

# behind the name of a kernel of AMD's, and of a copy that a compiler made of a function
_ENDS = late_pattern(r"(?:\s*\[clone [^\]]*\]|\.kd)+$")
_RETURNS = late_pattern(r"^(?:void|static|inline|__global__)\s+")
_ANONYMOUS = late_pattern(r"\(anonymous namespace\)::")
# such a kernel runs whatever it is given: what that is stands among its arguments
_RUNS_OTHERS = frozenset((
    "EigenMetaKernel", "kentry", "Kernel", "Kernel2", "kernel", "device_kernel", "kernel_entry",
    "elementwise_kernel", "vectorized_elementwise_kernel", "unrolled_elementwise_kernel",
    "reduce_kernel", "DeviceReduceKernel", "kernel_main",
))  # fmt: skip
_FUNCTOR = late_pattern(r"\b(scalar_\w+|\w+(?:Functor|_functor|Kernel|Reducer|_op))\b")
_LENGTH = late_pattern(r"(\d+)")
_MOST_ARGUMENTS = 2


@lru_cache(maxsize=1 << 14)
def short_name(kernel: str) -> str:
    """`EigenMetaKernel<scalar_product_op>` of a name of a thousand letters."""
    name = _ENDS.sub("", kernel.strip())
    if name.startswith("_Z"):
        name = _demangled(name) or name
    name = _ANONYMOUS.sub("", name)
    while _RETURNS.match(name):
        name = _RETURNS.sub("", name)
    head, template, _ = _cut(name)
    last = head.rpartition("::")[2].strip() or head.strip()
    if last in _RUNS_OTHERS and template:
        found = [one for one in dict.fromkeys(_FUNCTOR.findall(template)) if one != last]
        if found:
            return f"{last}<{', '.join(found[:_MOST_ARGUMENTS])}>"
    return last or kernel


def _cut(name: str) -> tuple[str, str, str]:
    """What stands before the first angle bracket, in it, and behind it; arguments are left out."""
    begin = name.find("<")
    arguments = name.find("(")
    if begin < 0 or (0 <= arguments < begin):
        return (name if arguments <= 0 else name[:arguments]), "", ""
    depth = 0
    for at in range(begin, len(name)):
        depth += (name[at] == "<") - (name[at] == ">")
        if not depth:
            behind = name[at + 1 :]
            if behind.startswith("::"):  # the template is a class around the kernel
                inner, template, rest = _inner(behind[2:])
                return inner, template, rest
            return name[:begin], name[begin + 1 : at], behind
    return name[:begin], name[begin + 1 :], ""


def _inner(name: str) -> tuple[str, str, str]:
    head = re.split(r"[<(]", name, maxsplit=1)[0]
    return head, name[len(head) :], ""


def _demangled(name: str) -> str:
    """The scopes of a name as compilers write them: each with its length in front."""
    rest = name[2:].lstrip("N").lstrip("K")
    parts: list[str] = []
    while (match := _LENGTH.match(rest)) is not None:
        end = match.end() + int(match[1])
        parts.append(rest[match.end() : end])
        rest = rest[end:]
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N"))
