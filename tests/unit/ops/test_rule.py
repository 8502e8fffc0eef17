"""Rules: registered once, listed, and the user's own among them."""

import subprocess
import sys

import pytest
from run_cli import environment, run

from tfprof.model.dims import symbol
from tfprof.ops.rule import Call, Family, Rule, Tensor, flops, rules
from tfprof.ops.shape_tools import broadcast, like, merged, per_element, reduced, slid

B = symbol("B")


def test_two_rules_for_an_op_are_refused():
    family = Family("test", {})
    family("One Two", like())
    with pytest.raises(ValueError, match="'Two' has two rules"):
        family("Two", like())


def test_what_the_original_counts_is_said_of_the_names_before_a_bar():
    known = {}
    family = Family("test", known)
    family("One Two | Three", like(), float_ops=per_element())
    family("| Four", like(), float_ops=per_element())
    family.idle("Five | Six", like())
    said = {op: rule.float_ops for op, rule in known.items()}
    assert said["One"] is said["Two"] is not None
    assert {said["Three"], said["Four"], said["Six"]} == {None}
    assert said["Five"] == 0


def test_what_the_original_counts_as_we_do_follows_from_the_rule():
    matrices = [Tensor((2, 3), 1), Tensor((3, 4), 1)]
    call = Call("x", "MatMul", matrices)
    call.outputs = [Tensor((2, 4), 1)]
    assert flops(call) == rules()["MatMul"].flops(call) == 48
    call.outputs = [Tensor((None, 4), 1)]
    assert flops(call) is None


def test_a_rule_that_stumbles_knows_nothing():
    def broken(call):
        return [call.inputs[7].shape]

    assert Rule(("X",), "test", broken).infer(Call("x", "X", [])) == []


def test_every_rule_of_an_empty_call_stumbles_softly():
    for op, rule in rules().items():
        call = Call("x", op, [])
        for tensor in rule.infer(call):
            assert isinstance(tensor, Tensor)
        for count in filter(None, (rule.macs, rule.work, rule.scratch, rule.float_ops)):
            count(call)  # a number, or None, but no exception


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ([(B, 3), (3,)], (B, 3)),
        ([(B, 1), (1, 4)], (B, 4)),
        ([(B,), (B,)], (B,)),
        ([(), (2, 2)], (2, 2)),
        ([(None, 3), (5, 1)], (5, 3)),
        ([(None, 3), (1, 1)], (None, 3)),
        ([None, (2,)], None),
        ([(B,), (symbol("S"),)], (None,)),
    ],
)
def test_broadcasting(shapes, expected):
    assert broadcast(*shapes) == expected


def test_what_is_unknown_is_filled_and_what_is_known_stays():
    assert merged((None, 3), (2, 4)) == (2, 3)
    assert merged(None, (2,)) == (2,)
    assert merged((1, 2), (3,)) == (1, 2)


def test_reducing_over_unknown_axes_keeps_at_least_the_rank():
    assert reduced((B, 3), [1], keep=True) == (B, 1)
    assert reduced((B, 3), None, keep=True) == (None, None)
    assert reduced((B, 3), None, keep=False) is None


def test_a_window_slides_over_an_open_size():
    size = slid(symbol("H"), 3, 2, "VALID")
    assert [size.at({"H": height}) for height in (3, 4, 5)] == [1, 1, 2]
    assert slid(symbol("H"), 3, 2, "SAME").at({"H": 5}) == 3
    assert slid(7, None, 1, "VALID") is None


def test_rules_are_listed():
    shown = run("rules", "ops")
    assert shown.code == 0
    assert f"{len(rules()):,} op types" in shown.out


def test_users_can_add_their_own():
    code = """
import tfprof
from tfprof.ops.rule import Call, Tensor, flops, rules
from tfprof.ops.shape_tools import like, per_element
tfprof.op_rule("MyOp", like(0), work=per_element(3), float_ops=flops)
call = Call("mine", "MyOp", [Tensor((2, 5), 1)])
call.outputs = rules()["MyOp"].infer(call)
mine = rules()["MyOp"]
print(call.output(0), mine.work(call), mine.float_ops(call), mine.family)
try:
    tfprof.op_rule("Relu", like(0))
except ValueError as fault:
    print(fault)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout == "(2, 5) 30 30 yours\nthe op 'Relu' has two rules\n"
