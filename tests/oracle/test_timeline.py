"""`-output timeline` against the files of the C++ engine: the same bytes."""

import random

import pytest
from engine import _captured, our_view, profile_of
from random_profiles import case
from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.util import _pywrap_tfprof as engine

from tfprof.analyses.accounting.graph_timeline import graph_timeline
from tfprof.analyses.accounting.nodes import build_nodes
from tfprof.model.options import Options
from tfprof.renderers.trace import original_timeline

_DEVICES = [
    "/job:w/replica:0/task:0/device:CPU:0",
    "/device:GPU:0",
    "/device:GPU:0/stream:all",
    "/gpu:1",
    "/gpu:1/stream:all",
    "/a/gpu:1/stream:all",
    "/gpu:0/memcpy",
]
_EVERYTHING = {
    "max_depth": 10_000,
    "step": -1,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "show_name_regexes": [".*"],
    "select": ["micros"],
}


def _engine_files(command, graph, runs, log, options, folder):
    """The files that the engine writes, by step, and what it says."""
    folder.mkdir()
    output = f"timeline:outfile={folder}/out"
    proto = tfprof_options_pb2.OptionsProto(**options, output=output).SerializeToString()

    def ask():
        engine.NewProfiler(graph, log)
        for step, run in runs:
            engine.AddStep(step, graph, run, log)
        engine.Profile(command.encode(), proto)
        engine.DeleteProfiler()

    said = _captured(ask)
    return {
        int(path.name.removeprefix("out_")): path.read_text() for path in folder.iterdir()
    }, said


def _options(options, **changes):
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in options.items()}
    return Options(compat=True, **given | changes)


def _our_graph_files(graph, runs, log, options):
    """A file a step, and the lines about memory."""
    data = profile_of(graph, runs, log)
    steps = [step for step, _ in runs] if options["step"] < 0 else [options["step"]]
    files, said = {}, []
    shown = [row.name for row in our_view("graph", data, _options(options)).rows]
    nodes = build_nodes(data, options["step"], compat=True)
    for step in sorted(steps):
        timeline = graph_timeline(data, nodes, shown, step)
        files[step] = original_timeline.graph_timeline(timeline)
        said += [f"{one.device} peak memory: {one.peak / 1e6:.2f} MB" for one in timeline.memory]
    return files, said


@pytest.mark.parametrize("block", range(5))
def test_scopes_and_code_draw_the_engines_flames(block, tmp_path):
    for seed in range(60 * block, 60 * (block + 1)):
        made = case(random.Random(seed))  # noqa: S311
        if made.command not in ("scope", "code"):
            continue
        graph, log = made.graph.SerializeToString(), made.log.SerializeToString()
        runs = [(step, run.SerializeToString()) for step, run in made.runs]
        theirs, _ = _engine_files(
            made.command, graph, runs, log, made.options, tmp_path / str(seed)
        )
        view = our_view(made.command, profile_of(graph, runs, log), _options(made.options))
        ours = {made.options["step"]: original_timeline.scope_timeline(view)}
        assert ours == theirs, f"seed {seed}: {made.options}"


def _busy_run(chance, names, starts):
    """Many executions on several devices, with what the allocators of GPUs say."""
    run = config_pb2.RunMetadata()
    for device in chance.sample(_DEVICES, len(_DEVICES)):
        stats = run.step_stats.dev_stats.add(device=device)
        for _ in range(chance.randrange(0, 16)):
            record = stats.node_stats.add(
                node_name=chance.choice(names) + chance.choice(["", "", ":Conv"]),
                all_start_micros=chance.choice(starts),
                op_end_rel_micros=chance.choice([0, 3, 50, chance.randrange(3000)]),
            )
            _add_memory(chance, record)
    return run


def _add_memory(chance, record):
    if chance.random() < 0.3:
        record.memory_stats.persistent_memory_size = chance.randrange(10**6)
    for _ in range(chance.choice([0, 1, 1, 2])):
        used = record.memory.add(
            allocator_name=chance.choice(["cpu", "GPU_0", "GPU_0_bfc"]),
            allocator_bytes_in_use=chance.choice([0, chance.randrange(10**7), 10**9]),
        )
        for _ in range(chance.randrange(4)):
            used.allocation_records.add(
                alloc_micros=chance.choice([0, record.all_start_micros, chance.randrange(4000)]),
                alloc_bytes=chance.choice([1, -1]) * chance.choice([100, chance.randrange(10**9)]),
            )


@pytest.mark.parametrize("starts", ["few", "many"])
@pytest.mark.parametrize("block", range(5))
def test_graphs_draw_the_engines_executions(block, starts, tmp_path):
    drawn = 0
    for seed in range(40 * block, 40 * (block + 1)):
        chance = random.Random(seed)  # noqa: S311
        made = case(chance)
        names = [*(node.name for node in made.graph.node), "x/extra", "RecvTensor", "_SOURCE"]
        times = [0, 5, 100, 200] if starts == "few" else [0, 5, *chance.sample(range(3000), 40)]
        runs = [(step, _busy_run(chance, names, times)) for step, _ in made.runs]
        options = made.options if chance.random() < 0.5 else _EVERYTHING
        question = (
            made.graph.SerializeToString(),
            [(step, run.SerializeToString()) for step, run in runs],
            made.log.SerializeToString(),
            options,
        )
        theirs, said = _engine_files("graph", *question, tmp_path / str(seed))
        files, peaks = _our_graph_files(*question)
        assert files == theirs, f"seed {seed}: {options}"
        assert peaks == [line for line in said.splitlines() if "peak memory" in line]
        drawn += sum('"X"' in text for text in theirs.values())
    assert drawn > 10


@pytest.mark.parametrize("model", ["unet", "resnet32"])
@pytest.mark.parametrize("command", ["scope", "graph"])
def test_a_real_run_draws_the_engines_timeline(command, model, samples, unet, tmp_path):
    folder = unet if model == "unet" else samples / "resnet32"
    graph, run = (folder / "graph.pb").read_bytes(), (folder / "run_meta").read_bytes()
    question = graph, [(0, run)], b"", _EVERYTHING
    theirs, _ = _engine_files(command, *question, tmp_path / "out")
    if command == "graph":
        assert _our_graph_files(*question)[0] == theirs
    else:
        view = our_view("scope", profile_of(graph, [(0, run)], b""), _options(_EVERYTHING))
        assert {-1: original_timeline.scope_timeline(view)} == theirs
