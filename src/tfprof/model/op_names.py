"""What the name of an event says: which op it ran, of which type, if any."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.kernel_names import short_name

# what an event is called whose file does not name it, such as one that was cut off
NO_NAME = "(no name)"


class OpKind(Enum):
    TENSORFLOW = "TensorFlow"
    JAX = "JAX"
    DATASET = "Dataset"
    COPY = "copy"
    XLA = "XLA"


@frozen_dataclass
class OpName:
    kind: OpKind
    name: str
    type: str


_ITERATOR = "Iterator"
_COPY = "MEMCPY"
_NAME = late_pattern(r"[A-Za-z0-9.][A-Za-z0-9_./>-]*")
_TENSORFLOW_TYPE = late_pattern(r"[A-Z_][a-zA-Z0-9_]*")
# what a compiler calls a kernel
_KERNELS = ("void ", "_Z")
# what XLA puts before the text of an instruction
_HLO_TEXT = "%"
# a function that the runtime made: whoever calls it waits for the ops inside
_FUNCTION = late_pattern(r"__(?:inference|forward|backward)_.*")
_JAX_TYPE = late_pattern(r"[a-z_][a-z0-9_]*(\[.*\])?")


@lru_cache(maxsize=1 << 16)
def op_name(event: str) -> OpName | None:
    """The op behind an event or a kernel's annotation; None for what the user or runtime marked.

    The rules are XProf's: `scope/node:OpType`, `Iterator::Path`, a lower-case type is JAX's.
    """
    name, colon, kind = event.partition(":")
    if not colon:
        is_copy = event.upper().startswith(_COPY)
        return OpName(OpKind.COPY, event, event) if is_copy else None
    if name == _ITERATOR and kind.startswith(":"):
        return OpName(OpKind.DATASET, event, OpKind.DATASET.value)
    if _FUNCTION.fullmatch(kind):
        return None
    if _NAME.fullmatch(name) and _TENSORFLOW_TYPE.fullmatch(kind):
        return OpName(OpKind.TENSORFLOW, name, kind)
    if name and _JAX_TYPE.fullmatch(kind):
        return OpName(OpKind.JAX, name, kind.partition("[")[0])
    return None


def instruction_name(event: str) -> str:
    """Of `%fusion.3 = bf16[8] fusion(%all-reduce.1)`, what it reads does not tell what it is."""
    return event.partition(" = ")[0].removeprefix(_HLO_TEXT)


def kind_of(event: str) -> str:
    """What to call an event in little room: the type of its op, the end of an iterator's path."""
    if event.startswith(_KERNELS):
        return short_name(event)
    if event.startswith(_HLO_TEXT):
        return instruction_name(event)
    op = op_name(event)
    if op is None or op.kind is OpKind.COPY:
        return event
    return event.rpartition("::")[2] if op.kind is OpKind.DATASET else op.type
