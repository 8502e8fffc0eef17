"""One small file a command: `HELP`, `add_arguments(parser)`, `run(args, progress) -> Result`."""
