"""What Grappler makes of a step before it runs: one pass a file."""
