"""The index of a history: what is known of runs that were read before."""
