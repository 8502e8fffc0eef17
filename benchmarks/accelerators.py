"""Where the device's time went: our answers beside the truth, and beside XProf's where it runs.

    python benchmarks/accelerators.py FOLDER    # captures of real accelerators
    python benchmarks/accelerators.py           # captures made by tests/accelerator_captures.py

The truth of the real ones was computed from their raw events, by scripts that have nothing in
common with tfprof; `_raw_events.py` does so while this runs for what had been told otherwise. That
of the others is known by construction. Shares are in percent.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from _raw_events import bandwidth, why_not_all_custom_calls, why_not_by_host, without_flops

import tfprof
from tfprof.results.input_bound import MATTERS

Numbers = Mapping[str, float]

_TESTS = Path(__file__).resolve().parent.parent / "tests"
_NEAR = 0.5
_COPIES = ("(copies", "Memcpy", "MEMCPY")
_ASK_XPROF = """
import sys
from xprof.convert import raw_to_tool_data
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], sys.argv[2], {})
sys.stdout.write(data if isinstance(data, str) else (data or b"").decode())
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One question about one capture; what we say has the same keys as the truth."""

    sample: str
    question: str
    truth: Numbers | Callable[[Path], Numbers]
    ours: Callable[[Path], Numbers]
    near: float = _NEAR
    by_xprof: Callable[[Path], str] | None = None
    # where another number is told of the same, and is none
    why: Callable[[Path], str] | None = None


# --- our answers ----------------------------------------------------------------------------------


@cache
def _layers(path: Path, by: str) -> dict[str, Any]:
    data: dict[str, Any] = tfprof.load(path).layers(by=by).to_dict()["data"]
    return data


@cache
def _summary(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = tfprof.load(path).summary().to_dict()["data"]
    return data


def _took(path: Path, by: str) -> dict[str, float]:
    """Microseconds of kernels by row; copies stand apart."""
    if by == "kernel":
        took: Counter[str] = Counter()
        for row in _layers(path, by)["rows"]:
            took[row["kernel"]] += 0.0 if _is_kernel_copy(row) else row["total_us"]
        return dict(took)
    found = _layers(path, by)["time"]["rows"]
    return {row["name"]: row["self_us"] for row in found if not _is_copy(row)}


def _is_copy(row: Mapping[str, Any]) -> bool:
    told = str(row["name"]).startswith(_COPIES) or row["name"] == "copy"
    return told or (bool(row["copy_us"]) and row["copy_us"] == row["device_us"])


def shares(by: str, *names: str) -> Callable[[Path], Numbers]:
    """Percent of kernel time of these rows; of several in one word, joined by a bar, the sum."""

    def ours(path: Path) -> Numbers:
        took = _took(path, by)
        whole = sum(took.values())
        return {
            name: 100 * sum(took.get(one, 0.0) for one in name.split("|")) / whole for name in names
        }

    return ours


def _layers_of_bert(path: Path) -> Numbers:
    took = _took(path, "layer")
    whole = sum(took.values())
    found = [100 * own / whole for name, own in took.items() if name.startswith("layer_")]
    inside = sum(own for name, own in _took(path, "scope").items() if "/self_attention" in name)
    return {
        "layers": len(found), "least": min(found), "most": max(found),
        "self_attention": 100 * inside / whole,
    }  # fmt: skip


def _precision(path: Path) -> Numbers:
    rows = [row for row in _layers(path, "kernel")["rows"] if not _is_kernel_copy(row)]
    whole = sum(row["total_us"] for row in rows)
    tensor = sum(row["total_us"] for row in rows if row["uses_tensor_cores"])
    return {
        "16 bit": 100 * sum(row["half_us"] for row in rows) / whole,
        "tensor cores": 100 * tensor / whole,
    }  # fmt: skip


def _is_kernel_copy(row: Mapping[str, Any]) -> bool:
    return str(row["kernel"]).startswith(_COPIES)


def _bandwidth(path: Path) -> Numbers:
    """GB/s, and percent of what the memory of the device does at its best."""
    rows = {row["name"]: row for row in _layers(path, "op")["time"]["rows"]}
    return {
        "fusions GB/s": rows["add"]["bytes_per_second"] / 1e9,
        "of HBM": 100 * rows["add"]["bandwidth_share"],
        "copies GB/s": rows["copy-done"]["bytes_per_second"] / 1e9,
    }


def _flops(path: Path) -> Numbers:
    """Percent of the time of kernels whose FLOPs nobody knows."""
    rows = _layers(path, "op")["time"]["rows"]
    whole = sum(row["self_us"] for row in rows)
    lost = sum(row["self_us"] for row in rows if row["flops"] is None)
    return {"time without FLOPs": 100 * lost / whole}


def _products(path: Path) -> Numbers:
    rows = {row["name"]: row for row in _layers(path, "op")["time"]["rows"]}
    return {"dot_general": rows["dot_general"]["flops"] / 1e9}


@cache
def _steps(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = tfprof.load(path).steps().to_dict()["data"]
    return data


def _period(path: Path) -> Numbers:
    """Milliseconds."""
    found = _steps(path)
    period = found["period"]
    return {
        "steps": len(found["steps"]), "median": period["median_us"] / 1e3,
        "least": period["min_us"] / 1e3, "most": period["max_us"] / 1e3,
    }  # fmt: skip


def _idle(path: Path) -> Numbers:
    """Percent of each device's own span in which nothing went on; of whole steps as well."""
    found = _steps(path)
    period = sum(row["period_us"] for row in found["steps"]) / len(found["steps"])
    used = [one for one in found["devices"] if one["idle_in_span"] is not None]
    return {
        **{one["device"]: 100 * one["idle_in_span"] for one in used},
        "idle": 100 * sum(one["idle_us"] for one in used) / len(used) / period,
        "waiting for copies": 100 * sum(one["copy_wait_us"] for one in used) / len(used) / period,
    }


