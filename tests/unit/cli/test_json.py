"""The JSON of every command: one envelope, the documented keys, no unknown without a reason."""

import json

import pytest
from run_cli import run

ENVELOPE = ["schema", "command", "inputs", "warnings", "data"]
SUMMARY = {
    "params",
    "macs",
    "flops",
    "flops_all",
    "float_ops",
    "uncounted_ops",
    "peak_memory",
    "memory_kind",
    "time",
    "nodes",
    "top",
    "top_by",
}
# said besides, until an answer of their own has them
MORE = {"requested_bytes", "function_nodes", "ops", "inputs", "phases", "computed", "symbols"}
PARAMS = {"trainable", "non_trainable", "optimizer", "other", "total", "bytes"}


def answer(*words):
    ran = run(*words, "--json")
    assert ran.code == 0
    assert ran.err == ""
    return json.loads(ran.out)


@pytest.fixture(
    params=[
        "resnet32",
        "keras_mlp_fwd.graph.pb",
        "keras_mlp_train.graph.pbtxt",
        "keras_mlp_train_b8_default.runmeta.pb",
        "resnet32/tfprof_log",
        "keras_mlp_train_vars.json",
        "unet",
        "profile",
        "saved model",
    ]
)
def path(request, samples, unet, unet_profile, made):
    if request.param == "saved model":
        return made("mlp_saved_model")
    return {"unet": unet, "profile": unet_profile}.get(request.param, samples / request.param)


def test_every_answer_has_the_envelope(path):
    for name in ("summary", "doctor"):
        made = answer(name, path)
        assert list(made) == ENVELOPE
        assert made["schema"] == "tfprof/1"
        assert made["command"] == name
        assert all(set(entry) == {"path", "format"} for entry in made["inputs"])
        assert all(isinstance(warning, str) and warning for warning in made["warnings"])


def test_summary_has_its_documented_keys(path):
    data = answer(path)["data"]
    formulas = {key for key in data if key.endswith("_formula")}
    # the estimate stands beside the peak where that was measured
    beside = {"estimated_peak_memory"} if data["memory_kind"] == "measured" else set()
    # and of which batch it is, where that is open
    beside |= {"estimated_batch"} & set(data)
    # and what to change first, where there is anything
    beside |= {"advice"} & set(data)
    kinds = {key for key in data if key.endswith("_kind")} - {"memory_kind"}
    assert set(data) - {"checkpoint"} - beside - formulas - kinds == SUMMARY | MORE
    assert all(data[key] in ("estimated", "at_least") for key in kinds)
    numbers = {key.removesuffix("_kind") for key in kinds}
    assert all(data[key] is not None or f"{key}_formula" in data for key in numbers)
    assert all(data[key.removesuffix("_formula")] is None for key in formulas)
    assert set(data["params"]) == PARAMS
    assert set(data["time"]) == {
        "steps", "step_us", "op_us", "span_us", "device_us", "host_us", "phases",
    }  # fmt: skip
    assert data["top_by"] in ("time", "params", None)
    assert all({"name", "op"} <= set(row) for row in data["top"])


def test_nothing_is_unknown_without_a_reason(path):
    made = answer(path)
    data = made["data"]
    unknown = [key for key in SUMMARY - {"params", "time", "top_by"} if data[key] is None]
    unknown += [f"params.{key}" for key in PARAMS if data["params"][key] is None]
    unknown += [f"time.{key}" for key, value in data["time"].items() if value is None]
    reasons = {}
    for warning in made["warnings"]:
        keys, _, reason = warning.partition(": ")
        reasons.update(dict.fromkeys(keys.split(", "), reason))
    # without a run one reason is for all of the time
    told = {key for key in unknown if reasons.get(key)}
    told |= {key for key in unknown if key.startswith("time.") and reasons.get("time")}
    assert sorted(set(unknown) - told) == []


def test_numbers_are_plain_and_in_base_units(unet):
    data = answer(unet)["data"]
    assert data["params"]["trainable"] == 31_030_658
    assert data["params"]["bytes"] == {"float32": 372_367_904}
    assert data["nodes"] == 1567
    assert data["top_by"] == "time"
    first = data["top"][0]
    assert first["op"] == "Conv2DBackpropFilter"
    assert first["time_us"] > 1e6
    assert data["time"]["step_us"] > 4e7


@pytest.mark.parametrize("sample", ["keras_lstm_fwd.graph.pb", "keras_lstm_train.graph.pb"])
def test_op_types_come_most_first_then_by_name(samples, sample):
    """Functions are found through maps whose order is another in every process."""
    ops = answer(samples / sample)["data"]["ops"]
    assert list(ops.items()) == sorted(ops.items(), key=lambda item: (-item[1], item[0]))


def test_doctor_has_its_documented_keys(path):
    data = answer("doctor", path)["data"]
    assert set(data) == {"found", "missing", "restore"}
    assert all(set(entry) == {"path", "format", "used", "why"} for entry in data["found"])
    assert all(set(entry) == {"what", "adds", "command"} for entry in data["missing"])
    assert data["found"]
    assert all(entry["used"] or entry["why"] for entry in data["found"])


def test_several_models_are_listed(samples):
    made = answer(samples)
    assert list(made) == ENVELOPE
    assert set(made["data"]) == {"models"}
    models = {m["name"]: m for m in made["data"]["models"]}
    assert models["keras_mlp_fwd"]["params"]["total"] == 407_050
    for model in models.values():
        assert set(model["params"]) == PARAMS
        assert all(set(entry) == {"path", "format"} for entry in model["inputs"])


def test_formats_say_what_is_read():
    data = answer("formats")["data"]
    by_name = {entry["name"]: entry for entry in data["formats"]}
    assert by_name["GraphDef"]["read"] is True
    assert by_name["checkpoint data"]["read"] is False
    keys = {"name", "about", "names", "recognised_by", "gives", "read"}
    assert all(set(entry) == keys for entry in data["formats"])


def test_next_commands_of_doctor_work_when_pasted(samples, tmp_path):
    import shlex
    import shutil

    folder = tmp_path / "my model"
    folder.mkdir()
    shutil.copyfile(samples / "keras_mlp_train_b8_default.runmeta.pb", folder / "run_meta")
    (missing,) = answer("doctor", folder)["data"]["missing"]
    words = shlex.split(missing["command"])
    assert words[0] == "tfprof"
    assert "GRAPH" in words
    graph = str(samples / "keras_mlp_train.graph.pb")
    ran = run(*(graph if word == "GRAPH" else word for word in words[1:]))
    assert ran.code == 0
    assert "407,050 trainable" in ran.out
