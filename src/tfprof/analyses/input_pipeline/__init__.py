"""The input pipeline of a run: its tf.data stages, what they cost, and what waited for them."""
