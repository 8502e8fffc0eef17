"""XLA's compiled programs, as far as they say which op of the framework an instruction is from.

Written as in graph_messages.py.
"""

MESSAGES = """
HloProto: 1 hlo_module HloModuleProto
HloModuleProto: 1 name string; 3 computations HloComputationProto*; 5 id int64
HloComputationProto: 1 name string; 2 instructions HloInstructionProto*; 5 id int64; 6 root_id int64
HloInstructionProto: 1 name string; 2 opcode string; 7 metadata OpMetadata; 35 id int64; 38 called_computation_ids int64*
OpMetadata: 1 op_type string; 2 op_name string; 3 source_file string; 4 source_line int32
"""  # noqa: E501
