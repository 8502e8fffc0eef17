"""Ops that are alike are worked out once, and stay apart."""

import hostile_files as made

from tfprof.analyses.cost.op_costs import op_costs
from tfprof.sources.find.load import Request, read_one


def costs_of(folder, build):
    found = made.graph()
    build(found.node)
    ops = op_costs(read_one(Request([made.written(folder, found)]))).ops
    return {op.site.name: op for op in ops}


def test_alike_ops_share_what_follows_but_no_tensor(tmp_path):
    def build(nodes):
        made.fed(nodes)
        for number in range(3):
            made.add(nodes, f"r{number}", "Relu", "x", T="float32")

    ops = costs_of(tmp_path, build)
    calls = [ops[f"r{number}"].site.call for number in range(3)]
    assert calls[0].alike is calls[1].alike is calls[2].alike is not None
    assert len({id(call.outputs[0]) for call in calls}) == 3
    assert {call.outputs[0].shape for call in calls} == {(8, 16)}
    assert ops["r0"].cost is ops["r2"].cost


def test_other_shapes_types_and_attributes_are_others(tmp_path):
    def build(nodes):
        made.fed(nodes)
        made.fed(nodes, "y", (4, 16))
        made.add(nodes, "w", "Placeholder", dtype="float32", shape=[16, 8])
        made.add(nodes, "xr", "Relu", "x", T="float32")
        made.add(nodes, "yr", "Relu", "y", T="float32")
        made.add(nodes, "half", "Cast", "x", SrcT="float32", DstT="float16")
        made.add(nodes, "hr", "Relu", "half", T="float16")
        made.add(nodes, "xw", "MatMul", "x", "w", T="float32")
        turned = made.add(nodes, "xt", "MatMul", "x", "x", T="float32")
        turned.attr["transpose_b"].b = True

    ops = costs_of(tmp_path, build)
    alike = [ops[name].site.call.alike for name in ("xr", "yr", "hr", "xw", "xt")]
    assert len(set(alike)) == len(alike)
    assert ops["yr"].site.call.output(0) == (4, 16)
    assert ops["hr"].cost.written * 2 == ops["xr"].cost.written
    assert (ops["xw"].cost.macs, ops["xt"].cost.macs) == (8 * 16 * 8, 8 * 16 * 8)
    assert ops["xt"].site.call.output(0) == (8, 8)


def test_what_hangs_on_entries_is_asked_each_time(tmp_path):
    def build(nodes):
        made.fed(nodes)
        for number, entries in enumerate(([4, 32], [128, 1])):
            made.constant(nodes, f"s{number}", entries)
            made.add(nodes, f"r{number}", "Reshape", "x", f"s{number}", T="float32", Tshape="int64")

    ops = costs_of(tmp_path, build)
    assert [ops[f"r{number}"].site.call.output(0) for number in (0, 1)] == [(4, 32), (128, 1)]
