
[/device:GPU:0""8*model/dense/MatMul:MatMul*tf_op*kernel_details