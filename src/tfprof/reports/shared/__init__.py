"""What several questions ask, compute and say in the same way."""
