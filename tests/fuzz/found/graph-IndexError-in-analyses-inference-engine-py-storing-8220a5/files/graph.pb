
O
3functional_1/dense_1_2/Cast/ReadVariableOp/resourcePlaceholder*
dtype0
@	StackPush3functional_1/dense_1_2/Cast/ReadVariableOp/resource