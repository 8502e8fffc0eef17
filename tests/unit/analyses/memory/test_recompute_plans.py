"""What recomputing, swapping and several devices would do to the memory of a step."""

import json
from dataclasses import replace

import numpy as np
import pytest
from conftest import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from run_cli import run

import tfprof
from tfprof.analyses.memory.program import MODELS, program
from tfprof.analyses.memory.recompute import Halves, recomputed
from tfprof.analyses.memory.recompute_plans import Planner, best_plans
from tfprof.analyses.memory.schedule import simulate
from tfprof.analyses.memory.swap import HostLink, Swapper
from tfprof.analyses.runtime.op_clock import OpClock
from tfprof.model.device import DevicePeak
from tfprof.model.dims import BATCH
from tfprof.model.interned import Interned
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.question import Question
from tfprof.sources.find.load import Request, read_one

KIBIBYTE = 1024
# seed 000 with the memory-saving gradients of OpenAI, batch 1 to 8
SAVING = [
    1_764_104_244, 2_126_159_924, 2_520_100_380, 3_118_871_068,
    3_717_641_756, 4_316_412_444, 4_915_183_132, 5_513_953_820,
]  # fmt: skip
SIZES = ["--dim", "H=572", "--dim", "W=572"]


@pytest.fixture(scope="module")
def unet_data():
    return read_one(Request([EXAMPLES / "unet" / "graph.pb"]))


@pytest.fixture(scope="module")
def mobilenet(samples):
    return read_one(Request([samples / "keras_MobileNetV2_train.graph.pb"]))


def step(data, batch, sizes=None, model="cpu-tf"):
    costs = costs_of(data, Question({BATCH: batch, **(sizes or {})}))
    return program(costs, data.graph, MODELS[model])


@pytest.fixture(scope="module")
def unet_step(unet_data):
    return lambda batch: step(unet_data, batch, {"H": 572, "W": 572})


def complete(made, workers=2, batch=1):
    """Simulated, and not one op was left waiting."""
    found = simulate(made, workers, batch)
    assert sorted(found.order) == list(range(len(made.steps)))
    return found


@pytest.mark.parametrize("batch", range(1, 9))
def test_the_original_plan_saves_what_was_measured(unet_step, batch):
    planner = Planner(unet_step(batch), batch)
    plan = planner.articulation_points()
    scored = planner.score(plan)
    assert abs(scored.peak - SAVING[batch - 1]) < KIBIBYTE
    kept = {planner.made.steps[number].name for number in scored.kept}
    assert kept == {
        "model/left0/conv0/Relu", "model/left0/conv1/Relu", "model/concat0/concat",
        "model/right0/conv0/Relu", "model/right0/conv1/Relu",
        # the logits live on as their gradient, which the loss makes
        "train/softmax_cross_entropy_loss/xentropy",
    }  # fmt: skip


def test_the_original_saves_a_fifth_at_batch_eight(unet_step):
    planner = Planner(unet_step(8), 8)
    assert 1 - planner.score(planner.articulation_points()).peak / planner.before == pytest.approx(
        0.205, abs=0.001
    )


