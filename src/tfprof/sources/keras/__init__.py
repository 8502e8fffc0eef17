"""Keras files: configuration and weights. Nothing in them is executed."""
