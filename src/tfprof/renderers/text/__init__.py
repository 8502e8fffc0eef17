"""Views as text: for terminals, pipes and Markdown."""
