"""Files that ask for far more work than their size: made here, at any size, without TensorFlow.

Each maker takes a folder and a size, and returns the path to profile. `EXTREMES` has them by name
with the size that once took minutes or gigabytes; tests take smaller ones.
"""

import gzip
import json
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tfprof.wire import dtypes
from tfprof.wire.crc32c import crc32c, masked
from tfprof.wire.schema import message_class

LARGE = 2**62


def graph():
    return message_class("GraphDef")()


def add(target, name, op, *inputs, **attributes):
    """A node; attributes are shapes (lists), data types (strings), numbers, functions (bytes)."""
    node = target.add(name=name, op=op, input=list(inputs))
    for key, value in attributes.items():
        attribute = node.attr[key]
        if isinstance(value, str):
            attribute.type = dtypes.number(value)
        elif isinstance(value, bytes):
            attribute.func.name = value.decode()
        elif isinstance(value, int):
            attribute.i = value
        else:
            for size in value:
                attribute.shape.dim.add(size=size)
    return node


def fed(target, name="x", shape=(8, 16)):
    return add(target, name, "Placeholder", dtype="float32", shape=list(shape))


def constant(target, name, entries, shape=None):
    """Whole numbers; the last one stands for all that the shape asks for."""
    node = add(target, name, "Const", dtype="int64")
    tensor = node.attr["value"].tensor
    tensor.dtype = dtypes.INT64
    for size in [len(entries)] if shape is None else shape:
        tensor.tensor_shape.dim.add(size=size)
    tensor.int64_val.extend(entries)
    return node


def function(found, name, *calls):
    """A function of one argument that hands it to others, one after the other."""
    one = found.library.function.add()
    one.signature.name = name
    argument = one.signature.input_arg.add(name="a")
    argument.type = dtypes.FLOAT
    result = one.signature.output_arg.add(name="r")
    result.type = dtypes.FLOAT
    last = "a"
    for number, called in enumerate(calls):
        add(one.node_def, f"c{number}", "PartitionedCall", last, f=called.encode())
        last = f"c{number}:output:0"
    add(one.node_def, "relu", "Relu", last, T="float32")
    one.ret["r"] = "relu:activations:0"


def written(folder: Path, found, name="graph.pb") -> Path:
    path = folder / name
    path.write_bytes(found.SerializeToString())
    return path


# --- functions


def doubling_functions(folder: Path, size: int) -> Path:
    """Each calls the next one twice: 2 to the power of `size` calls."""
    found = graph()
    fed(found.node)
    add(found.node, "call", "PartitionedCall", "x", f=b"f0")
    for number in range(size):
        function(found, f"f{number}", f"f{number + 1}", f"f{number + 1}")
    function(found, f"f{size}")
    return written(folder, found)


def recursive_functions(folder: Path, size: int) -> Path:
    """In a ring, each calls the next and the one after."""
    found = graph()
    fed(found.node)
    add(found.node, "call", "PartitionedCall", "x", f=b"f0")
    for number in range(size):
        function(found, f"f{number}", f"f{(number + 1) % size}", f"f{(number + 2) % size}")
    return written(folder, found)


def loops_in_loops(folder: Path, size: int) -> Path:
    """Each loop holds another: the rounds of all of them are a polynomial of 2^size terms."""
    found = graph()
    fed(found.node)
    for number in range(size):
        function(found, f"f{number}")
        body = found.library.function[-1]
        add(body.node_def, "loop", "While", "a", body=b"f%d" % (number + 1), cond=b"f%d" % size)
    function(found, f"f{size}")
    add(found.node, "loop", "While", "x", body=b"f0", cond=b"f%d" % size)
    return written(folder, found)


def many_functions(folder: Path, size: int) -> Path:
    found = graph()
    fed(found.node)
    for number in range(size):
        function(found, f"f{number}")
        add(found.node, f"layer{number}/call", "PartitionedCall", "x", f=f"f{number}".encode())
    return written(folder, found)


# --- nodes


