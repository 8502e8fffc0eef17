"""Whoever tells of the estimated peak of a step tells the same."""

import pytest

import tfprof


@pytest.mark.parametrize("name", ["keras_MobileNetV2_train", "keras_mlp_train"])
@pytest.mark.parametrize("batch", [1, 8])
def test_summary_layers_and_memory_agree(samples, name, batch):
    profile = tfprof.load(samples / f"{name}.graph.pb")
    memory = profile.memory(batch=batch).to_dict()["data"]["devices"]["/cpu:0"]
    rows = profile.layers(batch=batch).to_dict()["data"]["rows"]
    summary = profile.summary(batch=batch).to_dict()["data"]
    assert sum(row["peak_bytes"] for row in rows) == memory["peak_bytes"]
    assert summary["peak_memory"] == {"/cpu:0": memory["peak_bytes"]}
