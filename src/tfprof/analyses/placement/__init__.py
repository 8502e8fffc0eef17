"""Which op is asked to run where, where it ran, and what went from device to device."""
