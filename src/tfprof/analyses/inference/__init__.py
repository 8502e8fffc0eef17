"""Shapes of a whole model before it runs: every op in order, functions and loops gone into."""
