"""A view in, text out."""
