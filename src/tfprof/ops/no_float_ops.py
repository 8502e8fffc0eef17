"""Op types that plainly calculate nothing: they hold, move, name or order data.

An op with neither a rule nor a place here is reported as not counted, so only what is certain
stands here. Calls and loops do not: what they run is not nothing.
"""

_HOLD = """
Const ImmutableConst HostConst Placeholder PlaceholderV2 PlaceholderWithDefault _Arg _DeviceArg
_Retval _DeviceRetval Variable VariableV2 TemporaryVariable DestroyTemporaryVariable VarHandleOp
_VarHandlesOp ReadVariableOp _ReadVariablesOp AssignVariableOp Assign VariableShape
IsVariableInitialized VarIsInitializedOp DestroyResourceOp
"""
_FORWARD = """
Identity IdentityN StopGradient PreventGradient Snapshot DeepCopy Copy CopyHost _Send _Recv
_HostSend _HostRecv _SwitchN Switch Merge RefSwitch RefMerge RefIdentity Enter Exit NextIteration
RefEnter RefExit RefNextIteration LoopCond ControlTrigger NoOp Abort Empty EnsureShape
GuaranteeConst Bitcast Cast
"""
_MOVE = """
Reshape Squeeze ExpandDims Transpose ConjugateTranspose Concat ConcatV2 ConcatOffset ParallelConcat
Pack Unpack Split SplitV Slice StridedSlice StridedSliceGrad StridedSliceAssign
ResourceStridedSliceAssign Pad PadV2 MirrorPad Tile BroadcastTo BroadcastArgs BroadcastGradientArgs
Fill ZerosLike OnesLike Gather GatherV2 GatherNd ResourceGather ResourceGatherNd DynamicPartition
DynamicStitch ParallelDynamicStitch Reverse ReverseV2 ReverseSequence Roll SpaceToDepth DepthToSpace
SpaceToBatch SpaceToBatchND BatchToSpace BatchToSpaceND Diag DiagPart MatrixDiag MatrixDiagV2
MatrixDiagV3 MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixSetDiag MatrixSetDiagV2
MatrixSetDiagV3 MatrixBandPart OneHot InvertPermutation Where Select SelectV2 Shape ShapeN Size Rank
ExtractImagePatches ScatterNd ScatterUpdate ResourceScatterUpdate ScatterNdUpdate
TensorScatterUpdate
"""
_LIST = """
TensorArrayV3 TensorArrayReadV3 TensorArrayWriteV3 TensorArrayGatherV3 TensorArrayScatterV3
TensorArraySizeV3 TensorArrayCloseV3 TensorArrayGradV3 TensorArraySplitV3 TensorArrayConcatV3
EmptyTensorList TensorListReserve TensorListGetItem TensorListSetItem TensorListPushBack
TensorListPopBack TensorListStack TensorListFromTensor TensorListLength TensorListElementShape
TensorListGather TensorListScatter TensorListConcat TensorListConcatV2 TensorListSplit
TensorListResize StackV2 StackPushV2 StackPopV2 StackCloseV2 Stack StackPush StackPop
"""
_FILE = """
Save SaveV2 SaveSlices Restore RestoreV2 RestoreSlice MergeV2Checkpoints ShardedFilename
ShardedFilespec ReadFile WriteFile MatchingFiles StringJoin StringFormat StringSplit
StaticRegexReplace StaticRegexFullMatch RegexReplace RegexFullMatch AsString Substr ScalarSummary
HistogramSummary ImageSummary AudioSummary AudioSummaryV2 TensorSummary TensorSummaryV2 MergeSummary
SummaryWriter WriteSummary WriteScalarSummary WriteHistogramSummary WriteImageSummary
WriteRawProtoSummary Assert Print PrintV2 Timestamp
"""
_FEED = """
FIFOQueue FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2 QueueEnqueueV2 QueueEnqueueManyV2
QueueDequeueV2 QueueDequeueManyV2 QueueDequeueUpToV2 QueueCloseV2 QueueSizeV2 Stage Unstage
IteratorV2 Iterator OneShotIterator AnonymousIteratorV2 AnonymousIteratorV3 MakeIterator
IteratorGetNext IteratorGetNextSync IteratorGetNextAsOptional IteratorToStringHandle
IteratorFromStringHandleV2 DeleteIterator OptionalHasValue OptionalGetValue OptionalNone
OptionalFromValue TensorDataset TensorSliceDataset RangeDataset BatchDataset BatchDatasetV2
RepeatDataset ShuffleDataset ShuffleDatasetV3 PrefetchDataset TakeDataset SkipDataset ZipDataset
ConcatenateDataset CacheDataset CacheDatasetV2 OptionsDataset ModelDataset TFRecordDataset
TextLineDataset FixedLengthRecordDatasetV2 TFRecordReaderV2 FixedLengthRecordReaderV2 ReaderReadV2
WholeFileReaderV2 HashTableV2 LookupTableImport LookupTableImportV2 InitializeTableV2
InitializeTableFromTextFileV2 MutexV2
"""

WITHOUT_FLOAT_OPS = frozenset(f"{_HOLD} {_FORWARD} {_MOVE} {_LIST} {_FILE} {_FEED}".split())
