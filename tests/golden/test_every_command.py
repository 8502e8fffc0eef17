"""What every command prints about small real files, in all formats; `--accept` rewrites it."""

import io
import sys
from pathlib import Path

import pytest
from run_cli import run

from tfprof.commands.registry import commands
from tfprof.model import units

GOLDEN = Path(__file__).parent
TESTS = GOLDEN.parent
FORMATS = ["txt", "json", "md", "csv"]
EVERY_TYPE = "-account_type_regexes .*"
ALL_NODES = f"{EVERY_TYPE} -max_depth 4"
TIMES = "-select params,float_ops,bytes,micros -order_by micros"
CODE = "resnet32/graph.pb resnet32/run_meta resnet32/tfprof_log"
MLP_RUN = "keras_mlp_train_b8_default.runmeta.pb"
GPU = "xplane/synthetic-gpu.xplane.pb"
SLOW = "xplane/slow-cb.xplane.pb"
CHECKPOINT = "../models/tf1_saved_model/variables/variables.index"
LOG = "--placement-log ../logs/two_cpus.log"
RUNS = "stories/*_map stories/float16 stories/bfloat16"

# command, sample and option, as in the names of the goldens: the call behind them
CALLS = {
    "summary.residual_keras": "summary ../models/residual.keras",
    "summary.residual_h5": "summary ../models/residual.h5 --batch 4",
    "summary.tagger_saved_model": "summary ../models/tagger_saved_model",
    "summary.saved_profile": "summary ../models/profile_8",
    "summary.checkpoint.stats": f"summary {CHECKPOINT} --stats",
    "summary.slow_input": f"summary {SLOW}",
    "summary.mlp_fwd.batch": "summary keras_mlp_fwd.graph.pb --batch 4",
    "summary.two_cpus.inference": "summary two_cpus --inference",
    "scope.two_cpus": "scope two_cpus",
    "scope.two_cpus.times": f"scope two_cpus {ALL_NODES} {TIMES}",
    "scope.two_cpus.late": f"scope two_cpus {ALL_NODES} {TIMES} --style late",
    "scope.two_cpus.original": f"scope two_cpus {ALL_NODES} {TIMES} --compat original",
    "scope.two_cpus.executed": f"scope two_cpus {ALL_NODES} {TIMES} --partition /cpu:1",
    "scope.saved_profile": f"scope ../models/profile_8 {ALL_NODES} -select micros -min_micros 50",
    "graph.mlp_fwd": f"graph keras_mlp_fwd.graph.pb {EVERY_TYPE} -max_depth 9 -select op_types",
    "graph.two_cpus.times": f"graph two_cpus {ALL_NODES} {TIMES}",
    "graph.two_cpus.original": f"graph two_cpus {ALL_NODES} {TIMES} --compat original",
    "op.two_cpus": "op two_cpus",
    "op.two_cpus.times": f"op two_cpus {EVERY_TYPE} {TIMES}",
    "op.two_cpus.original": f"op two_cpus {EVERY_TYPE} {TIMES} --compat original",
    "op.lstm_fwd.batch": f"op keras_lstm_fwd.graph.pb {EVERY_TYPE} -select "
    "float_ops,occurrence -order_by float_ops --batch 8",
    "code.resnet32": f"code {CODE}",
    "code.resnet32.times": f"code {CODE} {ALL_NODES} {TIMES}",
    "code.resnet32.original": f"code {CODE} {ALL_NODES} {TIMES} --compat original",
    "layers.lstm_fwd": "layers keras_lstm_fwd.graph.pb",
    "layers.lstm_fwd.device": "layers keras_lstm_fwd.graph.pb --batch 8 --device gpu:19.5T,1555G",
    "layers.lstm_fwd.op": "layers keras_lstm_fwd.graph.pb --by op",
    "layers.residual_keras": "layers ../models/residual.keras",
    "layers.tagger_keras.batch": "layers ../models/tagger.keras --batch 8",
    "layers.tagger_saved_model": "layers ../models/tagger_saved_model",
    "layers.mlp_train.scope": "layers keras_mlp_train.graph.pb --by scope --device cpu",
    "layers.mlp_run": f"layers {MLP_RUN}",
    "layers.two_cpus.node": "layers two_cpus/run_meta --by node",
    "layers.traced_step": "layers traced_step",
    "layers.two_cpus.device": "layers two_cpus/run_meta --by device",
    "layers.two_cpus.thread": "layers two_cpus/run_meta --by thread",
    "layers.two_cpus.executed": "layers two_cpus --as executed",
    "layers.gpu": f"layers {GPU}",
    "layers.gpu.kernel": f"layers {GPU} --by kernel",
    "memory.mlp_train": "memory keras_mlp_train.graph.pb",
    "memory.mlp_train.optimised": "memory keras_mlp_train.graph.pb --as optimised",
    "memory.mlp_train.batches": "memory keras_mlp_train.graph.pb --batch 1,8,32",
    "memory.mlp_train.fits": "memory keras_mlp_train.graph.pb --device-memory 1GB",
    "memory.mlp_train.what_if": "memory keras_mlp_train.graph.pb --batch 64 --recompute --swap 16 "
    "--dtype float16",
    "memory.mlp_train.against": "memory keras_mlp_train.graph.pb --batch 1,8 --against "
    "keras_mlp_fwd.graph.pb",
    "memory.mlp_fwd.train": "memory keras_mlp_fwd.graph.pb --vars keras_mlp_train_vars.json "
    "--train --batch 8",
    "memory.residual_keras": "memory ../models/residual.keras --batch 4",
    "memory.residual_keras.train": "memory ../models/residual.keras --train --optimizer momentum",
    "memory.residual_keras.what_if": "memory ../models/residual.keras --train --batch 9999 "
    "--recompute --swap 16 --dtype float16",
    "memory.mlp_run": f"memory {MLP_RUN}",
    "memory.two_cpus": "memory two_cpus",
    "memory.two_cpus.estimate": "memory two_cpus --estimate",
    "memory.two_cpus.executed": "memory two_cpus --as executed",
    "memory.traced_step": "memory traced_step",
    "memory.allocator": "memory xplane/fast-trace-bfc.xplane.pb",
    "steps.slow_input": f"steps {SLOW}",
    "steps.slow_input.step": f"steps {SLOW} --step 4",
    "steps.slow_input.events": f"steps {SLOW} --events input",
    "steps.gpu": f"steps {GPU}",
    "steps.gpu.gaps": f"steps {GPU} --gaps",
    "steps.two_cpus": "steps two_cpus",
    "steps.traced_step": "steps traced_step",
    "steps.many_hosts": "steps many_hosts",
    "steps.many_hosts.hosts": "steps many_hosts --hosts",
    "advise.slow_input": f"advise {SLOW}",
    "advise.gpu": f"advise {GPU} --all",
    "advise.cond": "advise unet_bn_cond_train.meta --batch 1 --dim H=572 --dim W=572",
    "input.slow_input": f"input {SLOW}",
    "input.fast_input": "input xplane/fast-trace.xplane.pb",
    "timeline.two_cpus": "timeline two_cpus",
    "timeline.gpu": f"timeline {GPU}",
    "timeline.tiny": "timeline xplane/tiny-htl1.xplane.pb",
    "timeline.slow_input.times": f"timeline {SLOW} --from 100 --to 130 --min-duration 50",
    "timeline.chrome": "timeline ../timelines/xprof-gpu.trace.json.gz",
    "placement.two_cpus": "placement two_cpus",
    "placement.two_cpus.nodes": "placement two_cpus --nodes --partition /cpu:1",
    "placement.two_cpus.log": f"placement two_cpus/graph.pb {LOG}",
    "placement.parameter_servers": "placement parameter_servers",
    "placement.gpu": f"placement {GPU}",
    "doctor.saved": "doctor saved/v1.tfprof",
    "check.mlp_train": "check keras_mlp_train.graph.pb --max-params 2M --max-nodes 1k "
    "--max-unknown +0 --baseline saved/v1.tfprof",
    "config.layers": "config layers",
    "diff.slow_and_fast": f"diff {SLOW} xplane/fast-cb.xplane.pb",
    "diff.three_runs": f"diff {SLOW} xplane/slow-trace.xplane.pb xplane/fast-trace.xplane.pb",
    "log.stories": f"log {RUNS} saved/v1.tfprof --no-index",
    "log.last": f"log {RUNS} --no-index --last 2",
    "diff.graphs": "diff keras_mlp_fwd.graph.pb keras_lstm_fwd.graph.pb",
    "diff.graphs.batch": "diff keras_mlp_fwd.graph.pb keras_mlp_train.graph.pb --batch 8",
}
BROKEN = "check saved/v1.tfprof --max-params 1M --max-macs 1k --max-nodes 1k --max-step-time 1us"
PICTURES = {
    "draw.mlp_train.batches": "draw memory keras_mlp_train.graph.pb --batch 1..4",
    "draw.mlp_train.against": "draw memory keras_mlp_train.graph.pb --batch 1,8 --against "
    "keras_mlp_fwd.graph.pb --device-memory 20MB",
    "draw.residual_keras": "draw memory ../models/residual.keras --train",
    "draw.two_cpus": "draw memory two_cpus",
    "draw.allocator": "draw memory xplane/fast-trace-bfc.xplane.pb",
    "draw.slow_input": f"draw steps {SLOW}",
    "draw.gpu": f"draw steps {GPU}",
    "draw.many_hosts": "draw steps many_hosts --hosts",
    "draw.model": "draw model two_cpus",
    "draw.model.params": "draw model ../models/residual.keras --metric params",
    "draw.flame": "draw flame two_cpus",
    "draw.flame.params": "draw flame keras_mlp_train.graph.pb --metric params",
    "draw.log": f"draw log {RUNS} saved/v1.tfprof --no-index",
    "draw.diff": f"draw diff {SLOW} xplane/fast-cb.xplane.pb",
}
# what goes into a file, whatever the format
FILES = {
    "timeline.two_cpus.trace.json": "timeline two_cpus -o {}",
    "timeline.gpu.args.trace.json": f"timeline {GPU} --args -o {{}}",
    "scope.two_cpus.timeline.json": f"scope two_cpus {ALL_NODES} -output timeline:outfile={{}}",
    "graph.two_cpus.timeline.json": f"graph two_cpus {ALL_NODES} -output timeline:outfile={{}}",
    "code.resnet32.timeline.json": f"code {CODE} {ALL_NODES} -output timeline:outfile={{}}",
    "op.two_cpus.file": f"op two_cpus {ALL_NODES} -output file:outfile={{}}",
}
PIPED = """\
help
scope
set -account_type_regexes .* -max_depth 2 -select micros,bytes
scope -order_by micros
op -max_depth 3

graph
code
scpoe
advise
summary
exit
scope
"""


