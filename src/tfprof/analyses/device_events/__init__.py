"""What the events of devices are: which op, which phase of training, which kind of work."""
