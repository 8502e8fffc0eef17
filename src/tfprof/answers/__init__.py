"""One module a question: options in, analyses called, a view out."""
