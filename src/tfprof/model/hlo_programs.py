"""XLA's programs: which op of the framework each instruction was compiled from, and from where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.op_names import OpKind, OpName
from tfprof.wire.schema import Proto, message_class

_BITS = 1 << 64
_NUMBERED = late_pattern(r"(.*)\((\d+)\)")
_FUSION = "fusion"
# between the names of ops that were made one
_ALSO = ";"
_ADDS_UP, _PRODUCT = late_pattern("reduce_fusion"), late_pattern("gemm|dot|matmul")
# XLA's numbers of F16, BF16 and the floats of 8 bits and fewer
_HALF_TYPES = frozenset((10, 16, 19, 20, 23, 24, 25, 28, 29, 32, 33))


@frozen_dataclass
class Instruction:
    """`category` is what XLA calls its kind: the opcode, of a fusion `loop fusion`.

    `is_half`: what comes out of it has 16 bits or fewer an element.
    """

    op: OpName
    opcode: str
    category: str
    target: str
    source: str
    is_half: bool


class Program:
    """One compiled module; its instructions are looked at when somebody asks for one."""

    def __init__(self, module: Proto) -> None:
        self.module = module

    @cached_property
    def instructions(self) -> Mapping[str, Instruction]:
        inside = {one.id: one for one in self.module.computations}
        return {
            instruction.name: _instruction(instruction, computation, inside, self.module)
            for computation in self.module.computations
            for instruction in computation.instructions
        }


@frozen_dataclass(slots=False)
class Programs:
    """By number, which is 64 bits whatever their sign, and by name: of one name the first."""

    by_number: Mapping[int, Program] = field(default_factory=dict)
    by_name: Mapping[str, Program] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[tuple[str, bytes]]) -> Programs:
        """A program that cannot be read is left out: its instructions stand for themselves."""
        from google.protobuf.message import DecodeError

        by_number: dict[int, Program] = {}
        by_name: dict[str, Program] = {}
        for title, data in found:
            try:
                program = Program(message_class("HloProto").FromString(data).hlo_module)
            except DecodeError:
                continue
            numbered = _NUMBERED.fullmatch(title)
            by_name.setdefault(numbered[1] if numbered else title, program)
            if numbered:
                by_number.setdefault(int(numbered[2]) % _BITS, program)
        return cls(by_number, by_name)

    def program(self, module: str, number: int | None) -> Program | None:
        if number is not None and number % _BITS in self.by_number:
            return self.by_number[number % _BITS]
        return self.by_name.get(module)

    def instruction(self, module: str, number: int | None, name: str) -> Instruction | None:
        program = self.program(module, number)
        return None if program is None else program.instructions.get(name)


def unknown(instruction: str) -> OpName:
    """An instruction of no known program: named after its opcode, as XLA names them."""
    return OpName(OpKind.XLA, instruction, instruction.partition(".")[0])


def of_path(path: str) -> OpName:
    """An op by its path alone, whose end says what it is."""
    return OpName(OpKind.XLA, path, path.rpartition("/")[2])


def _instruction(
    one: Proto, computation: Proto, inside: Mapping[int, Proto], module: Proto
) -> Instruction:
    told = _metadata(one, computation, inside)
    op = OpName(OpKind.XLA, one.name, one.opcode)
    if told is not None:
        name = told.op_name.partition(_ALSO)[0] or told.op_name
        op = OpName(OpKind.XLA, name, told.op_type or name.rpartition("/")[2])
    category = one.opcode
    if one.opcode == _FUSION:
        category = f"{one.fusion_kind.removeprefix('k').lower()} fusion".strip()
    source = "" if told is None else _source(told, module)
    half = _is_half(one.shape)
    return Instruction(op, one.opcode, category, one.custom_call_target, source, half)


def _is_half(shape: Proto) -> bool:
    parts = shape.tuple_shapes[:1]
    return (parts[0] if parts else shape).element_type in _HALF_TYPES


def _metadata(one: Proto, computation: Proto, inside: Mapping[int, Proto]) -> Proto | None:
    """Its own, else that of what it was made of, else of what it finishes."""
    if one.metadata.op_name:
        return one.metadata
    found = _fused(one, inside)
    if found is None and _ADDS_UP.search(one.name):
        # the partial sums of a product are added up by an instruction that says nothing
        made = {other.id: other for other in computation.instructions}
        before = [made[it] for it in one.operand_ids[:1] if it in made]
        products = (other for other in before if _PRODUCT.search(other.name))
        found = next((other.metadata for other in products if other.metadata.op_name), None)
    return found


def _fused(instruction: Proto, inside: Mapping[int, Proto]) -> Proto | None:
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


def _source(told: Proto, module: Proto) -> str:
    """File and line; newer compilers keep them in a table of the module, counted from 1."""
    if told.source_file:
        return f"{told.source_file}:{told.source_line}"
    index = module.stack_frame_index
    frame = _at(index.stack_frames, told.stack_frame_id)
    place = _at(index.file_locations, frame.file_location_id) if frame is not None else None
    name = _at(index.file_names, place.file_name_id) if place is not None else None
    return "" if name is None or place is None else f"{name}:{place.line}"


def _at(table: Proto, number: int) -> Proto | None:
    return table[number - 1] if 0 < number <= len(table) else None