def _input(path: Path) -> Numbers:
    """1 for a program that is said to wait for its input, at all or mostly."""
    found = _steps(path)
    waits = found["input_bound"] >= MATTERS or found["verdict"]["name"] == "input-bound"
    return {"input-bound": float(waits)}


def _barriers(path: Path) -> Numbers:
    """Milliseconds at barriers by core, and in one all-reduce."""
    rows = {row["name"]: row for row in _layers(path, "op")["time"]["rows"]}
    reduce = rows["reduce_sum"]
    waited = {one["device"]: one["barrier_us"] / 1e3 for one in _steps(path)["devices"]}
    return {**waited, "all-reduce": reduce["self_us"] / reduce["runs"] / 1e3}


def _memory(path: Path) -> Numbers:
    """GB at the peak of each device."""
    found = _summary(path)["peak_memory"]
    return {name: size / 1e9 for name, size in found.items() if "cpu" not in name}


def micros(by: str, *names: str) -> Callable[[Path], Numbers]:
    """Microseconds of kernels, and of copies by their direction."""

    def ours(path: Path) -> Numbers:
        rows = {row["name"]: row["self_us"] for row in _layers(path, by)["time"]["rows"]}
        return {"kernels": sum(_took(path, by).values()), **{name: rows[name] for name in names}}

    return ours


# --- XProf's --------------------------------------------------------------------------------------


@cache
def _xprof(path: Path, tool: str) -> str:
    with tempfile.TemporaryDirectory() as room:  # it writes caches beside its input
        copy = shutil.copy(path, room)
        command = [sys.executable, "-c", _ASK_XPROF, str(copy), tool]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def _xprof_ops(path: Path) -> str:
    """The first rows of its table of ops on devices."""
    try:
        table = json.loads(_xprof(path, "framework_op_stats"))
    except json.JSONDecodeError:
        return "nothing"
    table = table[0] if isinstance(table, list) else table
    keys = [column["id"] for column in table["cols"]]
    rows = [dict(zip(keys, (cell["v"] for cell in row["c"]), strict=True)) for row in table["rows"]]
    rows = [row for row in rows if row["host_or_device"] == "Device"]
    if not rows:
        return "nothing"
    whole = sum(row["total_self_time"] for row in rows) or 1.0
    by_type: dict[str, float] = {}
    for row in rows:
        by_type[row["type"]] = by_type.get(row["type"], 0.0) + row["total_self_time"]
    most = sorted(by_type.items(), key=lambda item: -item[1])[:4]
    return ", ".join(f"{name} {100 * took / whole:.1f}" for name, took in most)


# --- the checks -----------------------------------------------------------------------------------

_BERT = "gpu-bert-8xV100/w0.xplane.pb"
_TPU = "tpu-v6e-inference/tpu.xplane.pb"
_JAX = "jax-gpu-attention/a.xplane.pb"
_TF1, _TF1_STEP = (f"tf1-gpu-timelines/timeline_{it}.json" for it in ("01", "02_step_1"))
_OPS = ("Cast", "RandomUniform", "GreaterEqual", "Mul")
_HLO = {"copy-done": 96.5, "add": 3.0, "reduce_sum": 0.46}
_ATTENTION = {
    "te_fused_attn_backward_ffi": 38.3, "dot_general": 27.2, "te_fused_attn_forward_ffi": 17.3,
}  # fmt: skip
_STEP = {
    "MatMul": 73.2, "SoftmaxCrossEntropyWithLogits": 8.5, "ApplyGradientDescent": 5.3,
    "BiasAddGrad": 4.3,
}  # fmt: skip
_FIRST = {"MatMul": 72.9, "RandomStandardNormal": 10.0, "Mul": 8.6, "Add": 8.5}
_TO_HOST, _TO_DEVICE = "(copies to the host)", "(copies to the device)"
# The product that XLA hands to a library: bf16 [4096, 6144] and [2048, 6144], as four others.
_PRODUCT_FLOPS = 2 * 4096 * 2048 * 6144
_CORES = tuple(f"/tpu:{number}" for number in range(4))

