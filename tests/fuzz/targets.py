"""What is damaged: for every format that is read, small files of it and how to take them apart.

A format is added here with a function that returns seeds: the files of a case by their names.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from google.protobuf import text_format
from made_events import event_bytes, training_log
from made_runs import capture, rank_record, whole_record

from fuzz.codec import Codec
from fuzz.container_codecs import (
    BytesCodec,
    GzipCodec,
    Hdf5Codec,
    RecordsCodec,
    TableCodec,
    ZipCodec,
)
from fuzz.hdf5_blocks import BlocksCodec, odd_weights
from fuzz.made_graphs import made_graph
from fuzz.odd import Chance
from fuzz.text_codecs import JsonCodec, TextCodec
from fuzz.wire_codec import Part, WireCodec
from tfprof import __version__
from tfprof.model.known_run import not_read
from tfprof.reports.log import known_run
from tfprof.sources.find.run_places import find_places
from tfprof.sources.find.runs_at_place import runs_at
from tfprof.sources.history.index_file import Entry, encoded
from tfprof.wire.ordered_code import slice_key_prefix
from tfprof.wire.schema import message_class

_TESTS = Path(__file__).parents[1]

Files = dict[str, bytes]
# no format of a file: what a server sends
REPLY = ".reply"
# what `tfprof log` keeps beside runs
INDEX = ".tfprof-log.json"


@dataclass(frozen=True)
class Target:
    """`formats` are those of the registry that it tries; `codecs` are by the names of files."""

    name: str
    formats: tuple[str, ...]
    codecs: Mapping[str, Codec]
    seed: Callable[[Chance], Files]


_TARGETS: dict[str, Target] = {}


def targets() -> dict[str, Target]:
    return dict(_TARGETS)


def target(
    name: str, formats: Sequence[str], codecs: Mapping[str, Codec]
) -> Callable[[Callable[[], list[Files]]], Callable[[], list[Files]]]:
    """The function makes the seeds, once: one of them is taken for each input."""

    def add(seeds: Callable[[], list[Files]]) -> Callable[[], list[Files]]:
        if name in _TARGETS:
            raise ValueError(f"two targets are called {name!r}")
        made = cache(seeds)
        _TARGETS[name] = Target(
            name, tuple(formats), codecs, lambda chance: dict(chance.choice(made()))
        )
        return seeds

    return add


def _data(name: str) -> bytes:
    path = _TESTS / name
    if path.exists():
        return path.read_bytes()
    return gzip.decompress(path.with_name(path.name + ".gz").read_bytes())


def _shrunk(data: bytes, message: str, kept: int) -> bytes:
    """The same with at most so many of each repeated field: small inputs are quick."""
    codec = WireCodec(message)
    tree = codec.parse(data)
    stack = [tree]
    while stack:
        held = stack.pop()
        seen: dict[int, int] = {}
        left: list[Part] = []
        for part in held:
            seen[part.number] = seen.get(part.number, 0) + 1
            if seen[part.number] <= kept:
                left.append(part)
        held[:] = left
        stack += [part.content for part in held if isinstance(part.content, list)]
    return codec.build(tree)


def _as_text(data: bytes, message: str) -> bytes:
    return text_format.MessageToString(message_class(message).FromString(data)).encode()


_GRAPH, _RUN, _LOG = WireCodec("GraphDef"), WireCodec("RunMetadata"), WireCodec("OpLogProto")


def _saved_model() -> bytes:
    return _data("models/tf1_saved_model/saved_model.pb")


def _meta_graph() -> bytes:
    """The meta graph of the SavedModel."""
    (meta,) = message_class("SavedModel").FromString(_saved_model()).meta_graphs
    return bytes(meta.SerializeToString())


@cache
def _op_log() -> bytes:
    return _shrunk(_data("data/resnet32/tfprof_log"), "OpLogProto", 6)


@target("graph", ["GraphDef"], {"graph.pb": _GRAPH})
def _graph() -> list[Files]:
    names = ["keras_mlp_fwd.graph.pb", "two_cpus_function/graph.pb", "traced_step/graph.pb"]
    return [{"graph.pb": _data(f"data/{name}")} for name in names]


@target("graph text", ["GraphDef text"], {"graph.pbtxt": TextCodec()})
def _graph_text() -> list[Files]:
    return [
        {"graph.pbtxt": _data("data/keras_mlp_fwd.graph.pbtxt")},
        {"graph.pbtxt": _as_text(_data("data/two_cpus_function/graph.pb"), "GraphDef")},
    ]


@target("packed graph", ["GraphDef"], {"graph.pb.gz": GzipCodec(_GRAPH)})
def _packed() -> list[Files]:
    return [{"graph.pb.gz": gzip.compress(_data("data/keras_mlp_fwd.graph.pb"))}]


@target("meta graph", ["MetaGraphDef"], {"model.meta": WireCodec("MetaGraphDef")})
def _meta() -> list[Files]:
    return [{"model.meta": _meta_graph()}]


@target("meta graph text", ["MetaGraphDef text"], {"model.meta": TextCodec()})
def _meta_text() -> list[Files]:
    return [{"model.meta": _as_text(_meta_graph(), "MetaGraphDef")}]


@target("saved model", ["SavedModel"], {"saved_model.pb": WireCodec("SavedModel")})
def _saved() -> list[Files]:
    keras = _shrunk(_data("models/tagger_saved_model/saved_model.pb"), "SavedModel", 9)
    return [{"saved_model.pb": _saved_model()}, {"saved_model.pb": keras}]


@target("saved model text", ["SavedModel text"], {"saved_model.pbtxt": TextCodec()})
def _saved_text() -> list[Files]:
    return [{"saved_model.pbtxt": _as_text(_saved_model(), "SavedModel")}]


@target("run", ["RunMetadata"], {"graph.pb": _GRAPH, "run_meta": _RUN})
def _run() -> list[Files]:
    both = {name: _data(f"data/two_cpus/{name}") for name in ("graph.pb", "run_meta")}
    small = _shrunk(both["run_meta"], "RunMetadata", 5)
    return [both, {"run_meta": both["run_meta"]}, {**both, "run_meta": small}, {"run_meta": small}]


@target("run text", ["RunMetadata text"], {"run_meta.pbtxt": TextCodec()})
def _run_text() -> list[Files]:
    small = _shrunk(_data("data/two_cpus/run_meta"), "RunMetadata", 5)
    return [{"run_meta.pbtxt": _as_text(small, "RunMetadata")}]


@target("op log", ["OpLog"], {"graph.pb": _GRAPH, "tfprof_log": _LOG})
def _log() -> list[Files]:
    log = {"tfprof_log": _op_log()}
    graph = _shrunk(_data("data/resnet32/graph.pb"), "GraphDef", 20)
    return [log, {"graph.pb": graph, **log}]


@target("op log text", ["OpLog text"], {"tfprof_log.pbtxt": TextCodec()})
def _log_text() -> list[Files]:
    return [{"tfprof_log.pbtxt": _as_text(_op_log(), "OpLogProto")}]


@target("profile", ["ProfileProto"], {"profile_8": WireCodec("ProfileProto")})
def _profile() -> list[Files]:
    return [{"profile_8": _shrunk(_data("models/profile_8"), "ProfileProto", n)} for n in (4, 12)]


@target(
    "captured function",
    ["variable table", "XPlane"],
    {"graph.pb": _GRAPH, "vars.json": JsonCodec(), "vm.xplane.pb": WireCodec("XSpace")},
)
def _captured() -> list[Files]:
    files = {name: _data(f"data/traced_step/{name}") for name in ("graph.pb", "vars.json")}
    capture = _shrunk(_data("data/traced_step/vm.xplane.pb"), "XSpace", 12)
    return [files, {**files, "vm.xplane.pb": capture}, {"vars.json": files["vars.json"]}]


@target("capture", ["XPlane"], {"host.xplane.pb": WireCodec("XSpace")})
def _capture() -> list[Files]:
    slow = _TESTS.parent / "examples/slow_input/train/plugins/profile/2026_11_15_18_23_33"
    return [
        {"host.xplane.pb": _data("data/tiny.xplane.pb")},
        {"host.xplane.pb": _data("data/two_cpus_function/host.xplane.pb")},
        {"host.xplane.pb": _data("data/xplane/synthetic-gpu.xplane.pb")},
        {"host.xplane.pb": _shrunk((slow / "vm.xplane.pb").read_bytes(), "XSpace", 14)},
        *(
            {"host.xplane.pb": _data(f"data/accelerators/{name}.xplane.pb")}
            for name in ("tf_gpu_old", "tf_gpu_new", "xla_gpu", "tpu")
        ),
    ]


@target("reply", ["XPlane"], {f"server{REPLY}": WireCodec("ProfileResponse")})
def _reply() -> list[Files]:
    """Of a running process that was asked for a capture."""
    made = message_class("ProfileResponse")
    captures = [seed["host.xplane.pb"] for seed in _capture()]
    replies = [made(xspace=capture) for capture in captures] + [made(empty_trace=True)]
    return [{f"server{REPLY}": reply.SerializeToString()} for reply in replies]


@target("capture as records", ["XPlane"], {"host.xplane.riegeli": BytesCodec()})
def _records() -> list[Files]:
    files = sorted((_TESTS / "riegeli").iterdir())
    return [{"host.xplane.riegeli": file.read_bytes()} for file in files]


@target("Chrome trace", ["Chrome trace"], {"host.trace.json.gz": GzipCodec(JsonCodec())})
def _chrome() -> list[Files]:
    return [
        {"host.trace.json.gz": _data(f"timelines/{name}.trace.json.gz")}
        for name in ("xprof", "xprof-gpu", "pytorch_cpu")
    ]


_CHECKPOINT = {
    "model.index": TableCodec(WireCodec("BundleHeaderProto"), WireCodec("BundleEntryProto")),
    "model.data-00000-of-00001": BytesCodec(),
    "checkpoint": TextCodec(),
}


@target("checkpoint", ["checkpoint", "checkpoint data", "checkpoint state"], _CHECKPOINT)
def _checkpoint() -> list[Files]:
    state = b'model_checkpoint_path: "model"\nall_model_checkpoint_paths: "model"\n'
    folders = ["models/tf1_saved_model/variables", "models/tagger_saved_model/variables"]
    return [
        {
            "checkpoint": state,
            "model.index": _data(f"{folder}/variables.index"),
            "model.data-00000-of-00001": _data(f"{folder}/variables.data-00000-of-00001"),
        }
        for folder in folders
    ]


_SLICES = WireCodec("SavedTensorSlices")


@target("early checkpoint", ["checkpoint"], {"model.ckpt": TableCodec(_SLICES, _SLICES)})
def _early() -> list[Files]:
    """Written here: a kernel of two by two, and a scalar."""
    stored = message_class("SavedTensorSlices")
    head, values = stored(), stored()
    for name, sizes in (("a/kernel", [2, 2]), ("step", [])):
        tensor = head.meta.tensor.add(name=name, type=1)
        whole = tensor.slice.add()
        for size in sizes:
            tensor.shape.dim.add(size=size)
            whole.extent.add()
    values.data.name = "a/kernel"
    values.data.slice.extent.add()
    values.data.slice.extent.add()
    values.data.data.float_val.extend([1, 2, 3, 4])
    codec = TableCodec(_SLICES, _SLICES)
    rows = [(b"", head), (slice_key_prefix("a/kernel"), values)]
    return [{"model.ckpt": codec.packed([(key, row.SerializeToString()) for key, row in rows])}]


_EVENTS = "events.out.tfevents.1794767020.vm"


@target("event file", ["event file"], {_EVENTS: RecordsCodec(WireCodec("Event"))})
def _events() -> list[Files]:
    real = _data("data/events.out.tfevents.1794767020.vm.16101.0.v2")
    made = [event_bytes(training_log(60), as_tensors=form) for form in (False, True)]
    return [{_EVENTS: data} for data in (real, *made)]


_KERAS = ZipCodec({"config.json": JsonCodec(), "metadata.json": JsonCodec()})


def _without_weights(data: bytes) -> bytes:
    """Most inputs do without: weights are read by another process."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(out, "w") as left:
        for name in ("config.json", "metadata.json"):
            left.writestr(name, whole.read(name))
    return out.getvalue()


