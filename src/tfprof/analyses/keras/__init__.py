"""A Keras file: its layers as the ops of a step, and what they cost."""
