"""Captures of TensorFlow 2's profiler."""
