"""Checkpoints and event files. Written as in graph_messages.py."""

# what the table of a checkpoint ends with
MAGIC = bytes.fromhex("57fb808b247547db")

MESSAGES = """
BundleHeaderProto: 1 num_shards int32; 2 endianness int32; 3 version VersionDef
BundleEntryProto: 1 dtype DataType; 2 shape TensorShapeProto; 3 shard_id int32; 4 offset int64; 5 size int64; 6 crc32c fixed32; 7 slices TensorSliceProto*
TensorSliceProto: 1 extent SliceExtent*
SliceExtent: 1 start int64; 2 length int64 @has_length_hack

SavedTensorSlices: 1 meta SavedTensorSliceMeta; 2 data SavedSlice
SavedTensorSliceMeta: 1 tensor SavedSliceMeta*; 2 versions VersionDef
SavedSliceMeta: 1 name string; 2 shape TensorShapeProto; 3 type DataType; 4 slice TensorSliceProto*
SavedSlice: 1 name string; 2 slice TensorSliceProto; 3 data TensorProto

TrackableObjectGraph: 1 nodes TrackableObject*
TrackableObject: 1 children ObjectReference*; 2 attributes SerializedTensor*; 3 slot_variables SlotVariableReference*
SerializedTensor: 1 name string; 2 full_name string; 3 checkpoint_key string

CheckpointState: 1 model_checkpoint_path string; 2 all_model_checkpoint_paths string*

Event: 1 wall_time double; 2 step int64; 3 file_version string @what; 4 graph_def bytes @what; 5 summary Summary @what; 8 tagged_run_metadata TaggedRunMetadata @what; 9 meta_graph_def bytes @what
TaggedRunMetadata: 1 tag string; 2 run_metadata bytes
Summary: 1 value SummaryValue*
SummaryValue: 1 tag string; 2 simple_value float @value; 8 tensor bytes @value
"""  # noqa: E501
