"""What every analysis of a capture counts with: intervals, self times, a run as a capture."""
