"""XLA's compiled programs: what instructions compute, from which op and line of code they are.

Written as in graph_messages.py.
"""

MESSAGES = """
HloProto: 1 hlo_module HloModuleProto
HloModuleProto: 1 name string; 3 computations HloComputationProto*; 5 id int64; 17 stack_frame_index StackFrameIndexProto
HloComputationProto: 1 name string; 2 instructions HloInstructionProto*; 5 id int64; 6 root_id int64
HloInstructionProto: 1 name string; 2 opcode string; 3 shape ShapeProto; 7 metadata OpMetadata; 11 fusion_kind string; 15 window Window; 16 convolution_dimension_numbers ConvolutionDimensionNumbers; 28 custom_call_target string; 30 dot_dimension_numbers DotDimensionNumbers; 35 id int64; 36 operand_ids int64*; 38 called_computation_ids int64*
OpMetadata: 1 op_type string; 2 op_name string; 3 source_file string; 4 source_line int32; 15 stack_frame_id int32
StackFrameIndexProto: 1 file_names string*; 3 file_locations FileLocation*; 4 stack_frames StackFrame*
FileLocation: 1 file_name_id int32; 3 line int32
StackFrame: 1 file_location_id int32; 2 parent_frame_id int32
ShapeProto: 2 element_type int32; 3 dimensions int64*; 4 tuple_shapes ShapeProto*
Window: 1 dimensions WindowDimension*
WindowDimension: 1 size int64
DotDimensionNumbers: 1 lhs_contracting_dimensions int64*
ConvolutionDimensionNumbers: 3 kernel_input_feature_dimension int64
"""  # noqa: E501
