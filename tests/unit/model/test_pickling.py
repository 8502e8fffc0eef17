"""Whatever is loaded pickles: as paths if it comes from files, else with all that it holds."""

import gzip
import os
import pickle
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest
from conftest import EXAMPLES, TESTS
from made_checkpoints import early_checkpoint
from random_traces import capture_bytes

import tfprof
from tfprof.api.anything import data_of
from tfprof.errors import CorruptFile, FileChanged, PathNotFound, TfprofError, all_errors
from tfprof.model.hosts import Hosts
from tfprof.model.profile import ProfileData
from tfprof.sources.files.opener import LocalFiles
from tfprof.sources.find.load import Request, choose, read

# paths and fingerprints; no file's contents
SMALL = 5000
VALUES = TESTS / "checkpoints" / "resnet32.data-00000-of-00001.gz"
SAMPLES = sorted(
    path.relative_to(TESTS / "data").with_suffix(path.suffix.removesuffix(".gz")).as_posix()
    for path in (TESTS / "data").rglob("*")
    if path.is_file()
)


def same(one: ProfileData, other: ProfileData) -> None:
    assert (one.title, one.inputs, one.warnings) == (other.title, other.inputs, other.warnings)
    assert one.declared == other.declared
    assert one.keras == other.keras
    _same_graph(one.graph, other.graph)
    _same_trace(one.trace, other.trace)
    _same_log(one.oplog, other.oplog)
    _same_checkpoint(one.checkpoint, other.checkpoint)


def _same_graph(one, other):
    assert (one is None) == (other is None)
    if one is None:
        return
    assert one.names.tolist() == other.names.tolist()
    assert np.array_equal(one.edges.node, other.edges.node)
    assert list(one.functions) == list(other.functions)
    for row in range(0, len(one), 97):
        assert _attributes(one, row) == _attributes(other, row)
    for name in list(one.functions)[:3]:
        assert one.functions[name].results == other.functions[name].results


def _attributes(graph, row):
    return {key: value.SerializeToString() for key, value in graph.attributes.of(row).items()}


def _same_trace(one, other):
    assert (one is None) == (other is None)
    if one is None:
        return
    assert np.array_equal(one.executions.start, other.executions.start)
    assert list(one.executions.node.table) == list(other.executions.node.table)
    if one.record is not None:
        assert one.record(0) == other.record(0)
    if one.allocations is not None:
        assert np.array_equal(one.allocations().bytes, other.allocations().bytes)
    for mine, theirs in zip(one.partitions, other.partitions, strict=True):
        _same_graph(mine.load(), theirs.load())
    if one.space is not None:
        _same_space(one.space, other.space)


def _same_space(one, other):
    for mine, theirs in zip(one.planes, other.planes, strict=True):
        for name in mine.stat_names.name[:5]:
            assert mine.stat(name).raw() == theirs.stat(name).raw()
        for row in range(min(2, len(mine.event_names.name) - 1)):
            assert mine.stats.described(row) == theirs.stats.described(row)
    mine, theirs = (list(space.environments.values()) for space in (one, other))
    assert [e.options for e in mine] == [e.options for e in theirs]


def _same_log(one, other):
    assert (one is None) == (other is None)
    if one is None:
        return
    assert (one.types, one.float_ops) == (other.types, other.float_ops)
    for name in list(one.types)[:20]:
        assert list(one.code(name)) == list(other.code(name))


def _same_checkpoint(one, other):
    assert (one is None) == (other is None)
    if one is None:
        return
    assert one.tensors == other.tensors
    assert one.slots == other.slots


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_pickles_as_its_path_and_with_what_it_holds(samples, name):
    try:
        selections = choose(Request([samples / name])).selections
        data = read(selections[0])
    except TfprofError:
        pytest.skip("no profile on its own")
    packed = pickle.dumps(data)
    assert len(packed) < SMALL
    same(data, pickle.loads(packed))
    at_hand = replace(data, origin=None, hosts=Hosts.of(data.trace))
    same(data, pickle.loads(pickle.dumps(at_hand)))


@pytest.mark.parametrize("folder", ["slow_input", "unet"])
def test_a_folder_pickles(folder):
    profile = tfprof.load(EXAMPLES / folder)
    again = pickle.loads(pickle.dumps(profile))
    same(profile.data, again.data)
    assert str(again.summary()) == str(profile.summary())


def test_several_hosts_pickle(tmp_path):
    planes = {"/host:CPU": {"t": [("a:MatMul", 0, 5)]}, "/device:GPU:0": {"s": [("gemm", 2, 2)]}}
    for host in ("a", "b"):
        (tmp_path / f"{host}.xplane.pb").write_bytes(capture_bytes(planes, host))
    data = tfprof.load(tmp_path).data
    assert data.trace is not None  # joined before and after
    same(data, pickle.loads(pickle.dumps(data)))


def test_files_are_read_again_only_when_somebody_looks(graph, monkeypatch):
    again = pickle.loads(pickle.dumps(tfprof.load(graph).data))
    opened = []
    monkeypatch.setattr(
        LocalFiles, "read", lambda _, path: opened.append(path) or path.read_bytes()
    )
    assert isinstance(again, ProfileData)
    assert opened == []
    assert len(again.graph) > 10
    assert opened == [graph]