def many_nodes(folder: Path, size: int) -> Path:
    """Layers of ten nodes in a chain."""
    found = graph()
    fed(found.node)
    last = "x"
    for number in range(size // 10):
        scope = f"layer{number}"
        add(found.node, f"{scope}/kernel", "VariableV2", dtype="float32", shape=[16, 16])
        add(found.node, f"{scope}/read", "Identity", f"{scope}/kernel", T="float32")
        add(found.node, f"{scope}/MatMul", "MatMul", last, f"{scope}/read", T="float32")
        last = f"{scope}/MatMul"
        for place in range(7):
            add(found.node, f"{scope}/relu{place}", "Relu", last, T="float32")
            last = f"{scope}/relu{place}"
    return written(folder, found)


def many_inputs(folder: Path, size: int) -> Path:
    found = graph()
    fed(found.node)
    names = [f"n{number}" for number in range(size)]
    for name in names:
        add(found.node, name, "Relu", "x", T="float32")
    add(found.node, "sum", "AddN", *names, T="float32", N=size)
    add(found.node, "pack", "Pack", *names, T="float32", N=size)
    return written(folder, found)


def unknown_shapes(folder: Path, size: int) -> Path:
    """A chain of products behind an op that nobody knows."""
    found = graph()
    fed(found.node)
    add(found.node, "n0", "NobodyKnows", "x")
    for number in range(1, size):
        add(found.node, f"n{number}", "MatMul", f"n{number - 1}", f"n{number - 1}", T="float32")
    return written(folder, found)


def rings(folder: Path, size: int) -> Path:
    """Identities that read each other, behind a handle."""
    found = graph()
    add(found.node, "h", "Placeholder", dtype="resource", shape=[])
    for number in range(size):
        add(found.node, f"i{number}", "Identity", "h", f"i{(number + 1) % size}", T="resource")
    add(found.node, "s", "Switch", "i0", "i0", T="float32")
    return written(folder, found)


def deep_name(folder: Path, size: int) -> Path:
    found = graph()
    fed(found.node)
    add(found.node, "a/" * size + "z", "Relu", "x", T="float32")
    return written(folder, found)


def restored_in_a_ring(folder: Path, size: int) -> Path:
    """Identities behind the outputs of a restore op, which hand each other the values."""
    found = graph()
    constant(found.node, "prefix", [0])
    keys = add(found.node, "keys", "Const", dtype="string")
    tensor = keys.attr["value"].tensor
    tensor.dtype = dtypes.number("string")
    tensor.tensor_shape.dim.add(size=size)
    tensor.string_val.extend(f"layer_{number:07d}/kernel".encode() for number in range(size))
    add(found.node, "restore", "RestoreV2", "prefix", "keys", "keys")
    for number in range(size):
        inputs = f"restore:{number}", f"i{(number + 1) % size}"
        add(found.node, f"i{number}", "Identity", *inputs, T="float32")
    written(folder, found)
    return many_tensors(folder, size)


# --- sizes


def growing_sizes(folder: Path, size: int) -> Path:
    """Each value is the square of the one before; reshaped to it, and read as symbols, too."""
    found = graph()
    fed(found.node, shape=(-1, -1, 16))
    constant(found.node, "v0", [LARGE])
    add(found.node, "s0", "Size", "x", T="float32", out_type="int64")
    for number in range(size):
        for letter in "vs":
            last = f"{letter}{number}"
            add(found.node, f"{letter}{number + 1}", "Mul", last, last, T="int64")
    add(found.node, "filled", "Fill", f"v{size}", "x", T="float32")
    add(found.node, "reshaped", "Reshape", "x", f"s{size}", T="float32")
    return written(folder, found)


def growing_formulas(folder: Path, size: int) -> Path:
    """Every second row of every second row, and all of it joined."""
    found = graph()
    fed(found.node, "x", (-1, -1))
    constant(found.node, "axis", [0], [])
    for name, entries in (("begin", [0, 0]), ("end", [0, 0]), ("step", [2, 3])):
        constant(found.node, name, entries)
    last = "x"
    for number in range(size):
        here = add(
            found.node, f"n{number}", "StridedSlice", last, "begin", "end", "step",
            T="float32", Index="int64", begin_mask=3, end_mask=3,
        )  # fmt: skip
        add(found.node, f"c{number}", "ConcatV2", here.name, "x", "axis", T="float32", N=2)
        last = f"c{number}"
    return written(folder, found)


def many_flops(folder: Path, size: int) -> Path:
    """Products of more operations than 64 bits count."""
    found = graph()
    fed(found.node, "x", (2**31, 2**31))
    last = "x"
    for number in range(size):
        add(found.node, f"m{number}", "MatMul", last, "x", T="float32")
        last = f"m{number}"
    return written(folder, found)


def long_lists(folder: Path, size: int) -> Path:
    """Parts, ranks and fillings of a length that is only a number."""
    found = graph()
    fed(found.node)
    constant(found.node, "axis", [0], [])
    constant(found.node, "many", [size], [])
    constant(found.node, "shape", [size, size])
    constant(found.node, "ranks", [1], [min(size, 1 << 20)])
    constant(found.node, "few", [0, size])
    constant(found.node, "none", [3], [1, 0])
    add(found.node, "unpack", "Unpack", "x", num=size, T="float32")
    add(found.node, "split", "Split", "axis", "x", num_split=size, T="float32")
    add(found.node, "splitv", "SplitV", "x", "many", "axis", num_split=size, T="float32")
    add(found.node, "parts", "DynamicPartition", "x", "axis", num_partitions=size, T="float32")
    add(found.node, "range", "Range", "axis", "many", "many", Tidx="int64")
    add(found.node, "fill", "Fill", "shape", "many", T="int64")
    add(found.node, "tile", "Tile", "few", "many", T="int64")
    add(found.node, "tiled", "Tile", "none", "few", T="int64")
    add(found.node, "broadcast", "BroadcastTo", "none", "few", T="int64")
    add(found.node, "slice", "Slice", "few", "axis", "many", T="int64")
    add(found.node, "ranked", "Reshape", "x", "ranks", T="float32")
    add(found.node, "spread", "Fill", "ranks", "many", T="int64")
    return written(folder, found)


def long_equation(folder: Path, size: int) -> Path:
    found = graph()
    fed(found.node)
    node = add(found.node, "z", "Einsum", "x", "x", N=2, T="float32")
    labels = "a" * size
    node.attr["equation"].s = f"{labels},{labels}->{labels}".encode()
    return written(folder, found)


# --- files


def packed_trace(folder: Path, size: int) -> Path:
    """So many megabytes of events, packed a thousand times."""
    path = folder / "host.trace.json.gz"
    event = b'{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"},'
    with gzip.open(path, "wb") as file:
        file.write(b'{"traceEvents":[')
        for _ in range(size):
            file.write(event * ((1 << 20) // len(event)))
        file.write(b"]}")
    return path


def packed_keras(folder: Path, size: int) -> Path:
    """A configuration of so many megabytes in a zip."""
    path = folder / "model.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.0.0"}))
        layers = b"[]," * ((size << 20) // 3)
        config = b'{"class_name": "Sequential", "config": {"layers": [' + layers + b"[]]}}"
        archive.writestr("config.json", config)
        archive.writestr("model.weights.h5", b"")
    return path


def many_tensors(folder: Path, size: int) -> Path:
    """A checkpoint: a table of names, and a byte of data for each."""
    (folder / "model.data-00000-of-00001").write_bytes(bytes(4 * size))
    entry = message_class("BundleEntryProto")
    header = message_class("BundleHeaderProto")(num_shards=1)
    rows = [(b"", header.SerializeToString())]
    zero = masked(crc32c(bytes(4)))
    for number in range(size):
        one = entry(dtype=dtypes.FLOAT, offset=4 * number, size=4, crc32c=zero)
        rows.append((f"layer_{number:07d}/kernel".encode(), one.SerializeToString()))
    (folder / "model.index").write_bytes(_table(rows))
    return folder


def _table(rows: list[tuple[bytes, bytes]], block: int = 4096) -> bytes:
    """A sorted table as LevelDB has it, uncompressed."""
    out = bytearray()

    def put(entries: list[tuple[bytes, bytes]]) -> bytes:
        data = b"".join(
            b"\0" + _varint(len(key)) + _varint(len(value)) + key + value for key, value in entries
        )
        data += struct.pack("<II", 0, 1)
        place = _varint(len(out)) + _varint(len(data))
        check = masked(crc32c(data + b"\0"))
        out.extend(data + b"\0" + struct.pack("<I", check))
        return place

    index, here, size = [], [], 0
    for key, value in rows:
        here.append((key, value))
        size += len(key) + len(value)
        if size > block:
            index.append((key, put(here)))
            here, size = [], 0
    if here:
        index.append((here[-1][0], put(here)))
    footer = put([]) + put(index)
    magic = struct.pack("<Q", 0xDB4775248B80FB57)
    return bytes(out) + footer.ljust(40, b"\0") + magic


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def many_files(folder: Path, size: int) -> Path:
    """Graphs, metadata of runs and notes, in equal parts."""
    found = graph()
    fed(found.node)
    one = found.SerializeToString()
    for number in range(size):
        kind = number % 3
        name = (f"graph_{number}.pb", f"notes_{number}.txt", f"graph_{number}.pbtxt")[kind]
        (folder / name).write_bytes((one, b"nothing of interest", str(found).encode())[kind])
    return folder


@dataclass(frozen=True)
class Extreme:
    make: Callable[[Path, int], Path]
    full: int
    small: int


EXTREMES = {
    "functions that call two each": Extreme(doubling_functions, 30, 18),
    "functions in a ring": Extreme(recursive_functions, 1000, 3),
    "loops in loops": Extreme(loops_in_loops, 30, 14),
    "many functions": Extreme(many_functions, 100_000, 300),
    "many nodes": Extreme(many_nodes, 1_000_000, 3000),
    "a node of many inputs": Extreme(many_inputs, 100_000, 2000),
    "a chain of unknown shapes": Extreme(unknown_shapes, 100_000, 1000),
    "identities in a ring": Extreme(rings, 10_000, 3),
    "a name of many scopes": Extreme(deep_name, 50_000, 3000),
    "sizes that grow": Extreme(growing_sizes, 1000, 60),
    "formulas that grow": Extreme(growing_formulas, 2000, 40),
    "FLOPs over 64 bits": Extreme(many_flops, 100, 3),
    "lists as long as a number": Extreme(long_lists, 2**31 - 1, 2**31 - 1),
    "an equation of many labels": Extreme(long_equation, 100_000, 100_000),
    "values restored in a ring": Extreme(restored_in_a_ring, 100_000, 300),
    "a trace packed 1,000 times": Extreme(packed_trace, 6000, 40),
    "a configuration packed 1,000 times": Extreme(packed_keras, 250, 40),
    "many tensors": Extreme(many_tensors, 200_000, 1000),
    "many files": Extreme(many_files, 5000, 60),
}
