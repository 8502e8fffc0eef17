"""Op logs: of every age, as binary and as text."""

import pytest
from google.protobuf import text_format
from tensorflow.core.profiler import tfprof_log_pb2

from tfprof.model.oplog import CodeFrame
from tfprof.sources.find.load import Request, choose, read
from tfprof.wire.schema import message_class


def load(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection)


@pytest.fixture(scope="module")
def resnet(samples):
    path = samples / "resnet32/tfprof_log"
    return load(path).oplog, tfprof_log_pb2.OpLogProto.FromString(path.read_bytes())


def test_float_ops_are_those_of_the_file(resnet):
    ours, theirs = resnet
    assert dict(ours.float_ops) == {e.name: e.float_ops for e in theirs.log_entries if e.float_ops}
    assert ours.float_ops["unit_1_0/sub1/conv1/Conv2D"] == 603_979_776


def test_types_are_those_of_the_file(resnet):
    ours, theirs = resnet
    assert {name: list(types) for name, types in ours.types.items()} == {
        e.name: list(e.types) for e in theirs.log_entries if e.types
    }
    assert len(ours.trainable) > 50


def test_stacks_are_those_of_the_file(resnet):
    ours, theirs = resnet
    assert ours.has_code
    strings = theirs.id_to_string
    checked = 0
    for entry in theirs.log_entries:
        if entry.HasField("code_def"):
            assert list(ours.code(entry.name)) == [
                CodeFrame(
                    strings[t.file_id],
                    t.lineno,
                    strings[t.function_id],
                    strings[t.line_id],
                    t.func_start_line,
                )
                for t in entry.code_def.traces
            ]
            checked += 1
    assert checked > 1000
    assert list(ours.code("no such node")) == []


def test_a_text_op_log_says_the_same(tmp_path, resnet):
    path = tmp_path / "log"
    path.write_text(text_format.MessageToString(resnet[1]), encoding="utf-8")
    ours = load(path).oplog
    assert dict(ours.types) == dict(resnet[0].types)
    assert dict(ours.float_ops) == dict(resnet[0].float_ops)
    name = resnet[1].log_entries[5].name
    assert list(ours.code(name)) == list(resnet[0].code(name))


def _written(tmp_path, log):
    path = tmp_path / "tfprof_log"
    path.write_bytes(log.SerializeToString())
    return path


def test_an_early_log_holds_the_strings_themselves(tmp_path):
    log = message_class("OpLogProto")()
    entry = log.log_entries.add(name="conv", float_ops=12, types=["mine"])
    entry.code_def.traces.add(file="model.py", lineno=3, function="build", line="x = 1")
    entry.code_def.traces.add(file="main.py", lineno=-1, function="main", line="build()")
    ours = load(_written(tmp_path, log)).oplog
    assert list(ours.code("conv")) == [
        CodeFrame("model.py", 3, "build", "x = 1", 0),
        CodeFrame("main.py", -1, "main", "build()", 0),
    ]
    assert ours.float_ops == {"conv": 12}
    assert ours.types == {"conv": ["mine"]}


def test_the_last_count_and_the_first_stack_of_a_node_win(tmp_path):
    log = tfprof_log_pb2.OpLogProto()
    log.id_to_string.update({0: "none", 1: "one.py", 2: "two.py"})
    for number in (1, 2):
        entry = log.log_entries.add(name="a", float_ops=number * 10, types=[f"t{number}"])
        entry.code_def.traces.add(file_id=number, lineno=number)
    log.log_entries.add(name="a", float_ops=0)
    ours = load(_written(tmp_path, log)).oplog
    assert ours.float_ops == {"a": 20}
    assert ours.types == {"a": ["t1", "t2"]}
    assert [frame.file for frame in ours.code("a")] == ["one.py"]


def test_a_string_id_that_is_nowhere_is_empty_not_an_error(tmp_path):
    log = tfprof_log_pb2.OpLogProto()
    log.log_entries.add(name="a").code_def.traces.add(file_id=77, lineno=5)
    assert list(load(_written(tmp_path, log)).oplog.code("a")) == [CodeFrame("", 5, "", "", 0)]


def test_two_logs_are_joined(tmp_path):
    paths = []
    for number in (1, 2):
        log = tfprof_log_pb2.OpLogProto()
        log.log_entries.add(name="a", float_ops=number, types=[f"t{number}"])
        log.log_entries.add(name=f"only{number}", float_ops=7)
        folder = tmp_path / str(number)
        folder.mkdir()
        paths.append(_written(folder, log))
    ours = load(*paths).oplog
    assert ours.float_ops == {"a": 2, "only1": 7, "only2": 7}
    assert ours.types["a"] == ["t1", "t2"]
    assert not ours.has_code
