"""Rules of ops that hold state, against TensorFlow's own inference."""

import re

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import tensor_util
from tensorflow.python.ops import control_flow_util

from tfprof.model.dims import symbol
from tfprof.ops.holders import constant_value
from tfprof.ops.rule import UNKNOWN, Call, Tensor, rules

v1, raw = tf.compat.v1, tf.raw_ops
FAMILIES = {"holders", "variables", "control", "lists", "recurrent", "quantized"}
B = symbol("B")


@pytest.fixture(scope="module")
def registry():
    """Every op that TensorFlow knows, the internal ones included."""
    known = op_def_pb2.OpList()
    buffer = pywrap_tf_session.TF_GetAllOpList()
    known.ParseFromString(pywrap_tf_session.TF_GetBuffer(buffer))
    return {op.name: op for op in known.op}


# names that only a runtime makes
INTERNAL = {"_VarHandlesOp", "_ReadVariablesOp", "_SwitchN"}


def ours():
    return {op: rule for op, rule in rules().items() if rule.family in FAMILIES}


def test_every_rule_is_of_an_op_there_is(registry):
    assert sorted(set(ours()) - set(registry) - INTERNAL) == []


def test_output_names_are_those_of_tensorflow(registry):
    for op, rule in ours().items():
        names = tuple(one.name for one in registry[op].output_arg)
        assert rule.outputs == (names if len(names) > 1 else ()), op


def test_data_types_come_from_attributes_that_the_op_always_has(registry):
    for op, rule in ours().items():
        attributes = {one.name: one for one in registry[op].attr}
        sources = [rule.dtype] if isinstance(rule.dtype, str | int) else rule.dtype
        for source in sources:
            if isinstance(source, str) and source in attributes and registry[op].output_arg:
                assert not attributes[source].HasField("default_value"), (op, source)


def test_every_optimizer_has_a_rule_that_counts(registry):
    updates = [op for op in registry if re.fullmatch(r"(Resource)?(Sparse)?Apply\w+", op)]
    assert len(updates) > 50
    assert [op for op in updates if op not in rules() or rules()[op].work is None] == []


def test_every_dataset_has_a_rule(registry):
    made = [
        op.name
        for op in registry.values()
        if "Dataset" in op.name and [a.type for a in op.output_arg] == [tf.variant.as_datatype_enum]
    ]
    assert [op for op in made if op not in rules()] == []


# --- graphs


def infer(graph):
    """What our rules say, output by output; ops without one are unknown."""
    found = {}
    # an op may have been made before what it reads, so twice
    for op in graph.get_operations() * 2:
        call = Call(
            op.name,
            op.type,
            [found.get(one.name, UNKNOWN) for one in op.inputs],
            lambda op=op: op.node_def.attr,
        )
        rule = rules().get(op.type)
        tensors = [] if rule is None else rule.infer(call)
        call.outputs = tensors
        for place, one in enumerate(op.outputs):
            found[one.name] = tensors[place] if place < len(tensors) else UNKNOWN
        if rule is not None and rule.family in FAMILIES:
            assert len(tensors) == len(op.outputs), op
    return found


def compare(graph, *expected, better=()):
    """Wherever TensorFlow knows something we know it too, and the same."""
    types = {op.type for op in graph.get_operations()}
    missing = [one for one in expected if one not in types]
    assert not missing, missing
    found = infer(graph)
    for op in graph.get_operations():
        rule = rules().get(op.type)
        if rule is None or rule.family not in FAMILIES:
            continue
        for one in op.outputs:
            check(one, found[one.name], better=op.type in better)
    return found


def check(theirs, mine, better):
    assert mine.dtype == theirs.dtype.base_dtype.as_datatype_enum, theirs.op
    if theirs.shape.rank is None:
        assert mine.shape is None or better, (theirs.op, mine)
        return
    assert mine.shape is not None, theirs.op
    assert len(mine.shape) == theirs.shape.rank, (theirs.op, mine)
    for size, known in zip(mine.shape, theirs.shape, strict=True):
        assert size == known or (known is None and better), (theirs.op, mine)
    value = tensor_util.constant_value(theirs)
    if value is not None and mine.value is not None:
        assert list(mine.value) == np.ravel(value).astype(int).tolist(), theirs.op


def graph_of(build):
    graph = tf.Graph()
    with graph.as_default():
        build()
    return graph


@pytest.fixture
def old_control_flow(monkeypatch):
    monkeypatch.setattr(control_flow_util, "ENABLE_CONTROL_FLOW_V2", False)


# --- constants

WHOLE = [
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool,
]  # fmt: skip


