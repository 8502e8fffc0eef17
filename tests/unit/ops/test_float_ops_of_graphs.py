"""What the original counts, in every graph here: a table that no change of a rule may touch."""

from collections import Counter
from pathlib import Path

from tfprof.analyses.inference.engine import infer
from tfprof.model.dims import at
from tfprof.ops.rule import rules
from tfprof.sources.find.load import Request, choose, read

GRAPHS = """
keras_MobileNetV2_fwd.graph.pb keras_MobileNetV2_train.graph.pb keras_ResNet50_fwd.graph.pb
keras_bert_base_fwd.graph.pb keras_lstm_fwd.graph.pb keras_lstm_train.graph.pb
keras_mlp_fwd.graph.pbtxt keras_mlp_train.graph.pb parameter_servers parameter_servers/graph.pb
resnet32/graph.pb resnet50_infer_b1.meta resnet50_train_b1.graph.pb resnet50_train_bNone.meta
traced_step/graph.pb two_cpus two_cpus/graph.pb two_cpus_function/graph.pb unet_bn_cond_train.meta
"""


def counts_in(path: Path) -> str:
    """By op type: how many there are, of how many the count is open, and the sum of the others."""
    (selection,) = choose(Request([path])).selections
    number, unknown, total = Counter(), Counter(), {}
    for site in infer(read(selection)).sites:
        if site.rule is None or not site.rule.float_ops:
            continue
        made = site.rule.float_ops(site.call)
        number[site.op] += 1
        unknown[site.op] += made is None
        total[site.op] = total.get(site.op, 0) + (made or 0)
    return "".join(
        f"{op}  {number[op]} ops, {unknown[op]} open  {at(total[op], {'H': 572, 'W': 572})}\n"
        for op in sorted(number)
    )


def test_counts_stay_as_they_are(golden, samples, unet):
    paths = {name: samples / name for name in GRAPHS.split()}
    paths |= {"unet": unet, "unet/graph.pb": unet / "graph.pb"}
    golden(
        "float_ops.txt", "\n".join(f"# {name}\n{counts_in(path)}" for name, path in paths.items())
    )


def test_op_types_with_a_formula_and_without_any_stay_as_they_are(golden):
    said = {op: rule.float_ops for op, rule in sorted(rules().items())}
    counted = [op for op, float_ops in said.items() if callable(float_ops)]
    none = [op for op, float_ops in said.items() if float_ops == 0]
    golden("float_ops.op_types.txt", "\n".join(["# formula", *counted, "\n# none", *none, ""]))
