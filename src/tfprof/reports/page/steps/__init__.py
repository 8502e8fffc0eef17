"""The parts of the section about steps: columns of the chart, and what is behind its slices."""
