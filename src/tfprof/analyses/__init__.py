"""Pure functions from the model to numbers."""
