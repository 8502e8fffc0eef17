"""Who reads the hosts of a run: processes of this machine, or a cluster that the user names."""
