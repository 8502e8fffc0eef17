"""Importing this registers every format. Order is the order `tfprof formats` lists them in."""

from tfprof.sources import (  # noqa: F401
    graph_files,
    meta_graph,
    op_log,
    profile_proto,
    recognised,
    run_metadata,
    variable_table,
)  # isort: skip