@pytest.mark.parametrize("dtype", WHOLE, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("entries", [5, [1], [3, 1, 2], [7, 7, 7], [[1, 2], [3, 4]], [], [1, 0, 0]])
def test_constants_are_read_whatever_way_they_are_written(dtype, entries):
    array = np.array(entries, dtype.as_numpy_dtype)
    proto = tf.make_tensor_proto(array, dtype)
    assert constant_value(proto) == tuple(int(one) for one in array.ravel())


@pytest.mark.parametrize("dtype", WHOLE, ids=lambda dtype: dtype.name)
def test_constants_are_read_from_fields_that_repeat_the_last(dtype):
    field = {
        tf.int64: "int64_val", tf.bool: "bool_val", tf.uint32: "uint32_val",
        tf.uint64: "uint64_val",
    }.get(dtype, "int_val")  # fmt: skip
    proto = tf.make_tensor_proto(np.zeros(4, dtype.as_numpy_dtype), dtype)
    proto.tensor_content = b""
    proto.ClearField(field)
    getattr(proto, field).extend([0, 1])
    assert constant_value(proto) == (0, 1, 1, 1)
    assert tf.make_ndarray(proto).astype(int).tolist() == [0, 1, 1, 1]
    proto.ClearField(field)
    assert constant_value(proto) == (0, 0, 0, 0)


def test_negative_numbers_stay_negative():
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        assert constant_value(tf.make_tensor_proto(np.array([-1, 2], dtype))) == (-1, 2)
        assert constant_value(tf.make_tensor_proto(np.array(-3, dtype))) == (-3,)


def test_large_damaged_and_float_constants_have_no_value():
    assert constant_value(tf.make_tensor_proto(np.zeros(5000, np.int32))) is None
    assert constant_value(tf.make_tensor_proto([1.0, 2.0])) is None
    short = tf.make_tensor_proto(np.array([1, 2, 3], np.int32))
    short.tensor_content = short.tensor_content[:8]
    assert constant_value(short) is None


def holders():
    tf.constant([[1, 2], [3, 4]])
    tf.constant("text")
    x = v1.placeholder(tf.float32, [None, 3])
    v1.placeholder(tf.int64)
    v1.placeholder_with_default(tf.ones([2, 3]), [2, 3])
    tf.identity(x)
    raw.IdentityN(input=[x, tf.constant([1, 2])])
    tf.stop_gradient(x)
    raw.PreventGradient(input=x)
    raw.Snapshot(input=x)
    raw.DeepCopy(x=x)
    raw.Copy(input=x)
    raw.GuaranteeConst(input=x)
    raw.Print(input=x, data=[x])
    raw.PrintV2(input="text")
    raw.Assert(condition=True, data=[x])
    raw.NoOp()
    raw.ControlTrigger()
    raw.Timestamp()
    raw.Empty(shape=[2, 3], dtype=tf.int64)
    for summary in (
        raw.ScalarSummary(tags="a", values=1.0),
        raw.HistogramSummary(tag="a", values=x),
        raw.TensorSummary(tensor=x),
    ):
        raw.MergeSummary(inputs=[summary])
    names = tf.constant(["a", "b"])
    raw.SaveV2(prefix="p", tensor_names=names, shape_and_slices=["", ""], tensors=[x, x])
    types = [tf.float32, tf.int64]
    raw.RestoreV2(prefix="p", tensor_names=names, shape_and_slices=["", ""], dtypes=types)
    raw.MergeV2Checkpoints(checkpoint_prefixes=names, destination_prefix="p")
    raw.ShardedFilename(basename="b", shard=0, num_shards=2)
    raw.StringSplitV2(input=names, sep=" ")
    raw.StringFormat(inputs=[x])
    raw.MatchingFiles(pattern="*")
    raw.ReadFile(filename="f")
    raw.UnicodeDecode(input=names, input_encoding="UTF-8", Tsplits=tf.int32)


def test_what_holds_and_passes_on():
    compare(
        graph_of(holders), "Const", "Placeholder", "PlaceholderWithDefault", "IdentityN", "Copy",
        "RestoreV2", "MergeSummary", "StringSplitV2", "Empty", "UnicodeDecode", "Print",
        better={"UnicodeDecode", "RestoreV2"},
    )  # fmt: skip


def test_identities_pass_values_and_handles_on():
    handle = Tensor((), 20, holds=Tensor((B, 3), 1), length=4)
    for op in ("Identity", "Enter", "Exit", "NextIteration", "StopGradient"):
        assert rules()[op].infer(Call("x", op, [handle])) == [handle]
    number = Tensor((2,), 3, (B, 7))
    assert rules()["IdentityN"].infer(Call("x", "IdentityN", [number, handle])) == [number, handle]


def test_the_default_runs_where_nobody_feeds():
    graph = tf.Graph()
    with graph.as_default():
        one = v1.placeholder_with_default(tf.constant([3, 4]), [None])
    assert one.shape.as_list() == [None]
    assert infer(graph)[one.name] == Tensor((2,), 3, (3, 4))


# --- variables


def old_variables():
    one = v1.get_variable("a", [4, 3], use_resource=False)
    slots = [v1.get_variable(f"s{i}", [4, 3], use_resource=False).op.outputs[0] for i in range(3)]
    ref = one.op.outputs[0]
    raw.Variable(shape=[2], dtype=tf.int32)
    v1.assign(one, tf.zeros([4, 3]))
    v1.assign(one, tf.zeros([5, 3]), validate_shape=False)
    v1.assign_add(one, tf.zeros([4, 3]))
    v1.assign_sub(one, tf.zeros([4, 3]))
    v1.is_variable_initialized(one)
    v1.scatter_update(one, [1], tf.zeros([1, 3]))
    v1.scatter_add(one, [1], tf.zeros([1, 3]))
    v1.scatter_nd_sub(one, [[1]], tf.zeros([1, 3]))
    v1.count_up_to(v1.get_variable("n", [], tf.int32, use_resource=False), 3)
    grad, rate = tf.ones([4, 3]), tf.constant(0.1)
    raw.ApplyGradientDescent(var=ref, alpha=rate, delta=grad)
    raw.ApplyMomentum(var=ref, accum=slots[0], lr=rate, grad=grad, momentum=rate)
    raw.ApplyAdam(
        var=ref, m=slots[0], v=slots[1], beta1_power=rate, beta2_power=rate, lr=rate, beta1=rate,
        beta2=rate, epsilon=rate, grad=grad,
    )  # fmt: skip
    raw.SparseApplyAdagrad(var=ref, accum=slots[0], lr=rate, grad=grad[:2], indices=[0, 1])
    temporary = raw.TemporaryVariable(shape=[2, 2], dtype=tf.float32)
    raw.DestroyTemporaryVariable(ref=temporary, var_name="t")
    waiting = raw.ConditionalAccumulator(dtype=tf.float32, shape=[2, 5])
    raw.AccumulatorTakeGradient(handle=waiting, num_required=1, dtype=tf.float32)
    raw.AccumulatorNumAccumulated(handle=waiting)


def new_variables():
    one = v1.get_variable("a", [4, 3], use_resource=True)
    unknown = raw.VarHandleOp(dtype=tf.float32, shape=[None, 2])
    raw.ReadVariableOp(resource=unknown, dtype=tf.float32)
    one.read_value()
    raw.VarIsInitializedOp(resource=one.handle)
    raw.AssignVariableOp(resource=one.handle, value=tf.ones([4, 3]))
    raw.AssignAddVariableOp(resource=one.handle, value=tf.ones([4, 3]))
    raw.ResourceScatterAdd(resource=one.handle, indices=[1], updates=tf.ones([1, 3]))
    raw.DestroyResourceOp(resource=one.handle)
    raw.MutexLock(mutex=raw.MutexV2())


def test_variables_that_are_references():
    compare(
        graph_of(old_variables), "VariableV2", "Variable", "Assign", "AssignAdd", "ScatterAdd",
        "IsVariableInitialized", "ApplyAdam", "SparseApplyAdagrad", "TemporaryVariable",
        "AccumulatorTakeGradient", better={"AccumulatorTakeGradient", "AssignAdd", "AssignSub"},
    )  # fmt: skip


def test_variables_behind_handles():
    graph = graph_of(new_variables)
    found = compare(graph, "VarHandleOp", "ReadVariableOp", "ResourceScatterAdd", "MutexLock")
    handle = found["a:0"]
    assert (handle.shape, handle.holds) == ((), Tensor((4, 3), 1))


def test_read_passes_on_the_shape_with_symbols():
    handle = Tensor((), 20, holds=Tensor((B, 3), 1))
    assert rules()["ReadVariableOp"].infer(Call("x", "ReadVariableOp", [handle])) == [
        Tensor((B, 3))
    ]


def work(op, inputs, **flags):
    attributes = {name: v1.AttrValue(b=flag) for name, flag in flags.items()}
    call = Call("x", op, inputs, lambda: attributes)
    call.outputs = rules()[op].infer(call)
    return rules()[op].work(call)


def test_an_update_takes_work_for_every_element_of_the_gradient():
    scalar, handle = Tensor((), 1), Tensor((), 20, holds=Tensor((100, 8), 1))
    grad = Tensor((100, 8), 1)
    assert work("ResourceApplyAdam", [handle] * 3 + [scalar] * 6 + [grad]) == 12 * 800
    momentum = [handle, handle, scalar, grad, scalar]
    assert work("ResourceApplyMomentum", momentum) == 4 * 800
    assert work("ResourceApplyMomentum", momentum, use_nesterov=True) == 7 * 800
    # the gradient may be unknown where the variable is not, but a sparse one is another size
    assert work("ResourceApplyGradientDescent", [handle, scalar, UNKNOWN]) == 2 * 800
    rows = Tensor((B, 8), 1)
    sparse = [handle, handle, scalar, rows, Tensor((B,), 3)]
    assert work("ResourceSparseApplyAdagrad", sparse) == 56 * B
    sparse[3] = UNKNOWN
    assert work("ResourceSparseApplyAdagrad", sparse) is None


# --- branches and loops


def branches():
    x = v1.placeholder(tf.float32, [None, 3])
    flag = v1.placeholder(tf.bool, [])
    v1.cond(flag, lambda: x + 1.0, lambda: x[:, :2])
    v1.cond(flag, lambda: x + 1.0, lambda: x * 2.0)
    raw.Merge(inputs=[tf.zeros([2, 3]), tf.zeros([2, 4])])


def loop():
    x = tf.ones([2, 3])
    v1.while_loop(lambda i, _: i < 5, lambda i, s: (i + 1, s + x), (0, x))


@pytest.mark.usefixtures("old_control_flow")
def test_branches():
    found = compare(graph_of(branches), "Switch", "Merge")
    assert found["Merge:0"].shape == (2, None)


@pytest.mark.usefixtures("old_control_flow")
def test_loops():
    graph = graph_of(loop)
    found = compare(graph, "Enter", "Exit", "NextIteration", "LoopCond", "Merge")
    # the counter starts at 0 but does not stay there
    counters = [found[op.outputs[0].name] for op in graph.get_operations() if op.type == "Merge"]
    assert [one.value for one in counters] == [None, None]


def test_a_known_predicate_kills_the_other_branch():
    x = Tensor((B, 3), 1)
    switch, merge = rules()["Switch"], rules()["Merge"]
    for taken in (0, 1):
        sides = switch.infer(Call("s", "Switch", [x, Tensor((), 10, (taken,))]))
        assert [one.dead for one in sides] == [taken == 1, taken == 0]
        result, index = merge.infer(Call("m", "Merge", sides))
        assert (result, index.value) == (x, (taken,))
    both = switch.infer(Call("s", "Switch", [x, Tensor((), 10)]))
    assert both == [x, x]
    dead = Tensor((4,), 1, dead=True)
    assert merge.infer(Call("m", "Merge", [dead, x]))[0] == x
    assert merge.infer(Call("m", "Merge", [dead, dead]))[0].dead
    assert all(one.dead for one in switch.infer(Call("s", "Switch", [dead, Tensor((), 10, (1,))])))


def test_a_merge_knows_what_both_branches_have_in_common():
    merge = rules()["Merge"]
    one, other = Tensor((B, 3), 1, (1,)), Tensor((B, 4), 1, (2,))
    assert merge.infer(Call("m", "Merge", [one, other]))[0] == Tensor((B, None), 1)
    assert merge.infer(Call("m", "Merge", [UNKNOWN, one]))[0] == Tensor((B, 3), 1)
    assert merge.infer(Call("m", "Merge", [one, Tensor((3,), 1)]))[0] == Tensor(None, 1)


# --- queues, stacks, iterators, tables


def feeds():
    types = [tf.float32, tf.int64]
    for make in (raw.FIFOQueueV2, raw.PaddingFIFOQueueV2, raw.RandomShuffleQueueV2):
        queue = make(component_types=types, shapes=[[3, 4], []])
        raw.QueueDequeueV2(handle=queue, component_types=types)
        raw.QueueDequeueManyV2(handle=queue, n=7, component_types=types)
        raw.QueueDequeueUpToV2(handle=queue, n=7, component_types=types)
        raw.QueueEnqueueV2(handle=queue, components=[tf.ones([3, 4]), tf.constant(1, tf.int64)])
        raw.QueueSizeV2(handle=queue)
        raw.QueueCloseV2(handle=queue)
    raw.QueueDequeueV2(handle=raw.FIFOQueueV2(component_types=types), component_types=types)
    old = raw.FIFOQueue(component_types=types, shapes=[[3, 4], []])
    raw.QueueDequeueMany(handle=old, n=2, component_types=types)
    stack = raw.StackV2(max_size=5, elem_type=tf.float32)
    raw.StackPushV2(handle=stack, elem=tf.ones([2, 3]))
    raw.StackPopV2(handle=stack, elem_type=tf.float32)
    raw.Stage(values=[tf.ones([2])])
    raw.Unstage(dtypes=types)
    raw.MapUnstageNoKey(indices=[0, 1], dtypes=types)
    data = tf.data.Dataset.from_tensor_slices(tf.zeros([10, 4])).batch(5, drop_remainder=True)
    iterator = v1.data.make_initializable_iterator(data.map(lambda x: x + 1).repeat())
    iterator.get_next()
    raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
    raw.HashTable(key_dtype=tf.string, value_dtype=tf.int64)
    raw.ReaderReadV2(reader_handle=raw.TextLineReaderV2(), queue_handle=queue)


def test_queues_stacks_and_iterators():
    names = "QueueDequeueManyV2 QueueDequeueUpToV2 StackPopV2 Unstage IteratorGetNext MakeIterator"
    better = {"MapUnstageNoKey"} | {
        name + version
        for name in ("QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo")
        for version in ("", "V2")
    }
    graph = graph_of(feeds)
    found = compare(graph, *names.split(), "BatchDatasetV2", "HashTableV2", better=better)
    assert found["QueueDequeueManyV2:0"].shape == (7, 3, 4)
    assert found["QueueDequeueUpToV2:1"].shape == (None,)
    assert found["QueueDequeueMany:0"].shape == (2, 3, 4)
    (batch,) = [
        found[op.outputs[0].name] for op in graph.get_operations() if op.type == "IteratorGetNext"
    ]
    assert batch.shape == (5, 4)


def test_components_of_a_queue_come_out_in_order():
    types = [tf.float32, tf.int32, tf.float32]
    graph = tf.Graph()
    with graph.as_default():
        queue = raw.FIFOQueueV2(component_types=types, shapes=[[1], [2], [3]])
        raw.QueueDequeueV2(handle=queue, component_types=types)
    found = infer(graph)
    out = [found[f"QueueDequeueV2:{place}"] for place in range(3)]
    assert out == [Tensor((1,), 1), Tensor((2,), 3), Tensor((3,), 1)]


# --- lists


def list_chain():
    x = v1.placeholder(tf.float32, [6, 2, 3])
    made = raw.TensorListReserve(element_shape=[2, 3], num_elements=6, element_dtype=tf.float32)
    made = raw.TensorListSetItem(input_handle=made, index=0, item=x[0])
    raw.TensorListGetItem(
        input_handle=made, index=0, element_shape=[-1, 3], element_dtype=tf.float32
    )
    raw.TensorListStack(input_handle=made, element_shape=[2, 3], element_dtype=tf.float32)
    raw.TensorListStack(
        input_handle=made, element_shape=[2, 3], element_dtype=tf.float32, num_elements=6
    )
    raw.TensorListLength(input_handle=made)
    raw.TensorListElementShape(input_handle=made, shape_type=tf.int64)
    raw.TensorListResize(input_handle=made, size=9)
    raw.TensorListGather(
        input_handle=made, indices=[1, 2], element_shape=[2, 3], element_dtype=tf.float32
    )
    empty = raw.EmptyTensorList(element_shape=-1, max_num_elements=9, element_dtype=tf.float32)
    grown = raw.TensorListPushBack(input_handle=empty, tensor=x[0])
    raw.TensorListPopBack(input_handle=grown, element_shape=-1, element_dtype=tf.float32)
    raw.TensorListConcatLists(input_a=grown, input_b=grown, element_dtype=tf.float32)
    cut = raw.TensorListFromTensor(tensor=x, element_shape=[2, 3])
    raw.TensorListConcatV2(
        input_handle=cut, element_shape=[2, 3], leading_dims=tf.constant([], tf.int64),
        element_dtype=tf.float32,
    )  # fmt: skip
    raw.TensorListSplit(tensor=x, element_shape=[3, 2, 3], lengths=tf.constant([3, 3], tf.int64))
    raw.TensorListScatterV2(tensor=x, indices=[0, 1, 2, 3, 4, 5], element_shape=[2, 3],
                            num_elements=-1)  # fmt: skip
    raw.TensorListScatterIntoExistingList(input_handle=made, tensor=x[:2], indices=[0, 1])


LISTS = (
    "Reserve SetItem GetItem Stack Length ElementShape Resize Gather PushBack PopBack ConcatLists"
    " FromTensor ConcatV2 Split ScatterV2 ScatterIntoExistingList"
)


def test_lists():
    names = [f"TensorList{name}" for name in LISTS.split()]
    better = {f"TensorList{name}" for name in ["Stack", "GetItem", "PopBack", "ConcatV2", "Gather"]}
    better |= {"TensorListElementShape"}
    found = compare(graph_of(list_chain), *names, better=better)
    assert found["TensorListStack:0"].shape == (6, 2, 3)
    assert found["TensorListLength:0"].value == (6,)
    assert found["TensorListElementShape:0"].value == (2, 3)
    assert found["TensorListResize:0"].length == 9
    assert (found["TensorListPushBack:0"].length, found["TensorListPopBack:0"].length) == (1, 0)
    assert found["TensorListPopBack:1"].shape == (2, 3)
    assert found["TensorListConcatLists:0"].length == 2
    assert found["TensorListFromTensor:0"].length == 6
    assert found["TensorListConcatV2:0"].shape == (12, 3)
    assert found["TensorListSplit:0"].holds == Tensor((3, 2, 3), 1)
    assert found["TensorListScatterV2:0"].length == 6


def test_lists_in_a_function_run_as_predicted():
    shapes = {}

    @tf.function
    def steps(x):
        cut = raw.TensorListFromTensor(tensor=x, element_shape=[-1, 3])
        out = raw.TensorListReserve(
            element_shape=[-1, 3], num_elements=tf.shape(x)[0], element_dtype=tf.float32
        )
        for index in range(4):
            item = raw.TensorListGetItem(
                input_handle=cut, index=index, element_shape=[-1, 3], element_dtype=tf.float32
            )
            out = raw.TensorListSetItem(input_handle=out, index=index, item=item)
        whole = raw.TensorListStack(
            input_handle=out, element_shape=[-1, 3], element_dtype=tf.float32
        )
        strung, lengths = raw.TensorListConcatV2(
            input_handle=out, element_shape=[-1, 3], leading_dims=tf.constant([], tf.int64),
            element_dtype=tf.float32,
        )  # fmt: skip
        shapes.update(whole=whole.name, strung=strung.name, lengths=lengths.name)
        return whole, strung, lengths

    real = steps(tf.ones([4, 2, 3]))
    graph = steps.get_concrete_function(tf.TensorSpec([4, 2, 3])).graph
    found = infer(graph)
    for name, result in zip(shapes.values(), real, strict=True):
        assert found[name].shape == tuple(result.shape)


def test_a_list_of_unknown_elements_learns_from_what_is_stored():
    vague = Tensor((), 21, holds=Tensor((None, 3), 1), length=B)
    item = Tensor((B, 3), 1)
    (stored,) = rules()["TensorListSetItem"].infer(
        Call("x", "TensorListSetItem", [vague, Tensor((), 3, (0,)), item])
    )
    assert (stored.holds.shape, stored.length) == ((B, 3), B)
    asked = Tensor((2,), 3, (-1, 3))
    (whole,) = rules()["TensorListStack"].infer(Call("x", "TensorListStack", [stored, asked]))
    assert whole.shape == (B, B, 3)


def arrays():
    x = tf.ones([4, 2, 3])
    array, flow = raw.TensorArrayV3(size=4, dtype=tf.float32)
    raw.TensorArrayReadV3(handle=array, index=0, flow_in=flow, dtype=tf.float32)
    once = raw.TensorArrayWriteV3(handle=array, index=0, value=x[0], flow_in=flow)
    raw.TensorArrayReadV3(handle=array, index=0, flow_in=once, dtype=tf.float32)
    raw.TensorArrayGatherV3(handle=array, indices=[0, 1], flow_in=once, dtype=tf.float32)
    raw.TensorArrayConcatV3(handle=array, flow_in=once, dtype=tf.float32)
    raw.TensorArraySizeV3(handle=array, flow_in=once)
    grad, back = raw.TensorArrayGradV3(handle=array, flow_in=once, source="g")
    raw.TensorArrayReadV3(handle=grad, index=0, flow_in=back, dtype=tf.float32)
    raw.TensorArrayScatterV3(handle=array, indices=[0, 1, 2, 3], value=x, flow_in=flow)
    raw.TensorArraySplitV3(
        handle=array, value=x, lengths=tf.constant([2, 2], tf.int64), flow_in=flow
    )
    raw.TensorArrayCloseV3(handle=array)


def test_arrays():
    better = {f"TensorArray{name}V3" for name in ("Read", "Gather", "Concat")}
    found = compare(graph_of(arrays), "TensorArrayV3", "TensorArrayGradV3", better=better)
    reads = [found[f"TensorArrayReadV3{i}:0"].shape for i in ("", "_1", "_2")]
    assert reads == [None, (2, 3), (2, 3)]
    assert found["TensorArrayGatherV3:0"].shape == (2, 2, 3)
    assert found["TensorArrayConcatV3:0"].shape == (8, 3)
    assert found["TensorArrayConcatV3:1"].shape == (4,)
    assert found["TensorArraySizeV3:0"].value == (4,)
    assert found["TensorArrayScatterV3:0"].holds.shape == (2, 3)
    assert found["TensorArraySplitV3:0"].holds.shape == (2, 2, 3)


# --- recurrent layers

T, N, F, U = 7, 5, 3, 4


def blocks():
    x, weights = tf.ones([T, N, F]), tf.ones([F + U, 4 * U])
    state, peep, bias = tf.ones([N, U]), tf.ones([U]), tf.ones([4 * U])
    cell = dict(  # noqa: C408
        cs_prev=state, h_prev=state, w=weights, wci=peep, wcf=peep, wco=peep, b=bias
    )
    one = raw.LSTMBlockCell(x=x[0], **cell)
    raw.LSTMBlockCellGrad(
        x=x[0], **cell, **{k: getattr(one, k) for k in ("i", "cs", "f", "o", "ci", "co")},
        cs_grad=state, h_grad=state, use_peephole=False,
    )  # fmt: skip
    steps = tf.constant(T, tf.int64)
    raw.BlockLSTM(seq_len_max=steps, x=x, **cell)
    all_of = raw.BlockLSTMV2(seq_len_max=steps, x=x, **cell)
    raw.BlockLSTMGradV2(
        seq_len_max=steps, x=x, **cell, **all_of._asdict(), cs_grad=all_of.cs, h_grad=all_of.h,
        use_peephole=False,
    )  # fmt: skip
    gru = dict(  # noqa: C408
        x=x[0], h_prev=state, w_ru=tf.ones([F + U, 2 * U]), w_c=tf.ones([F + U, U]),
        b_ru=tf.ones([2 * U]), b_c=tf.ones([U]),
    )  # fmt: skip
    out = raw.GRUBlockCell(**gru)
    raw.GRUBlockCellGrad(**gru, r=out.r, u=out.u, c=out.c, d_h=state)


def cudnn():
    x = tf.ones([T, N, F])
    for mode in ("lstm", "gru", "rnn_tanh"):
        for way, count in (("unidirectional", 1), ("bidirectional", 2)):
            state = tf.ones([2 * count, N, U])
            given = {"input": x, "input_h": state, "input_c": state, "params": tf.ones([99])}
            kind = {"rnn_mode": mode, "direction": way}
            raw.CudnnRNN(**given, **kind)
            raw.CudnnRNNV2(**given, **kind)
            lengths = tf.fill([N], T)
            out = raw.CudnnRNNV3(**given, **kind, sequence_lengths=lengths)
            raw.CudnnRNNBackpropV3(
                **given, **kind, sequence_lengths=lengths, output=out.output,
                output_h=out.output_h, output_c=out.output_c, output_backprop=out.output,
                output_h_backprop=out.output_h, output_c_backprop=out.output_c,
                reserve_space=out.reserve_space, host_reserved=out.host_reserved,
            )  # fmt: skip


def test_cells_in_one_op():
    compare(
        graph_of(blocks), "LSTMBlockCell", "LSTMBlockCellGrad", "BlockLSTM", "BlockLSTMGradV2",
        "GRUBlockCell", "GRUBlockCellGrad", better={"BlockLSTMGradV2", "LSTMBlockCellGrad"},
    )  # fmt: skip


def test_layers_of_cudnn():
    compare(graph_of(cudnn), "CudnnRNN", "CudnnRNNV3", "CudnnRNNBackpropV3")


def cost(what, graph, op_type, **text):
    """MACs or other work by the rule, of the first op of that type with these attributes."""
    found = infer(graph)
    for op in graph.get_operations():
        if op.type == op_type and all(op.get_attr(k) == v.encode() for k, v in text.items()):
            inputs = [found[one.name] for one in op.inputs]
            call = Call(op.name, op.type, inputs, lambda op=op: op.node_def.attr)
            call.outputs = rules()[op.type].infer(call)
            return getattr(rules()[op.type], what)(call)
    raise LookupError(op_type)


def weights_of(layer, features):
    layer.build([None, None, features])
    return sum(w.shape[0] * w.shape[1] for w in layer.weights if "kernel" in w.path)


def test_every_weight_is_used_once_a_step():
    keras = tf.keras.layers
    graph = graph_of(blocks)
    lstm, gru = weights_of(keras.LSTM(U), F), weights_of(keras.GRU(U), F)
    assert cost("macs", graph, "LSTMBlockCell") == N * lstm
    assert cost("macs", graph, "BlockLSTM") == T * N * lstm
    assert cost("macs", graph, "BlockLSTMGradV2") == 2 * T * N * lstm
    assert cost("macs", graph, "GRUBlockCell") == N * gru
    graph = graph_of(cudnn)
    for mode, layer in {"lstm": keras.LSTM, "gru": keras.GRU, "rnn_tanh": keras.SimpleRNN}.items():
        for way, wrap in {
            "unidirectional": lambda x: x,
            "bidirectional": keras.Bidirectional,
        }.items():
            sides = 2 if way == "bidirectional" else 1
            both = [weights_of(wrap(layer(U, return_sequences=True)), f) for f in (F, sides * U)]
            found = cost("macs", graph, "CudnnRNNV3", rnn_mode=mode, direction=way)
            assert found == T * N * sum(both)


def test_gates_take_work_beside_the_products():
    graph = graph_of(blocks)
    assert cost("work", graph, "LSTMBlockCell") == 29 * N * U
    assert cost("work", graph, "BlockLSTM") == 29 * T * N * U
    # without the bias of the forget gate
    assert cost("work", graph, "BlockLSTMV2") == 28 * T * N * U
    assert cost("work", graph, "BlockLSTMGradV2") == 22 * T * N * U
    assert cost("work", graph, "GRUBlockCell") == 20 * N * U
    graph = graph_of(cudnn)
    both = {"direction": "bidirectional", "rnn_mode": "lstm"}
    # two layers in two directions
    assert cost("work", graph, "CudnnRNNV3", **both) == 32 * T * N * 4 * U
    assert cost("work", graph, "CudnnRNNBackpropV3", **both) == 22 * T * N * 4 * U


# --- few bits


def few_bits():
    x, low, high = tf.ones([2, 9, 9, 4]), tf.constant(-1.0), tf.constant(1.0)
    raw.FakeQuantWithMinMaxArgs(inputs=x)
    raw.FakeQuantWithMinMaxArgsGradient(gradients=x, inputs=x)
    raw.FakeQuantWithMinMaxVars(inputs=x, min=low, max=high)
    raw.FakeQuantWithMinMaxVarsGradient(gradients=x, inputs=x, min=low, max=high)
    ends = {"min": tf.zeros([4]), "max": tf.ones([4])}
    raw.FakeQuantWithMinMaxVarsPerChannel(inputs=x, **ends)
    raw.FakeQuantWithMinMaxVarsPerChannelGradient(gradients=x, inputs=x, **ends)
    raw.QuantizeAndDequantizeV2(input=x, input_min=low, input_max=high)
    raw.QuantizeAndDequantizeV3(input=x, input_min=low, input_max=high, num_bits=8)
    raw.QuantizeAndDequantizeV4(input=x, input_min=low, input_max=high)
    q = raw.QuantizeV2(input=x, min_range=low, max_range=high, T=tf.quint8).output
    raw.QuantizeV2(input=x, min_range=ends["min"], max_range=ends["max"], T=tf.quint8, axis=3)
    raw.Dequantize(input=q, min_range=low, max_range=high)
    raw.Dequantize(input=q, min_range=low, max_range=high, dtype=tf.bfloat16)
    f = raw.QuantizeV2(input=tf.ones([3, 3, 4, 6]), min_range=low, max_range=high, T=tf.quint8)
    sides = {"min_input": low, "max_input": high, "min_filter": low, "max_filter": high}
    for padding, stride in (("SAME", 2), ("VALID", 2), ("VALID", 1)):
        raw.QuantizedConv2D(
            input=q, filter=f.output, **sides, strides=[1, stride, stride, 1], padding=padding
        )
    pool = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    raw.QuantizedMaxPool(input=q, min_input=low, max_input=high, **pool)
    raw.QuantizedAvgPool(input=q, min_input=low, max_input=high, **pool)
    raw.QuantizedRelu(features=q, min_features=low, max_features=high)
    a = raw.QuantizeV2(input=tf.ones([5, 3]), min_range=low, max_range=high, T=tf.quint8).output
    b = raw.QuantizeV2(input=tf.ones([6, 3]), min_range=low, max_range=high, T=tf.quint8).output
    ranges = {"min_a": low, "max_a": high, "min_b": low, "max_b": high}
    raw.QuantizedMatMul(a=a, b=b, **ranges, transpose_b=True)
    raw.Requantize(
        input=tf.cast(q, tf.qint32), input_min=low, input_max=high, requested_output_min=low,
        requested_output_max=high, out_type=tf.quint8,
    )  # fmt: skip


def test_few_bits():
    compare(
        graph_of(few_bits), "QuantizeV2", "Dequantize", "QuantizedConv2D", "QuantizedMatMul",
        "QuantizedMaxPool", "FakeQuantWithMinMaxVarsPerChannelGradient",
        better={"QuantizedRelu", "QuantizeV2"},
    )  # fmt: skip


def test_types_left_out_are_the_usual_ones(registry):
    """A saved model leaves out what equals the default."""
    for op, rule in ours().items():
        if rule.family != "quantized":
            continue
        defaults = {
            a.name: a.default_value for a in registry[op].attr if a.HasField("default_value")
        }
        wanted = [
            defaults[o.type_attr].type for o in registry[op].output_arg if o.type_attr in defaults
        ]
        if wanted:
            inputs = [Tensor((2, 9, 9, 4), 1), Tensor((3, 3, 4, 6), 1), *[Tensor((), 1)] * 8]
            sizes = {"strides": [1, 1, 1, 1], "ksize": [1, 2, 2, 1]}
            attributes = {
                name: v1.AttrValue(list=v1.AttrValue.ListValue(i=entries))
                for name, entries in sizes.items()
            }
            found = rule.infer(Call("x", op, inputs, lambda a=attributes: a))
            assert [one.dtype for one in found][: len(wanted)] == wanted, op
