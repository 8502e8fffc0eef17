"""Importing this registers every format: a file of `formats` each, or a few that are akin."""

import importlib
import os

import tfprof.sources
from tfprof.module_names import module_names

# in the order in which `tfprof formats` lists them, whoever imports what first; of two formats that
# fit a file equally, the first is taken. A file that is not here comes after those that are
ORDER = (
    "graph_def",
    "meta_graph",
    "run_metadata",
    "op_log",
    "profile_proto",
    "variable_table",
    "checkpoint",
    "event_file",
    "run_record",
    "keras_file",
    "xplane",
    "chrome_trace",
    "saved_profile",
)
_FOLDERS = [os.path.join(path, "formats") for path in tfprof.sources.__path__]  # noqa: PTH118
for _name in sorted(module_names(_FOLDERS)):
    importlib.import_module(f"tfprof.sources.formats.{_name}")