REAL = (
    Check(_BERT, "device time by op", dict(zip(_OPS, (42.9, 26.6, 18.4, 11.9), strict=True)),
          shares("op", *_OPS), by_xprof=_xprof_ops),
    Check(_BERT, "layers", {"layers": 24, "least": 4.0, "most": 4.1, "self_attention": 47.4},
          _layers_of_bert),
    Check(_BERT, "phases", {"forward": 99.9, "backward": 0.1}, shares("phase", "forward",
          "backward")),
    Check(_BERT, "16 bit, tensor cores", {"16 bit": 99.97, "tensor cores": 0.0}, _precision),
    Check(_TPU, "ops", _HLO, shares("op", *_HLO), by_xprof=_xprof_ops),
    Check(_TPU, "categories", {"waiting": 96.5, "element-wise": 3.0, "collective": 0.46},
          shares("category", "waiting", "element-wise", "collective")),
    Check(_TPU, "bandwidth of fusions", bandwidth, _bandwidth, why=why_not_by_host),
    Check(_TPU, "bandwidth of copies, about", {"copies GB/s": 41.0}, _bandwidth, near=2.0),
    Check(_BERT, "step, ms", {"steps": 1, "median": 668.9}, _period),
    Check(_BERT, "idle of its own span", {"/gpu:4": 25.4, "/gpu:6": 30.2}, _idle),
    Check(_BERT, "not shown to be input-bound", {"input-bound": 0}, _input),
    Check(_BERT, "memory, GB", {"/gpu:6": 6.210}, _memory, near=0.001),
    Check(_TPU, "steps, ms", {"steps": 100, "median": 784}, _period),
    Check(_TPU, "steady state", {"idle": 0, "waiting for copies": 97}, _idle),
    Check(_TPU, "barriers and all-reduce, ms", {**dict(zip(_CORES, (25, 55, 341, 45), strict=True)),
          "all-reduce": 122}, _barriers),
    Check(_TPU, "memory, GB", dict.fromkeys(_CORES, 21.49), _memory, near=0.005),
    Check(_JAX, "steps, ms", {"steps": 5, "least": 2.5, "most": 3.0}, _period, near=0.06),
    Check(_JAX, "idle", {"idle": 6.4}, _idle),
    Check(_JAX, "ops", _ATTENTION, shares("op", *_ATTENTION), by_xprof=_xprof_ops),
    Check(_JAX, "phases", {"backward": 62.7, "forward": 37.3}, shares("phase", "backward",
          "forward")),
    Check(_JAX, "FLOP/s: a lower bound", without_flops, _flops, why=why_not_all_custom_calls),
    Check(_JAX, "GFLOP of dot_general, 20 products", {"dot_general": 20 * _PRODUCT_FLOPS / 1e9},
          _products, near=1.0),
    Check(_TF1, "device time by op", _FIRST, shares("op", *_FIRST)),
    Check(_TF1, "microseconds", {"kernels": 5604, _TO_HOST: 1215}, micros("op", _TO_HOST), 1.5),
    Check(_TF1_STEP, "device time by op", _STEP, shares("op", *_STEP)),
    Check(_TF1_STEP, "microseconds", {"kernels": 698, _TO_DEVICE: 55, _TO_HOST: 4},
          micros("op", _TO_DEVICE, _TO_HOST)),
)  # fmt: skip


def made(folder: Path) -> Iterator[Check]:
    """Captures of the same layouts; all that is true of them is known."""
    sys.path.insert(0, str(_TESTS))
    from accelerator_captures import LAYOUTS, write

    write(folder)
    for name, (build, file) in LAYOUTS.items():
        truth = build()[1]
        for by in ("op", "layer", "phase", "category", "kernel"):
            found = getattr(truth, by)
            if not found or (name == "tf1_timeline" and by in ("category", "kernel")):
                continue
            expected = {row: 100 * took / truth.kernels for row, took in found.items()}
            asked = Check(f"{name}/{file}", by, expected, shares(by, *expected))
            yield (
                asked
                if by != "op"
                else Check(asked.sample, by, expected, asked.ours, by_xprof=_xprof_ops)
            )


def main(folder: Path, checks: Iterator[Check]) -> int:
    wrong = 0
    for check in checks:
        path = folder / check.sample
        if not path.exists():
            print(f"{check.sample}: not here")
            continue
        ours = check.ours(path)
        truth = check.truth(path) if callable(check.truth) else check.truth
        off = max(abs(ours[key] - value) for key, value in truth.items())
        wrong += off > check.near
        print(f"{check.sample}: {check.question}")
        if check.by_xprof is not None and path.suffix == ".pb":
            print(f"  XProf  {check.by_xprof(path)}")
        print(f"  truth  {_text(truth)}")
        print(f"  ours   {_text(ours)}")
        if check.why is not None:
            print(f"  why    {check.why(path)}")
        print(f"  off by {off:.2f}{'' if off <= check.near else '   <-- too much'}")
    print(f"{wrong} answers are off by too much")
    return int(wrong > 0)


def _text(numbers: Numbers) -> str:
    return ", ".join(f"{name[:60]} {value:,.4g}" for name, value in numbers.items())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]), iter(REAL)))
    with tempfile.TemporaryDirectory() as room:
        sys.exit(main(Path(room), made(Path(room))))
