"""Graphs: GraphDef, its attributes and functions, MetaGraphDef, SavedModel.

One line a message: `number name type`, `*` repeated, `{key value}` a map, `@group` a oneof.
Only fields that something reads are listed; readers pass over the rest.
"""

MESSAGES = """
GraphDef: 1 node NodeDef*; 2 library FunctionDefLibrary; 3 version int32; 4 versions VersionDef
NodeDef: 1 name string; 2 op string; 3 input string*; 4 device string; 5 attr {string AttrValue}; 6 experimental_debug_info OriginalNames
OriginalNames: 1 original_node_names string*; 2 original_func_names string*
VersionDef: 1 producer int32; 2 min_consumer int32; 3 bad_consumers int32*
AttrValue: 1 list AttrList @value; 2 s bytes @value; 3 i int64 @value; 4 f float @value; 5 b bool @value; 6 type DataType @value; 7 shape TensorShapeProto @value; 8 tensor TensorProto @value; 9 placeholder string @value; 10 func NameAttrList @value
AttrList: 2 s bytes*; 3 i int64*; 4 f float*; 5 b bool*; 6 type DataType*; 7 shape TensorShapeProto*; 8 tensor TensorProto*; 9 func NameAttrList*
NameAttrList: 1 name string; 2 attr {string AttrValue}
TensorShapeProto: 2 dim Dim*; 3 unknown_rank bool
Dim: 1 size int64; 2 name string
TensorProto: 1 dtype DataType; 2 tensor_shape TensorShapeProto; 3 version_number int32; 4 tensor_content bytes; 5 float_val float*; 6 double_val double*; 7 int_val int32*; 8 string_val bytes*; 9 scomplex_val float*; 10 int64_val int64*; 11 bool_val bool*; 12 dcomplex_val double*; 13 half_val int32*; 14 resource_handle_val ResourceHandleProto*; 16 uint32_val uint32*; 17 uint64_val uint64*; 18 float8_val bytes
ResourceHandleProto: 1 device string; 2 container string; 3 name string; 4 hash_code uint64; 5 maybe_type_name string; 6 dtypes_and_shapes DtypeAndShape*
DtypeAndShape: 1 dtype DataType; 2 shape TensorShapeProto
FunctionDefLibrary: 1 function FunctionDef*; 2 gradient GradientDef*
FunctionDef: 1 signature OpDef; 3 node_def NodeDef*; 4 ret {string string}; 5 attr {string AttrValue}; 6 control_ret {string string}; 7 arg_attr {uint32 ArgAttrs}; 8 resource_arg_unique_id {uint32 uint32}
ArgAttrs: 1 attr {string AttrValue}
GradientDef: 1 function_name string; 2 gradient_func string
OpDef: 1 name string; 2 input_arg ArgDef*; 3 output_arg ArgDef*; 4 attr AttrDef*; 20 control_output string*; 17 is_stateful bool
ArgDef: 1 name string; 3 type DataType; 4 type_attr string; 5 number_attr string; 6 type_list_attr string; 7 handle_data DtypeAndShape*; 16 is_ref bool
AttrDef: 1 name string; 2 type string; 3 default_value AttrValue

MetaGraphDef: 1 meta_info_def MetaInfoDef; 2 graph_def GraphDef; 3 saver_def SaverDef; 4 collection_def {string CollectionDef}; 5 signature_def {string SignatureDef}; 6 asset_file_def AssetFileDef*; 7 object_graph_def SavedObjectGraph
MetaInfoDef: 1 meta_graph_version string; 4 tags string*; 5 tensorflow_version string; 6 tensorflow_git_version string
SaverDef: 1 filename_tensor_name string; 2 save_tensor_name string; 3 restore_op_name string
AssetFileDef: 1 tensor_info TensorInfo; 2 filename string
CollectionDef: 1 node_list StringList @kind; 2 bytes_list BytesList @kind; 3 int64_list Int64List @kind; 4 float_list FloatList @kind
StringList: 1 value string*
BytesList: 1 value bytes*
Int64List: 1 value int64*
FloatList: 1 value float*
SignatureDef: 1 inputs {string TensorInfo}; 2 outputs {string TensorInfo}; 3 method_name string
TensorInfo: 1 name string @encoding; 2 dtype DataType; 3 tensor_shape TensorShapeProto; 4 coo_sparse CooSparse @encoding; 5 composite_tensor CompositeTensor @encoding
CooSparse: 1 values_tensor_name string; 2 indices_tensor_name string; 3 dense_shape_tensor_name string
CompositeTensor: 2 components TensorInfo*
VariableDef: 1 variable_name string; 2 initializer_name string; 3 snapshot_name string; 4 save_slice_info_def SaveSliceInfoDef; 5 is_resource bool; 6 initial_value_name string; 7 trainable bool
SaveSliceInfoDef: 1 full_name string; 2 full_shape int64*; 3 var_offset int64*; 4 var_shape int64*

SavedModel: 1 saved_model_schema_version int64; 2 meta_graphs MetaGraphDef*
SavedObjectGraph: 1 nodes SavedObject*; 2 concrete_functions {string SavedConcreteFunction}
SavedObject: 1 children ObjectReference*; 3 slot_variables SlotVariableReference*; 4 user_object SavedUserObject @kind; 6 function SavedFunction @kind; 7 variable SavedVariable @kind; 8 bare_concrete_function SavedBareConcreteFunction @kind; 9 constant SavedConstant @kind
ObjectReference: 1 node_id int32; 2 local_name string
SlotVariableReference: 1 original_variable_node_id int32; 2 slot_name string; 3 slot_variable_node_id int32
SavedUserObject: 1 identifier string; 3 metadata string
SavedFunction: 1 concrete_functions string*
SavedVariable: 1 dtype DataType; 2 shape TensorShapeProto; 3 trainable bool; 6 name string; 7 device string
SavedBareConcreteFunction: 1 concrete_function_name string; 2 argument_keywords string*
SavedConstant: 1 operation string
SavedConcreteFunction: 2 bound_inputs int32*
"""  # noqa: E501
