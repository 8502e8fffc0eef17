"""What `tfprof log` does with files: which runs are read, and the index of those that were."""
