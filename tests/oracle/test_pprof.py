"""`-output pprof` against the files of the C++ engine: the same message but for the comment.

The field list the files are read with is pprof's own, so a wrong number of ours would show.
"""

import gzip
import random
from dataclasses import replace

import pytest
from engine import _captured, profile_of
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from random_profiles import case
from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.util import _pywrap_tfprof as engine

from tfprof.analyses.accounting.code import code_tree
from tfprof.analyses.accounting.nodes import build_nodes
from tfprof.analyses.accounting.tree import code_filter, display
from tfprof.model.metrics import COLUMN_OF
from tfprof.model.options import EVERYTHING, Options
from tfprof.renderers.trace import pprof

_FILES = ["/x/train.py", "/y/train.py", "model.py", "/x/a.py2", "/x/a", "", "/x/.a/.q", "/x/b.c.py"]
_FUNCTIONS = ["main", "build", "build_a_very_long_function", "build_a_very_long_other", "b:main"]
_STRINGS = dict(enumerate([*_FILES, *_FUNCTIONS], 1))
GRADIENT = " (gradient)"
_TYPES = {"int64": 3, "uint64": 4, "bool": 8, "string": 9}
_PROFILE = {
    "Profile": "ValueType* sample_type,Sample* sample,Mapping* mapping,Location* location,"
    "Function* function,string* string_table,int64 drop_frames,int64 keep_frames,"
    "int64 time_nanos,int64 duration_nanos,ValueType period_type,int64 period,int64* comment,"
    "int64 default_sample_type",
    "ValueType": "int64 type,int64 unit",
    "Sample": "uint64* location_id,int64* value,Label* label",
    "Label": "int64 key,int64 str,int64 num,int64 num_unit",
    "Mapping": "uint64 id",
    "Location": "uint64 id,uint64 mapping_id,uint64 address,Line* line,bool is_folded",
    "Line": "uint64 function_id,int64 line",
    "Function": "uint64 id,int64 name,int64 system_name,int64 filename,int64 start_line",
}


@pytest.fixture(scope="module")
def profile_class():
    file = descriptor_pb2.FileDescriptorProto(name="p.proto", package="pprof", syntax="proto3")
    for message, fields in _PROFILE.items():
        described = file.message_type.add(name=message)
        for number, text in enumerate(fields.split(","), 1):
            kind, name = text.split(" ")
            field = described.field.add(name=name, number=number, label=3 if "*" in kind else 1)
            kind = kind.removesuffix("*")
            field.type = _TYPES.get(kind, 11)
            if kind not in _TYPES:
                field.type_name = f".pprof.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("pprof.Profile"))


def _engine_file(graph, runs, log, options, path):
    output = f"pprof:outfile={path}"
    proto = tfprof_options_pb2.OptionsProto(**options, output=output).SerializeToString()

    def ask():
        engine.NewProfiler(graph, log)
        for step, run in runs:
            engine.AddStep(step, graph, run, log)
        engine.Profile(b"code", proto)
        engine.DeleteProfiler()

    _captured(ask)
    return path.read_bytes()


def _our_file(graph, runs, log, options):
    data = profile_of(graph, runs, log)
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in options.items()}
    (metric,) = options["select"]
    return pprof.profile(_samples(data, Options(compat=True, **given), metric), metric)


def _samples(data, options, metric):
    """As in the original: nodes of the frames that call nothing, below each displayed leaf."""
    nodes = build_nodes(data, options.step, compat=True)
    code = code_tree(nodes, data.oplog, options)
    every = code_tree(nodes, data.oplog, replace(options, account_type_regexes=EVERYTHING))
    shown = display(
        code.tree, options, code_filter(code.tree, options), skips_closed=True,
        nodes_in=code.nodes_in,
    )  # fmt: skip
    callers = {path[:-1] for path in _paths(every.tree)}
    made = dict(zip(_paths(code.tree), code.made, strict=True))
    inner = {0, *shown.parent.tolist()}
    for position, at in enumerate(shown.at.tolist()):
        if position in inner:
            continue
        first, size = int(code.tree.walk.position[at]), int(code.tree.walk.size[at])
        for row in code.tree.walk.order[first : first + size].tolist():
            path = _paths(code.tree)[row]
            for node in dict.fromkeys(made[path].tolist()) if path not in callers else ():
                value = int(nodes.costs[node, COLUMN_OF[metric]])
                yield pprof.PprofSample(value, nodes.names[node], _frames(code, shown, position))


