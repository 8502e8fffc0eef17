"""What readers of every format share: who opens a file, how it is read, which formats there are."""
