"""What a model costs before it runs: by op, by layer, in parameters."""
