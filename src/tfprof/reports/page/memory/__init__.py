"""The parts of the section about memory: over time as measured, over the batch as estimated."""
