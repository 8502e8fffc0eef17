"""When the steps of a run were, and how that is known."""
