"""The cases of `_same_answers.py`: what is asked of each sample, on the command line and in Python.

Every command is asked about every sample, as text and in Python, which gives all other forms.
Options and formats of the command line are tried on small samples only, or there would be hours of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from _answer_samples import Sample

Case = dict[str, Any]

COMMANDS = (
    "summary", "doctor", "layers", "memory", "scope", "graph", "op", "code", "steps", "input",
    "timeline", "placement",
)  # fmt: skip
OTHER_COMMANDS = ("formats", "rules", "shell", "draw")
VIEWS = ("scope", "graph", "op", "code")
SMALL = 110_000
MEDIUM = 700_000
PATIENCE, SHORT_PATIENCE = 60, 3

_GRAPHS = ("graph", "profile")
_MODELS = ("graph", "profile", "keras")
_RUNS = ("run", "profile", "capture")
_ASKED = {*_MODELS, *_RUNS, "checkpoint"}
_ALL_NODES = "-account_type_regexes .* -max_depth 6"
# the view's own text, and the shapes that only some options show
_VIEW_OPTIONS = (
    "-max_depth 3 -select params,float_ops,bytes,micros -order_by micros",
    f"{_ALL_NODES} -select params,float_ops,bytes,micros,occurrence -order_by bytes",
    f"{_ALL_NODES} --style late -select device,op_types,input_shapes,micros,bytes",
    f"{_ALL_NODES} --compat original -select params,micros,bytes,float_ops",
    f"{_ALL_NODES} -account_displayed_op_only -min_params 1 -trim_name_regexes .*grad.*",
    f"{_ALL_NODES} -output file:outfile=view.txt",
    f"{_ALL_NODES} -select micros -output timeline:outfile=timeline.json",
    f"{_ALL_NODES} --batch 4 -select float_ops --json",
)
# command: what a sample has to have, and options
_OPTIONS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "summary": (
        (_MODELS, "--batch 4"),
        (_MODELS, "--train"),
        (_MODELS, "--inference --json"),
        (("checkpoint",), "--stats"),
        (("checkpoint",), "--stats --json"),
    ),
    "layers": (
        (_MODELS, "--batch 8"),
        (_MODELS, "--inference --json"),
        (_GRAPHS, "--by op --batch 8"),
        (_GRAPHS, "--by scope"),
        (_GRAPHS, "--device cpu --batch 8"),
        (_GRAPHS, "--device gpu:19.5T,1555G --batch 8 --json"),
        (_RUNS, "--by op"),
        (_RUNS, "--by scope"),
        (_RUNS, "--by node"),
        (_RUNS, "--by device"),
        (_RUNS, "--by thread"),
        (_RUNS, "--by kernel --json"),
        (_RUNS, "--by op --device gpu:19.5T,1555G"),
        (("run",), "--as executed"),
    ),
    "memory": (
        (_MODELS, "--batch 1,8"),
        (_MODELS, "--train --optimizer adam --batch 4 --json"),
        (_MODELS, "--inference --batch 4 --model ideal"),
        (_MODELS, "--device-memory 16GB"),
        (_MODELS, "--recompute --batch 8"),
        (_MODELS, "--swap 16 --batch 8"),
        (_MODELS, "--dtype float16 --batch 8"),
        (_MODELS, "--model gpu-bfc --workspace 32MiB"),
        (_MODELS, "--against samples/data/keras_mlp_fwd.graph.pb"),
        (("run", "profile"), "--estimate"),
        (("run", "profile"), "--as executed"),
    ),
    "steps": (
        (_RUNS, "--step 3"),
        (_RUNS, "--events input"),
        (_RUNS, "--events host_python --json"),
        (_RUNS, "--gaps"),
        (_RUNS, "--gaps --json"),
        (_RUNS, "--device /gpu:0"),
    ),
    "timeline": (
        (_RUNS, "--step 3"),
        (_RUNS, "--from 1 --to 20"),
        (_RUNS, "--all --min-duration 10 --thread .*"),
        (_RUNS, "-o x.trace.json"),
        (_RUNS, "--args --step 3 -o x.trace.json.gz"),
    ),
    "placement": (
        ((*_GRAPHS, *_RUNS), "--nodes"),
        ((*_GRAPHS, *_RUNS), "--nodes --json"),
        ((*_GRAPHS, *_RUNS), "--partition /cpu:0"),
        (_GRAPHS, "--batch 8"),
    ),
    "draw memory": ((_MODELS, "--batch 1..4"), (_RUNS, ""), (_MODELS, "--device-memory 1GB")),
    "draw steps": ((_RUNS, ""),),
    **{view: tuple(((*_GRAPHS, *_RUNS), words) for words in _VIEW_OPTIONS) for view in VIEWS},
}  # fmt: skip
_PPROF = "-select {} -account_type_regexes .* -output pprof:outfile=code.pb.gz"
_PROMPT = """\
help
scope
set -account_type_regexes .* -max_depth 3
op -select micros,bytes,occurrence -order_by micros

