"""Arguments in Python: what makes no sense is refused in words, whoever is asked."""

import numpy as np
import pytest

import tfprof
from tfprof.errors import UsageError

GRAPH = "keras_mlp_fwd.graph.pb"
ASKED = {
    "flops": lambda path, batch: tfprof.flops(path, batch=batch),
    "peak_memory": lambda path, batch: tfprof.peak_memory(path, batch=batch),
    "memory": lambda path, batch: tfprof.load(path).memory(batch=batch),
    "memory, several": lambda path, batch: tfprof.load(path).memory(batch=[1, batch]),
    "summary": lambda path, batch: tfprof.load(path).summary(batch=batch),
    "layers": lambda path, batch: tfprof.load(path).layers(batch=batch),
    "placement": lambda path, batch: tfprof.load(path).placement(batch=batch),
    "dims": lambda path, batch: tfprof.flops(path, dims={"B": batch}),
    "feeds": lambda path, batch: tfprof.flops(path, feeds={"x": (batch, 784)}),
}
NONSENSE = {
    "mode": {"mode": "trian"},
    "optimizer": {"mode": "train", "optimizer": "adm"},
    "dtype": {"dtype": "int7"},
    "swap": {"mode": "train", "swap": -1},
    "device memory": {"device_memory": -1},
    "device memory, a text": {"device_memory": "16GB"},
    "margin": {"device_memory": 10**9, "margin": -3},
    "margin, a text": {"device_memory": 10**9, "margin": "x"},
}


@pytest.mark.parametrize("batch", [-4, 0, 2.5, True, "x y"])
@pytest.mark.parametrize("name", ASKED)
def test_a_batch_that_is_none_is_refused(samples, name, batch):
    with pytest.raises(UsageError):
        ASKED[name](samples / GRAPH, batch)


@pytest.mark.parametrize("name", ASKED)
def test_a_number_of_numpy_is_a_number(samples, name):
    one, other = (ASKED[name](samples / GRAPH, batch) for batch in (4, np.int64(4)))
    assert str(one) == str(other)


@pytest.mark.parametrize("name", NONSENSE)
def test_other_nonsense_is_refused(samples, name):
    with pytest.raises(UsageError):
        tfprof.load(samples / GRAPH).memory(**NONSENSE[name])


def test_two_batches_of_one_question_are_refused(samples):
    assert tfprof.flops(samples / GRAPH, 4, batch_size=4) == 4 * 813056
    with pytest.raises(UsageError, match="which is meant"):
        tfprof.flops(samples / GRAPH, 4, batch_size=8)


def test_a_shape_may_be_written_as_on_the_command_line(samples):
    by_text = tfprof.flops(samples / GRAPH, feeds={"x": "B,784"})
    assert by_text == tfprof.flops(samples / GRAPH, feeds={"x": ("B", 784)})


def test_a_folder_with_a_run_tells_what_was_measured(samples):
    found = tfprof.peak_memory(samples / "two_cpus")
    told = tfprof.load(samples / "two_cpus").memory().to_dict()["data"]
    assert told["memory_kind"] == "measured"
    assert found == {device: one["peak_bytes"] for device, one in told["devices"].items()}
    assert tfprof.peak_memory(samples / "two_cpus", batch=3) != found


def test_a_summary_says_for_which_batch_memory_is_estimated(samples):
    profile = tfprof.load(samples / GRAPH)
    batches = [profile.summary(batch=one).to_dict()["data"]["estimated_batch"] for one in (None, 8)]
    assert batches == [1, 8]
    fixed = tfprof.load(samples / "tiny.xplane.pb").summary().to_dict()["data"]
    assert "estimated_batch" not in fixed
