"""Running processes, asked over the network: the only package that opens connections.

A program that called `tf.profiler.experimental.server.start(port)` is asked for a capture with
gRPC; TensorFlow is not needed here. What comes back is not believed: replies are bounded, and files
are named after the address that was asked.
"""
