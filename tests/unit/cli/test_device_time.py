"""Where the time of devices went, by every cut, on captures of each layout with a known truth."""

import gzip
import json
from collections import Counter

import pytest
from accelerator_captures import LAYOUTS, packed
from run_cli import run

from tfprof.wire.schema import message_class

COPIES = {"(copies to the device)", "(copies to the host)"}
BY = ("op", "phase", "category", "source", "kernel")
EVERY = (*BY, "layer", "node", "scope", "device", "thread")
# a timeline of TensorFlow 1 names no kernels
CUTS = [(name, by) for name in LAYOUTS for by in EVERY if (name, by) != ("tf1_timeline", "kernel")]
TRUTHS = {name: build()[1] for name, (build, _) in LAYOUTS.items()}
TOLD = [(name, by) for name, by in CUTS if by in BY and getattr(TRUTHS[name], by)]


def put(name, folder):
    build, file = LAYOUTS[name]
    data, truth = build()
    (folder / file).write_bytes(data)
    return folder / file, truth


@pytest.fixture(params=LAYOUTS)
def made(request, tmp_path):
    return put(request.param, tmp_path)


def asked(path, *words):
    ran = run(*words[:1], path, *words[1:], "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def rows(path, by):
    return asked(path, "layers", "--by", by)["rows"]


def is_copy(row):
    """Whole rows are copies in these captures, or nothing of them is."""
    if "short_name" in row:
        return row["kernel"].startswith("Memcpy")
    return bool(row["copy_us"]) and row["copy_us"] == row["device_us"]


@pytest.mark.parametrize(("name", "by"), TOLD)
def test_every_cut_tells_the_truth(name, by, tmp_path):
    path, truth = put(name, tmp_path)
    key = "total_us" if by == "kernel" else "self_us"
    took, copied = Counter(), 0.0
    for row in rows(path, by):
        if is_copy(row):
            copied += row[key]
        elif row[key]:
            took[row[by]] += row[key]
    assert took == pytest.approx(dict(getattr(truth, by)))
    assert copied == pytest.approx(truth.copies)


def test_layers_are_one_row_over_replicas_phases_and_rounds(made):
    path, truth = made
    shares = {row["layer"]: row for row in asked(path, "layers")["time"]["rows"]}
    own = {name: row["self_us"] for name, row in shares.items() if name not in COPIES}
    assert own == pytest.approx(dict(truth.layer))


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name != "tf1_timeline"])
def test_every_table_tells_the_same_device_time_of_a_step(name, tmp_path):
    """That of kernels, too: its rows were of the whole capture once."""
    path, _ = put(name, tmp_path)
    step = asked(path, "summary")["time"]["device_us"]
    for by in EVERY:
        found = asked(path, "layers", "--by", by)["rows"]
        assert sum(row["device_us"] or 0 for row in found) == pytest.approx(step), by
        assert sum(row["time_us"] or 0 for row in found) == pytest.approx(step), by


def test_executions_are_counted_not_kernels(made):
    path, truth = made
    found = {row["op"]: row["runs"] for row in rows(path, "op") if row["op"] in truth.runs}
    assert found == dict(truth.runs)


@pytest.mark.parametrize(("name", "by"), CUTS)
def test_every_cut_adds_up_to_the_same_device_time(name, by, tmp_path):
    path, truth = put(name, tmp_path)
    table = asked(path, "layers", "--by", by)
    key, found = "total_us", table["rows"]
    if by != "kernel":
        key, found = "self_us", table["time"]["rows"]
    assert sum(row[key] for row in found) == pytest.approx(truth.kernels + truth.copies)


def test_time_is_of_the_device_and_launching_stands_beside(made):
    path, _ = made
    for row in rows(path, "op"):
        assert row["time_us"] == pytest.approx(row["device_us"])
        assert row["host_us"] >= 0
    if path.suffix == ".json":
        by_op = {row["op"]: row for row in rows(path, "op")}
        # the first launch started the libraries
        assert by_op["MatMul"]["host_us"] > 90_000 > by_op["MatMul"]["device_us"] == 180


