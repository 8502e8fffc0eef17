"""`tfprof advise` as people and programs ask it."""

import json

import pytest
from run_cli import run

import tfprof
from tfprof.errors import UsageError
from tfprof.sources.run.tensorflow_log import read_tensorflow_log

SLOW, FAST = "xplane/slow-cb.xplane.pb", "xplane/fast-cb.xplane.pb"
LOG = """\
I cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions.
To enable the following instructions: AVX2 AVX512F FMA, in other operations, rebuild TensorFlow.
E cuda_dnn.cc:319] Loaded runtime CuDNN library: 8.0.4 but source was compiled with: 8.6.0.  CuDNN
E cuda_dnn.cc:319] Loaded runtime CUDA library: 12.3 but source was compiled with: 12.1
W gpu_device.cc:1956] Cannot dlopen some GPU libraries. Skipping registering GPU devices...
"""


def findings(*words):
    ran = run("advise", *words, "--json")
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)["data"]["findings"]


def test_a_slow_pipeline_is_the_first_finding(samples):
    (one,) = findings(samples / SLOW)
    assert (one["rule"], one["severity"]) == ("input-map-not-parallel", "problem")
    assert one["stage"] == "Map"
    assert "num_parallel_calls" in one["code"]
    quick = tfprof.load(samples / FAST).steps().to_dict()["data"]["period"]["median_us"]
    assert one["gain"]["kind"] == "modelled"
    assert one["gain"]["after"] == pytest.approx(quick, rel=0.2)


@pytest.mark.parametrize("name", [FAST, "resnet32", "keras_ResNet50_fwd.graph.pb"])
def test_sound_models_have_no_problem(samples, name):
    found = findings(samples / name, "--all")
    assert [one for one in found if one["severity"] == "problem"] == []
    assert len(found) <= 2


def test_python_gets_the_same(samples):
    asked = tfprof.load(samples / SLOW).advise()
    assert asked.to_dict()["data"]["findings"] == findings(samples / SLOW)
    quiet = tfprof.load(samples / SLOW).advise(ignore="input-*")
    assert quiet.to_dict()["data"]["findings"] == []


def test_the_summary_shows_the_first(samples):
    shown = tfprof.load(samples / SLOW).summary()
    assert shown.to_dict()["data"]["advice"]["rule"] == "input-map-not-parallel"
    assert "tfprof advise" in str(shown)


def test_a_rule_that_nobody_knows_is_an_error(samples):
    ran = run("advise", samples / SLOW, "--ignore", "no-such-rule")
    assert ran.code == UsageError.exit_code
    assert "no-such-rule" in ran.err


@pytest.mark.parametrize("command", ["advise", "summary"])
def test_a_project_says_what_it_never_wants_to_hear(samples, tmp_path, monkeypatch, command):
    (tmp_path / "pyproject.toml").write_text('[tool.tfprof]\nignore = ["input-*"]\n')
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    assert "num_parallel_calls" not in run(command, samples / SLOW).out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[tool.tfprof]\nignore = "retracing"\n', 2),
        ("[tool.tfprof]\nignore = [1]\n", 2),
        ('[tool.tfprof]\nignore = ["no-such-rule"]\n', 2),
        ("[tool.tfprof]\nignore = [\n", 4),
        ("[tool.other]\nignore = [\n", 0),
        ("[tool.tfprof]\n", 0),
    ],
)
def test_settings_that_are_none_are_told(samples, tmp_path, monkeypatch, text, code):
    (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    ran = run("advise", samples / FAST)
    assert ran.code == code
    assert bool(ran.err) == bool(code)


def test_a_log_tells_of_the_build(samples, tmp_path):
    path = tmp_path / "stderr.txt"
    path.write_text(LOG)
    log = read_tensorflow_log(path)
    assert log.instructions == ("AVX2", "AVX512F", "FMA")
    assert [(one.loaded, one.built_with) for one in log.older] == [("8.0.4", "8.6.0")]
    rules = [one["rule"] for one in findings(samples / FAST, "--log", path)]
    assert sorted(rules) == [
        "build-without-instructions",
        "cuda-older-than-build",
        "gpu-not-used",
    ]


@pytest.mark.parametrize("data", [b"\xff\xfe\x00" * 99, b"x" * 10**6, b"library: 9" * 9999])
def test_a_log_may_hold_anything(tmp_path, data):
    path = tmp_path / "log"
    path.write_bytes(data)
    assert read_tensorflow_log(path).older == ()


def test_a_log_that_is_not_there_is_an_error(samples, tmp_path):
    assert run("advise", samples / FAST, "--log", tmp_path / "none").code == 3


def test_short_memory_gets_a_plan(samples):
    words = ["keras_mlp_train.graph.pb", "--batch", "4096", "--device-memory", "34MB"]
    found = findings(samples / words[0], *words[1:])
    (one,) = (one for one in found if one["rule"] == "memory-near-limit")
    assert one["gain"]["after"] < one["gain"]["before"]


def test_the_operation_checker_finds_an_unfused_batch_norm_by_any_name(samples):
    data = tfprof.load(samples / "resnet32").data
    from tfprof.compat.checkers import advice_of

    said = advice_of(data, {"OperationChecker": {}}).checkers["OperationChecker"].reports
    assert any("batch norm" in one for one in said)
    original = advice_of(data, {"OperationChecker": {}}, compat=True)
    assert original.checkers["OperationChecker"].reports == []
