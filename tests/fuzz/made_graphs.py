"""Small random graphs: any op that has a rule, on any inputs, with any attributes.

Damage to a graph that makes sense seldom reaches the rules of rare ops. These do.
"""

from __future__ import annotations

from fuzz.odd import NUMBERS, Chance, op_types
from tfprof.wire.schema import Proto, message_class

_SIZES = (0, 1, 2, 3, 4, 8, 32, 224, -1, -2, 1 << 31, 1 << 62)
_TYPES = (0, 1, 2, 3, 4, 7, 9, 10, 14, 19, 20, 21, 99, 101)
_NUMBERS = (
    "N", "num", "num_split", "axis", "block_size", "batch_dims", "begin_mask", "end_mask",
    "ellipsis_mask", "new_axis_mask", "shrink_axis_mask", "depth", "group_size", "input_size",
    "num_proj", "concat_dim", "seed", "num_layers", "Targmax", "parallel_iterations", "k",
)  # fmt: skip
_LISTS = (
    "strides", "ksize", "dilations", "explicit_paddings", "squeeze_dims", "ksizes", "rates", "Tout",
    "window_shape", "padding", "output_shapes", "component_types",
)  # fmt: skip
_FLAGS = (
    "keep_dims", "transpose_a", "transpose_b", "adj_x", "adj_y", "is_training", "align_corners",
    "time_major", "exclusive", "transpose_x", "transpose_y",
)  # fmt: skip
_DTYPES = ("T", "dtype", "Tidx", "SrcT", "DstT", "out_type", "Tindices", "element_dtype", "Index")
_TEXTS = {
    "padding": (b"SAME", b"VALID", b"EXPLICIT", b"", b"x"),
    "data_format": (b"NHWC", b"NCHW", b"NDHWC", b"NCHW_VECT_C", b"N", b""),
    "equation": (
        b"ab,bc->ac",
        b"a...b,bc->",
        b"->",
        b"",
        b"aa->a",
        b",,",
        b"a->b",
        b"..->",
        b"\xff",
    ),
    "mode": (b"REFLECT", b"x"),
    "rnn_mode": (b"lstm", b"gru", b"x"),
    "direction": (b"bidirectional", b""),
}
_CALLS = ("f", "body", "cond", "then_branch", "else_branch", "branches")
_CALLERS = (
    b"PartitionedCall",
    b"While",
    b"StatelessIf",
    b"If",
    b"Case",
    b"StatefulPartitionedCall",
)


def made_graph(chance: Chance) -> bytes:
    graph = message_class("GraphDef")()
    functions = [f"f{n}" for n in range(chance.choice([0, 0, 1, 3]))]
    names: list[str] = []
    for number in range(chance.randrange(2, 12)):
        names.append(f"{chance.choice(['', 'a/', 'a/b/', 'gradients/'])}n{number}")
        _fill(graph.node.add(name=names[-1]), number, names, functions, chance)
    for name in functions:
        _function(graph.library.function.add(), name, functions, chance)
    return bytes(graph.SerializeToString())


def _fill(node: Proto, number: int, names: list[str], functions: list[str], chance: Chance) -> None:
    if number < 2 or chance.random() < 0.15:
        _source(node, chance)
        return
    node.op = chance.choice(
        _CALLERS if functions and chance.random() < 0.3 else op_types()
    ).decode()
    for _ in range(chance.choice([0, 1, 1, 2, 2, 3, 4, 6])):
        slot = chance.choice(["", "", "", ":1", ":5"])
        node.input.append(chance.choice(["", "", "", "", "", "^"]) + chance.choice(names) + slot)
    _attributes(node, functions, chance)


def _source(node: Proto, chance: Chance) -> None:
    """A tensor whose shape or values are told."""
    kind = chance.choice(_TYPES[1:4])
    node.op = chance.choice(["Placeholder", "Const", "Const", "VariableV2", "VarHandleOp"])
    node.attr["dtype"].type = kind
    if node.op != "Const":
        _shape(node.attr["shape"].shape, chance)
        return
    tensor = node.attr["value"].tensor
    tensor.dtype = chance.choice([3, 3, 9, 1])
    count = chance.choice([0, 1, 1, 2, 3, 4])
    if count != 1 or chance.random() < 0.5:
        tensor.tensor_shape.dim.add(size=count)
    values = [chance.choice(_SIZES) for _ in range(count)]
    if tensor.dtype == 9:
        tensor.int64_val.extend(values)
    else:
        tensor.int_val.extend(max(-1, min(value, (1 << 31) - 1)) for value in values)


def _shape(shape: Proto, chance: Chance) -> None:
    if chance.random() < 0.1:
        shape.unknown_rank = True
        return
    for _ in range(chance.choice([0, 1, 2, 3, 4, 4, 5])):
        shape.dim.add(size=chance.choice(_SIZES))


def _attributes(node: Proto, functions: list[str], chance: Chance) -> None:
    for name in chance.sample(_DTYPES, 3):
        node.attr[name].type = chance.choice(_TYPES)
    for name in chance.sample(_NUMBERS, chance.randrange(5)):
        wild = chance.random() < 0.3
        number = chance.choice(NUMBERS) if wild else chance.randrange(-2, 5)
        node.attr[name].i = (number + (1 << 63)) % (1 << 64) - (1 << 63)
    for name in chance.sample(_LISTS, chance.randrange(4)):
        for _ in range(chance.choice([0, 1, 2, 4, 4, 4, 8])):
            node.attr[name].list.i.append(chance.choice([0, 1, 1, 2, 3, -1, 1 << 40]))
    for name in chance.sample(_FLAGS, chance.randrange(3)):
        node.attr[name].b = True
    for name in chance.sample(sorted(_TEXTS), chance.randrange(4)):
        node.attr[name].s = chance.choice(_TEXTS[name])
    if chance.random() < 0.2:
        _shape(node.attr["shape"].shape, chance)
    if chance.random() < 0.1:
        _shape(node.attr["_output_shapes"].list.shape.add(), chance)
    for name in _CALLS if functions else ():
        node.attr[name].func.name = chance.choice(functions)


def _function(made: Proto, name: str, functions: list[str], chance: Chance) -> None:
    """Its nodes may call any function, itself among them."""
    made.signature.name = name
    names = [f"x{n}" for n in range(chance.randrange(3))]
    for one in names:
        made.signature.input_arg.add(name=one, type=1)
    for number in range(chance.randrange(1, 5)):
        node = made.node_def.add(name=f"m{number}")
        _fill(node, number + 2, names or ["x"], functions, chance)
        names.append(f"{node.name}:output:0")
    made.signature.output_arg.add(name="out", type=1)
    made.ret["out"] = chance.choice(names)
