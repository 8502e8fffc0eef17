"""A saved profile: the files of a profile in one, with a list of what each of them is."""
