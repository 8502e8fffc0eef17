"""Statistics of tensors, against numpy on the whole tensor."""

import json
import math

import made_checkpoints as made
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from run_cli import run, spawn

from tfprof.analyses.checkpoint.statistics import Statistics, statistics_of

NUMBERS = st.lists(
    st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0, -2.0, 0.5, math.nan, math.inf]),
    max_size=40,
)


def gathered(*parts):
    found = Statistics()
    for part in parts:
        found.add(np.array(part, np.float64))
    return found


def of_tensor(tmp_path, tensor):
    checkpoint = made.opened(made.save(tmp_path / "model", {"x": tensor}))
    return statistics_of(checkpoint, checkpoint.tensors["x"])


@given(NUMBERS, NUMBERS, NUMBERS)
def test_pieces_give_what_the_whole_gives(first, second, third):
    whole = np.array([*first, *second, *third], np.float64)
    found = gathered(first, second, third)
    finite = whole[np.isfinite(whole)]
    assert found.count == whole.size
    assert found.nan == np.isnan(whole).sum()
    assert found.infinite == np.isinf(whole).sum()
    assert found.zeros == (whole == 0).sum()
    assert found.finite == finite.size
    if finite.size:
        assert found.minimum == finite.min()
        assert found.maximum == finite.max()
        size = max(1e-300, float(np.abs(finite).max()))
        assert found.mean == pytest.approx(finite.mean(), rel=1e-9, abs=1e-12 * size)
        assert found.deviation == pytest.approx(finite.std(), rel=1e-6, abs=1e-9 * size)
    else:
        assert found.deviation is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_every_value_lies_in_a_bin_of_the_histogram(values):
    bins = gathered(values).histogram()
    assert bins == sorted(bins)
    assert sum(count for _, _, count in bins) == len(values)
    for value in values:
        assert any(low <= value <= high for low, high, _ in bins), value
    for low, high, count in bins:
        inside = sum(low <= value <= high for value in values)
        assert inside >= count > 0


def test_bins_are_powers_of_two_and_zeros_have_their_own():
    bins = gathered([1.0, 1.5, 2.0, -0.75, 0.0, 0.0]).histogram()
    assert bins == [(-1.0, -0.5, 1), (0.0, 0.0, 2), (1.0, 2.0, 2), (2.0, 4.0, 1)]


def test_a_large_mean_costs_no_digits():
    rows = np.random.default_rng(7).normal(1e9, 1.0, 100_000)
    found = gathered(*np.split(rows, 10))
    assert found.deviation == pytest.approx(rows.std(), rel=1e-6)


@pytest.mark.parametrize("values", [[1.7e308, 1.7e308], [1.7e308, -1.7e308], [1e200, -1e200, 3.0]])
def test_huge_values_have_a_mean_and_no_nonsense(values):
    found = gathered(values)
    assert found.mean == pytest.approx(math.fsum(v / len(values) for v in values), abs=1e300)
    assert found.deviation is None or not math.isnan(found.deviation)


@pytest.mark.parametrize(
    "dtype",
    [
        "float16", "float32", "float64", "bfloat16", "float8_e5m2", "float8_e4m3fn", "int8",
        "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "qint8",
        "quint8", "qint32", "int4", "uint4",
    ],
)  # fmt: skip
def test_every_type_has_statistics(tmp_path, dtype):
    tensor = made.random_of(dtype, (50, 7))
    found = of_tensor(tmp_path, tensor)
    if tensor.dtype.is_quantized:
        tensor = tf.bitcast(tensor, made.QUANTISED[dtype])
    with np.errstate(all="ignore"):
        values = tensor.numpy().astype(np.float64)
    finite = values[np.isfinite(values)]
    assert found.count == 350
    assert found.nan == np.isnan(values).sum()
    assert found.infinite == np.isinf(values).sum()
    assert (found.minimum, found.maximum) == (finite.min(), finite.max())
    with np.errstate(over="ignore"):
        whole = finite.mean()
    if np.isfinite(whole):
        assert found.mean == pytest.approx(whole, rel=1e-9)


def test_signalling_nans_are_counted_like_others(tmp_path):
    """A cast of such a NaN raises a flag in the processor, which numpy warns of."""
    for bits, kind in ((0x7F800001, np.float32), (0x7C01, np.float16), (0x7FF0000000000001, float)):
        width = np.dtype(kind).itemsize
        values = np.array([bits, 0], f"<u{width}").view(kind)
        checkpoint = made.opened(made.save(tmp_path / "m", {"x": tf.constant(values)}))
        assert statistics_of(checkpoint, checkpoint.tensors["x"]).nan == 1


@pytest.mark.parametrize("dtype", [tf.complex64, tf.complex128])
def test_complex_numbers_are_counted_by_magnitude(tmp_path, dtype):
    values = tf.constant([3 + 4j, 0, complex(math.nan, 1), complex(math.inf, 0)], dtype)
    found = of_tensor(tmp_path, values)
    assert (found.maximum, found.zeros, found.nan, found.infinite) == (5.0, 1, 1, 1)


def test_strings_have_no_statistics(tmp_path):
    assert of_tensor(tmp_path, tf.constant(["a"])) is None