def _paths(tree):
    """The labels from the root down to each row: the same for every choice of types."""
    paths = [()]
    for label, parent in zip(tree.labels[1:], tree.parent[1:].tolist(), strict=True):
        paths.append((*paths[parent], label))  # a frame comes after its caller
    return paths


def _frames(code, shown, position):
    """The displayed frames above, outermost first."""
    found = []
    while position > 0:
        at = shown.at[position]
        frame = code.frames[at]
        mark = GRADIENT if code.tree.labels[at].endswith(GRADIENT) else ""
        found.append(
            pprof.PprofFrame(frame.file, frame.line, frame.function + mark, frame.function_line)
        )
        position = shown.parent[position]
    return found[::-1]


def _log_with_code(chance, graph, log):
    """Stacks for most nodes, one of them without gradients; and a gradient."""
    for key, text in _STRINGS.items():
        log.id_to_string[key] = text
    entries = {entry.name: entry for entry in log.log_entries}
    first = graph.node.add(name="first", op="Conv2D").name
    gradient = graph.node.add(name=f"gradients/{first}_grad/x", op="Relu").name
    for name in [first, gradient, *entries]:
        entry = entries.get(name) or log.log_entries.add(name=name)
        entry.ClearField("code_def")
        if name in (first, gradient) or chance.random() < 0.7:
            for _ in range(chance.randrange(1, 5)):
                entry.code_def.traces.add(
                    file_id=chance.randrange(1, len(_FILES) + 1),
                    lineno=chance.choice([-1, 0, 9, 10, 100]),
                    function_id=chance.randrange(len(_FILES) + 1, len(_STRINGS) + 1),
                    line_id=1,
                    func_start_line=chance.choice([-5, -1, 0, 7, 10]),
                )


def _code_options(chance, options):
    names = [[".*"]] * 4 + [[".*main.*"], ["model.*"]]
    return options | {
        "max_depth": chance.choice([10, 10, 2, 3, 4]),
        "select": [chance.choice(pprof.METRICS)],
        "trim_name_regexes": chance.choice([[], [], ["train.*"]]),
        "start_name_regexes": chance.choice(names),
        "show_name_regexes": chance.choice(names),
        "hide_name_regexes": chance.choice([[], [], [], [".*main"], ["model.*"]]),
    }


def _read(profile_class, data):
    """The message with a comment that is everybody's; it is what protobuf would write."""
    unpacked = gzip.decompress(data)
    profile = profile_class.FromString(unpacked)
    assert profile.SerializeToString() == unpacked
    (comment,) = profile.comment
    assert profile.string_table[comment]
    profile.string_table[comment] = "comment"
    return profile


@pytest.mark.parametrize("block", range(6))
def test_code_gives_the_engines_profile(block, profile_class, tmp_path):
    for seed in range(50 * block, 50 * (block + 1)):
        chance = random.Random(seed)  # noqa: S311
        made = case(chance)
        _log_with_code(chance, made.graph, made.log)
        question = (
            made.graph.SerializeToString(),
            [(step, run.SerializeToString()) for step, run in made.runs],
            made.log.SerializeToString(),
            _code_options(chance, made.options),
        )
        theirs = _read(profile_class, _engine_file(*question, tmp_path / str(seed)))
        assert _read(profile_class, _our_file(*question)) == theirs, f"seed {seed}: {question[-1]}"


@pytest.mark.parametrize("metric", ["micros", "float_ops", "params"])
def test_a_real_op_log_gives_the_engines_profile(metric, profile_class, samples, tmp_path):
    folder = samples / "resnet32"
    options = {
        "max_depth": 10_000,
        "step": -1,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "show_name_regexes": [".*"],
        "select": [metric],
    }
    graph, run, log = ((folder / n).read_bytes() for n in ("graph.pb", "run_meta", "tfprof_log"))
    question = graph, [(0, run)], log, options
    theirs = _read(profile_class, _engine_file(*question, tmp_path / "out"))
    assert len(theirs.sample) > 100
    assert _read(profile_class, _our_file(*question)) == theirs
