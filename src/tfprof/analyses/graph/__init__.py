"""What a graph says by itself: what reaches what, its variables, and which part is computed."""
