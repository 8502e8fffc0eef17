"""Checkpoints, event files and Keras files for the tests, by TensorFlow and by hand."""

import struct
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import tensorflow as tf

from tfprof.sources.checkpoint.checkpoint import open_checkpoint

V1 = tf.compat.v1

# bit patterns of any kind are values of these; bool has only two
NUMPY_TYPES = {
    "float16": np.float16, "float32": np.float32, "float64": np.float64,
    "bfloat16": ml_dtypes.bfloat16, "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "float8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "complex64": np.complex64, "complex128": np.complex128,
}  # fmt: skip
QUANTISED = {
    "qint8": tf.int8, "quint8": tf.uint8, "qint16": tf.int16, "quint16": tf.uint16,
    "qint32": tf.int32,
}  # fmt: skip
FOUR_BITS = {"int4": range(-8, 8), "uint4": range(16)}
STRINGS = [b"", b"a", "Grüße, 世界".encode(), b"\0\xff\n" * 3, b"long " * 40_000, b""]


def random_of(dtype: str, shape=(7, 5), seed=3) -> tf.Tensor:
    """Any bits of a type, NaN and infinity among them."""
    rows = np.random.default_rng(seed)
    if dtype in FOUR_BITS:
        values = FOUR_BITS[dtype]
        return tf.cast(tf.constant(rows.integers(values[0], values[-1] + 1, shape)), dtype)
    if dtype in QUANTISED:
        base = QUANTISED[dtype]
        bits = rows.integers(base.min, base.max, shape, endpoint=True)
        return tf.bitcast(tf.constant(bits, base), tf.as_dtype(dtype))
    return tf.constant(array_of(dtype, shape, seed))


def array_of(dtype: str, shape=(7, 5), seed=3) -> np.ndarray:
    """The same for types that numpy has, without TensorFlow."""
    rows = np.random.default_rng(seed)
    if dtype == "bool":
        return rows.integers(0, 2, shape).astype(bool)
    kind = np.dtype(NUMPY_TYPES[dtype])
    size = int(np.prod(shape)) * kind.itemsize
    return np.frombuffer(rows.bytes(size), kind).reshape(shape)


def save(prefix: Path, tensors: dict[str, tf.Tensor], slices: dict[str, str] | None = None) -> Path:
    """One shard by TensorFlow's own op; a slice is spelled `<whole shape> <start,length>:...`."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=[name.partition("@")[0] for name in tensors],
        shape_and_slices=[(slices or {}).get(name, "") for name in tensors],
        tensors=list(tensors.values()),
    )
    return prefix


def merge(prefix: Path, parts: list[Path]) -> Path:
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=[str(part) for part in parts], destination_prefix=str(prefix)
    )
    return prefix


def restored(prefix: Path, key: str, dtype, slice_text: str = "") -> tf.Tensor:
    """What TensorFlow reads, whether the tensor is stored whole or in slices."""
    (value,) = tf.raw_ops.RestoreV2(
        prefix=str(prefix), tensor_names=[key], shape_and_slices=[slice_text], dtypes=[dtype]
    )
    return value


def bits(tensor: tf.Tensor) -> np.ndarray:
    """The bytes of a tensor, a row for each element; of strings the strings."""
    if tensor.dtype.is_quantized:
        tensor = tf.bitcast(tensor, QUANTISED[tensor.dtype.name])
    if tensor.dtype == tf.string:
        return tensor.numpy()
    values = np.ascontiguousarray(tensor.numpy())
    return values.reshape(-1).view(np.uint8)


def shard(prefix: Path, number: int = 0, of: int = 1) -> Path:
    return prefix.with_name(f"{prefix.name}.data-{number:05d}-of-{of:05d}")


def index(prefix: Path) -> Path:
    return prefix.with_name(f"{prefix.name}.index")


def opened(prefix: Path):
    return open_checkpoint(index(prefix))


def small_checkpoint(prefix: Path) -> Path:
    """Three tensors in one shard: numbers, strings, a scalar."""
    return save(
        prefix,
        {
            "layer/bias": tf.constant([0.5, -1.0, 2.0]),
            "layer/kernel": tf.reshape(tf.range(24, dtype=tf.float32), [4, 6]),
            "names": tf.constant([b"ab", b"", b"cde"]),
            "step": tf.constant(7, tf.int64),
        },
    )


def in_session(build, **options):
    """A graph of the old kind that `build` fills; its session, with variables initialised."""
    graph = tf.Graph()
    with graph.as_default():
        V1.set_random_seed(5)
        build()
        saver = V1.train.Saver(**options)
        init = V1.global_variables_initializer()
    session = V1.Session(graph=graph)
    session.run(init)
    return session, saver


def build_two_layers():
    V1.get_variable("hidden/kernel", [8, 4], use_resource=False)
    V1.get_variable("hidden/bias", initializer=np.float64([1, 2, 3]), use_resource=False)
    V1.get_variable("flag", initializer=np.array([True, False]), use_resource=False)
    V1.get_variable("step", initializer=np.int64(12), use_resource=False)


def early_checkpoint(path: Path, build=build_two_layers) -> Path:
    """A V1 checkpoint: one file."""
    session, saver = in_session(build, write_version=V1.train.SaverDef.V1)
    with session:
        saver.save(session, str(path), write_meta_graph=False, write_state=False)
    return path


def keras_checkpoint(folder: Path) -> Path:
    """What tf.train.Checkpoint saves of a model and its optimizer after one step."""
    import keras

    keras.utils.set_random_seed(2)
    inputs = keras.Input((4,), name="features")
    hidden = keras.layers.Dense(3, name="hidden")(inputs)
    outputs = keras.layers.Dense(2, name="out")(keras.layers.BatchNormalization(name="bn")(hidden))
    model = keras.Model(inputs, outputs, name="small")
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(np.ones((4, 4), np.float32), np.ones((4, 2), np.float32), verbose=0)
    saved = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    return Path(saved.save(str(folder / "ckpt")))


# tables by hand


def reference_crc(data: bytes, crc: int = 0) -> int:
    """CRC-32C as its definition has it: a bit at a time."""
    state = crc ^ 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ 0x82F63B78 * (state & 1)
    return state ^ 0xFFFFFFFF


def reference_masked(data: bytes) -> bytes:
    crc = reference_crc(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def number(value: int) -> bytes:
    """A varint."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def block(entries: list[tuple[bytes, bytes]]) -> bytes:
    """Sorted entries, each key without what it shares with the one before."""
    out, last = bytearray(), b""
    for key, value in entries:
        pairs = zip(key, last, strict=False)
        shared = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(key), len(last)))
        out += number(shared) + number(len(key) - shared) + number(len(value))
        out += key[shared:] + value
        last = key
    return bytes(out) + struct.pack("<II", 0, 1)


