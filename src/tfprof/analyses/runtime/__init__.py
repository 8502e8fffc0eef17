"""What a run took: every execution of an op, and tables of op times made from them."""
