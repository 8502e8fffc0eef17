"""Files that the sessions of TensorFlow 1 and the original tool left beside a graph."""
