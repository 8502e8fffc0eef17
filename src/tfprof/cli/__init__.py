"""The command line: argv in, stdout and an exit code out."""