@target("Keras model", ["Keras model"], {"model.keras": _KERAS})
def _keras() -> list[Files]:
    whole = [_data(f"models/{name}.keras") for name in ("residual", "tagger")]
    return [{"model.keras": _without_weights(data)} for data in whole]


_KERAS_WEIGHTS = ZipCodec(
    {"config.json": JsonCodec(), "metadata.json": JsonCodec(), "model.weights.h5": BlocksCodec()}
)


@target("Keras weights", ["Keras model"], {"model.keras": _KERAS_WEIGHTS})
def _keras_weights() -> list[Files]:
    return [{"model.keras": _data("models/residual.keras")}]


@target("HDF5", ["HDF5"], {"model.h5": Hdf5Codec(JsonCodec())})
def _hdf5() -> list[Files]:
    return [{"model.h5": _data("models/residual.h5")}]


@target("HDF5 blocks", ["HDF5"], {"model.h5": BlocksCodec()})
def _hdf5_blocks() -> list[Files]:
    weights = zipfile.ZipFile(io.BytesIO(_data("models/residual.keras"))).read("model.weights.h5")
    odd = [odd_weights(Chance(number)) for number in range(12)]
    return [{"model.h5": data} for data in (_data("models/residual.h5"), weights, *odd)]


@target(
    "folder",
    ["GraphDef", "RunMetadata", "OpLog", "checkpoint", "event file", "XPlane"],
    {
        "graph.pb": _GRAPH,
        "run_meta": _RUN,
        "tfprof_log": _LOG,
        "plugins/profile/1/vm.xplane.pb": WireCodec("XSpace"),
        "plugins/profile/2/vm.xplane.pb": WireCodec("XSpace"),
        _EVENTS: RecordsCodec(WireCodec("Event")),
        **_CHECKPOINT,
    },
)
def _folder() -> list[Files]:
    capture = _data("data/tiny.xplane.pb")
    both = {f"plugins/profile/{run}/vm.xplane.pb": capture for run in (1, 2)}
    run = _shrunk(_data("data/two_cpus/run_meta"), "RunMetadata", 5)
    graph = {"graph.pb": _data("data/two_cpus_function/graph.pb")}
    return [
        {**graph, "run_meta": run, **_checkpoint()[0]},
        {**graph, "tfprof_log": _op_log(), **both},
        {**_events()[0], **both, "run_meta": run},
    ]


