"""`tfprof memory` of a trace: what was measured, unless the question is about something else."""

import json
import re
from xml.etree import ElementTree as ET

import pytest
from random_traces import capture_bytes
from run_cli import run

import tfprof
from tfprof.errors import InputMissing
from tfprof.renderers.text.areas import area_lines
from tfprof.views.shapes import Curve, Series, Unit

PEAK = 2_093_226_660


def data_of(*words):
    return json.loads(run("memory", *words, "--json").out)["data"]


@pytest.fixture
def capture(samples):
    return samples / "xplane/fast-trace-bfc.xplane.pb"


def test_a_run_is_measured_and_the_estimate_stands_beside(unet):
    data = data_of(unet)
    device = data["devices"]["/cpu:0"]
    assert (data["memory_kind"], device["peak_bytes"], device["residue_bytes"]) == (
        "measured", PEAK, 4,
    )  # fmt: skip
    assert device["total_bytes"] == device["peak_bytes"] + device["persistent_bytes"]
    assert abs(data["estimated_peak_bytes"]["/cpu:0"] - PEAK) < 1024
    assert sum(one["bytes"] for one in device["live_at_peak"]) == PEAK
    assert device["live_at_peak"][0]["op"].startswith("Conv2DBackprop")
    assert max(level for _, level in device["curve"]) == PEAK
    assert "(error +0.0%)" in run("memory", unet).out


@pytest.mark.parametrize(
    "words",
    [
        ("--estimate",), ("--as", "written"), ("--as", "executed"), ("--batch", "2"),
        ("--device-memory", "16GB"), ("--dtype", "float16"), ("--inference",),
    ],
)  # fmt: skip
def test_what_only_a_graph_can_tell_is_estimated(unet, words):
    assert data_of(unet, *words)["memory_kind"] == "estimated"


def test_a_capture_is_measured(capture):
    data = data_of(capture)
    device = data["devices"]["/cpu:0"]
    assert (device["peak_bytes"], device["attributed_bytes"]) == (64_970_752, 58_662_912)
    assert (device["baseline_bytes"], device["before_capture_bytes"]) == (9_436_416, 6_307_840)
    assert (device["events"], device["peak_step"], len(device["steps"])) == (10_475, 6, 8)
    assert max(one["peak_bytes"] for one in device["steps"]) == device["peak_bytes"]
    assert len(device["curve"]) <= 1000
    first = device["live_at_peak"][0]
    assert (first["op"], first["kind"], first["bytes"]) == (
        "Conv2DBackpropFilter", "scratch", 33_554_432,
    )  # fmt: skip


def test_every_null_has_its_reason(unet, capture):
    for path in (unet, unet / "run_meta", capture):
        answer = json.loads(run("memory", path, "--json").out)
        reasons = " ".join(answer["warnings"])
        for device in answer["data"]["devices"].values():
            nulls = {key for key, value in device.items() if value is None}
            nulls |= {k for one in device["live_at_peak"] for k, v in one.items() if v is None}
            assert all(key in reasons for key in nulls)


def test_the_terminal_shows_facts_blocks_and_the_curve(capture):
    lines = run("memory", capture).out.splitlines()
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "23 blocks hold 90.3%" in text
    assert "9.436 MB at the first event" in text
    assert "33.55 MB  51.6%" in text
    assert sum("█" in line for line in lines) >= 9
    assert "600 ms" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [("fast-trace", "TF_CPU_ALLOCATOR_USE_BFC=1"), ("tiny-htl1", "host_tracer_level is 1")],
)
def test_a_capture_without_memory_events_says_what_to_do(samples, name, said):
    path = samples / f"xplane/{name}.xplane.pb"
    ran = run("memory", path)
    assert (ran.code, ran.out) == (3, "")
    assert said in ran.err
    with pytest.raises(InputMissing, match="no memory events"):
        tfprof.peak_memory(path)


def test_beside_a_graph_it_is_estimated_and_says_why(unet_profile):
    answer = json.loads(run("memory", unet_profile, "--json").out)
    assert answer["data"]["memory_kind"] == "estimated"
    assert any("FULL_TRACE" in one for one in answer["warnings"])


def test_the_summary_shows_what_was_measured(unet, capture):
    both = json.loads(run(unet, "--json").out)["data"]
    assert (both["memory_kind"], both["peak_memory"]) == ("measured", {"/cpu:0": PEAK})
    assert abs(both["estimated_peak_memory"]["/cpu:0"] - PEAK) < 1024
    alone = json.loads(run(capture, "--json").out)["data"]
    assert (alone["memory_kind"], alone["peak_memory"]) == ("measured", {"/cpu:0": 64_970_752})


def test_python_asks_the_same(unet):
    profile = tfprof.load(unet)
    assert profile.memory().to_dict()["data"] == data_of(unet)
    assert profile.memory(estimate=True).to_dict()["data"]["memory_kind"] == "estimated"


def test_a_trace_is_drawn_over_time(unet, capture):
    for path, peak in ((unet / "run_meta", f"{PEAK:,}"), (capture, "64,970,752")):
        root = ET.fromstring(run("draw", "memory", path).out)  # noqa: S314  (our own text)
        said = " ".join("".join(one.itertext()) for one in root.iter())
        assert f"{peak} bytes" in said
        assert "Memory over time" in said
    svg = tfprof.load(capture).memory().to_svg()
    assert "Memory over time" in svg


def test_a_picture_needs_memory_events_too(samples):
    ran = run("draw", "memory", samples / "xplane/slow-cb.xplane.pb")
    assert ran.code == 3
    assert "TF_CPU_ALLOCATOR_USE_BFC=1" in ran.err


@pytest.mark.parametrize("last", [4_000, 4_010, 4_300, 12_345])
def test_no_time_below_the_curve_is_cut_off(last):
    points = list(range(0, last + 1, 10))
    series = Series(points, [Curve("cpu", [1e6] * len(points))], Unit.MICROS)
    axis = area_lines(series, 80)[-1]
    assert len(axis) <= 80
    first, *others = re.split(r" {2,}", axis.strip())
    assert first == "0"
    assert all(re.fullmatch(r"[\d.]+ [mµ]?s", label) for label in others)


def test_where_nothing_can_be_moved_swapping_saves_nothing(samples):
    ran = run("memory", samples / "traced_step/graph.pb", "--swap", "16", "--batch", "8")
    assert ran.code == 0
    (row,) = re.findall(r"what comes back in time +(\d+) +(\S+ B)", ran.out)
    assert row == ("0", "0 B")


def test_an_allocator_of_large_blocks_tells_at_least_so_much(tmp_path):
    taken = {"allocator_name": "mklcpu", "bytes_allocated": 1 << 20, "allocation_bytes": 1 << 20}
    events = [("MemoryAllocation", 5, 0, {**taken, "addr": 64})]
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(capture_bytes({"/host:CPU": {"python": events}}))
    answer = tfprof.load(path).memory()
    device = answer.to_dict()["data"]["devices"]["/cpu:0"]
    assert device["total_bytes_kind"] == "at_least"
    assert "≥1.049 MB on /cpu:0" in str(answer)
    assert "blocks of 256 KiB and more" in " ".join(str(answer).split())
