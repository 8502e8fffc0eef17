"""Importing this registers every format: those of all files here, each by its own."""

import importlib
import pkgutil

import tfprof.sources

# in the order in which `tfprof formats` lists them, whoever imports what first; of two formats that
# fit a file equally, the first is taken. A file that is not here comes after those that are
ORDER = (
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
for _file in pkgutil.walk_packages(tfprof.sources.__path__, "tfprof.sources."):
    importlib.import_module(_file.name)