@pytest.fixture
def in_samples(samples, tmp_path, monkeypatch):
    """Paths in the output must be the same on every machine."""
    for name in ("models", "timelines", "logs"):
        (tmp_path / name).symlink_to(TESTS / name)
    (tmp_path / "samples").mkdir()
    for path in samples.iterdir():
        (tmp_path / "samples" / path.name).symlink_to(path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path / "samples")


def _answer(*words):
    ran = run(*words)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


@pytest.mark.usefixtures("in_samples")
@pytest.mark.parametrize("name", CALLS)
def test_an_answer_is_the_accepted_one(golden, name):
    for form in FORMATS:
        golden(f"{name}.{form}", _answer(*CALLS[name].split(), "--format", form))


@pytest.mark.usefixtures("in_samples")
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_accepted_one(golden, name):
    golden(f"{name}.svg", _answer(*PICTURES[name].split()))


@pytest.mark.usefixtures("in_samples")
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_accepted_one(golden, name, tmp_path):
    target = tmp_path / name
    ran = run(*FILES[name].format(target).split())
    assert (ran.code, ran.out) == (0, "")
    golden(name, target.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("in_samples")
def test_budgets_are_broken_as_accepted(golden):
    for form in FORMATS:
        ran = run(*BROKEN.split(), "--format", form)
        assert (ran.code, ran.err) == (1, "")
        golden(f"check.saved.broken.{form}", ran.out)
    assert run(*BROKEN.split(), "-o", "budgets.xml").code == 1
    golden("check.saved.broken.xml", Path("budgets.xml").read_text(encoding="utf-8"))


@pytest.mark.usefixtures("in_samples")
def test_what_was_saved_is_told_as_accepted(golden):
    for form in FORMATS:
        ran = run("save", "keras_mlp_fwd.graph.pb", "-o", "mlp.tfprof", "--force", "--format", form)
        assert (ran.code, ran.err) == (0, "Wrote mlp.tfprof; `tfprof mlp.tfprof` reads it\n")
        size = Path("mlp.tfprof").stat().st_size  # every zlib packs a little differently
        told = ran.out.replace(f" {size}", " 1000").replace(units.size(size), "1.000 KB")
        golden(f"save.mlp_fwd.{form}", told)


# as JSON they are 190 KB, which nobody reads
@pytest.mark.usefixtures("in_samples")
@pytest.mark.parametrize("form", ["txt", "md", "csv"])
def test_the_rules_are_the_accepted_ones(golden, form):
    golden(f"rules.ops.{form}", _answer("rules", "ops", "--format", form))
    golden(f"rules.advice.{form}", _answer("rules", "advice", "--format", form))


@pytest.mark.usefixtures("in_samples")
def test_the_prompt_answers_a_pipe_as_accepted(golden, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(PIPED))
    ran = run("shell", "two_cpus")
    assert ran.code == 3  # there are no code lines, and then a command is misspelt
    golden("shell.two_cpus.txt", ran.out)
    golden("shell.two_cpus.stderr.txt", ran.err)


def test_every_command_has_goldens():
    accepted = [path.name for path in GOLDEN.iterdir()]
    # what `run` tells after a script has trained is the summary; a script for shells is no answer;
    # a page is looked at in a browser
    told_by_another = {"completion", "report", "run"}
    for command in sorted(commands()):
        assert f"help.{command}.txt" in accepted
        assert command in told_by_another or any(
            name.startswith(f"{command}.") for name in accepted
        )
