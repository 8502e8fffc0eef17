"""For answers that are not rebuilt yet."""

from tfprof.reports.shared.device import device_of

__all__ = ["device_of"]
