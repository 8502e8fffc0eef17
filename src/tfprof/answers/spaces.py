"""Where it was, for answers that are not rebuilt yet."""

from tfprof.reports.shared.run_in_time import run_in_time

__all__ = ["run_in_time"]
