"""What was read, as columns: no I/O, no formatting."""
