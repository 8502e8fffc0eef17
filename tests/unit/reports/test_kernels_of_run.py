"""Where a run shows oneDNN's kernels, the memory of a step is estimated with them."""

import shutil
from pathlib import Path

import pytest
from random_traces import capture_bytes

import tfprof


@pytest.fixture
def folder(samples, tmp_path):
    """A graph with convolutions, and a capture that ran an op of this type."""

    def made(kernel):
        shutil.copy(samples / "resnet32/graph.pb", tmp_path / "graph.pb")
        events = [("train", 0, 100, {"step_num": 0, "_r": 1}), (f"a/b:{kernel}", 5, 10)]
        (tmp_path / "vm.xplane.pb").write_bytes(capture_bytes({"/host:CPU": {"python": events}}))
        return tmp_path

    return made


def _peak(path, **more):
    (device,) = (
        tfprof.load(path)
        .memory(estimate=True, batch=8, **more)
        .to_dict()["data"]["devices"]
        .values()
    )
    return device["peak_bytes"]


def test_the_run_tells_whose_kernels_they_are(folder):
    path = folder("_MklNativeConv2D")
    assert _peak(path) == _peak(path, model="cpu-onednn") < _peak(path, model="cpu-tf")
    path = folder("Conv2D")
    assert _peak(path) == _peak(path, model="cpu-tf")


def test_the_summary_takes_the_same(folder):
    path = folder("_MklNativeConv2D")
    summary = tfprof.load(path).summary().to_dict()["data"]
    memory = tfprof.load(path).memory(estimate=True).to_dict()["data"]
    (device,) = memory["devices"].values()
    assert list(summary["peak_memory"].values()) == [device["peak_bytes"]]


def test_what_depends_on_the_library_is_said():
    """Of the gradient of a 3-D convolution, scratch is most of the peak."""
    wild = Path(__file__).parents[2] / "wild"
    model = tfprof.load(wild / "conv3d.graph.pb", vars=wild / "conv3d_vars.json")
    said = model.memory(batch=1).to_dict()["warnings"]
    assert any("oneDNN" in text for text in said)
    said = model.memory(batch=1, model="cpu-onednn").to_dict()["warnings"]
    assert not any("oneDNN" in text for text in said)
