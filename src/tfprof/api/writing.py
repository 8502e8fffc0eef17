"""Moved to `commands`; stays here until nothing imports it from here."""

from tfprof.commands.writing import write_chunks, write_file

__all__ = ["write_chunks", "write_file"]
