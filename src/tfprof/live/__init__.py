"""Live TensorFlow and Keras objects: the only package that loads either, and only when called."""
