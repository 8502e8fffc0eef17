"""A training step of which only the forward pass is given: gradients, updates, what differs."""