def table(entries: list[tuple[bytes, bytes]], *, per_block: int = 3, compress=None) -> bytes:
    """A whole table; `compress` turns a block into a snappy block."""
    file = bytearray()

    def put(content: bytes, *, plain: bool = False) -> bytes:
        offset = len(file)
        kind = b"\0" if plain or compress is None else b"\1"
        stored = content if kind == b"\0" else compress(content)
        file.extend(stored + kind + reference_masked(stored + kind))
        return number(offset) + number(len(stored))

    handles = []
    for start in range(0, len(entries), per_block):
        part = entries[start : start + per_block]
        handles.append((part[-1][0], put(block(part))))
    meta = put(block([]), plain=True)
    footer = meta + put(block(handles))
    return bytes(file) + footer.ljust(40, b"\0") + bytes.fromhex("57fb808b247547db")


def entries_of(path: Path) -> list[tuple[bytes, bytes]]:
    """The entries of a table on disk."""
    from tfprof.wire.table import SortedTable

    data = path.read_bytes()
    return [
        (e.key, e.value) for e in SortedTable(lambda at, n: data[at : at + n], len(data)).entries()
    ]


def snappy_literal(content: bytes) -> bytes:
    """A literal, its length in the tag or in up to four bytes behind it."""
    size = len(content) - 1
    if size < 60:
        return bytes([size << 2]) + content
    width = (size.bit_length() + 7) // 8
    return bytes([(59 + width) << 2]) + size.to_bytes(width, "little") + content


def snappy_copy(length: int, back: int, width: int) -> bytes:
    """What was written `back` bytes before, with an offset of one, two or four bytes."""
    if width == 1:
        return bytes([(back >> 8) << 5 | (length - 4) << 2 | 1, back & 0xFF])
    return bytes([(length - 1) << 2 | (2 if width == 2 else 3)]) + back.to_bytes(width, "little")


def snappy(content: bytes) -> bytes:
    """A plain compressor: repeats of four bytes and more become copies."""
    out, literal, at = bytearray(number(len(content))), bytearray(), 0
    seen: dict[bytes, int] = {}
    while at < len(content):
        four = content[at : at + 4]
        before = seen.get(four) if len(four) == 4 else None
        seen[four] = at
        if before is None:
            literal.append(content[at])
            at += 1
            continue
        length = 4
        while length < 60 and content[at + length : at + length + 1] == (
            content[before + length : before + length + 1] or b"?!"
        ):
            length += 1
        if literal:
            out += snappy_literal(bytes(literal))
            literal.clear()
        back = at - before
        short = length <= 11 and back < 2048
        out += snappy_copy(length, back, 1 if short else 2 if back < 1 << 16 else 4)
        at += length
    return bytes(out + (snappy_literal(bytes(literal)) if literal else b""))


# records by hand


def record(content: bytes) -> bytes:
    size = struct.pack("<Q", len(content))
    return size + reference_masked(size) + content + reference_masked(content)


def event_file(path: Path, *, runs: int = 1, scalars: int = 3) -> Path:
    """A log with a graph, a meta graph, some scalars and tagged runs, by TensorFlow."""
    graph = tf.Graph()
    with graph.as_default():
        weight = V1.get_variable("w", [4, 3], use_resource=False)
        x = V1.placeholder(tf.float32, [None, 4], "x")
        y = tf.matmul(x, weight, name="y")
        writer = V1.summary.FileWriter(str(path.parent / "log"), graph)
        writer.add_meta_graph(V1.train.export_meta_graph())
        with V1.Session() as session:
            session.run(V1.global_variables_initializer())
            for step in range(runs):
                metadata = V1.RunMetadata()
                options = V1.RunOptions(trace_level=V1.RunOptions.FULL_TRACE)
                session.run(y, {x: np.ones((2, 4))}, options=options, run_metadata=metadata)
                writer.add_run_metadata(metadata, f"step {step}", step)
    for step in range(scalars):
        value = V1.Summary(value=[V1.Summary.Value(tag="loss", simple_value=0.5)])
        writer.add_summary(value, step)
    writer.close()
    (written,) = (path.parent / "log").iterdir()
    return written.rename(path)


# archives by hand


def archive(path: Path, members: dict[str, bytes], *, deflate: bool = False) -> Path:
    kind = zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name) if not deflate else name, content)
    return path


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}
