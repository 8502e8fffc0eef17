"""What the time of steps went to: every event has a category, every instant one of them."""
