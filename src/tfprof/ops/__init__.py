"""What an op costs, by op type."""
