"""What a run with its graph says of its machine, and what times follow from that."""

import numpy as np
import pytest

from tfprof.analyses.cost.op_costs import op_costs
from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.runtime.calibration import WallClock, calibration, observed, packed_bytes
from tfprof.analyses.runtime.op_clock import OpClock, OpTime, Sums
from tfprof.analyses.runtime.op_events import op_events
from tfprof.analyses.runtime.op_work import ran_as_written
from tfprof.analyses.runtime.rate_fit import Point, fitted
from tfprof.model.device import DevicePeak
from tfprof.model.quantity import Kind
from tfprof.sources.find.load import Request, read_one


@pytest.fixture(scope="module")
def traced(samples):
    return read_one(Request([samples / "traced_step"]))


@pytest.fixture(scope="module")
def calibrated(traced):
    return calibration([observed(traced, traced.graph, op_costs(traced))])


def point(flops, moved, micros, op="Mul"):
    return Point(op, "element-wise", flops, moved, micros, 1)


# --- rates


def test_rates_are_those_that_made_the_times():
    sizes = [(10, 900), (4_000, 100), (50_000, 2_000), (300, 70_000), (9_000, 9_000)]
    points = [point(flops, moved, 3 + flops * 0.02 + moved * 0.005) for flops, moved in sizes]
    rate = fitted(points)
    assert (rate.fixed_us, rate.us_per_flop, rate.us_per_byte) == pytest.approx((3, 0.02, 0.005))


def test_no_rate_is_negative():
    """Larger ops that took less: what is left is a fixed time."""
    rate = fitted([point(size, size, 100 - size) for size in (1, 20, 60, 90)])
    assert min(rate.fixed_us, rate.us_per_flop, rate.us_per_byte) >= 0
    assert rate.micros(0, 0) > 0


def test_an_op_seen_once_and_small_says_nothing_of_large_ones():
    family = fitted([point(0, moved, moved * 0.001) for moved in (1_000, 10_000, 100_000)])
    alone = fitted([point(0, 1_000, 50.0)], family)
    assert alone.micros(0, 1_000) == pytest.approx(50)
    # three times slower than its family, at most; not fifty times
    assert alone.micros(0, 1_000_000) < 3 * family.micros(0, 1_000_000) + 50


def test_rates_of_few_ops_are_less_sure():
    points = [point(0, moved, moved * 0.001) for moved in range(1_000, 9_000, 1_000)]
    assert fitted(points[:1]).spread > fitted(points).spread


# --- the clock on the wall


def test_what_runs_side_by_side_divides_the_time():
    start, end = np.array([0, 0, 30]), np.array([10, 20, 40])
    clock = WallClock(start, end)
    assert clock.shared(start, end).tolist() == [5, 15, 10]
    assert clock.busy(0, 40) == 30
    assert clock.busy(20, 35) == 5


def test_shares_add_up_to_the_time_in_which_anything_ran():
    random = np.random.default_rng(3)
    start = random.integers(0, 10_000, 200)
    end = start + random.integers(1, 400, 200)
    clock = WallClock(start, end)
    assert clock.shared(start, end).sum() == pytest.approx(clock.busy(0, 20_000))


# --- a capture


def test_a_capture_predicts_its_own_step(traced, calibrated):
    one = observed(traced, traced.graph, op_costs(traced))
    clock, sums = OpClock(calibration=calibrated), Sums()
    for op, time in clock.times(op_costs(traced).ops, {}):
        sums.add(op.site.op, time)
    low, high = sums.interval
    assert sums.micros == pytest.approx(np.median(one.steps_us), rel=0.35)
    assert low < np.median(one.steps_us) < high


def test_a_fused_op_is_the_one_that_does_the_work(traced):
    ran = set(ran_as_written(op_events(traced.trace), traced.graph).values())
    assert "small_1/first_1/convolution" in ran
    assert "small_1/first_1/Relu" not in ran


def test_what_was_taken_in_takes_no_time_of_its_own(calibrated):
    assert calibrated.seen["Relu", "BiasAdd"] == 0
    assert calibrated.seen["Conv2D", ""] == 1


def test_families_have_the_work_by_the_time(calibrated):
    rows = {row.family: row for row in calibrated.families}
    one = rows["convolutions"]
    assert one.flops_per_second > 1e8
    assert rows["variables"].fixed_us >= 0
    assert calibrated.overlap >= 1


def test_a_family_that_was_not_seen_is_timed_like_the_nearest(calibrated, samples):
    lstm = read_one(Request([samples / "keras_lstm_fwd.graph.pb"]))
    clock = OpClock(calibration=calibrated)
    times = list(clock.times(op_costs(lstm).ops, {"B": 8}))
    assert clock.borrowed["lists"] == "element-wise"
    spread = {op.site.op: time.spread for op, time in times if time is not None}
    assert spread["TensorListStack"] > calibrated.by_family["element-wise"].spread


def test_nothing_is_faster_than_the_device_that_is_said(traced, calibrated):
    slow = DevicePeak("cpu", 1e6, 1e6)
    ops = op_costs(traced).ops
    alone = [time for _, time in OpClock(slow).times(ops, {})]
    both = [time for _, time in OpClock(slow, calibrated).times(ops, {})]
    pairs = [(a, b) for a, b in zip(alone, both, strict=True) if a is not None]
    assert pairs
    assert all(b.micros >= a.micros for a, b in pairs)
    # still no more sure than the capture is
    assert all(b.spread is not None for _, b in pairs)


def test_a_convolution_packs_its_patches_once_for_all_channels(traced):
    ops = {op.site.name: op for op in op_costs(traced).ops}
    # 26 x 26 patches of 3 x 3 x 1 floats of each of 16 images
    assert packed_bytes(ops["small_1/first_1/convolution"], {}) == 16 * 26 * 26 * 9 * 4
    assert packed_bytes(ops["small_1/last_1/MatMul"], {}) == 0


# --- intervals


def test_a_best_has_no_upper_end():
    sums = Sums()
    sums.add("MatMul", OpTime(5.0, 5.0, 1.0, None))
    assert sums.interval == (5.0, None)


def test_a_part_that_is_not_known_makes_it_at_least():
    sums = Sums()
    sums.add("MatMul", OpTime(5.0, 5.0, 1.0, 0.1))
    sums.add("Strange", None)
    assert sums.quantity.kind is Kind.AT_LEAST
    assert sums.quantity.reason == "1 of 2 ops not counted"
    assert sums.interval[1] is None


def test_errors_of_many_ops_even_out_but_not_those_of_one_type():
    def width(ops):
        sums = Sums()
        for op in ops:
            sums.add(op, OpTime(1.0, 1.0, 0.0, 0.5))
        low, high = sums.interval
        return high / low

    alike, different = width(["a"] * 16), width(map(str, range(16)))
    assert different < alike < width(["a"])


@pytest.mark.parametrize(
    ("ran", "written"),
    [
        ("m/lstm/while/body/_1/m/lstm/while/cell/MatMul", "m/lstm/while/m/lstm/while/cell/MatMul"),
        ("a/cond/then/_7/a/cond/Relu", "a/cond/a/cond/Relu"),
        ("StatefulPartitionedCall/a/body/Relu", "a/body/Relu"),
    ],
)
def test_ops_of_a_lowered_loop_have_the_names_they_were_written_with(ran, written):
    assert without_calls(ran) == written