def test_a_better_plan_is_found_for_no_more_arithmetic(unet_step):
    planner = Planner(unet_step(8), 8)
    flops = sum(s.op.cost.flops for s in planner.made.steps if s.op.cost)
    best, *others = best_plans(planner, flops // 3)
    assert best.peak < 0.65 * planner.before
    assert best.extra_flops <= flops // 3
    assert best.peak <= min(one.peak for one in others)


def test_every_plan_runs_to_its_end(unet_step):
    halves = Halves(unet_step(2), 2)
    planner = Planner(halves.made, 2)
    for plan in planner.candidates():
        complete(recomputed(halves, plan.dropped).program)


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_plan_runs_to_its_end(unet_halves, data):
    """Copies wait for gradients: whatever is dropped, nobody may wait for ever."""
    dropped = data.draw(st.sets(st.sampled_from(sorted(unet_halves.droppable))))
    made = recomputed(unet_halves, dropped).program
    for workers in (1, 4):
        complete(made, workers)


@pytest.mark.long
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_any_plan_of_a_keras_model_runs_to_its_end(mobilenet_halves, data):
    dropped = data.draw(st.sets(st.sampled_from(sorted(mobilenet_halves.droppable))))
    complete(recomputed(mobilenet_halves, dropped).program)


@pytest.fixture(scope="module")
def unet_halves(unet_step):
    return Halves(unet_step(1), 1)


@pytest.fixture(scope="module")
def mobilenet_halves(mobilenet):
    return Halves(step(mobilenet, 2), 2)


def test_dropping_nothing_changes_nothing(unet_step):
    made = unet_step(1)
    same = recomputed(Halves(made, 1), ())
    assert simulate(same.program, 2).peak == simulate(made, 2).peak
    assert same.extra_flops == 0


def test_cheap_ops_cost_no_products(mobilenet):
    planner = Planner(step(mobilenet, 8), 8)
    scored = planner.score(planner.cheap_ops())
    assert scored.extra_flops == 0
    assert scored.peak < 0.55 * planner.before


def test_a_plan_is_told_once_and_the_well_known_ones_always(samples):
    """Blocks of an MLP are what its articulation points are: that was told twice."""
    words = ["memory", samples / "keras_mlp_train.graph.pb", "--batch", "32", "--recompute"]
    (found,) = json.loads(run(*words, "--json").out)["data"]["what_if"]
    assert sorted(one["plan"] for one in found["plans"]) == ["memory", "speed"]


def test_recompute_at_the_shell(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8", "--recompute"]
    shown = run(*words, "--device-memory", "16GiB").out
    assert "Recompute" in shown
    assert "articulation points" in shown
    assert "instead of 22 fits" in shown
    assert max(len(line) for line in shown.splitlines()) <= 80
    data = json.loads(run(*words, "--json").out)["data"]
    (found,) = data["what_if"]
    assert found["kind"] == "recompute"
    assert found["saved_share"] > 0.35
    assert found["wrap"]
    assert found["keep"]
    plans = {one["plan"]: one for one in found["plans"]}
    assert abs(plans["memory"]["peak_bytes"] - SAVING[7]) < KIBIBYTE


def test_the_users_scopes(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8"]
    data = json.loads(run(*words, "--recompute-scopes", r"left\d|right\d|across", "--json").out)[
        "data"
    ]
    (found,) = data["what_if"]
    assert found["plan"] == "your scopes"
    assert 0.1 < found["saved_share"] < 0.5
    ran = run(*words, "--recompute-scopes", "nothing_is_called_so")
    assert ran.code == 2
    assert "nothing to recompute" in ran.err


def test_a_plan_that_loses_is_told_too(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8", "--recompute", "--json"]
    (found,) = json.loads(run(*words, "--more-flops", "5").out)["data"]["what_if"]
    plans = {one["plan"]: one for one in found["plans"]}
    # more than it may compute: the last of the table
    assert plans["memory"]["extra_flops_share"] > 0.05
    assert found["plans"][-1]["plan"] == "memory"
    assert found["plan"] == found["plans"][0]["plan"] != "memory"


def test_a_collection_of_the_users_own(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8"]
    kept = ["model/left0/conv1/Relu", "model/left1/conv1/Relu"]
    asked = ["--recompute-keep", f"{kept[0]}:0,{kept[1]}"]
    (found,) = json.loads(run(*words, *asked, "--json").out)["data"]["what_if"]
    assert (found["plan"], found["keep"]) == ("collection", kept)
    assert found["saved_share"] > 0.05
    (both,) = json.loads(run(*words, *asked, "--recompute", "--json").out)["data"]["what_if"]
    assert [one["plan"] for one in both["plans"]][:2] == ["collection", "search"]
    assert both["plan"] == "collection"
    ran = run(*words, "--recompute-keep", "model/left0/conv1/Rellu")
    assert (ran.code, "Did you mean model/left0/conv1/Relu?" in ran.err) == (2, True)
    with pytest.raises(tfprof.TfprofError, match="tensors are named"):
        tfprof.load(unet / "graph.pb").memory(recompute_keep=3)


def test_what_no_plan_helps_says_so(samples):
    words = ["memory", samples / "keras_mlp_train.graph.pb", "--vars",
             samples / "keras_mlp_train_vars.json", "--batch", "8", "--recompute"]  # fmt: skip
    shown = " ".join(run(*words).out.split())
    assert "no plan lowers the peak" in shown
    assert "No plan of recomputing lowers the peak here" in shown


def test_a_swap_lists_its_tensors(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8", "--swap", "16"]
    (found,) = json.loads(run(*words, "--json").out)["data"]["what_if"]
    trips = found["trips"]
    assert (len(trips), sum(one["bytes"] for one in trips)) == (
        found["tensors"],
        found["moved_bytes"],
    )
    for one in trips:
        assert 0 < one["out_us"] <= one["back_us"] < found["step_us"], one
    assert "waits on the host" in run(*words).out


def test_less_arithmetic_saves_less(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8", "--recompute", "--json"]
    (free,) = json.loads(run(*words).out)["data"]["what_if"]
    (tight,) = json.loads(run(*words, "--more-flops", "5").out)["data"]["what_if"]
    assert tight["extra_flops_share"] <= 0.05
    assert tight["peak_bytes"] > free["peak_bytes"]


def test_a_curve_with_and_without(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "1..4", "--recompute-scopes", "left"]
    shown = run(*words).out
    assert shown.count("●") + shown.count("○") >= 6
    assert "○ recompute: your scopes" in shown


def test_what_if_needs_a_training_step(unet):
    ran = run("memory", unet / "graph.pb", *SIZES, "--inference", "--recompute")
    assert ran.code == 2
    assert "only a training step keeps activations" in ran.err


# --- swapping


def swapper(made, batch, gigabytes):
    return Swapper(
        Halves(made, batch), HostLink(gigabytes * 1e9, OpClock(DevicePeak("gpu", 1e13, 8e11)))
    )


def test_swapping_hides_more_the_faster_the_link(unet_step):
    made = unet_step(8)
    slow, middle, fast = (swapper(made, 8, speed).hidden() for speed in (1, 16, 64))
    assert slow.moved <= middle.moved <= fast.moved
    assert slow.peak >= middle.peak >= fast.peak
    assert fast.peak < 0.7 * simulate(made, 2, 8).peak
    assert fast.unhidden == middle.unhidden == 0


def test_swapping_everything_waits_on_a_slow_link(unet_step):
    link = swapper(unet_step(8), 8, 4)
    slow, fast = link.everything(), swapper(unet_step(8), 8, 64).everything()
    assert slow.moved == fast.moved
    # each tensor takes a sixteenth of the time on the fast link, there and back
    assert slow.unhidden > fast.unhidden
    assert slow.unhidden <= 2 * slow.moved / 4e9
    assert slow.unhidden >= 2 * slow.moved / 4e9 - link.step_seconds


def test_swapped_programs_run_to_their_end(unet_step):
    for speed in (1, 8, 64):
        complete(swapper(unet_step(2), 2, speed).hidden_program())


def test_swap_at_the_shell(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--batch", "8", "--swap", "16"]
    assert "Swap" in run(*words).out
    (found,) = json.loads(run(*words, "--json").out)["data"]["what_if"]
    assert found["kind"] == "swap"
    assert found["saved_bytes"] > 0
    assert found["everything"]["unhidden_us"] >= found["unhidden_us"] == 0
    assert run(*words[:-1], "0").code == 2


# --- several devices


def test_each_device_has_its_own_peak(samples):
    ran = run("memory", samples / "parameter_servers" / "graph.pb", "--json")
    assert ran.code == 0, ran.err
    devices = json.loads(ran.out)["data"]["devices"]
    assert len(devices) > 1
    for device, one in devices.items():
        assert one["peak_bytes"] == sum(each["bytes"] for each in one["live_at_peak"]), device
    held = [one["persistent_bytes"] for one in devices.values()]
    assert sum(size > 0 for size in held) > 1


def test_what_crosses_over_is_copied(unet_data):
    """The same step on two devices: what the second reads of the first is there twice."""
    graph = unet_data.graph
    alone = step(unet_data, 1, {"H": 572, "W": 572})
    table = ["", "/device:GPU:0"]
    codes = [int(name.startswith("model/left0")) for name in graph.names.tolist()]
    split = replace(
        unet_data, graph=replace(graph, devices=Interned(np.array(codes, np.int32), table))
    )
    made = step(split, 1, {"H": 572, "W": 572})
    assert list(made.devices) == ["/cpu:0", "/gpu:0"]
    assert len(made.steps) > len(alone.steps)
    found = complete(made)
    peaks = dict(zip(made.devices, (one.peak for one in found.devices), strict=True))
    assert peaks["/gpu:0"] > 83_174_400  # its first activation
    assert sum(peaks.values()) > simulate(alone, 2).peak * 0.9


def test_a_gpu_allows_for_the_workspace_of_convolutions(unet):
    words = ["memory", unet / "graph.pb", *SIZES, "--model", "gpu-bfc", "--json"]

    def peak(*more):
        data = json.loads(run(*words, *more).out)["data"]
        return data["devices"]["/cpu:0"]["peak_bytes"]

    # two convolutions at once, as many as there are workers
    assert peak("--workspace", "64MiB") - peak() == 2 * 32 * 2**20
    assert run("memory", unet / "graph.pb", *SIZES, "--workspace", "1MB").code == 2
