"""What is saved to be given away tells no paths, hosts, arguments and source lines."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest
from made_events import record
from run_cli import run
from saved_answers import save

from tfprof.sources.confidential.words import Redactor
from tfprof.wire.schema import message_class

_TESTS = Path(__file__).parents[2]
_HOST, _USER, _SOURCE = "trainer-7.corp.example", "alice", "secret_trainer.py"
_ARGUMENT, _BUCKET, _DEBUG = "--tokenizer=hidden", "gs://private-bucket", "InUnknownFields"
_SECRETS = (_HOST, _USER, _SOURCE, _ARGUMENT, _BUCKET, _DEBUG, "/home/")
_PLACE = f"/home/{_USER}/work/{_SOURCE}"


def _graph():
    graph = message_class("GraphDef")()
    node = graph.node.add(name="data/path", op="Const")
    node.attr["dtype"].type = 7
    node.attr["value"].tensor.dtype = 7
    node.attr["value"].tensor.string_val.append(f"{_BUCKET}/train/part-0".encode())
    node.attr["value"].tensor.string_val.append(b"model/dense/kernel")
    node.attr["shared_name"].s = f"/home/{_USER}/cache".encode()
    graph.node.add(name="model/dense/kernel", op="VarHandleOp")
    # a field that is in no list of ours, as the debug info of newer versions
    return graph.SerializeToString() + b"\x2a" + bytes([len(_DEBUG)]) + _DEBUG.encode()


def _capture():
    space = message_class("XSpace")(hostnames=[_HOST])
    plane = space.planes.add(name="/host:CPU")
    for number, name in enumerate(("source", "Hlo Proto", "long_name", f"{_PLACE}:7"), 1):
        plane.stat_metadata[number].id = number
        plane.stat_metadata[number].name = name
    for number, name in enumerate((f"${_SOURCE}:12 train_step", "model/dense/MatMul"), 1):
        plane.event_metadata[number].id = number
        plane.event_metadata[number].name = name
    event = plane.lines.add(name=f"python on {_HOST}", timestamp_ns=1).events.add(metadata_id=1)
    event.duration_ps = 10**6
    event.stats.add(metadata_id=1, str_value=f"{_PLACE}:33")
    event.stats.add(metadata_id=1, ref_value=4)
    event.stats.add(metadata_id=3, str_value=f"opened {_PLACE} on {_HOST}:2222")
    hlo = message_class("HloProto")()
    computation = hlo.hlo_module.computations.add(name="main")
    told = computation.instructions.add(name="dot", opcode="dot").metadata
    told.op_name, told.source_file, told.source_line = "model/dense/MatMul", _PLACE, 3
    hlo.hlo_module.stack_frame_index.file_names.append(_PLACE)
    plane.event_metadata[2].stats.add(metadata_id=2, bytes_value=hlo.SerializeToString())
    return space.SerializeToString()


def _log():
    log = message_class("OpLogProto")()
    entry = log.log_entries.add(name="model/dense/kernel", float_ops=7)
    entry.code_def.traces.add(file=_PLACE, lineno=3, function="main", line=f"open({_PLACE!r})")
    log.id_to_string[1] = _PLACE
    return log.SerializeToString()


def _events():
    event = message_class("Event")
    first = event(wall_time=1.0, file_version="brain.Event:2")
    graph = event(wall_time=2.0, graph_def=_graph())
    text = message_class("TensorProto")(dtype=7, string_val=[_PLACE.encode()])
    logged = event(wall_time=3.0)
    logged.summary.value.add(tag="flags", tensor=text.SerializeToString())
    scalar = event(wall_time=4.0, step=1)
    scalar.summary.value.add(tag="loss", simple_value=0.5)
    return b"".join(record(one.SerializeToString()) for one in (first, graph, logged, scalar))


def _record():
    return {
        "schema": "tfprof-run/1", "state": "ended", "rank": 0, "ranks": 1, "host": _HOST, "pid": 7,
        "program": {"script": _PLACE, "module": None, "arguments": [_ARGUMENT]},
        "warnings": [f"{_HOST}: {_PLACE} was slow"],
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "run" / _USER
    profile = place / "plugins/profile/2026_11_17_20_48_19"
    profile.mkdir(parents=True)
    (place / "graph.pb").write_bytes(_graph())
    (place / "tfprof_log").write_bytes(_log())
    (place / f"events.out.tfevents.1794767020.{_HOST}").write_bytes(_events())
    (place / "run.json").write_text(json.dumps(_record()).replace(_SOURCE, "train.py"))
    (profile / f"{_HOST}.xplane.pb").write_bytes(_capture())
    return place


def _everything(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_no_secret_is_in_it(folder, tmp_path):
    target = tmp_path / "given.tfprof"
    ran = run("save", folder, "-o", target, "--confidential")
    assert ran.code == 0, ran.err
    for name, data in _everything(target).items():
        for secret in _SECRETS:
            assert secret not in name
            assert secret.encode() not in data, (name, secret)


def test_what_every_answer_is_about_stays(folder, tmp_path):
    target = tmp_path / "given.tfprof"
    save([folder], target, confidential=True)
    told = run("doctor", target, "--json")
    assert told.code == 0
    names = [Path(one["path"]).name for one in json.loads(told.out)["data"]["found"]]
    assert "host_0.xplane.pb" in names
    assert "events.out.tfevents.1794767020.host_0" in names
    data = b"".join(_everything(target).values())
    assert b"model/dense/kernel" in data
    assert b"train_step" in data
    assert b"/host:CPU" in data


def test_text_becomes_bytes(tmp_path):
    graph = tmp_path / "graph.pbtxt"
    graph.write_text('node { name: "x" op: "Placeholder" } # /home/alice/secret\n')
    save([graph], tmp_path / "x.tfprof", confidential=True)
    assert run("summary", tmp_path / "x.tfprof").code == 0
    assert b"alice" not in b"".join(_everything(tmp_path / "x.tfprof").values())


def test_what_nobody_can_clean_is_refused(tmp_path):
    ran = run("save", _TESTS / "models/residual.h5", "-o", tmp_path / "x.tfprof", "--confidential")
    assert ran.code in (4, 6)
    assert not (tmp_path / "x.tfprof").exists()
    damaged = tmp_path / "cut.xplane.pb"
    damaged.write_bytes((_TESTS / "data/tiny.xplane.pb").read_bytes()[:-3])
    ran = run("save", damaged, "-o", tmp_path / "x.tfprof", "--confidential")
    assert ran.code == 4
    assert "not saved" in ran.err


def test_packed_traces_are_looked_through(tmp_path):
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "MatMul",
               "args": {"file": _PLACE}}]  # fmt: skip
    trace = tmp_path / "x.trace.json.gz"
    trace.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    save([trace], tmp_path / "x.tfprof", confidential=True)
    assert _USER.encode() not in b"".join(_everything(tmp_path / "x.tfprof").values())
    assert run("timeline", tmp_path / "x.tfprof").code == 0


@pytest.mark.parametrize("said", [
    "model/dense/MatMul", "/job:worker/replica:0/task:0/device:GPU:0", "/host:CPU", "/cpu:0",
    "jit(main)/transpose(jvp(Net))/dot_general", "while/body/_12/add", "a / b", "loss", "1.2.3",
    "Iterator::Root::Prefetch", "StatefulPartitionedCall/model/conv/Relu;model/conv", "./", "",
])  # fmt: skip
def test_names_stay(said):
    assert Redactor().text(said) == said


@pytest.mark.parametrize("said", [
    "/home/alice/x", "reads /data/alice/train.csv twice", "C:\\Users\\alice\\run", "~/alice/x",
    "s3://alice/bucket", "grpc://alice:2222", "../alice/x.py:3", "alice/train.py:12",
    "alice/data/part.tfrecord", "file=/mnt/alice/a", "('/mnt/alice/a',)", "$/home/alice/x.py:3 f",
])  # fmt: skip
def test_paths_go(said):
    assert "alice" not in Redactor().text(said)


def test_a_host_that_is_called_like_a_scope():
    redactor = Redactor()
    redactor.learn(["model", "node-3.example"])
    assert redactor.text("model/dense on model") == "model/dense on host_0"
    assert redactor.text("node-3.example/x") == "host_1/x"
