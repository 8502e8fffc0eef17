"""What text and pictures draw in the same way."""
