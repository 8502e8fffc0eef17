"""From paths to a profile: which format each file has, which of them belong together."""
