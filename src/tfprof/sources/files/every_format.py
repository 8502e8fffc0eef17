"""Importing this registers every format: those of all files here, each by its own."""

import importlib
import pkgutil

import tfprof.sources

# in the order in which `tfprof formats` lists them, whoever imports what first; of two formats that
# fit a file equally, the first is taken. A file that is not here comes after those that are
ORDER = (
    "graph.graph_files",
    "graph.meta_graph",
    "run.run_metadata",
    "run.op_log",
    "run.profile_proto",
    "graph.variable_table",
    "checkpoint.checkpoint",
    "checkpoint.state",
    "run.event_file",
    "run.run_record",
    "keras.file",
    "xplane.xplane",
    "chrome.trace",
    "saved.saved_profile",
)
for _file in pkgutil.walk_packages(tfprof.sources.__path__, "tfprof.sources."):
    importlib.import_module(_file.name)
