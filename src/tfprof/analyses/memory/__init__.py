"""How much memory a step needs before it runs: buffers, schedules, peaks."""