graph -select params
code -max_depth 2
scope -select nothing
scpoe
summary
advise
scope -select params -output file:outfile=prompt.txt
exit
op
"""
_ALL_ARGS = {"account_type_regexes": [".*"], "max_depth": 4}
# asked of every sample that is not hostile, by what load() gives
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tfprof.flops", {}),
    ("tfprof.parameter_count", {}),
    ("tfprof.peak_memory", {}),
    *((command, {}) for command in COMMANDS if command != "doctor"),
)
_MORE_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tfprof.flops", {"batch": 8, "mode": "inference"}),
    ("tfprof.peak_memory", {"batch": 8}),
    ("summary", {"batch": 4}),
    ("layers", {"by": "op", "batch": 8}),
    ("layers", {"device": "gpu:19.5T,1555G"}),
    ("memory", {"batch": [1, 8], "mode": "train"}),
    ("memory", {"device_memory": 10**9, "estimate": True}),
    ("steps", {"gaps": True}),
    ("steps", {"step": 3}),
    ("timeline", {"step": 3}),
    ("placement", {"nodes": True}),
    *((view, {**_ALL_ARGS, "select": ["params", "micros"]}) for view in VIEWS),
)


def all_cases(samples: Iterable[Sample]) -> list[Case]:
    found = [*_without_samples(), *_special()]
    for sample in samples:
        found += _of(sample)
    return list({case["name"]: case for case in found}.values())


def _case(
    words: Iterable[str],
    *,
    stdin: str = "",
    calls: Iterable[tuple[str, dict[str, Any]]] = (),
    draws: bool = True,
    seconds: int = PATIENCE,
    **environment: str,
) -> Case:
    words, calls = list(words), list(calls)
    shown = [f"{name}={value}" for name, value in environment.items()]
    shown += ["python"] if calls else ["tfprof"]
    return {
        "name": " ".join([*shown, *words]),
        "words": words,
        "stdin": stdin,
        "calls": calls,
        "draws": draws,
        "seconds": seconds,
        "environment": environment,
    }


def _of(sample: Sample) -> Iterator[Case]:
    seconds = SHORT_PATIENCE if sample.hostile else PATIENCE
    for command in COMMANDS:
        yield _case([command, *sample.paths], seconds=seconds)
    if sample.hostile:
        return
    tried = _options_are_tried(sample)
    # a curve of memory asks for many batches, which takes its time where a graph is large
    yield _case(sample.paths, calls=(*_CALLS, *_MORE_CALLS) if tried else _CALLS, draws=tried)
    if tried:
        yield from _with_options(sample)
        if sample.ours and sample.size < SMALL:
            yield from _in_every_format(sample)


def _options_are_tried(sample: Sample) -> bool:
    """Where it is quick, and not again for the same content in another form."""
    if sample.damaged or sample.paths[0].endswith(".pbtxt") or not sample.kinds & _ASKED:
        return False
    if sample.ours and "capture" in sample.kinds:
        return sample.size < MEDIUM
    return sample.size < SMALL and (sample.ours or len(sample.paths) > 1)


def _in_every_format(sample: Sample) -> Iterator[Case]:
    for command in COMMANDS:
        for form in ("json", "csv", "md"):
            yield _case([command, *sample.paths, "--format", form])


def _with_options(sample: Sample) -> Iterator[Case]:
    for command, variants in _OPTIONS.items():
        for kinds, words in variants:
            if sample.kinds.intersection(kinds):
                yield _case([*command.split(), *sample.paths, *words.split()])
    if sample.kinds.intersection(_GRAPHS):
        yield _case(["shell", *sample.paths], stdin=_PROMPT)


def _without_samples() -> Iterator[Case]:
    """Help, lists and mistakes."""
    for form in ("txt", "json", "csv", "md"):
        yield _case(["formats", "--format", form])
        yield _case(["rules", "ops", "--format", form])
    for words in (
        "",
        "--help",
        "--version",
        "help",
        "help layers",
        "draw memory --help",
        "draw steps --help",
        *(f"{c} --help" for c in (*COMMANDS, *OTHER_COMMANDS)),
    ):
        yield _case(words.split())  # fmt: skip
    for command in COMMANDS:
        for words in ("", "samples/nowhere.pb", "samples/damaged/nothing", "--no-such-option"):
            yield _case([command, *words.split()])
    graph = "samples/data/keras_mlp_fwd.graph.pb"
    for words in (
        "laiers", "draw", "draw layers", f"sumary {graph}", f"layers {graph} --batch many",
        f"layers {graph} --feed x", f"layers {graph} --dim B", f"layers {graph} --by colour",
        f"layers {graph} --device toaster", f"layers {graph} --fetch nothing",
        f"layers {graph} --feed x=B,784", f"memory {graph} --batch 0", f"memory {graph} --swap 0",
        f"memory {graph} --device-memory much", f"memory {graph} --model abacus",
        f"memory {graph} --batch 1..4 --margin 10", f"scope {graph} -select nothing",
        f"scope {graph} -output smoke", f"scope {graph} -output timeline", f"scope {graph} -viz",
        f"scope {graph} -account_type_regexes (", f"op {graph} -output timeline:outfile=x",
        f"summary {graph} -o x.pdf", f"summary {graph} -o x.json", f"summary {graph} -o x.md",
        f"summary {graph} -o no/such/folder/x.csv", f"summary {graph} -o samples",
        f"draw memory {graph} -o x.svg", f"draw memory {graph} -o x.gif",
        f"timeline {graph} -o x.json.gz", f"summary {graph} --signature none",
        f"memory {graph} --train --batch 8 --vars samples/data/keras_mlp_train_vars.json",
        f"--graph_path={graph}", f"--graph_path {graph} op -max_depth=2", f"{graph} --json",
    ):  # fmt: skip
        yield _case(words.split(), stdin="scope\n")


def _special() -> Iterator[Case]:
    """What belongs to single samples."""
    yield from _on_two_cpus()
    yield from _of_the_unet()
    yield from _original()
    for metric in ("params", "micros", "bytes", "params,micros"):
        yield _case(["code", "samples/data/resnet32", *_PPROF.format(metric).split()])
    for sample in ("samples/unet", "samples/data/resnet32", "samples/models/profile_8"):
        for command, variants in _OPTIONS.items():
            for _, words in variants[:2]:
                yield _case([*command.split(), sample, *words.split()])
        yield _case(["shell", sample], stdin=_PROMPT)
        for command in ("summary", "layers", "op"):
            for columns in ("40", "120"):
                yield _case([command, sample], COLUMNS=columns)


def _on_two_cpus() -> Iterator[Case]:
    for name in ("two_cpus", "two_cpus_function"):
        log = f"--placement-log samples/logs/{name}.log"
        for form in ("txt", "json"):
            yield _case(f"placement {log} --format {form}".split())
            yield _case(f"placement samples/data/{name} {log} --format {form}".split())
            yield _case(f"placement samples/data/{name}/graph.pb {log} --nodes".split())
        for command in ("scope", "layers", "memory", "placement"):
            yield _case([command, f"samples/data/{name}", "--partition", "/cpu:1"])


def _of_the_unet() -> Iterator[Case]:
    """The README's model: sizes that are left open, and colours as a terminal gets them."""
    sizes = "--dim H=572 --dim W=572"
    for words in ("--batch 1,8 --device-memory 16GiB", "--recompute --swap 16 --dtype float16",
                  "--recompute-scopes model/left.* --more-flops 10 --batch 4", "--batch 1..4",
                  "--partition /cpu:0 --estimate", "--as executed"):  # fmt: skip
        yield _case(f"memory samples/unet {sizes} {words}".split())
        yield _case(f"draw memory samples/unet {sizes} {words}".split())
    fed = "--feed input=B,572,572,1 --feed labels=B,388,388,2"
    yield _case(f"layers samples/unet/graph.pb --inference {fed}".split())
    for sample in ("samples/unet", "samples/slow_input"):
        for command in COMMANDS:
            yield _case([command, sample], NO_COLOR="", FORCE_COLOR="1")


