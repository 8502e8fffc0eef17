"""A file a section: `section(about)` makes its results; the page has a file of the same name."""
