"""What an answer can be written as: a file a format, named as `--format` and suffixes name it."""