_RUN_FOLDER: dict[str, Codec] = {
    "run.json": JsonCodec(),
    "rank-0/run.json": JsonCodec(),
    "rank-1/run.json": JsonCodec(),
    "rank-0/graph.pb": _GRAPH,
    "rank-1/graph.pb": _GRAPH,
    "rank-0/run_meta_7": _RUN,
    "rank-0/events.out.tfevents.1794767020.vm": RecordsCodec(WireCodec("Event")),
    **{f"rank-{rank}/plugins/profile/1/vm.xplane.pb": WireCodec("XSpace") for rank in (0, 1)},
}


def _as_json(record: object) -> bytes:
    return json.dumps(record).encode()


@target("run record", ["run record"], {"run.json": JsonCodec()})
def _run_record() -> list[Files]:
    epochs = [{"epoch": 1, "seconds": 3.2, "data_s": 1.0, "step_s": 1.5, "callbacks_s": 0.1}]
    earlier = [{"started": "2026-11-16T08:00:00Z", "ended": None, "last_step": 40}]
    functions = [{"name": "f", "graph": "functions/f.pb", "role": "other", "calls": 2}]
    full = rank_record(epochs=epochs, previous=earlier, functions=functions, strategy="Mirrored")
    return [{"run.json": _as_json(one)} for one in (rank_record(), full, whole_record())]


