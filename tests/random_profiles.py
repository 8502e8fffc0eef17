"""Random graphs, runs, op logs and options for comparisons with TensorFlow's own engine."""

from dataclasses import dataclass

from tensorflow.core.framework import graph_pb2
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.core.protobuf import config_pb2

_OPS = ["Conv2D", "VariableV2", "MatMul", "Add", "Placeholder", "Relu", "NoOp"]
_PARTS = ["a", "b", "c", "a-b", "v", "w", "d1", "gradients", "a_grad"]
_DEVICES = [
    "/job:w/replica:0/task:0/device:CPU:0",
    "/device:GPU:0",
    "/device:GPU:0/stream:all",
    "/gpu:0/memcpy",
]
_EXTRAS = ["_SOURCE", "x/extra", "RecvTensor", "zMEMCPY"]
_STRINGS = {1: "/x/train.py", 2: "main", 3: "build_a_very_long_function", 4: "model.py", 5: "short"}
_METRICS = [
    "params", "float_ops", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros",
    "accelerator_micros", "cpu_micros",
]  # fmt: skip
_SELECTS = [*_METRICS, "device", "op_types", "occurrence", "input_shapes"]


@dataclass
class Case:
    command: str
    graph: graph_pb2.GraphDef
    runs: list  # of (step, RunMetadata)
    log: tfprof_log_pb2.OpLogProto
    options: dict


def case(chance):
    """A case the engine survives: it crashes on code views without frames or depth."""
    graph = _graph(chance)
    names = [node.name for node in graph.node]
    runs = [(step, _run(chance, names)) for step in _steps(chance)]
    log = _log(chance, names)
    options = _options(chance, [step for step, _ in runs])
    commands = ["scope", "graph", "op"]
    with_code = [entry.name for entry in log.log_entries if entry.HasField("code_def")]
    if options["max_depth"] >= 1 and any("gradients/" not in name for name in with_code):
        commands += ["code"]
    return Case(chance.choice(commands), graph, runs, log, options)


def _steps(chance):
    return chance.sample([0, 3, 7], chance.randrange(0, 4))


def _graph(chance):
    graph = graph_pb2.GraphDef()
    wanted = chance.randrange(0, 14)
    names = []
    while len(names) < wanted:
        name = "/".join(chance.choice(_PARTS) for _ in range(chance.randrange(1, 5)))
        if name not in names:
            names.append(name)
    for name in names:
        node = graph.node.add(name=name, op=chance.choice(_OPS))
        for _ in range(chance.randrange(0, 3)):
            source = chance.choice(names)
            node.input.append(chance.choice([source, f"^{source}", f"{source}:1"]))
        if chance.random() < 0.5:
            _add_dims(chance, node.attr["shape"].shape, [1, 2, 3, 10, -1, 0, 1000])
        if chance.random() < 0.5:
            _add_dims(chance, node.attr["_output_shapes"].list.shape.add(), [1, 2, -1])
    return graph


def _add_dims(chance, shape, sizes):
    for _ in range(chance.randrange(0, 3)):
        shape.dim.add(size=chance.choice(sizes))


def _run(chance, names):
    run = config_pb2.RunMetadata()
    run.step_stats.SetInParent()
    for device in chance.sample(_DEVICES, chance.randrange(1, 4)):
        stats = run.step_stats.dev_stats.add(device=device)
        for _ in range(chance.randrange(0, 10)):
            _add_record(chance, stats, chance.choice([*names, *_EXTRAS]))
    return run


def _add_record(chance, stats, name):
    record = stats.node_stats.add(
        node_name=name + chance.choice(["", "", ":Conv"]),
        all_start_micros=chance.choice([0, 5, 100]),
        op_start_rel_micros=1,
        op_end_rel_micros=chance.choice([0, 3, 50, 2000]),
        all_end_rel_micros=2100,
    )
    if chance.random() < 0.5:
        record.memory.add(
            allocator_name=chance.choice(["cpu", "GPU_0"]),
            total_bytes=chance.randrange(3000),
            peak_bytes=chance.randrange(3000),
            live_bytes=chance.randrange(3000),
        )
    if chance.random() < 0.3:
        record.memory_stats.temp_memory_size = chance.randrange(100)
        record.memory_stats.persistent_memory_size = chance.randrange(100)
    if chance.random() < 0.3:
        held = record.output.add(slot=0).tensor_description.allocation_description
        held.requested_bytes, held.allocated_bytes = chance.randrange(100), chance.randrange(100)


def _log(chance, names):
    log = tfprof_log_pb2.OpLogProto()
    with_code = chance.random() < 0.8
    if with_code:
        for key, text in _STRINGS.items():
            log.id_to_string[key] = text
    for name in names:
        entry = log.log_entries.add(name=name)
        if chance.random() < 0.3:
            entry.float_ops = chance.randrange(1, 5000)
        if chance.random() < 0.3:
            entry.types.append(chance.choice(["T", "_trainable_variables"]))
        if with_code and chance.random() < 0.7:
            for _ in range(chance.randrange(1, 4)):
                entry.code_def.traces.add(
                    file_id=chance.choice([1, 4]),
                    lineno=chance.choice([1, 2]),
                    function_id=chance.choice([2, 3, 5]),
                    line_id=2,
                )
    return log


def _names(chance):
    return chance.choice(
        [[".*"], [".*"], [".*"], [], ["a.*"], [".*b.*"], ["v", "w"], ["a/b.*", ".*c"]]
    )


def _options(chance, steps):
    options = {
        "max_depth": chance.choice([10, 10, 2, 3, 1, 0]),
        "step": chance.choice([-1, *steps]),
        "order_by": chance.choice(["name", "occurrence", *_METRICS]),
        "account_type_regexes": chance.choice(
            [
                [".*"], [".*"], ["VariableV2"], ["T"], [".*Var.*", "T"], [".*gpu.*"], [],
                ["_kTF.*"], ["Conv2D", ".*Conv.*"],
            ]
        ),
        "start_name_regexes": _names(chance),
        "trim_name_regexes": chance.choice([[], [], ["a"], [".*b"]]),
        "show_name_regexes": _names(chance),
        "hide_name_regexes": chance.choice([[], [], ["a/.*"], ["v"]]),
        "account_displayed_op_only": chance.random() < 0.5,
        "select": chance.sample(_SELECTS, chance.randrange(0, 5)),
    }  # fmt: skip
    for metric in (*_METRICS, "occurrence"):
        if chance.random() < 0.1:
            options[f"min_{metric}"] = chance.choice([1, 5, 100])
    return options