def test_devices_have_what_ran_on_them(made):
    path, truth = made
    found = {row["device"]: row["self_us"] for row in rows(path, "device") if row["self_us"]}
    expected = dict(truth.device)
    for name, took in found.items():
        assert took == pytest.approx(expected[name])


def test_the_summary_agrees(made):
    path, truth = made
    data = asked(path, "summary")
    time = data["time"]
    phases = time["phases"]
    whole = sum(phases.values())
    assert whole == pytest.approx(time["device_us"])
    for name, took in truth.phase.items():
        if name != "other":
            share = took / (truth.kernels + truth.copies)
            assert phases[name] / whole == pytest.approx(share, abs=0.01)
    assert data["capture"]["device_share"] > 0
    assert sum(kind["working"] for kind in data["capture"]["devices"]) == len(truth.device)


def test_the_views_have_accelerator_time(made):
    """Of an average step, in whole microseconds."""
    path, truth = made
    found = asked(path, "op", "-max_depth", 100, "-select", "micros")["rows"]
    took = {row["op"]: row["self"]["accelerator_micros"] for row in found}
    most, other = sorted((truth.op[op] for op in truth.op), reverse=True)[:2]
    names = {micros: op for op, micros in truth.op.items()}
    assert took[names[most]] / took[names[other]] == pytest.approx(most / other, rel=0.05)


def test_placement_agrees(made):
    """Of an average step as well."""
    path, truth = made
    devices = asked(path, "placement")["devices"]
    kernels = sum(devices[name]["time_us"] for name in truth.device)
    steps = round(truth.kernels / kernels)
    assert steps in (1, truth.facts.get("steps"))
    assert kernels * steps == pytest.approx(truth.kernels, rel=0.02)


def test_the_time_of_unknown_flops_is_told(tmp_path):
    path, truth = put("xla_gpu", tmp_path)
    time = asked(path, "layers", "--by", "op")["time"]
    # custom calls, and a kernel that nobody knows the op of
    share = truth.facts["unknown_flops_share"] + truth.op["(not attributed)"] / truth.kernels
    assert time["work_unknown_us"] / time["self_us"] == pytest.approx(share)
    said = " ".join(run("layers", path, "--by", "op").out.split())
    assert f"{share:.1%} of the time is in ops whose FLOPs are not known" in said
    unknown = next(row for row in rows(path, "op") if row["flops"] is None)
    assert f"{unknown['op']} " in said
    assert "? ? ?" in said


def test_flops_count_once_an_execution(tmp_path):
    path, truth = put("xla_gpu", tmp_path)
    by_op = {row["op"]: row for row in rows(path, "op")}
    dot = by_op["dot_general"]
    assert dot["flops"] == truth.facts["dot_flops"]
    assert dot["flops_per_second"] == pytest.approx(dot["flops"] / truth.op["dot_general"] * 1e6)
    # nobody knows what a custom call computes
    assert by_op["te_attn_bwd"]["flops"] is None


def test_bytes_of_a_copy_count_where_it_is_waited_for(tmp_path):
    path, truth = put("tpu", tmp_path)
    by_op = {row["op"]: row for row in rows(path, "op")}
    assert by_op["copy-done"]["bytes"] == truth.facts["copy_bytes"]
    assert by_op["copy-start"]["bytes"] == 0
    rate = truth.facts["hbm_bytes_per_second"]
    assert by_op["add"]["bytes_per_second"] == pytest.approx(rate)
    assert by_op["add"]["bandwidth_share"] == pytest.approx(rate / 1640e9)


def test_a_correction_of_the_clocks_takes_no_time(tmp_path):
    """By the clock of the host one wait is 500 us longer than it was."""
    path, _ = put("tpu", tmp_path)
    waiting = {row["op"]: row for row in rows(path, "op")}["copy-done"]
    assert (waiting["min_us"], waiting["max_us"]) == (30, 30)


