"""Checkpoints, of both versions."""
