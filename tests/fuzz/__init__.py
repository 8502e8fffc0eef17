"""Damaged files for every command: see CONTRIBUTING.md, "Fuzzing"."""
