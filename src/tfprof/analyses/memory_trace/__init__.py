"""Memory as a run really used it: over time, at the peak, by device and allocator."""
