"""For every rule of advice something that has the fault, and something that has not.

The words of both stand in the table of docs/advice.md. What no capture or graph of ours has is
made: a real answer, changed in the one place that matters.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tfprof.analyses.advice.advise import advise
from tfprof.analyses.advice.known import CodeLine, FunctionTraces, Known
from tfprof.api.profile import load
from tfprof.model.quantity import Quantity
from tfprof.model.run_log import OlderLibrary, RunLog
from tfprof.reports.advise.known import known_of
from tfprof.reports.advise.query import Query
from tfprof.reports.shared.digest import digest
from tfprof.reports.shared.question import Question
from tfprof.results.capture_traits import CalledFunction
from tfprof.results.categories import Category
from tfprof.results.graph_traits import Constant, Embedding, OpenTensor
from tfprof.results.host_steps import Straggler
from tfprof.results.input import BufferFill, StageKind
from tfprof.results.kernels import KernelTime, Launch
from tfprof.results.memory_traits import MemoryPlan, MemoryTraits
from tfprof.results.placement import Held, ParameterServers
from tfprof.results.step_average import NodeCost
from tfprof.results.summary import DeviceKind


@dataclass(frozen=True)
class Samples:
    """Answers about the files of tests/data, each worked out once."""

    folder: Path

    def known(self, *names: str, **asked) -> Known:
        return _known(self.folder, names, tuple(sorted(asked.items())))


@cache
def _known(folder, names, asked):
    said = dict(asked)
    question = Question(sizes={"B": said.pop("batch")}) if "batch" in said else Question()
    data = load(*(folder / name for name in names)).data
    return known_of(digest(data, question, memory=False), Query(question, **said))


@dataclass(frozen=True)
class Case:
    rule: str
    has: str
    faulty: Callable[[Samples], Known]
    has_not: str
    sound: Callable[[Samples], Known]


def found(known: Known) -> set[str]:
    return {rule for one in advise(known) for rule in one.told.rules}


SLOW, FAST = "xplane/slow-cb.xplane.pb", "xplane/fast-cb.xplane.pb"
GPU = "xplane/synthetic-gpu.xplane.pb"
MLP = "keras_mlp_train.graph.pb"


def _slow(s):
    return s.known(SLOW)


def _fast(s):
    return s.known(FAST)


def _gpu(s):
    return s.known(GPU)


def _mlp(s):
    return s.known(MLP)


def _pipeline(known, change):
    """The same with another pipeline on its only host."""
    (host,) = known.input.hosts
    (one,) = host.pipelines
    pipelines = (change(one),)
    hosts = (replace(host, pipelines=pipelines),)
    return replace(known, input=replace(known.input, hosts=hosts, pipelines=pipelines))


def _slow_stage(s, kind, op=None):
    """slow-cb with its slow stage of another kind; its function of nothing but `op`."""

    def change(one):
        at = one.slow.stage
        stages = list(one.stages)
        stages[at] = replace(stages[at], kind=kind)
        functions = one.functions
        if op is not None:
            functions = tuple(replace(f, op=op) if f.at == at else f for f in functions)
        return replace(one, stages=tuple(stages), functions=functions)

    return _pipeline(_slow(s), change)


def _around(s, *, above=None, below=None, filled=None):
    """slow-cb with another kind of stage behind its slow one, or before it."""

    def change(one):
        at = one.slow.stage
        stages = list(one.stages)
        if above is not None:
            stages[at - 1] = replace(stages[at - 1], kind=above, filled=filled)
        if below is not None:
            stages[at + 1] = replace(stages[at + 1], kind=below)
        return replace(one, stages=tuple(stages))

    return _pipeline(_slow(s), change)


def _steps(known, **moved):
    """The same with so much of every step in other categories, as shares of it."""
    rows = []
    for row in known.steps.steps:
        parts = dict.fromkeys(row.breakdown, 0)
        for name, share in moved.items():
            parts[Category[name]] = round(row.period * share)
        parts[Category.DEVICE_COMPUTE_32] = row.period - sum(parts.values())
        rows.append(replace(row, breakdown=parts))
    return replace(known, steps=replace(known.steps, steps=tuple(rows)))


def _kernel(name, total, runs=10, half=0.0, **launch):
    return KernelTime(
        name, name, "Conv2D", ("/gpu:0",), runs, total, 1.0, total / runs, 9.0, half,
        Launch(**launch), is_copy=False,
    )  # fmt: skip


_DIM, _BRIGHT = {"could_use_tensor_cores": True}, {"uses_tensor_cores": True}


def _kernels(*made):
    return lambda _: Known(kernels=made)


def _graph(s, **changed):
    known = _mlp(s)
    return replace(known, graph=replace(known.graph, **changed))


def _serving(s, **changed):
    graph = replace(s.known("keras_mlp_fwd.graph.pb").graph, serves=True)
    return replace(s.known("keras_mlp_fwd.graph.pb"), graph=replace(graph, **changed))


def _memory(**told):
    one = MemoryTraits("/gpu:0", 10**9, measured=True, persistent=10**8, limit=16 * 10**9)
    return replace(one, **told)


def _run_of(s, *nodes):
    """A run of the GPU capture whose device ran these nodes."""
    run = _gpu(s).run
    took = sum(one.micros for one in nodes)
    return Known(run=replace(run, nodes=list(nodes), device_us=took, op_us=took, pipeline_us=0.0))


def _nodes(*pairs):
    return [NodeCost(name, op, 1, micros, None) for name, op, micros in pairs]


_EVEN = _nodes(("a/x", "A", 1.0), ("b/x", "B", 1.0), ("c/x", "C", 1.0), ("d/x", "D", 1.0))
_ONE_SCOPE = _nodes(("a/x", "A", 9.0), ("b/x", "B", 1.0), ("c/x", "C", 1.0), ("d/x", "D", 1.0))


def _servers(s, *sizes):
    known = s.known("parameter_servers")
    tasks = {f"/ps:{at}": Held(1, Quantity.derived(1), Quantity.derived(size))
             for at, size in enumerate(sizes)}  # fmt: skip
    worst = max(sizes) / (sum(sizes) / len(sizes))
    servers = ParameterServers(tasks, worst, "/ps:0", "w", 10.0)
    return replace(known, placement=replace(known.placement, parameter_servers=servers))


def _late(s, count):
    known = _gpu(s)
    one = Straggler("device", "/gpu:3", "compute", count, 10, 5_000_000_000, 0.05)
    return replace(known, steps=replace(known.steps, stragglers=(one,)))


def _first_step(s, times):
    known = _slow(s)
    rows = list(known.steps.steps)
    rows[0] = replace(rows[0], step=0, period=rows[0].period * times)
    return replace(known, steps=replace(known.steps, steps=tuple(rows)))


def _called(s, **changed):
    known = _slow(s)
    one = replace(CalledFunction("train", 8, 0, 0, 8e5, 0.0, 1), **changed)
    return replace(known, capture=replace(known.capture, functions=(one,)))


def _eager(s, share, python):
    known = _steps(_slow(s), HOST_PYTHON=python)
    return replace(known, capture=replace(known.capture, eager_share=share))


def _between(s, share):
    known = _slow(s)
    host = replace(known.steps.host, between=known.steps.average.period * share)
    return replace(known, steps=replace(known.steps, host=host))


def _params(s, optimizer, weights):
    known = _mlp(s)
    roles = {"optimizer": optimizer, "trainable": weights}
    params = replace(known.params, bytes_by_role=roles, bytes={"float32": optimizer + weights})
    return replace(known, params=params, memory=_memory(batch=32))


def _under_roof(s, share):
    known = s.known("accelerators/tpu.xplane.pb")
    rows = tuple(replace(row, peak_share=share, bandwidth_share=share) for row in known.ops.rows)
    return replace(known, ops=replace(known.ops, rows=rows))


def _devices(s, working):
    known = _slow(s)
    kinds = (DeviceKind("V100", 2, working, None),)
    return replace(known, capture=replace(known.capture, devices=kinds))


CASES = [
    Case("input-bound", "a made GPU capture that waits 60 % of a step", _gpu, "fast-cb", _fast),
    Case("input-map-not-parallel", "slow-cb", _slow, "fast-cb", _fast),
    Case("input-map-not-autotuned", "fast-trace, which waits for a parallel map",
         lambda s: s.known("xplane/fast-trace.xplane.pb"), "fast-cb", _fast),
    Case("input-from-python", "slow-cb, its map a generator of Python",
         lambda s: _slow_stage(s, StageKind.GENERATOR, "PyFunc"), "slow-cb", _slow),
    Case("input-files-not-parallel", "slow-cb, its slow stage reading files",
         lambda s: _slow_stage(s, StageKind.FILES), "slow-cb", _slow),
    Case("input-small-files", "slow-cb, its map reading a file an element",
         lambda s: _slow_stage(s, StageKind.MAP, "ReadFile"), "slow-cb", _slow),
    Case("input-batch-not-parallel", "slow-cb, its slow stage a batch",
         lambda s: _slow_stage(s, StageKind.BATCH), "slow-cb", _slow),
    Case("input-shuffle-misplaced", "slow-cb, a shuffle behind its map that filled its buffer",
         lambda s: _around(s, above=StageKind.SHUFFLE, filled=BufferFill(1000, 1, 10**12)),
         "slow-cb", _slow),
    Case("input-cache-misplaced", "slow-cb, a cache before its map",
         lambda s: _around(s, below=StageKind.CACHE), "slow-cb", _slow),
    Case("input-batch-after-map", "slow-cb", _slow, "slow-cb without its batch",
         lambda s: _around(s, above=StageKind.OTHER)),
    Case("input-not-cached", "slow-cb", _slow, "slow-cb, a cache behind its map",
         lambda s: _around(s, above=StageKind.CACHE)),
    Case("input-no-prefetch", "slow-cb", _slow, "slow-cb, its last stage a prefetch",
         lambda s: _pipeline(_slow(s), lambda one: replace(one, stages=(
             one.stages[0], replace(one.stages[1], kind=StageKind.PREFETCH), *one.stages[2:])))),
    Case("input-queue-slow", "slow-cb as a session that waits in a dequeue op",
         lambda s: _fetches(s, "QueueDequeueManyV2"), "the same with an iterator",
         lambda s: _fetches(s, "IteratorGetNext")),
    Case("input-fed-by-python", "resnet32, a session with placeholders",
         lambda s: s.known("resnet32"), "the training graph of an MLP, no session", _mlp),
    Case("python-between-steps", "slow-cb, 20 % of a step between two",
         lambda s: _between(s, 0.2), "slow-cb", _slow),
    Case("retracing", "slow-cb, its function traced in 4 of 8 calls",
         lambda s: _called(s, traced=4, traced_us=6e5), "slow-cb", _slow),
    Case("eager-ops", "slow-cb, 50 % of op time eager", lambda s: _eager(s, 0.5, 0.4), "slow-cb",
         _slow),
    Case("unfused-batch-norm", "resnet32, graph and run", lambda s: s.known("resnet32"),
         "BERT, whose layer norms are none", lambda s: s.known("keras_bert_base_fwd.graph.pb")),
    Case("batch-norm-under-cond", "a U-Net of tf.layers with a placeholder",
         lambda s: s.known("unet_bn_cond_train.meta"), "resnet32", lambda s: s.known("resnet32")),
    Case("nhwc-on-gpu", "kernels of which a fifth transposes",
         _kernels(_kernel("nchwToNhwcKernel", 20.0), _kernel("gemm", 80.0)),
         "the same without", _kernels(_kernel("gemm", 80.0))),
    Case("half-precision-unused", "kernels in 32 bits that tensor cores could run",
         _kernels(_kernel("sgemm", 80.0, **_DIM)), "kernels on tensor cores",
         _kernels(_kernel("h884gemm", 80.0, half=80.0, **_BRIGHT))),
    Case("tensor-cores-unused", "kernels in 16 bits without tensor cores",
         _kernels(_kernel("hgemm", 80.0, half=80.0, **_DIM)), "kernels on tensor cores",
         _kernels(_kernel("h884gemm", 80.0, half=80.0, **_BRIGHT))),
    Case("preprocessing-on-device", "a device that takes a tenth for random_flip",
         lambda s: _run_of(s, *_nodes(("net/random_flip/x", "A", 1.0), ("net/dense/x", "B", 9.0))),
         "the same without", lambda s: _run_of(s, *_EVEN)),
    Case("big-constants", "an MLP with 20 MB of constants",
         lambda s: _graph(s, constants=(Constant("data", 2 * 10**7),), constant_bytes=2 * 10**7),
         "the MLP", _mlp),
    Case("repeated-constants", "an MLP with 1 MB four times",
         lambda s: _graph(s, constants=(Constant("t", 10**6, 4),), constant_bytes=4 * 10**6),
         "the MLP", _mlp),
    Case("soft-placed-ops", "a graph that asks for a GPU, run on two CPUs",
         lambda s: s.known("two_cpus"), "resnet32", lambda s: s.known("resnet32")),
    Case("unbalanced-parameter-servers", "servers with 90 and 10 bytes",
         lambda s: _servers(s, 90, 10), "servers with 50 each", lambda s: _servers(s, 50, 50)),
    Case("exposed-copies", "a made TPU capture, 30 % of copies",
         lambda s: s.known("accelerators/tpu.xplane.pb"), "a made GPU capture that only computes",
         lambda s: _steps(_gpu(s))),
    Case("exposed-collectives", "a made TPU capture, 8 % of collectives",
         lambda s: s.known("accelerators/tpu.xplane.pb"), "the same that only computes",
         lambda s: _steps(s.known("accelerators/tpu.xplane.pb"))),
    Case("accelerator-idle", "a made GPU capture that computes 30 %", _gpu, "a made TPU capture",
         lambda s: s.known("accelerators/tpu.xplane.pb")),
    Case("launch-bound", "a made GPU capture, 20 % of launches",
         lambda s: _steps(_gpu(s), KERNEL_LAUNCH=0.2), "the same that only computes",
         lambda s: _steps(_gpu(s))),
    Case("tiny-kernels", "kernels of 2 µs", _kernels(_kernel("add", 40.0, runs=20)),
         "kernels of 20 µs", _kernels(_kernel("add", 400.0, runs=20))),
    Case("far-under-roofline", "a made TPU capture at 1 % of its peak",
         lambda s: _under_roof(s, 0.01), "the same at 60 %", lambda s: _under_roof(s, 0.6)),
    Case("expensive-op-type", "a made capture with little but MatMul",
         lambda s: s.known("accelerators/tf_gpu_old.xplane.pb"), "fast-cb", _fast),
    Case("expensive-scope", "four layers, one with three quarters of the time",
         lambda s: _run_of(s, *_ONE_SCOPE), "four layers with as much each",
         lambda s: _run_of(s, *_EVEN)),
    Case("expensive-code-line", "a line with 60 % of the time",
         lambda _: Known(lines=(CodeLine("train.py:7:loss", 0.6, 1.0),)), "one with 40 %",
         lambda _: Known(lines=(CodeLine("train.py:7:loss", 0.4, 1.0),))),
    Case("memory-near-limit", "the MLP on a device with too little for batch 64",
         lambda s: s.known(MLP, batch=64, device_memory=8_000_000), "the same with 16 GB",
         lambda s: s.known(MLP, batch=64, device_memory=16 * 10**9)),
    Case("larger-batch-fits", "the MLP at batch 64 with 16 GB",
         lambda s: s.known(MLP, batch=64, device_memory=16 * 10**9), "no device is known", _mlp),
    Case("optimizer-memory", "800 of 1,000 MB are Adam's", lambda s: _params(s, 8e8, 4e8),
         "100 of 1,000 MB", lambda s: _params(s, 1e8, 4e8)),
    Case("embedding-memory", "a table with all weights but a few",
         lambda s: replace(_params(s, 0, 10**9), graph=replace(
             _mlp(s).graph, embeddings=(Embedding("table", 9 * 10**8),))),
         "the LSTM, whose table is small", lambda s: s.known("keras_lstm_fwd.graph.pb")),
    Case("open-batch", "an MLP's training graph with an open batch", _mlp,
         "resnet32, whose batch is 128", lambda s: s.known("resnet32")),
    Case("xla-dynamic-shapes", "an MLP for XLA with an open length",
         lambda s: _graph(s, xla=("step",), open_sizes=(OpenTensor("x", "[?, ?]"),)),
         "the same for XLA, its length known", lambda s: _graph(s, xla=("step",))),
    Case("loop-step-by-step", "Keras' LSTM on a CPU",
         lambda s: s.known("keras_lstm_fwd.graph.pb"), "the MLP", _mlp),
    Case("training-ops-in-inference", "an MLP that predicts with dropout",
         lambda s: _serving(s, training_ops={"dropout": ("d/random_uniform",)}),
         "the same without", _serving),
    Case("unfrozen-graph", "an MLP that predicts from variables", _serving,
         "the same, frozen", lambda s: _serving(s, frozen=True)),
    Case("unquantised-graph", "an MLP that predicts with float32",
         lambda s: replace(_serving(s), params=_params(s, 0, 4 * 10**6).params),
         "the same, quantised",
         lambda s: replace(_serving(s, quantised=True), params=_params(s, 0, 4 * 10**6).params)),
    Case("build-without-instructions", "a log that names AVX2 and FMA",
         lambda _: Known(log=RunLog("log", ("AVX2", "FMA"))), "a log that names none",
         lambda _: Known(log=RunLog("log"))),
    Case("cuda-older-than-build", "a log with cuDNN 8.0.4 for 8.6.0",
         lambda _: Known(log=RunLog("log", older=(OlderLibrary("CuDNN", "8.0.4", "8.6.0"),))),
         "a log that names none", lambda _: Known(log=RunLog("log"))),
    Case("gpu-not-used", "a capture with two GPUs and no work on them",
         lambda s: _devices(s, 0), "the same, both at work", lambda s: _devices(s, 2)),
    Case("first-batch-profiled", "slow-cb, its first step number 0 and five times as long",
         lambda s: _first_step(s, 5), "slow-cb", _slow),
    Case("stragglers", "a GPU behind in 8 of 10 steps", lambda s: _late(s, 8), "in 2 of 10",
         lambda s: _late(s, 2)),
]  # fmt: skip


def _fetches(s, op):
    from tfprof.results.input import SessionFetch

    known = _slow(s)
    (host,) = known.input.hosts
    one = SessionFetch("get", op, "queue", "FIFOQueueV2", 32, 8, 10**12, 10**11, ())
    host = replace(host, pipelines=(), fetches=(one,))
    return replace(known, input=replace(known.input, hosts=(host,), pipelines=()))


def traced_in_record() -> Known:
    return Known(functions=(FunctionTraces("train", 9, 9),))


def short_of_memory() -> Known:
    plan = MemoryPlan("recompute activations (blocks)", 10**9, "--recompute", 48)
    told = _memory(total=15 * 10**9, plans=(plan,))
    return Known(memory=told)
