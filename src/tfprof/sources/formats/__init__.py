"""The formats that are read, a file each: how one is told from others, and who reads it."""
