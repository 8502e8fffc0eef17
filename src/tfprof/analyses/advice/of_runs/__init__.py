"""Rules that only speak of a run; without one they are not loaded."""