def test_a_profile_out_of_a_pickle_can_be_changed_and_pickled_again(samples):
    data = tfprof.load(samples / "keras_mlp_fwd.graph.pb").data
    unread = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(data))))
    changed = replace(unread, warnings=("mind this",))
    assert type(changed) is ProfileData
    again = pickle.loads(pickle.dumps(changed))
    assert again.warnings == ("mind this",)
    same(replace(data, warnings=("mind this",)), again)
    assert len(pickle.dumps(changed)) < SMALL


@pytest.mark.parametrize("device", [None, "/cpu:0"])
def test_the_graph_that_ran_pickles(samples, device):
    ran = tfprof.load(samples / "two_cpus").executed(device)
    again = pickle.loads(pickle.dumps(ran))
    same(ran.data, again.data)
    assert again.data.is_executed
    assert again.data.title == ran.data.title


def test_what_comes_from_no_file_pickles(samples):
    for name in ("keras_mlp_fwd.graph.pb", "keras_mlp_train_b8_default.runmeta.pb"):
        data = data_of((samples / name).read_bytes())
        same(data, pickle.loads(pickle.dumps(data)))


def test_values_of_a_checkpoint_pickle_as_a_path(samples, tmp_path):
    (tmp_path / "model.ckpt.index").write_bytes(
        (samples / "resnet32" / "model.ckpt.index").read_bytes()
    )
    shard = tmp_path / "model.ckpt.data-00000-of-00001"
    shard.write_bytes(gzip.decompress(VALUES.read_bytes()))
    stored = tfprof.load(tmp_path / "model.ckpt.index").data
    packed = pickle.dumps(stored)
    again = pickle.loads(packed).checkpoint
    tensor = next(one for one in stored.checkpoint.tensors.values() if one.shape)
    assert np.array_equal(stored.checkpoint.values(tensor), again.values(tensor))
    os.utime(shard, ns=(1, 1))
    with pytest.raises(FileChanged, match="data-00000"):
        pickle.loads(packed)


def test_an_early_checkpoint_and_its_values_pickle_as_a_path(tmp_path):
    stored = tfprof.load(early_checkpoint(tmp_path / "model.ckpt")).checkpoint
    packed = pickle.dumps(stored)
    again = pickle.loads(packed)
    for tensor in stored.tensors.values():
        assert np.array_equal(stored.values(tensor), again.values(tensor))
    os.utime(tmp_path / "model.ckpt", ns=(1, 1))
    with pytest.raises(FileChanged):
        pickle.loads(packed)


def test_keras_models_pickle(tmp_path):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
    for name in ("model.keras", "model.h5", "only.weights.h5"):
        save = model.save_weights if name.startswith("only") else model.save
        save(tmp_path / name)
        data = tfprof.load(tmp_path / name).data
        same(data, pickle.loads(pickle.dumps(data)))
        same(data, pickle.loads(pickle.dumps(replace(data, origin=None))))


def test_another_folder_is_as_good(samples, tmp_path, monkeypatch):
    monkeypatch.chdir(samples)
    packed = pickle.dumps(tfprof.load("keras_mlp_fwd.graph.pb"))
    monkeypatch.chdir(tmp_path)
    assert len(pickle.loads(packed).data.graph) > 10


@pytest.fixture
def graph(samples, tmp_path) -> Path:
    path = tmp_path / "graph.pb"
    path.write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    return path


def test_a_file_with_another_size_is_refused(graph):
    packed = pickle.dumps(tfprof.load(graph))
    graph.write_bytes(graph.read_bytes() + b"\0")
    with pytest.raises(FileChanged, match="bytes and had") as caught:
        pickle.loads(packed)
    assert caught.value.exit_code == 4


def test_a_file_that_was_written_again_is_refused(graph):
    packed = pickle.dumps(tfprof.load(graph))
    os.utime(graph, ns=(1, 1))
    with pytest.raises(FileChanged, match="written again"):
        pickle.loads(packed)


def test_a_file_that_changes_before_it_is_looked_at_is_refused(graph):
    unread = pickle.loads(pickle.dumps(tfprof.load(graph)))
    os.utime(graph, ns=(1, 1))
    with pytest.raises(FileChanged):
        _ = unread.data.graph


def test_a_host_whose_file_changed_is_refused(tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(capture_bytes({"/host:CPU": {"t": [("a:MatMul", 0, 5)]}}, "vm"))
    host = pickle.loads(pickle.dumps(tfprof.load(path).data.hosts[0]))
    os.utime(path, ns=(1, 1))
    with pytest.raises(FileChanged):
        _ = host.trace


def test_a_file_that_is_gone_is_missing(graph):
    packed = pickle.dumps(tfprof.load(graph))
    graph.unlink()
    with pytest.raises(PathNotFound):
        pickle.loads(packed)


def test_errors_pickle():
    fault = CorruptFile("the file is damaged", offset=7, where="graph.pb", hint="Copy it again.")
    again = pickle.loads(pickle.dumps(fault))
    assert (str(again), again.offset, again.hint) == (str(fault), 7, "Copy it again.")
    assert again.__notes__ == fault.__notes__
    assert all(error.__reduce__ is TfprofError.__reduce__ for error in all_errors())
