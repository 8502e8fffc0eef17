"""Of the page as a picture: the model, as its graph shows it."""

from tfprof.reports.model.picture import picture

__all__ = ["picture"]
