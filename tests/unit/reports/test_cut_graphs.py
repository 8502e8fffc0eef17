"""A graph whose file ends early: what is read of it is at least so much, never all or nothing."""

import gzip
import json

import pytest
from run_cli import run

import tfprof
from tfprof.errors import InputMissing

# before its first multiplication, and after some of them
CUTS = {"in the first layer": 3_000, "in the middle": 60_000}
SIZES = ["--batch", 1, "--dim", "H=64", "--dim", "W=64"]


@pytest.fixture(params=CUTS)
def cut(request, unet, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes((unet / "graph.pb").read_bytes()[: CUTS[request.param]])
    return path


def _data(*words):
    ran = run(*words, "--json")
    assert ran.code == 0
    answer = json.loads(ran.out)
    assert any("ends early" in warning for warning in answer["warnings"])
    return answer["data"]


def _is_no_claim(data, key):
    return data[key] is None or (data[f"{key}_kind"] == "at_least" and data[key] > 0)


def test_a_summary_claims_no_total(cut):
    data = _data("summary", cut, *SIZES)
    for key in ("macs", "flops", "flops_all", "float_ops", "nodes", "function_nodes"):
        assert _is_no_claim(data, key), key
    for key in ("trainable", "non_trainable", "optimizer", "other", "total"):
        assert _is_no_claim(data["params"], key), key
    for phase in data["phases"].values():
        assert _is_no_claim(phase, "macs")
    assert data["peak_memory"] is None


def test_every_null_of_it_has_a_reason(cut):
    warnings = " ".join(json.loads(run("summary", cut, *SIZES, "--json").out)["warnings"])
    for key in ("peak_memory", "function_nodes", "params.optimizer"):
        assert key in warnings


def test_the_text_marks_what_is_not_all(cut):
    out = run("summary", cut, *SIZES).out
    assert "≥" in out.partition("Parameters")[2].splitlines()[0]
    computes = out.partition("Computes")[2].splitlines()[0]
    assert computes.strip().startswith(("?", "at least"))


def test_layers_claim_no_total(cut):
    assert _is_no_claim(_data("layers", cut, *SIZES)["total"], "macs")


def test_no_peak_is_claimed(cut):
    ran = run("memory", cut)
    assert (ran.code, "ends early" in ran.err) == (3, True)
    with pytest.raises(InputMissing, match="ends early"):
        tfprof.peak_memory(cut)


@pytest.mark.parametrize("ask", [tfprof.flops, tfprof.parameter_count])
def test_one_number_is_refused(ask, cut):
    with pytest.raises(InputMissing, match="ends early"):
        ask(cut)


@pytest.mark.parametrize(
    ("name", "share"),
    [("keras_mlp_train.graph.pbtxt", 0.5), ("unet_bn_cond_train.meta.gz", 0.3)],
)
def test_graphs_in_other_files_are_told_apart_too(name, share, data, tmp_path):
    content = (data / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    path = tmp_path / name.removesuffix(".gz")
    path.write_bytes(content[: int(len(content) * share)])
    assert tfprof.load(path).data.graph.cut == f"{path.name} ends early"


def test_a_graph_before_the_cut_is_whole(data, tmp_path):
    content = gzip.decompress((data / "unet_bn_cond_train.meta.gz").read_bytes())
    path = tmp_path / "model.meta"
    path.write_bytes(content[:-10])
    found = tfprof.load(path).data
    assert any("ends early" in warning for warning in found.warnings)
    assert found.graph.cut == ""