@target("run folder", ["run record", "XPlane", "GraphDef", "RunMetadata"], _RUN_FOLDER)
def _run_folder() -> list[Files]:
    captures = [capture("1"), capture("2", complete=False)]
    records = {
        f"rank-{rank}/run.json": _as_json(rank_record(rank, 2, captures=captures))
        for rank in (0, 1)
    }
    graph, tiny = _data("data/two_cpus_function/graph.pb"), _data("data/tiny.xplane.pb")
    ranks = {
        **records,
        **{f"rank-{rank}/graph.pb": graph for rank in (0, 1)},
        **{f"rank-{rank}/plugins/profile/1/vm.xplane.pb": tiny for rank in (0, 1)},
    }
    whole = {"run.json": _as_json(whole_record("rank-0", "rank-1"))}
    run = {"rank-0/run_meta_7": _shrunk(_data("data/two_cpus/run_meta"), "RunMetadata", 5)}
    alone = {name: data for name, data in ranks.items() if name.startswith("rank-0")}
    log = {f"rank-0/{_EVENTS}": event_bytes(training_log(60))}
    return [{**whole, **ranks}, {**ranks, **log}, {**whole, **alone, **run}]


_TARGETS["made graph"] = Target(
    "made graph",
    ("GraphDef",),
    {"graph.pb": _GRAPH},
    lambda chance: {"graph.pb": made_graph(chance)},
)


_SAVED = ZipCodec(
    {
        "tfprof.json": JsonCodec(),
        "files/0/keras_mlp_train.graph.pb": WireCodec("GraphDef"),
        "files/1/keras_mlp_train_b8_default.runmeta.pb": WireCodec("RunMetadata"),
        "files/2/keras_mlp_train_vars.json": JsonCodec(),
    }
)


@target("saved profile", ["saved profile"], {"model.tfprof": _SAVED})
def _saved() -> list[Files]:
    return [{"model.tfprof": _data("data/saved/v1.tfprof")}]


@target("run index", [], {INDEX: JsonCodec()})
def _run_index() -> list[Files]:
    """Of runs that could be read and of some that could not, with formulas and without."""
    data = _TESTS / "data"
    files = [data / "saved/v1.tfprof", data / "keras_mlp_fwd.graph.pb", data / "tiny.xplane.pb"]
    places = find_places(files).places
    runs = [known_run(run, 1) for place in places for run in runs_at(place)]
    runs = [replace(one, path=f"run{at}", periods_us=(9.0, 9.5, 9.1, 9.2, 9.3 + at))
            for at, one in enumerate(runs * 3)]  # fmt: skip
    runs.append(not_read("gone", "capture", "the file is damaged"))
    entries = {one.path: Entry(f"{at:032x}", (one,)) for at, one in enumerate(runs)}
    return [{INDEX: b"".join(encoded(entries, __version__))}]
