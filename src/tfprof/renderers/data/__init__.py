"""Results as data: one encoder for all of them."""
