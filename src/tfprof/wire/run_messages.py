"""Runs: RunMetadata, the original tool's op log, profile and results, and TensorFlow 2's XPlane.

Written as in graph_messages.py. Fields from 1000 on are our own: what the original's profile cannot
tell. Its readers pass them over.
"""

MESSAGES = """
RunMetadata: 1 step_stats StepStats; 2 cost_graph CostGraphDef; 3 partition_graphs GraphDef*; 4 function_graphs FunctionGraphs*
FunctionGraphs: 1 partition_graphs GraphDef*; 2 pre_optimization_graph GraphDef; 3 post_optimization_graph GraphDef
StepStats: 1 dev_stats DeviceStepStats*
DeviceStepStats: 1 device string; 2 node_stats NodeExecStats*; 3 thread_names {uint32 string}
NodeExecStats: 1 node_name string; 2 all_start_micros int64; 3 op_start_rel_micros int64; 4 op_end_rel_micros int64; 5 all_end_rel_micros int64; 6 memory AllocatorMemoryUsed*; 7 output NodeOutput*; 8 timeline_label string; 9 scheduled_micros int64; 10 thread_id uint32; 11 referenced_tensor AllocationDescription*; 12 memory_stats MemoryStats; 13 all_start_nanos int64; 14 op_start_rel_nanos int64; 15 op_end_rel_nanos int64; 16 all_end_rel_nanos int64; 17 scheduled_nanos int64
AllocatorMemoryUsed: 1 allocator_name string; 2 total_bytes int64; 3 peak_bytes int64; 4 live_bytes int64; 5 allocator_bytes_in_use int64; 6 allocation_records AllocationRecord*
AllocationRecord: 1 alloc_micros int64; 2 alloc_bytes int64
NodeOutput: 1 slot int32; 3 tensor_description TensorDescription
TensorDescription: 1 dtype DataType; 2 shape TensorShapeProto; 4 allocation_description AllocationDescription
AllocationDescription: 1 requested_bytes int64; 2 allocated_bytes int64; 3 allocator_name string; 4 allocation_id int64; 5 has_single_reference bool; 6 ptr uint64
MemoryStats: 1 temp_memory_size int64; 2 device_temp_memory_size int64; 3 persistent_memory_size int64; 4 device_persistent_memory_size int64; 5 persistent_tensor_alloc_ids int64*; 6 device_persistent_tensor_alloc_ids int64*
CostGraphDef: 1 node CostNode*
CostNode: 1 name string; 2 device string; 3 id int32; 6 temporary_memory_size int64; 9 compute_cost int64

OpLogProto: 1 log_entries OpLogEntry*; 2 id_to_string {int64 string}
OpLogEntry: 1 name string; 2 float_ops int64; 3 types string*; 4 code_def CodeDef
CodeDef: 1 traces CodeTrace*
CodeTrace: 1 file string; 2 lineno int32; 3 function string; 4 line string; 5 func_start_line int32; 6 file_id int64; 7 function_id int64; 8 line_id int64

ProfileProto: 1 nodes {int64 ProfileNode}; 2 has_trace bool; 3 steps int64*; 4 id_to_string {int64 string}; 5 miss_accelerator_stream bool; 1000 tfprof_version int32
ProfileNode: 1 name string; 2 inputs {int32 int64}; 4 shape int64*; 5 op_types string*; 6 canonical_device string; 7 host_device string; 8 float_ops int64; 9 op string; 10 trace CodeDef; 11 attrs {string AttrValue}; 12 execs {int64 ExecProfile}; 13 id int64; 14 src_output_index {int64 int32}; 15 output_shapes {int32 Int64Tuple}; 1000 requested_device string; 1001 input_ports {int32 int32}; 1002 only_ran bool
Int64Tuple: 1 int64_values int64*
ExecProfile: 1 run_count int64; 2 all_start_micros int64; 3 latest_end_micros int64; 4 accelerator_execs {string ExecTime}; 5 cpu_execs {string ExecTime}; 6 devices string*; 7 memory_execs ExecMemory*; 11 allocations AllocationRecord*
ExecTime: 1 times Int64Tuple*
ExecMemory: 1 memory_micros int64; 2 host_temp_bytes int64; 3 host_persistent_bytes int64; 4 accelerator_temp_bytes int64; 5 accelerator_persistent_bytes int64; 6 requested_bytes int64; 7 peak_bytes int64; 8 residual_bytes int64; 9 output_bytes int64; 10 allocator_bytes_in_use int64; 11 output_memory {int32 OutputMemory}
OutputMemory: 1 bytes int64; 2 ptr uint64

GraphNodeProto: 1 name string; 2 exec_micros int64; 3 requested_bytes int64; 4 parameters int64; 6 total_exec_micros int64; 7 total_requested_bytes int64; 8 total_parameters int64; 10 devices string*; 12 children GraphNodeProto*; 13 float_ops int64; 14 total_float_ops int64; 16 input_shapes {int32 TensorShapeProto}; 17 accelerator_exec_micros int64; 18 cpu_exec_micros int64; 19 total_accelerator_exec_micros int64; 20 total_cpu_exec_micros int64; 21 run_count int64; 22 total_run_count int64; 23 total_definition_count int64; 24 peak_bytes int64; 25 residual_bytes int64; 26 output_bytes int64; 27 total_peak_bytes int64; 28 total_residual_bytes int64; 29 total_output_bytes int64
MultiGraphNodeProto: 1 name string; 2 exec_micros int64; 3 requested_bytes int64; 4 parameters int64; 5 float_ops int64; 6 total_exec_micros int64; 7 total_requested_bytes int64; 8 total_parameters int64; 9 total_float_ops int64; 10 graph_nodes GraphNodeProto*; 11 children MultiGraphNodeProto*; 12 accelerator_exec_micros int64; 13 cpu_exec_micros int64; 14 total_accelerator_exec_micros int64; 15 total_cpu_exec_micros int64; 16 peak_bytes int64; 17 residual_bytes int64; 18 output_bytes int64; 19 total_peak_bytes int64; 20 total_residual_bytes int64; 21 total_output_bytes int64

XSpace: 1 planes XPlane*; 2 errors string*; 3 warnings string*; 4 hostnames string*
XPlane: 1 id int64; 2 name string; 3 lines XLine*; 4 event_metadata {int64 XEventMetadata}; 5 stat_metadata {int64 XStatMetadata}; 6 stats XStat*
XLine: 1 id int64; 2 name string; 3 timestamp_ns int64; 4 events XEvent*; 9 duration_ps int64; 10 display_id int64; 11 display_name string
XEvent: 1 metadata_id int64; 2 offset_ps int64 @data; 3 duration_ps int64; 4 stats XStat*; 5 num_occurrences int64 @data
XStat: 1 metadata_id int64; 2 double_value double @value; 3 uint64_value uint64 @value; 4 int64_value int64 @value; 5 str_value string @value; 6 bytes_value bytes @value; 7 ref_value uint64 @value
XEventMetadata: 1 id int64; 2 name string; 3 metadata bytes; 4 display_name string; 5 stats XStat*; 6 child_id int64*
XStatMetadata: 1 id int64; 2 name string; 3 description string
ProfileOptions: 1 include_dataset_ops bool; 2 host_tracer_level uint32; 3 device_tracer_level uint32; 4 python_tracer_level uint32; 5 version uint32; 6 device_type int32; 7 enable_hlo_proto bool; 8 start_timestamp_ns uint64; 9 duration_ms uint64; 10 repository_path string
"""  # noqa: E501
