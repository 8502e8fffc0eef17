"""Our field lists against the descriptors that TensorFlow ships."""

import pytest
import tensorflow as tf
from google.protobuf.descriptor import FieldDescriptor
from tensorflow.compiler.xla.service import hlo_pb2
from tensorflow.core.framework import variable_pb2
from tensorflow.core.profiler import tfprof_log_pb2, tfprof_output_pb2
from tensorflow.core.protobuf import (
    config_pb2,
    meta_graph_pb2,
    saved_model_pb2,
    tensor_bundle_pb2,
    trackable_object_graph_pb2,
)
from tensorflow.core.util import event_pb2, saved_tensor_slice_pb2
from tensorflow.python.training import checkpoint_state_pb2
from tensorflow.tsl.profiler.protobuf import profiler_options_pb2, xplane_pb2

from tfprof.wire import dtypes
from tfprof.wire.schema import message_class, schema

ROOTS = {
    "SavedModel": saved_model_pb2.SavedModel,
    "MetaGraphDef": meta_graph_pb2.MetaGraphDef,
    "VariableDef": variable_pb2.VariableDef,
    "RunMetadata": config_pb2.RunMetadata,
    "OpLogProto": tfprof_log_pb2.OpLogProto,
    "ProfileProto": tfprof_log_pb2.ProfileProto,
    "MultiGraphNodeProto": tfprof_output_pb2.MultiGraphNodeProto,
    "XSpace": xplane_pb2.XSpace,
    "ProfileOptions": profiler_options_pb2.ProfileOptions,
    "BundleHeaderProto": tensor_bundle_pb2.BundleHeaderProto,
    "BundleEntryProto": tensor_bundle_pb2.BundleEntryProto,
    "SavedTensorSlices": saved_tensor_slice_pb2.SavedTensorSlices,
    "TrackableObjectGraph": trackable_object_graph_pb2.TrackableObjectGraph,
    "CheckpointState": checkpoint_state_pb2.CheckpointState,
    "Event": event_pb2.Event,
    "HloProto": hlo_pb2.HloProto,
}
# strings of the first op logs: later versions have ids in their place
GONE = {("CodeTrace", "file"), ("CodeTrace", "function"), ("CodeTrace", "line")}


def _repeated(field):
    # protobuf 6.31 deprecates label
    repeated = getattr(field, "is_repeated", None)
    return field.label == FieldDescriptor.LABEL_REPEATED if repeated is None else repeated


def _type(field):
    """The type; of a small enum of TensorFlow's its number is enough."""
    is_number = field.enum_type is not None and field.enum_type.name != "DataType"
    return FieldDescriptor.TYPE_INT32 if is_number else field.type


def _pairs():
    """Every message of ours with TensorFlow's, found by following the fields from the roots."""
    waiting = [(message_class(name).DESCRIPTOR, made.DESCRIPTOR) for name, made in ROOTS.items()]
    found = {}
    while waiting:
        ours, theirs = waiting.pop()
        if ours.full_name in found:
            assert found[ours.full_name][1].full_name == theirs.full_name
            continue
        found[ours.full_name] = ours, theirs
        for field in ours.fields:
            twin = theirs.fields_by_number.get(field.number)
            if field.message_type and twin is not None and twin.message_type:
                waiting.append((field.message_type, twin.message_type))
    return found


PAIRS = _pairs()
OUR_OWN = 1000
# the service of the profiler, which TensorFlow has no Python for: `test_capture_servers` asks one
NOT_IN_PYTHON = {"ProfileRequest", "ProfileResponse"}
# messages that are looked into only where somebody asks
AS_BYTES = {"SummaryValue.tensor"}


def test_every_message_of_ours_has_a_twin_in_tensorflow():
    entries = {f.type for m in schema().values() for f in m.by_name.values() if f.is_map}
    paired = {ours.name for ours, _ in PAIRS.values()}
    assert {name for name in schema() if name not in entries} - paired == NOT_IN_PYTHON


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_fields_have_tensorflows_number_name_type_and_label(name):
    ours, theirs = PAIRS[name]
    checked = 0
    # what we write beside the original's fields has numbers that it never gives
    for field in (one for one in ours.fields if one.number < OUR_OWN):
        twin = theirs.fields_by_number.get(field.number)
        if twin is None:
            assert (ours.name, field.name) in GONE
            continue
        where = f"{ours.name}.{field.name}"
        assert field.name == twin.name, where
        assert _type(field) == _type(twin) or where in AS_BYTES, where
        assert _repeated(field) == _repeated(twin), where
        assert bool(field.containing_oneof) == bool(twin.containing_oneof), where
        if field.containing_oneof:
            assert field.containing_oneof.name == twin.containing_oneof.name, where
        if field.enum_type:
            assert twin.enum_type.full_name == "tensorflow.DataType", where
        checked += 1
    assert checked


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_maps_are_maps_there_too(name):
    ours, theirs = PAIRS[name]
    assert ours.GetOptions().map_entry == theirs.GetOptions().map_entry


def test_a_oneof_of_ours_misses_no_member_that_would_hide_another():
    """What we list of a oneof behaves alike: setting one member clears the others."""
    for ours, theirs in PAIRS.values():
        for oneof in ours.oneofs:
            twins = {f.number for f in theirs.oneofs_by_name[oneof.name].fields}
            assert {f.number for f in oneof.fields} <= twins


def test_data_types_are_tensorflows():
    from tensorflow.core.framework import types_pb2

    assert dict(types_pb2.DataType.items()) == dtypes.ENUM_VALUES


@pytest.mark.parametrize(
    "number", sorted(n for n in dtypes.ENUM_VALUES.values() if 0 < n < dtypes.REF_OFFSET)
)
def test_names_and_sizes_of_data_types_are_tensorflows(number):
    try:
        theirs = tf.dtypes.as_dtype(number)
    except TypeError:
        pytest.skip("TensorFlow's Python has no name for it")
    assert dtypes.name(number) == theirs.name
    assert dtypes.number(theirs.name) == number
    assert dtypes.name(number + dtypes.REF_OFFSET) == theirs.name
    if theirs.name not in ("string", "resource", "variant"):
        # two or four small integers share a byte in a buffer; numpy gives each a byte
        assert dtypes.bits(number) == 8 * theirs.size or dtypes.bits(number) < 8
        assert dtypes.is_floating(number) == (theirs.is_floating or theirs.is_complex)
    else:
        assert dtypes.bits(number) is None


def test_a_real_graph_means_the_same_to_both(samples):
    data = (samples / "keras_lstm_fwd.graph.pb").read_bytes()
    ours = message_class("GraphDef").FromString(data)
    theirs = tf.compat.v1.GraphDef.FromString(data)
    # what one writes, the other reads: equal but for fields we do not list
    again = tf.compat.v1.GraphDef.FromString(ours.SerializeToString())
    assert [n.SerializeToString(deterministic=True) for n in again.node] == [
        n.SerializeToString(deterministic=True) for n in theirs.node
    ]
