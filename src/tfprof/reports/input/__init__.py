"""Whether the model waits for its data, and for which stage of the tf.data pipeline."""

from tfprof.reports.input.answer import TASKS, Query, ask, input_task, partial_of
from tfprof.reports.input.view import view

__all__ = ["TASKS", "Query", "ask", "input_task", "partial_of", "view"]