def _original() -> Iterator[Case]:
    """The original's calls in Python, of files."""
    for graph, run, log in (
        ("unet/graph.pb", "unet/run_meta", None),
        ("data/resnet32/graph.pb", "data/resnet32/run_meta", "data/resnet32/tfprof_log"),
        ("data/keras_mlp_train.graph.pb", "data/keras_mlp_train_b8_default.runmeta.pb", None),
    ):
        files = {"run_meta": f"samples/{run}", "op_log": log and f"samples/{log}"}
        options = {"max_depth": 4, "account_type_regexes": [".*"], "order_by": "micros",
                   "select": ["micros", "bytes", "params"]}  # fmt: skip
        calls: list[tuple[str, dict[str, Any]]] = [("tfprof.profile", {}), ("tfprof.advise", {})]
        calls.append(("tfprof.advise", {"run_meta": files["run_meta"]}))
        for view in VIEWS:
            calls.append(("tfprof.profile", {**files, "cmd": view}))
            calls.append(("tfprof.profile", {**files, "cmd": view, "options": options}))
            asked = {"tfprof_cmd": view, "tfprof_options": options}
            calls.append(("tfprof.print_model_analysis", {**files, **asked}))
        yield _case([f"samples/{graph}", f"samples/{run}"], calls=calls)
