import pickle
from dataclasses import replace

import numpy as np
import pytest
from random_traces import capture_bytes

import tfprof
from tfprof.model.hosts import Hosts
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.model.xspace import Space

PLANES = {"/host:CPU": {"tf_Compute/1": [("dense/MatMul:MatMul", 10, 5, {"group_id": 3})]}}


@pytest.fixture
def two(tmp_path):
    """Two hosts in a folder; inside, both have the name that every container has."""
    for name in ("worker-10", "worker-2"):
        (tmp_path / f"{name}.xplane.pb").write_bytes(capture_bytes(PLANES, "localhost"))
    return tmp_path


def test_a_capture_is_a_host_and_ranks_follow_names(two):
    hosts = tfprof.load(two).data.hosts
    assert [(host.name, host.rank, host.steps) for host in hosts] == [
        ("worker-2", 0, (3,)),
        ("worker-10", 1, (3,)),
    ]
    assert [host.trace.space.hosts for host in hosts] == [("worker-2",), ("worker-10",)]


def test_hosts_are_joined_once_and_only_when_somebody_asks(two, monkeypatch):
    joins = []
    joined = Space.joined

    def counted(spaces):
        joins.append(len(spaces))
        return joined(spaces)

    monkeypatch.setattr(Space, "joined", counted)
    data = tfprof.load(two).data
    assert joins == []
    assert data.trace.space.hosts == ("worker-2", "worker-10")
    assert data.trace.steps == (3,)
    assert data.trace is replace(data, warnings=("another",)).trace
    assert joins == [2]


def test_a_host_without_a_name_in_its_file_has_that_of_the_file(tmp_path):
    (tmp_path / "vm7.xplane.pb").write_bytes(capture_bytes(PLANES, None))
    (host,) = tfprof.load(tmp_path).data.hosts
    assert host.name == "vm7"


def test_runs_are_steps_of_one_host(samples):
    path = samples / "keras_mlp_train_b8_default.runmeta.pb"
    (host,) = tfprof.load(path, path).data.hosts
    assert (host.name, host.rank, host.steps) == ("", 0, (0, 1))


def test_a_graph_alone_has_no_hosts_and_no_trace(samples):
    data = tfprof.load(samples / "keras_mlp_fwd.graph.pb").data
    assert data.hosts == () == Hosts.of(None)
    assert data.trace is None


def test_a_trace_at_hand_is_that_of_one_host(two):
    trace = tfprof.load(two / "worker-2.xplane.pb").trace
    data = ProfileData("made", hosts=Hosts.of(trace))
    assert data.trace is trace
    assert len(data.hosts) == 1


def test_a_host_pickles_alone_and_is_read_again_by_who_looks(two):
    host = tfprof.load(two).data.hosts[0]
    packed = pickle.dumps(host)
    again = pickle.loads(packed)
    assert len(packed) < 1000
    assert (again.name, again.rank, again.steps) == ("worker-2", 0, (3,))
    assert np.array_equal(again.trace.executions.start, host.trace.executions.start)
    assert again.trace is again.trace


def test_joined_records_come_from_the_trace_that_has_them(samples):
    path = samples / "keras_mlp_train_b8_default.runmeta.pb"
    one, both = tfprof.load(path).trace, tfprof.load(path, path).trace
    again = pickle.loads(pickle.dumps(both))
    count = len(one.executions)
    for trace in (both, again):
        assert trace.record(count + 3).node_name == one.record(3).node_name
        assert len(trace.allocations()) == 2 * len(one.allocations())
    assert both.record(0).node_name == Trace.joined([one]).record(0).node_name
