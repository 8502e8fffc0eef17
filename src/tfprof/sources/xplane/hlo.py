"""XLA's programs: which op of the framework each instruction was compiled from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tfprof.model.op_names import OpKind, OpName
from tfprof.wire.schema import Proto, message_class

Program = Mapping[str, OpName]


def programs(found: Iterable[tuple[str, bytes]]) -> dict[str, Program]:
    """By name, with and without the number behind it: the op of each instruction.

    A program that cannot be read is left out: its instructions stand for themselves.
    """
    from google.protobuf.message import DecodeError

    made: dict[str, Program] = {}
    for name, data in found:
        try:
            module = message_class("HloProto").FromString(data).hlo_module
        except DecodeError:
            continue
        ops = _ops(module)
        made[name] = ops
        made.setdefault(name.rpartition("(")[0] or name, ops)
    return made


def unknown(instruction: str) -> OpName:
    """An instruction of no known program: named after its opcode, as XLA names them."""
    return OpName(OpKind.XLA, instruction, instruction.partition(".")[0])


def _ops(module: Proto) -> Program:
    inside = {one.id: one for one in module.computations}
    return {
        instruction.name: _op(instruction, inside)
        for computation in module.computations
        for instruction in computation.instructions
    }


def _op(instruction: Proto, inside: Mapping[int, Proto]) -> OpName:
    own = instruction.metadata
    if not own.op_name:
        own = _fused(instruction, inside)
    if own is None:
        return OpName(OpKind.XLA, instruction.name, instruction.opcode)
    return OpName(OpKind.XLA, own.op_name, own.op_type or own.op_name.rpartition("/")[2])


def _fused(instruction: Proto, inside: Mapping[int, Proto]) -> Proto:
    """What a fusion that says nothing itself was made of: what comes out of it, else the most."""
    computations = [inside[one] for one in instruction.called_computation_ids if one in inside]
    parts = [(c.root_id, part) for c in computations for part in c.instructions]
    named = [(part.id == root, part.metadata) for root, part in parts if part.metadata.op_name]
    for is_root, metadata in named:
        if is_root:
            return metadata
    counts = Counter(metadata.op_name for _, metadata in named)
    if not counts:
        return None
    most = counts.most_common(1)[0][0]
    return next(metadata for _, metadata in named if metadata.op_name == most)
