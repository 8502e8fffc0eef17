"""Files that end early: what is kept is whole, in order, and as much as there is."""

import random

import pytest
from google.protobuf.message import Message

from tfprof.wire.clip import clip
from tfprof.wire.fields import WireFault, whole
from tfprof.wire.schema import message_class

SAMPLES = {
    "keras_mlp_fwd.graph.pb": "GraphDef",
    "keras_lstm_fwd.graph.pb": "GraphDef",
    "keras_mlp_train_b8_default.runmeta.pb": "RunMetadata",
    "resnet50_infer_b1.meta": "MetaGraphDef",
    "resnet32/tfprof_log": "OpLogProto",
    "tiny.xplane.pb": "XSpace",
}


def _is_prefix(part, full):
    """Whether every field of `part` is the beginning of the same field of `full`."""
    for field, value in part.ListFields():
        other = getattr(full, field.name)
        if not _value_is_prefix(value, other):
            return False
    return True


def _value_is_prefix(value, other):
    if isinstance(value, Message):
        return _is_prefix(value, other)
    if hasattr(value, "items"):
        return all(key in other and _same(value[key], other[key]) for key in value)
    if hasattr(value, "append") or hasattr(value, "extend"):
        last = len(value) - 1
        return last < len(other) and all(
            _same(item, other[i]) if i < last else _value_is_prefix(item, other[i])
            for i, item in enumerate(value)
        )
    return _same(value, other)


def _same(one, other):
    if isinstance(one, Message):
        return one.SerializeToString(deterministic=True) == other.SerializeToString(
            deterministic=True
        )
    return one == other or one != one  # noqa: PLR0124  (NaN)


def _ends(size):
    """Every byte of a small file; of a larger one the edges and some in between."""
    if size < 4000:
        return range(size)
    chosen = random.Random(size).sample(range(size), 40)  # noqa: S311
    return sorted({*chosen, *range(40), *range(size - 40, size)})


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_prefix_is_clipped_to_a_beginning_of_the_content(samples, sample):
    name = SAMPLES[sample]
    data = (samples / sample).read_bytes()
    full = message_class(name).FromString(data)
    for end in _ends(len(data)):
        clipped = clip(data[:end], name)
        assert clipped.at <= end
        assert _is_prefix(message_class(name).FromString(clipped.data), full), end


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_longer_prefix_never_keeps_less(samples, sample):
    name = SAMPLES[sample]
    data = (samples / sample).read_bytes()
    before = 0
    for end in _ends(len(data)):
        kept = len(clip(data[:end], name).data)
        # a container may be opened before anything of it is whole
        assert kept >= before - 8, end
        before = kept


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_whole_file_is_kept_as_it_is(samples, sample):
    data = (samples / sample).read_bytes()
    clipped = clip(data, SAMPLES[sample])
    assert clipped.data == data
    assert clipped.at == len(data)


def test_a_graph_keeps_exactly_the_nodes_that_are_whole(samples):
    data = (samples / "keras_mlp_fwd.graph.pb").read_bytes()
    fields = whole(data)
    ends = fields.end[fields.number == 1].tolist()
    names = [node.name for node in message_class("GraphDef").FromString(data).node]
    for end in range(len(data)):
        kept = message_class("GraphDef").FromString(clip(data[:end], "GraphDef").data)
        assert [n.name for n in kept.node] == names[: sum(stop <= end for stop in ends)]


def test_run_metadata_cut_in_the_middle_keeps_the_executions_before_the_cut(samples):
    data = (samples / "keras_mlp_train_b8_default.runmeta.pb").read_bytes()
    run = message_class("RunMetadata")
    full = [n for d in run.FromString(data).step_stats.dev_stats for n in d.node_stats]
    # the step stats come first and are most of the file
    kept = run.FromString(clip(data[: len(data) // 2], "RunMetadata").data)
    (device,) = kept.step_stats.dev_stats[:1]
    assert device.device == run.FromString(data).step_stats.dev_stats[0].device
    nodes = [n for d in kept.step_stats.dev_stats for n in d.node_stats]
    assert 10 < len(nodes) < len(full)
    assert [n.node_name for n in nodes] == [n.node_name for n in full[: len(nodes)]]


def test_a_model_nested_three_deep_is_closed_at_every_level():
    saved = message_class("SavedModel")(saved_model_schema_version=1)
    meta = saved.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    for i in range(5):
        meta.graph_def.node.add(name=f"node{i}", op="NoOp")
    data = saved.SerializeToString()
    cut = data.index(b"node3") + 2
    kept = message_class("SavedModel").FromString(clip(data[:cut], "SavedModel").data)
    assert kept.saved_model_schema_version == 1
    assert list(kept.meta_graphs[0].meta_info_def.tags) == ["serve"]
    assert [n.name for n in kept.meta_graphs[0].graph_def.node] == ["node0", "node1", "node2"]


def test_bytes_that_are_no_field_are_a_fault_not_a_cut():
    with pytest.raises(WireFault, match="no field starts like this") as caught:
        clip(b"\x0a\x01x\x0f\x01", "GraphDef")
    assert caught.value.offset == 3
