"""What has to be written out for type checkers has the metrics of the one list."""

from dataclasses import fields

from tfprof.model import metrics
from tfprof.model.options import Options
from tfprof.results.trees import Costs


def test_a_row_of_costs_has_a_field_a_column():
    assert Costs._fields == (*metrics.NAMES, "defined", "lost_params", "lost_float_ops")
    assert len(Costs._fields) == metrics.COLUMNS
    assert Costs._fields[metrics.RUNS] == "occurrence"
    assert Costs._fields[metrics.DEFINED] == "defined"


def test_every_metric_has_a_minimum_among_the_options():
    minimums = [one.name for one in fields(Options) if one.name.startswith("min_")]
    assert sorted(minimums) == sorted(f"min_{name}" for name in metrics.NAMES)
    assert set(Options().minimums) == set(metrics.NAMES)
