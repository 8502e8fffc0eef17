"""The option set of the four views, where views are looked for."""

from tfprof.model.options import EVERYTHING, METRICS, ORDERS, SELECTS, Options, early

__all__ = ["EVERYTHING", "METRICS", "ORDERS", "SELECTS", "Options", "early"]
