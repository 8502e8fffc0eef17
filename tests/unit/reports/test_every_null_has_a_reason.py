"""One schema for memory, measured or estimated; numbers that differ and nulls say why."""

import pytest

import tfprof

# what the contract of `memory` lists
OF_DEVICE = {
    "peak_bytes", "persistent_bytes", "total_bytes", "interval", "peak_at", "live_at_peak",
    "curve", "pieces",
}  # fmt: skip
OF_ALL = {"memory_kind", "devices", "batches", "max_batch", "safe_batch"}
ASKED = {
    "a run": ("keras_mlp_train_b8_default.runmeta.pb", {}),
    "a run beside its graph": ("two_cpus", {}),
    "a capture": ("xplane/fast-trace-bfc.xplane.pb", {}),
    "a graph": ("keras_mlp_fwd.graph.pb", {}),
    "a graph and a budget": ("keras_mlp_fwd.graph.pb", {"device_memory": 10**9}),
    "sizes are missing": ("traced_step/graph.pb", {"device_memory": 10**9}),
}


@pytest.mark.parametrize("name", ASKED)
def test_measured_and_estimated_memory_have_the_same_keys(samples, name):
    path, options = ASKED[name]
    found = tfprof.load(samples / path).memory(**options).to_dict()
    data = found["data"]
    assert data.keys() >= OF_ALL
    reasons = " ".join(one.partition(":")[0] for one in found["warnings"])
    assert all(key in reasons for key in OF_ALL if data[key] is None)
    for device in data["devices"].values():
        assert device.keys() >= OF_DEVICE
        assert [key for key, value in device.items() if value is None and key not in reasons] == []


def test_two_counts_of_the_originals_flops_say_why_they_differ(samples):
    """The log counts nodes that no step runs: initialisers, and what watches the model."""
    profile = tfprof.load(samples / "resnet32")
    summary, layers = profile.summary(), profile.layers()
    told = summary.to_dict()["data"]["float_ops"], layers.to_dict()["data"]["total"]["float_ops"]
    assert told == (53673324651, 53672400762)
    said = (
        "float_ops: the op log has 53,673,324,651 in 1,127 nodes of the graph, "
        "the ops of the step come to 53,672,400,762"
    )
    assert said in summary.warnings
    assert said in layers.warnings
