"""Files that hold a graph."""
