"""Files for other viewers: trace viewers and pprof."""
