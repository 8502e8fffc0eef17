"""What advice asks of a graph or a capture: faults that can be seen in it, in numbers."""
