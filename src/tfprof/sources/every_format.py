"""Importing this registers every format."""

import importlib

# in the order in which `tfprof formats` lists them, whoever imports what first
MODULES = (
    "graph_files",
    "meta_graph",
    "run_metadata",
    "op_log",
    "profile_proto",
    "variable_table",
    "checkpoint",
    "checkpoint_state",
    "event_file",
    "keras_file",
    "xplane",
    "chrome_trace",
)
for _name in MODULES:
    importlib.import_module(f"tfprof.sources.{_name}")
