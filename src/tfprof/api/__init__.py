"""The Python surface."""
