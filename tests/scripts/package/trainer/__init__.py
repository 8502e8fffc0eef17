"""A trainer as a package: `python -m trainer.task --steps 40`."""

__version__ = "1.2"
