"""The TensorFlow messages we read, and the bytes they are made of."""