def test_an_empty_tensor_has_a_count_of_zero(tmp_path):
    found = of_tensor(tmp_path, tf.zeros([0, 3]))
    assert (found.count, found.deviation, found.histogram()) == (0, None, [])


def test_a_tensor_of_many_pieces_is_never_whole_in_memory(tmp_path):
    import tracemalloc

    numbers = np.random.default_rng(3).normal(size=12 << 20).astype(np.float32)  # 48 MB
    checkpoint = made.opened(made.save(tmp_path / "model", {"x": tf.constant(numbers)}))
    tracemalloc.start()
    found = statistics_of(checkpoint, checkpoint.tensors["x"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6, "as float64 the whole would be 100 MB"
    assert found.count == numbers.size
    assert found.maximum == numbers.max()
    assert found.deviation == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("pieces", [1, 3, 1000])
def test_pieces_may_end_inside_an_element(monkeypatch, tmp_path, pieces):
    monkeypatch.setattr("tfprof.sources.checkpoint.v2._CHUNK", pieces)
    value = tf.constant(np.arange(100) / 7)
    found = of_tensor(tmp_path, value)
    assert found.count == 100
    assert found.mean == pytest.approx(float(tf.reduce_mean(value)))


# what a user sees


def strict(text):
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    return found.get("data", found), found["warnings"]


def with_nan(folder):
    values = np.ones((50, 20), np.float32)
    values[3, 4], values[7, 0] = np.nan, -np.inf
    tensors = {f"good_{n}": tf.ones([100 + n]) for n in range(12)}
    return made.save(folder / "model", {**tensors, "bad/kernel": tf.constant(values)})


def test_a_nan_is_found_and_named(tmp_path):
    ran = run("summary", with_nan(tmp_path), "--stats")
    assert (ran.code, ran.err) == (0, "")
    words = " ".join(ran.out.split())
    assert "2 values are NaN or infinite, in 1 tensor; bad/kernel has 2 of 1,000" in words
    # first of the table, although others come before it in the file
    table = ran.out[ran.out.index("Values") :].splitlines()
    assert table[1].split()[0] == "bad/kernel"


def test_statistics_come_as_data(tmp_path):
    ran = run("summary", with_nan(tmp_path), "--stats", "--json")
    assert ran.code == 0
    found, warnings = strict(ran.out)
    (bad,) = [t for t in found["checkpoint"]["tensors"] if t["key"] == "bad/kernel"]
    assert bad["statistics"] == {
        "count": 1000,
        "min": 1.0,
        "max": 1.0,
        "mean": 1.0,
        "std": 0.0,
        "nan": 1,
        "inf": 1,
        "zeros": 0,
        "histogram": [{"from": 1.0, "to": 2.0, "count": 998}],
    }
    assert any("NaN" in warning for warning in warnings)


def test_without_the_option_no_value_is_read(tmp_path):
    prefix = with_nan(tmp_path)
    made.shard(prefix).unlink()
    ran = run("summary", prefix, "--json")
    assert ran.code == 0
    found, _ = strict(ran.out)
    assert all("statistics" not in t for t in found["checkpoint"]["tensors"])


def test_odd_values_still_make_json(tmp_path):
    tensors = {
        "all_nan": tf.fill([3], math.nan),
        "none": tf.zeros([0]),
        "apart": tf.constant([1.7e308, -1.7e308], tf.float64),
        "huge": tf.constant([1.7e308, 1.7e308, -5.0], tf.float64),
        "text": tf.constant(["a"]),
    }
    ran = run("summary", made.save(tmp_path / "model", tensors), "--stats", "--json")
    assert ran.code == 0
    found, _ = strict(ran.out)
    values = {t["key"]: t["statistics"] for t in found["checkpoint"]["tensors"]}
    assert values["text"] is None
    assert values["all_nan"]["nan"] == 3
    assert values["all_nan"]["min"] is None
    assert values["none"]["count"] == 0


def test_early_checkpoints_have_statistics_too(tmp_path):
    ran = run("summary", made.early_checkpoint(tmp_path / "model.ckpt"), "--stats", "--json")
    assert ran.code == 0
    found, _ = strict(ran.out)
    values = {t["key"]: t["statistics"] for t in found["checkpoint"]["tensors"]}
    assert values["hidden/bias"]["mean"] == 2.0
    assert values["step"]["max"] == 12.0


def test_statistics_without_a_checkpoint_are_a_usage_error(samples):
    ran = run("summary", samples / "keras_mlp_fwd.graph.pb", "--stats")
    assert ran.code == 2
    assert "needs a checkpoint" in ran.err


def test_statistics_raise_no_warnings_of_numpy(tmp_path):
    """In a process of its own, where any warning is an error."""
    rows = {dtype: made.random_of(dtype, (300,)) for dtype in ("float16", "float32", "complex64")}
    rows["float64"] = tf.constant([1.7e308, -1.7e308, math.inf, math.nan], tf.float64)
    ran = spawn("summary", made.save(tmp_path / "model", rows), "--stats")
    assert (ran.code, ran.err) == (0, "")