def test_kernels_have_short_names_and_their_op(tmp_path):
    path, _ = put("tf_gpu_old", tmp_path)
    found = {row["short_name"]: row for row in rows(path, "kernel")}
    product = found["EigenMetaKernel<scalar_product_op>"]
    assert product["op"] == "Mul"
    assert product["devices"] == ["/gpu:0", "/gpu:1"]
    assert (product["registers"], product["shared_bytes"]) == (38, 16)
    assert product["half_us"] == product["total_us"]
    assert found["volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"]["uses_tensor_cores"]
    assert "\nEigenMetaKernel" in run("layers", path, "--by", "kernel").out
    assert "void Eigen::internal" in run("layers", path, "--by", "kernel", "--wide").out


def test_least_and_most_over_devices(tmp_path):
    path, _ = put("tf_gpu_old", tmp_path)
    by_op = {row["op"]: row for row in rows(path, "op")}
    mul = by_op["Mul"]
    assert mul["device_min_us"] == 20
    assert mul["device_max_us"] == 22


def test_occupancy_that_amd_does_not_know_is_unknown(tmp_path):
    path, _ = put("xla_gpu", tmp_path)
    found = {row["short_name"]: row for row in rows(path, "kernel")}
    assert found["gemm_fusion_dot"]["occupancy"] is None
    assert found["gemm_fusion_dot"]["uses_tensor_cores"]
    assert found["kentry<FmhaBwdDQDKDVKernel>"]["uses_tensor_cores"]
    assert found["__amd_rocclr_fillBufferAligned"]["could_use_tensor_cores"] is False


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_documentation_is_about_these(name):
    """As messages: protobuf may write their parts in another order."""
    ours, packed_data = LAYOUTS[name][0]()[0], gzip.decompress(packed(name).read_bytes())
    if name == "tf1_timeline":
        assert json.loads(ours) == json.loads(packed_data)
    else:
        read = message_class("XSpace").FromString
        assert read(ours) == read(packed_data)


def test_run_metadata_counts_each_kernel_and_each_copy_once(tmp_path):
    """Dispatch, all streams, a stream again, and copies again; a copy is timed, too."""
    meta = message_class("RunMetadata")()
    job = "/job:localhost/replica:0/task:0/gpu:0"
    recorded = {
        job: [("a/MatMul", 10, 5000), ("gradients/a/MatMul_grad/MatMul", 5020, 4)],
        "/gpu:0/stream:all": [
            ("a/MatMul:MatMul", 5100, 40), ("gradients/a/MatMul_grad/MatMul:MatMul", 5150, 60),
        ],
        "/gpu:0/stream:12": [
            ("a/MatMul:MatMul", 5100, 40), ("gradients/a/MatMul_grad/MatMul:MatMul", 5150, 60),
        ],
        "/gpu:0/stream:14": [("edge_3_a:MEMCPYDtoH", 5300, 9)],
        "/gpu:0/memcpy": [("edge_3_a:MEMCPYDtoH", 5300, 9)],
    }  # fmt: skip
    for device, ran in recorded.items():
        held = meta.step_stats.dev_stats.add(device=device)
        for node, start, took in ran:
            held.node_stats.add(
                node_name=node, all_start_micros=1_000_000 + start, op_end_rel_micros=took,
                all_end_rel_micros=took, op_start_rel_micros=0,
            )  # fmt: skip
    path = tmp_path / "run_meta"
    path.write_bytes(meta.SerializeToString())
    for by in ("node", "layer", "phase", "category", "device"):
        time = asked(path, "layers", "--by", by)["time"]
        assert (time["device_us"], time["copy_us"], time["self_us"]) == (109, 9, 109)
    phases = {row["phase"]: row["self_us"] for row in rows(path, "phase")}
    assert phases == {"forward": 40, "backward": 60, "other": 9}
    assert {row["node"]: row["host_us"] for row in rows(path, "node")}["a/MatMul"] == 5000
    assert asked(path, "summary")["time"]["device_us"] == 109
