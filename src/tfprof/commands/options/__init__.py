"""What may be said with several commands."""
